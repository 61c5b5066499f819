package cua

import "cmp"

// Page is the address that a session is opened on.
func (t Task) Page() string { return cmp.Or(t.At, t.URL) }

// Task is what an episode is asked to do.
type Task struct {
	ID string `json:"id"`
	// Goal is the task in words.
	Goal string `json:"goal"`
	// URL is the start page. Its host is home: what belongs to the task's own site belongs there.
	URL string `json:"url"`
	// At is the page that a resumed episode is opened on, within what URL and Allow admit; "" is URL. It is
	// in no record.
	At string `json:"-"`
	// Fields are the plan values for forms, in the order in which they were given.
	Fields []PlanValue `json:"fields,omitzero"`
	// Plan are steps with a condition each, for the done gate.
	Plan []PlanStep `json:"plan,omitzero"`
	// OutputFields are names that a successful answer must contain.
	OutputFields []string `json:"output_fields,omitzero"`
	// ReadEndpoints are URL path prefixes whose non-GET requests change nothing.
	ReadEndpoints []string `json:"read_endpoints,omitzero"`
	// Idempotent says that sending a form twice does no harm: what an interruption left uncertain is sent
	// again without a question.
	Idempotent bool `json:"idempotent,omitzero"`
	// Allow are the hosts (host or host:port) that the episode may visit beside the start page's.
	Allow []string `json:"allow,omitzero"`
	// Subresources says which hosts that are not among them may be asked for what a document loads; "" is
	// same-site.
	Subresources Subresources `json:"subresources,omitzero"`
	// SecretOrigins are, by the name of a secret, the one origin whose documents it may be typed into; a
	// secret that is not among them may go where Allow and the start page's host say (CheckSecret). It
	// narrows that and widens nothing.
	SecretOrigins map[string]string `json:"secret_origins,omitzero"`
	Tags          []string          `json:"tags,omitzero"`
	Seed          int64             `json:"seed"`
	// MaxSteps caps the episode; 0 leaves the cap to the config.
	MaxSteps int `json:"max_steps,omitzero"`
}

// PlanValue is one value that belongs into a field with that label.
type PlanValue struct {
	Label string `json:"label"`
	// Value is literal, or <secret:NAME>.
	Value string `json:"value"`
}

// PlanStep is a step of a task's plan and the condition that shows it was done:
// a piece of the URL or of the title. An empty condition always holds.
type PlanStep struct {
	Text  string `json:"text"`
	URL   string `json:"url,omitzero"`
	Title string `json:"title,omitzero"`
}

// History is all that has happened: the start observation and the steps. It is
// the only state of a policy. Neither is ever changed once it is in.
type History struct {
	Start Observation
	Steps []Step
	// Resumed are the places where an interrupted or halted episode went on, rising by At.
	Resumed []Resumption
}

// Resumption is one place where an episode went on after an end, a crash or a pause.
type Resumption struct {
	// At is how many steps there were.
	At int
	// Page is what the new session showed: what a person typed before may be gone.
	Page Observation
	// Fresh says that counters start anew: the episode had been paused or halted and somebody
	// chose to go on. A resume after a crash is not fresh.
	Fresh bool
	// End is what a fresh one follows; "" is unknown.
	End EndReason
	// MaxSteps is the cap on steps from there on; 0 leaves it as it was.
	MaxSteps int
	// Interrupted is the intent that was on record without a step; nil when there was none.
	Interrupted *Intent
}

// Now is the newest observation: what a resumption showed, the last step's After, or Start.
func (h History) Now() Observation { return h.Before(len(h.Steps)) }

// Before is the observation that step i (an index into Steps) acted on; len(Steps) asks for
// that of the step to come.
func (h History) Before(i int) Observation { return *h.before(i) }

func (h *History) before(i int) *Observation {
	if page := h.resumedAt(i); page != nil {
		return page
	}
	if i == 0 {
		return &h.Start
	}
	return &h.Steps[i-1].After
}

