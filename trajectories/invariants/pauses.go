package invariants

import (
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// pauses compares pauses, takeovers and what follows them with the rulings of the gates and with the
// config: whether a person could be asked, and else what the policy for unattended runs is.
func pauses(j *Journal) []Violation {
	w := pauseWatch{c: j.bounds(), ended: true}
	for r := range j.accepted() {
		switch e := r.Event; {
		case r.Step != nil:
			w.step(r.Step)
		case r.End != nil:
			w.end(r.End)
		case e == nil:
		case e.Kind == trajectories.PauseEvent:
			w.pause(e)
		case e.Kind == trajectories.TakeoverEvent && (w.paused == nil || !w.attended()):
			w.say("a takeover where no person was asked")
		case e.Kind == trajectories.AnswerEvent && (w.paused == nil || !w.question):
			w.say("an answer where nothing was asked")
			w.paused = nil
		case e.Kind.Fresh():
			w.goesOn(e)
		case e.Kind == trajectories.ResumeEvent: // who had paused it is asked again
			w.last, w.ended = nil, false
		}
	}
	return w.out
}

type pauseWatch struct {
	c      *config
	n      int
	last   *cua.Step           // of this session
	paused *trajectories.Event // the pause that nobody has gone on from
	// question says that the pause is the question of an ask.
	question bool
	ended    bool // the session has: a continue may follow
	out      report
}

func (w *pauseWatch) say(format string, args ...any) {
	w.out.at(w.n, format, args...)
}

// attended reports whether a person was there to choose at the pause: one asked for it, an ask was put to
// one, or the config says so.
func (w *pauseWatch) attended() bool {
	return w.c.Recovery.Attended || w.question || w.paused != nil && w.paused.By == cua.Person
}

func (w *pauseWatch) step(s *cua.Step) {
	w.n = s.N
	if w.paused != nil {
		w.say("was made while the episode was paused")
		w.paused = nil
	}
	w.last, w.ended = s, false
	r, ruled := s.Ruled()
	c := w.c.Recovery
	if gate := r.Gate == "breaker" || rescued(r); !ruled || !gate {
		return
	}
	pauses := c.Attended || c.OnSpiral == "continue"
	switch {
	case r.Verdict == cua.Halt && pauses:
		w.say("%s halted the episode, which was to be paused", r.Gate)
	case r.Verdict == cua.Pause && !pauses:
		w.say("%s paused the episode, and nobody can be asked", r.Gate)
	}
}

func (w *pauseWatch) pause(e *trajectories.Event) {
	w.paused, w.question = e, w.last != nil && e.Reason == cua.EndAsked && w.last.Asks()
	var r cua.Ruling
	if w.last != nil {
		r, _ = w.last.Ruled()
	}
	if w.question || e.By == cua.Person && e.Reason == cua.EndPaused {
		return
	}
	if r.Verdict != cua.Pause || e.Reason != r.End || e.Incident != w.last.Incident {
		w.say("a pause for %s in %q that no gate ruled", e.Reason, e.Incident)
	}
}

func (w *pauseWatch) goesOn(e *trajectories.Event) {
	c := w.c.Recovery
	switch p := w.paused; {
	case p == nil && !w.ended:
		w.say("went on with fresh counters where nothing had stopped")
	case p == nil:
	case e.Reason != p.Reason || e.Incident != p.Incident:
		w.say("went on after %s in %q, paused was %s in %q", e.Reason, e.Incident, p.Reason, p.Incident)
	case !w.attended() && c.OnSpiral != "continue":
		w.say("went on although nobody could be asked and the policy is %q", c.OnSpiral)
	}
	*w = pauseWatch{c: w.c, n: w.n, out: w.out}
}

func (w *pauseWatch) end(e *trajectories.End) {
	if p := w.paused; p != nil && !e.Reason.Infrastructure() && e.Reason != cua.EndCancelled {
		switch {
		case e.Reason != p.Reason:
			w.say("the end says %s, it was paused for %s", e.Reason, p.Reason)
		case !w.attended():
			w.say("it ended where the policy is to continue")
		}
	}
	w.last, w.paused, w.ended = nil, nil, true
}

// rewindsCapped counts the rewinds of an incident that no person asked for, since the counters were fresh.
func rewindsCapped(j *Journal, i int, s *cua.Step, say sayer) {
	c := j.bounds().Recovery
	if s.Incident == "" || c.Rescue.Rewinds < 1 || !goesBack(s) {
		return
	}
	here := 0
	for k := j.HistoryAt(i).Fresh(); k <= i; k++ {
		if o := &j.Steps[k]; goesBack(o) && o.Incident == s.Incident {
			here++
		}
	}
	if here > c.Rescue.Rewinds {
		say("the %d. rewind in incident %s, at most %d are made", here, s.Incident, c.Rescue.Rewinds)
	}
}

// goesBack reports whether s is a rewind that was tried and that no person asked for.
func goesBack(s *cua.Step) bool {
	return s.Action != nil && s.Action.Kind == cua.Rewind && s.By != cua.Person
}
