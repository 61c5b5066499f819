package cua

// History is all that has happened: the start observation and the steps. It is the only state of the
// episode that detectors, advisors and gates have. What is in it never changes.
type History struct {
	Start Observation
	Steps []Step
	// Resumed are the places where an interrupted or halted episode continued, ascending by At.
	Resumed []Resumption
}

// Turn is what the brain, the advisors and the gates are shown before a step.
type Turn struct {
	Task    Task
	History History
	// Now is the newest observation: after the last step or resumption, or that of the start.
	Now Observation
	// Number is that of the step to come, Decision that of the answer to come.
	Number   int
	Decision int
	// Signals are those of the LoopDetector over History.
	Signals []Signal
	// Incident is the open one; nil is none.
	Incident *Incident
	// Form is the state of the plan values; nil if the task has none.
	Form *FormState
	// Evidence is what gates and advisors need to know about the page, the plan and the steps so far: for
	// example which steps had no effect.
	Evidence *Evidence
	// AskDirector says that the director, a second and stronger brain for runs that are stuck, should decide
	// this step.
	AskDirector bool
	// Ledger is what was done so far, for a prompt that folds old steps away; nil if that is switched off.
	Ledger *Ledger
	// Notes are for the brain, the most important first. Each is delivered once; a later turn may bring a new
	// one about the same.
	Notes []Note
	// Lessons are the most relevant ones from earlier episodes, best first, no more than the config allows.
	// The brain is shown their texts word for word.
	Lessons []Lesson
	// Frames are the most recent screenshots, oldest first; the last shows the page as it is now. There are
	// none if no screenshot of that could be taken.
	Frames []Shot
}

// Soft reports whether a signal of soft level or above holds.
func (t *Turn) Soft() bool {
	for _, s := range t.Signals {
		if s.Level.AtLeast(Soft) {
			return true
		}
	}
	return false
}

// Decision is a brain's answer.
type Decision struct {
	Action  Action
	Thought string
	// By names the brain that decided, for example "heuristic"; a director's name follows DirectorPrefix.
	By    string
	Usage Usage
	// Failure is set if the reply could not be turned into an action; Action is then zero.
	Failure *Failure
	// Refused says that the model declines the task: the episode ends.
	Refused bool
	// Continues says that this action belongs to the same answer as the last step: the step shares that
	// step's Decision number, and Usage is zero. It is ignored before the first step.
	Continues bool
	// Sent is what is new since the last decision in the text that was sent: messages, instructions, tool
	// results. Images are named, not included. "": nothing was sent, or nobody asked to keep it.
	Sent string
}

// DirectorPrefix begins Decision.By of a director, also when the director failed to decide.
const DirectorPrefix = "director:"

// Proposal is a decision whose target has been located in the page. Gates review it.
type Proposal struct {
	Action  Action
	Target  Target
	By      string
	Thought string
	// Failure is that of the decision or of the location. If it is set there is nothing to dispatch: only the
	// gates that count failures or end runs (limits, mistakes, breaker) may rule, the others pass.
	Failure *Failure
}

// Outcome is what the environment reports of one action.
type Outcome struct {
	After   Observation
	Failure *Failure
	Settle  Settle
	// The parts of the time taken, ms.
	DispatchMS, SettleMS, ObserveMS float64
	// Facets are the results of a restore, by facet (such as cookies or form): restored, drifted, kept or
	// unsupported.
	Facets map[string]string
	// Terminated says that the environment reported the end of the task; Reward is the score that it gave.
	Terminated bool
	Reward     *float64
	// Text is what a read-only action found.
	Text string
	// Log is a short account of what was tried, for messages.
	Log []string
}

// Note is a message to the brain. It is delivered in exactly one turn.
type Note struct {
	// From is who sent it: nudge, mistakes, runner or person.
	From string `json:"from"`
	// Level is that of a nudge: 1 hint, 2 instruction, 3 last warning; 0 for other notes.
	Level int    `json:"level,omitzero"`
	Text  string `json:"text"`
}
