package trajectories

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// document is one trajectory as JSON.
type document struct {
	Header Header           `json:"header"`
	Start  *cua.Observation `json:"start,omitzero"`
	Steps  []cua.Step       `json:"steps"`
	Events []Event          `json:"events,omitzero"`
	Ends   []End            `json:"ends,omitzero"`
	// Interrupted is the intent that the journal ends with.
	Interrupted *cua.Intent `json:"interrupted_intent,omitzero"`
	Result      RunResult   `json:"result"`
	// Blobs are the frames by name, when they were asked for.
	Blobs map[string]frame `json:"blobs,omitzero"`
}

// frame is a blob inside a document.
type frame struct {
	Mime string `json:"mime"`
	Data []byte `json:"data"` // base64
}

// ExportJSON writes one document, {"trajectories": […]}: the records by kind, and the result
// computed from them. With blobs each frame is in it once, as base64; a frame that cannot be
// read is then an error.
func ExportJSON(w io.Writer, ts []*Trajectory, blobs bool) error {
	out := struct {
		Trajectories []document `json:"trajectories"`
	}{[]document{}}
	for _, t := range ts {
		d := document{Header: t.Header, Steps: t.Steps, Events: t.Events, Ends: t.Ends, Interrupted: t.Interrupted, Result: Summarize(t, t.Incidents)}
		if d.Steps == nil {
			d.Steps = []cua.Step{}
		}
		if t.Start.URL != "" || len(t.Steps) > 0 {
			d.Start = &t.Start
		}
		if blobs {
			d.Blobs = map[string]frame{}
			for _, sha := range t.Frames() {
				data, err := t.Blob(sha)
				if err != nil {
					return err
				}
				d.Blobs[sha] = frame{http.DetectContentType(data), data}
			}
		}
		out.Trajectories = append(out.Trajectories, d)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("trajectories: exporting json: %w", err)
	}
	return nil
}

// ExportJSONL writes one step a line: {"episode","arm","task","step":{…}}, "in_incident" and
// "incident_outcome" where the step was made in one, and with blobs also "frame", the page after the step. A frame that cannot be read is then an error.
func ExportJSONL(w io.Writer, ts []*Trajectory, blobs bool) error {
	enc := json.NewEncoder(w)
	for _, t := range ts {
		for i := range t.Steps {
			line := struct {
				Episode string    `json:"episode"`
				Arm     string    `json:"arm,omitzero"`
				Task    string    `json:"task,omitzero"`
				Step    *cua.Step `json:"step"`

				InIncident string              `json:"in_incident,omitzero"`
				Outcome    cua.IncidentOutcome `json:"incident_outcome,omitzero"`
				Frame      *frame              `json:"frame,omitzero"`
			}{Episode: t.Header.Episode, Arm: t.Header.Arm, Task: t.Header.Task.ID, Step: &t.Steps[i]}
			if in := t.incidentAt(t.Steps[i].N); in != nil {
				line.InIncident, line.Outcome = in.ID, in.Outcome
			}
			if sha := t.Steps[i].After.FrameSHA; blobs && sha != "" {
				data, err := t.Blob(sha)
				if err != nil {
					return err
				}
				line.Frame = &frame{http.DetectContentType(data), data}
			}
			if err := enc.Encode(line); err != nil {
				return fmt.Errorf("trajectories: exporting jsonl: %w", err)
			}
		}
	}
	return nil
}

// Frames are the names of all blobs that t refers to, sorted, each once.
func (t *Trajectory) Frames() []string {
	names := map[string]bool{t.Start.FrameSHA: true}
	for i := range t.Steps {
		names[t.Steps[i].After.FrameSHA] = true
	}
	for _, e := range t.Events {
		if e.After != nil {
			names[e.After.FrameSHA] = true
		}
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}
