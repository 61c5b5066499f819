package formats

import (
	"maps"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// An export is read by programs that walk it. So its lists are always there, if empty, and a map whose keys a
// page makes up is a list: as an object it would be a column for each key in a data frame.

// Line is a line of WriteJSONL.
type Line struct {
	ID      string       `json:"id,omitzero"`
	Episode string       `json:"episode"`
	Arm     string       `json:"arm,omitzero"`
	Task    string       `json:"task,omitzero"`
	Step    exportedStep `json:"step"`
	// Success and EndReason are those of the episode; absent: it has not ended.
	Success   *bool         `json:"success,omitzero"`
	EndReason cua.EndReason `json:"end_reason,omitzero"`
	// InIncident is the incident that the step was made in, Outcome how that closed.
	InIncident string              `json:"in_incident,omitzero"`
	Outcome    cua.IncidentOutcome `json:"incident_outcome,omitzero"`
	// Frame is the page after the step, when it was asked for.
	Frame *frame `json:"frame,omitzero"`
	// Prompt is what the brain was sent for the step, when it was asked for.
	Prompt string `json:"prompt,omitzero"`
}

// exportedStep is a step; its lists are empty where the journal has none.
type exportedStep struct {
	*cua.Step
	Signals []cua.Signal  `json:"signals"`
	Notes   []cua.Note    `json:"notes"`
	Rulings []cua.Ruling  `json:"rulings"`
	After   *exportedPage `json:"after"`
}

// exportedEvent is an event with its page.
type exportedEvent struct {
	*trajectories.Event
	After *exportedPage `json:"after,omitzero"`
}

// exportedPage is an observation; DOMParts are pairs of name and digest in the order of the names.
type exportedPage struct {
	*cua.Observation
	DOMParts [][2]string `json:"dom_parts"`
}

func exportStep(s *cua.Step) exportedStep {
	return exportedStep{s, listed(s.Signals), listed(s.Notes), listed(s.Rulings), exportPage(&s.After)}
}

func exportPage(o *cua.Observation) *exportedPage {
	if o == nil {
		return nil
	}
	out := &exportedPage{o, [][2]string{}}
	for _, name := range slices.Sorted(maps.Keys(o.DOMParts)) {
		out.DOMParts = append(out.DOMParts, [2]string{name, o.DOMParts[name]})
	}
	return out
}

// listed is list, and never nil.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
