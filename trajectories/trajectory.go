package trajectories

import (
	"cmp"

	"github.com/cua-runner/cua-runner/cua"
)

// Trajectory is a journal, read.
type Trajectory struct {
	// Dir is the run folder; "" when there is none, and then blobs cannot be read.
	Dir    string
	Header Header
	// Start is the first observation; the zero value when the page was never reached.
	Start  cua.Observation
	Steps  []cua.Step
	Events []Event
	// End is why the episode ended; nil while it has not, also after it was continued.
	End *End
	// Ends are all ends in order: an episode that was continued has more than one.
	Ends []End
	// Interrupted is the intent that the journal ends with; nil when it does not.
	Interrupted *cua.Intent
	// Torn says that the journal's last line was not whole, Dropped how many bytes of it are
	// of no use. 0 is a line that lacked its end only.
	Torn    bool
	Dropped int64
	// Incidents are not in the journal: package detector computes them. Exports and pages show
	// what a caller put here; nil is none.
	Incidents []cua.Incident
}

// add takes the next record, which the grammar has accepted.
func (t *Trajectory) add(r *Record) {
	switch r.Type {
	case HeaderRecord:
		t.Header = *r.Header
	case StartRecord:
		t.Start = *r.Start
	case StepRecord:
		s, was := *r.Step, &t.Start
		if n := len(t.Steps); n > 0 {
			was = &t.Steps[n-1].After
		}
		s.After = s.After.Sharing(was)
		t.Steps = append(t.Steps, s)
	case EventRecord:
		e := *r.Event
		e.Step = len(t.Steps)
		t.Events = append(t.Events, e)
		if e.Kind != LessonEvent { // what is learned of an episode does not reopen it
			t.End = nil
		}
	case EndRecord:
		t.Ends = append(t.Ends, *r.End)
		end := *r.End
		t.End = &end
	}
}

// History is what policies see of t: all steps, and where the episode went on after a
// resume, a continue or a takeover.
func (t *Trajectory) History() cua.History { return t.HistoryAt(len(t.Steps)) }

// HistoryAt is the history of the first n steps, 0 to len(Steps): what the turn of step
// n+1 was made from.
func (t *Trajectory) HistoryAt(n int) cua.History {
	h := cua.History{Start: t.Start, Steps: t.Steps[:n:n]}
	var interrupted *cua.Intent // of the session before
	for _, e := range t.Events {
		if e.Kind == InterruptedEvent {
			interrupted = e.Intent
		}
		if e.Step > n || e.After == nil && !e.Kind.Fresh() {
			continue
		}
		r := cua.Resumption{At: e.Step, Fresh: e.Kind.Fresh(), MaxSteps: e.MaxSteps,
			Interrupted: interrupted}
		interrupted = nil
		if r.Fresh {
			r.End = cmp.Or(e.Reason, t.stopped(e.Step))
		}
		if e.After != nil {
			r.Page = *e.After
		} else {
			r.Page = h.Before(e.Step)
		}
		h.Resumed = append(h.Resumed, r)
	}
	return h
}

// stopped is why the episode had stopped after n steps when somebody chose to go on; "" when no
// end says so. Faults and interrupts between that end and the choice are no reason.
func (t *Trajectory) stopped(n int) cua.EndReason {
	for _, e := range t.Ends {
		if e.Totals.Steps == n && !e.Reason.Infrastructure() && e.Reason != cua.EndCancelled {
			return e.Reason
		}
	}
	return ""
}

// Live are the steps that no rewind undid.
func (t *Trajectory) Live() []cua.Step { return cua.Live(t.Steps) }
