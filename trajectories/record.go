package trajectories

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// Version is the format version that this package writes. Readers ignore fields they do not know, so it rises
// only when an older reader would misread a record. Version 2 has the rescue table in its toggles, settings
// and gates, and observations that tell forms, dialogs and what a control says.
const Version = 2

// RecordType names what a journal line holds. The list is closed.
type RecordType string

// The record types.
const (
	HeaderRecord RecordType = "header"
	StartRecord  RecordType = "start"
	IntentRecord RecordType = "intent"
	StepRecord   RecordType = "step"
	EventRecord  RecordType = "event"
	EndRecord    RecordType = "end"
)

// Record is one journal line. Exactly the field that Type names is set.
type Record struct {
	Type   RecordType       `json:"type"`
	Header *Header          `json:"header,omitzero"`
	Start  *cua.Observation `json:"start,omitzero"`
	Intent *cua.Intent      `json:"intent,omitzero"`
	Step   *cua.Step        `json:"step,omitzero"`
	Event  *Event           `json:"event,omitzero"`
	End    *End             `json:"end,omitzero"`
}

// Header is the first record: all that the episode was started with.
type Header struct {
	// Version is the format version; Create sets it.
	Version int `json:"version"`
	// ID is unique in the world and sorts by time (NewID). The runner sets it once, before the first record;
	// a resumed episode keeps it. "" is a journal older than ids.
	ID string `json:"id,omitzero"`
	// Episode is the readable name (EpisodeID), which is also that of the run folder. Two folders may use one
	// name.
	Episode string `json:"episode"`
	// Arm names the configuration; "" is none of the named ones.
	Arm string `json:"arm,omitzero"`
	// Attempt counts the tries at one cell from 1; 0 is unknown.
	Attempt int `json:"attempt,omitzero"`
	// Fork is set if the first steps were copied from another episode, which made them under its own
	// configuration.
	Fork *ForkOf  `json:"fork,omitzero"`
	Task cua.Task `json:"task"`
	// Config is the full resolved configuration; a resumed episode is rebuilt from it.
	Config  json.RawMessage `json:"config,omitzero"`
	Toggles cua.Toggles     `json:"toggles"`
	// Detectors, Advisors and Gates are the names in the order in which they are asked.
	Detectors []string    `json:"detectors,omitzero"`
	Advisors  []string    `json:"advisors,omitzero"`
	Gates     []string    `json:"gates,omitzero"`
	Brain     BrainInfo   `json:"brain,omitzero"`
	Browser   BrowserInfo `json:"browser,omitzero"`
	// NetFaults are the network faults that a benchmark's proxy played, as cua.ParseNetFault reads them, by
	// the chance of NetSeed; none is a network as it is.
	NetFaults []string `json:"network_faults,omitzero"`
	NetSeed   int64    `json:"network_seed,omitzero"`
	Viewport  cua.Size `json:"viewport,omitzero"`
	Build     Build    `json:"build,omitzero"`
	Host      Host     `json:"host,omitzero"`
	// Lessons are those kept from earlier episodes that this one could be given: of the pages that the task
	// names, and for each of them the most relevant to each class of action. Which of them a turn carried
	// follows from them and from the history.
	Lessons []cua.Lesson `json:"lessons,omitzero"`
	Started time.Time    `json:"started,omitzero"`
}

// BrainInfo says which brain decided. It never holds a key.
type BrainInfo struct {
	Name  string `json:"name"`
	Model string `json:"model,omitzero"`
	// Settings are the brain's own, as JSON, without secrets.
	Settings json.RawMessage `json:"settings,omitzero"`
	// Director is the brain that is asked when the run is stuck, as --director names it; "" is none.
	Director string `json:"director,omitzero"`
}

// Build is the version of this program.
type Build struct {
	Version  string `json:"version,omitzero"`
	Revision string `json:"revision,omitzero"`
	// Modified says that the source differed from Revision.
	Modified bool   `json:"modified,omitzero"`
	Go       string `json:"go,omitzero"`
}

// String is version and revision; "" where neither is known.
func (b Build) String() string {
	out := strings.TrimSpace(b.Version + " " + b.Revision)
	if b.Modified {
		out += " with local changes"
	}
	return out
}

// Host is the machine, as far as it explains timings.
type Host struct {
	OS       string `json:"os,omitzero"`
	Arch     string `json:"arch,omitzero"`
	CPUs     int    `json:"cpus,omitzero"`
	MemoryMB int    `json:"memory_mb,omitzero"`
}

// EventKind names what happened between steps. Writers know this list only;
// readers keep kinds that they do not know.
type EventKind string