// Turn is what brain, advisors and gates are shown before a step.
type Turn struct {
	Task    Task
	History History
	// Now is History.Now().
	Now Observation
	// Number is that of the step to be made, Decision that of the answer to come.
	Number   int
	Decision int
	// Signals of the LoopDetector over History.
	Signals []Signal
	// Incident is the open one, nil when none is.
	Incident *Incident
	// Form is the state of the plan values, nil when the task has none.
	Form *FormState
	// Evidence is what gates and advisors need to know about the moment.
	Evidence *Evidence
	// AskDirector says that a director, where there is one, is to decide this step.
	AskDirector bool
	// Ledger is what was done so far, for a prompt that folds old steps away; nil where that is switched off.
	Ledger *Ledger
	// Notes to the brain, by rank; they are in exactly one request.
	Notes []Note
	// Lessons are those kept from earlier episodes that matter most here, the most relevant first, at most as
	// many as the config says: a brain is shown their texts word for word.
	Lessons []Lesson
	// Frames are the most recent shots, oldest first, the page as it is now last.
	Frames []Shot
}

// Soft says whether a signal of at least soft level holds.
func (t *Turn) Soft() bool {
	for _, s := range t.Signals {
		if s.Level.AtLeast(Soft) {
			return true
		}
	}
	return false
}

// DirectorPrefix begins Decision.By of what a director decided, also of a decision that it failed
// to make.
const DirectorPrefix = "director:"

// Decision is a brain's answer.
type Decision struct {
	Action  Action
	Thought string
	// By names the brain that decided, as "heuristic" or "director:NAME".
	By    string
	Usage Usage
	// Failure is set when the reply could not be turned into an action; Action is then zero.
	Failure *Failure
	// Refused says that the model declines the task; the episode ends.
	Refused bool
	// Continues says that this is one more action of the answer that the last step was decided by: the step
	// shares that step's Decision number. Its Usage is zero, the answer was paid for once. Before the first
	// step it says nothing.
	Continues bool
	// Sent is the text that a model or a program was sent for this decision, as far as it had not been sent
	// with the decision before: messages, instructions, what tools answered. Pictures are named, not held. ""
	// is that nothing was sent, or that nobody wants it.
	Sent string
}

// Proposal is a decision after the page was asked what it is aimed at.
type Proposal struct {
	Action  Action
	Target  Target
	By      string
	Thought string
	// Failure is that of the decision or of Locate; gates other than limits, mistakes
	// and breaker pass when it is set.
	Failure *Failure
}

// Outcome is what the environment reports of one action.
type Outcome struct {
	After   Observation
	Failure *Failure
	Settle  Settle
	// Dispatch, Settled and Observed are the parts of the time taken, ms.
	DispatchMS, SettleMS, ObserveMS float64
	// Facets say what a restore achieved: restored, drifted, kept or unsupported, by facet.
	Facets map[string]string
	// Terminated says that the task ended itself; Reward is then what it gave.
	Terminated bool
	Reward     *float64
	// Text is what a read-only action found.
	Text string
	// Log is a short account of what was tried, for messages.
	Log []string
}

// FormState is what form control knows of the plan values, computed once a turn
// from task and live steps.
type FormState struct {
	Values []FormValue `json:"values,omitzero"`
}

// FormValue is one plan value and where it stands.
type FormValue struct {
	PlanValue
	// Field is the ID of the visible field it belongs in; "" when none matches.
	Field string `json:"field,omitzero"`
	// Text is Value as that field wants it (a date as 2026-01-31); "" while Field is.
	Text string `json:"text,omitzero"`
	// Score of the match, 0 to 1.
	Score float64 `json:"score,omitzero"`
	// Landed says that a live step read it back from its field.
	Landed bool `json:"landed,omitzero"`
}

// Pending are the values that have not landed, in plan order. A nil FormState has none.
func (f *FormState) Pending() []FormValue {
	if f == nil {
		return nil
	}
	var out []FormValue
	for _, v := range f.Values {
		if !v.Landed {
			out = append(out, v)
		}
	}
	return out
}

// AllLanded says that there are values and each has landed.
func (f *FormState) AllLanded() bool {
	return f != nil && len(f.Values) > 0 && len(f.Pending()) == 0
}

// Note is something said to the brain in one turn and never again.
type Note struct {
	// From is the advisor: nudge, done_gate, verifier, runner, ….
	From string `json:"from"`
	// Level is that of a nudge: 1 hint, 2 instruction, 3 last warning; 0 for other notes.
	Level int    `json:"level,omitzero"`
	Text  string `json:"text"`
}
