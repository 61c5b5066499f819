package formats

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Document is the document of WriteJSON.
type Document struct {
	Trajectories []trajectory `json:"trajectories"`
}

// trajectory is one trajectory as JSON.
type trajectory struct {
	Header trajectories.Header `json:"header"`
	Start  *exportedPage       `json:"start,omitzero"`
	Steps  []exportedStep      `json:"steps"`
	Events []exportedEvent     `json:"events"`
	Ends   []trajectories.End  `json:"ends"`
	// Interrupted is the intent that the journal ends with.
	Interrupted *cua.Intent            `json:"interrupted_intent,omitzero"`
	Result      trajectories.RunResult `json:"result"`
	// Blobs are the frames and prompts by name, when they were asked for.
	Blobs map[string]frame `json:"blobs,omitzero"`
}

// frame is a blob inside a document.
type frame struct {
	Mime string `json:"mime"`
	Data []byte `json:"data"` // base64
}

// WriteJSON writes one document, {"trajectories": […]}: the records by kind, and the result
// computed from them. With blobs each frame and each prompt is in it once, as base64; one that
// cannot be read is then an error.
func WriteJSON(w io.Writer, ts []*trajectories.Trajectory, blobs bool) error {
	out := Document{[]trajectory{}}
	for _, t := range ts {
		d := trajectory{Header: t.Header, Steps: []exportedStep{}, Events: []exportedEvent{},
			Ends: listed(t.Ends), Interrupted: t.Interrupted, Result: trajectories.Summarize(t, t.Incidents)}
		for i := range t.Steps {
			d.Steps = append(d.Steps, exportStep(&t.Steps[i]))
		}
		for i := range t.Events {
			d.Events = append(d.Events, exportedEvent{&t.Events[i], exportPage(t.Events[i].After)})
		}
		if t.Start.URL != "" || len(t.Steps) > 0 {
			d.Start = exportPage(&t.Start)
		}
		if blobs {
			d.Blobs = map[string]frame{}
			for _, sha := range blobsOf(t) {
				data, err := t.Blob(sha)
				if err != nil {
					return err
				}
				d.Blobs[sha] = frame{http.DetectContentType(data), data}
			}
		}
		out.Trajectories = append(out.Trajectories, d)
	}
	enc := encoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("trajectories: exporting json: %w", err)
	}
	return nil
}

// WriteJSONL writes one step a line, with what it says of the episode. With blobs each has the frame after
// it and what the brain was sent for it; one that cannot be read is then an error.
func WriteJSONL(w io.Writer, ts []*trajectories.Trajectory, blobs bool) error {
	enc := encoder(w)
	for _, t := range ts {
		for i := range t.Steps {
			line, err := lineOf(t, &t.Steps[i], blobs)
			if err != nil {
				return err
			}
			if err := enc.Encode(line); err != nil {
				return fmt.Errorf("trajectories: exporting jsonl: %w", err)
			}
		}
	}
	return nil
}

// lineOf is a step with what it says of the episode, and with blobs the frame after it and its prompt.
func lineOf(t *trajectories.Trajectory, s *cua.Step, blobs bool) (Line, error) {
	line := Line{ID: t.Header.ID, Episode: t.Header.Episode, Arm: t.Header.Arm, Task: t.Header.Task.ID,
		Step: exportStep(s)}
	if t.End != nil {
		line.Success, line.EndReason = &t.End.Success, t.End.Reason
	}
	if in := t.IncidentAt(s.N); in != nil {
		line.InIncident, line.Outcome = in.ID, in.Outcome
	}
	if !blobs {
		return line, nil
	}
	if sha := s.After.FrameSHA; sha != "" {
		data, err := t.Blob(sha)
		if err != nil {
			return line, err
		}
		line.Frame = &frame{http.DetectContentType(data), data}
	}
	text, err := t.Prompt(s)
	line.Prompt = text
	return line, err
}

// blobsOf are the names of all blobs that t refers to, sorted, each once.
func blobsOf(t *trajectories.Trajectory) []string {
	names := map[string]bool{t.Start.FrameSHA: true}
	for i := range t.Steps {
		names[t.Steps[i].After.FrameSHA] = true
		names[t.Steps[i].PromptSHA] = true
	}
	for _, e := range t.Events {
		if e.After != nil {
			names[e.After.FrameSHA] = true
		}
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}
