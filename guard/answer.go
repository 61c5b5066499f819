package guard

import "github.com/cua-runner/cua-runner/cua"

// Verdict is the advice about a proposed step.
type Verdict string

// The verdicts, from the weakest to the strongest.
const (
	Pass    Verdict = "pass"    // nothing to say
	Note    Verdict = "note"    // tell the agent the notes
	Suggest Verdict = "suggest" // another action is likely to help
	Stop    Verdict = "stop"    // warnings did not help: end the run or ask a person
)

// Evidence is what a verdict is based on.
type Evidence string

// The kinds of evidence.
const (
	OnForm Evidence = "form"  // the page and the values of its fields
	OnPage Evidence = "page"  // the page
	Blind  Evidence = "blind" // places and words alone: the verdict is at most Note
)

// Answer is what is said about one proposed step. Steps are called what the input calls them.
type Answer struct {
	Run     string   `json:"run,omitzero"`
	Index   int      `json:"index"`
	Verdict Verdict  `json:"verdict"`
	Signals []Signal `json:"signals,omitzero"`
	// Notes are for the agent. They contain no value of a field.
	Notes    []string    `json:"notes,omitzero"`
	Suggest  *Suggestion `json:"suggest,omitzero"`
	Incident *Incident   `json:"incident,omitzero"`
	Evidence Evidence    `json:"evidence"`
}

// Signal is a shape of loop that holds before the step.
type Signal struct {
	Shape cua.Shape `json:"shape"`
	Level cua.Level `json:"level"`
	// Since is the first step that it is based on.
	Since int `json:"since"`
}

// Suggestion is another action.
type Suggestion struct {
	ActionType string `json:"action_type"`
	Target     string `json:"target,omitzero"`
	Text       string `json:"text,omitzero"`
	// Field is the label of the value to type; the value itself is never said.
	Field string     `json:"field,omitzero"`
	Code  cua.Reason `json:"code"`
}

// Incident is the loop that the run is in, and what it has cost.
type Incident struct {
	ID    string `json:"id"`
	Steps int    `json:"steps"`
	// USD is missing if it is unknown.
	USD *float64 `json:"usd,omitzero"`
}