// The event kinds.
const (
	// PauseEvent: a person or a gate asked the episode to stop for now.
	PauseEvent EventKind = "pause"
	// TakeoverEvent: a person acted on the page; Changes and After say the outcome.
	TakeoverEvent EventKind = "takeover"
	// ContinueEvent: the episode continues with fresh counters.
	ContinueEvent EventKind = "continue"
	// AnswerEvent: a person answered the question of an ask; the episode continues with fresh counters.
	AnswerEvent EventKind = "answer"
	// ResumeEvent: another process continues, counters as they were.
	ResumeEvent EventKind = "resume"
	// InterruptedEvent: an intent whose outcome nobody saw.
	InterruptedEvent EventKind = "interrupted_intent"
	// FaultEvent: the infrastructure failed, not the agent.
	FaultEvent EventKind = "infrastructure_fault"
	// LessonEvent: a lesson that the episode taught was written down. It may follow an end, which stays the
	// end.
	LessonEvent EventKind = "lesson_captured"
	// DeniedEvent: requests of the page were not let out; Denied counts them by host and reason.
	DeniedEvent EventKind = "egress_denied"
)

// eventKinds lists the kinds in their order.
func eventKinds() []EventKind {
	return []EventKind{PauseEvent, TakeoverEvent, ContinueEvent, AnswerEvent, ResumeEvent, InterruptedEvent,
		FaultEvent, LessonEvent, DeniedEvent}
}

// Fresh reports whether the episode continues with fresh counters after an event of that kind.
func (k EventKind) Fresh() bool { return k == ContinueEvent || k == AnswerEvent }

// Event is what no step is.
type Event struct {
	Kind EventKind `json:"kind"`
	// Step is the number of the last step before it, 0 before the first. The Writer sets it.
	Step int       `json:"step"`
	At   time.Time `json:"at,omitzero"`
	// Detail is one line for the reader.
	Detail string `json:"detail,omitzero"`
	// Denied are what an egress_denied is about: at most 65 of them.
	Denied []cua.Denial `json:"denied,omitzero"`
	// Lesson is the id of the one that a lesson_captured is about; Detail is its text.
	Lesson string `json:"lesson,omitzero"`
	// Evidence are the steps that taught the lesson of a lesson_captured: the first and the last of Incident,
	// or a rewind; nil where a person wrote it.
	Evidence []int `json:"evidence,omitzero"`
	// Intent is the one that an interrupted_intent is about. The Writer sets it.
	Intent *cua.Intent `json:"intent,omitzero"`
	// By is cua.Person where a person asked for a pause; "" is a gate, or the question of an ask.
	By string `json:"by,omitzero"`
	// Answer is what a person answered: text, or <secret:NAME> where the answer is a secret.
	Answer string `json:"answer,omitzero"`
	// Reason is why the episode had stopped, of a pause and of a continue or answer that follows one; "" is
	// what the last end says. Incident is the id of the incident that was open then, or
	// taught the lesson; "" is none.
	Reason   cua.EndReason `json:"reason,omitzero"`
	Incident string        `json:"incident_id,omitzero"`
	// MaxSteps is the cap on the steps of the episode from here on, where somebody raised it to go on; 0
	// leaves it.
	MaxSteps int `json:"max_steps,omitzero"`
	// Restored is the outcome of giving a resumed session what the newest checkpoint held; nil is that there
	// was none.
	Restored *cua.Restored `json:"restored,omitzero"`
	// Browser is the one that is driven from here on, of a resume or continue; nil is the same as before.
	Browser *BrowserInfo `json:"browser,omitzero"`
	// Changes are what a takeover changed.
	Changes []cua.Change `json:"changes,omitzero"`
	// After is the page as a resume or continue found it, or a takeover left it; nil is
	// unknown. It enters History as a Resumption.
	After *cua.Observation `json:"after,omitzero"`
}

// End is why the episode ended, and with what.
type End struct {
	Reason  cua.EndReason `json:"reason"`
	Success bool          `json:"success"`
	// Code is why a gate ended the episode as asked: credentials_rejected, uncertain_send, ask_user; "" where
	// the brain asked, and of other ends.
	Code string `json:"code,omitzero"`
	// Answer is what a done said.
	Answer string `json:"answer,omitzero"`
	// Reward is what the task gave, nil when it gives none.
	Reward *float64 `json:"reward,omitzero"`
	// Detail is one line for the reader: what failed, which cap.
	Detail string    `json:"detail,omitzero"`
	At     time.Time `json:"at,omitzero"`
	Totals Totals    `json:"totals"`
}

// Totals are sums over all steps of the episode.
type Totals struct {
	// Steps is set by the Writer.
	Steps  int `json:"steps"`
	Tokens int `json:"tokens,omitzero"`
	// USD is nil when what a step cost is unknown.
	USD *float64 `json:"cost_usd,omitzero"`
	// DurationMS is the time from reset to end, pauses between processes left out.
	DurationMS int64 `json:"duration_ms,omitzero"`
}

// Sum is the totals of steps; DurationMS is that of their stages. A writer of an
// End that measured the whole time puts it in place of that.
func Sum(steps []cua.Step) Totals {
	t := Totals{Steps: len(steps)}
	var usd, ms float64
	known, unknown := false, false
	for i := range steps {
		u := steps[i].Usage
		t.Tokens += u.Tokens()
		ms += steps[i].Timing.Total()
		switch {
		case u.USD != nil:
			known = true
			usd += *u.USD
		case u.Tokens() > 0:
			unknown = true
		}
	}
	if known && !unknown {
		t.USD = &usd
	}
	t.DurationMS = int64(ms + 0.5)
	return t
}
