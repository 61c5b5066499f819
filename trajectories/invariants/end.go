package invariants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// reopening are the events after which an episode continues after a crash, a pause or an end.
var reopening = []trajectories.EventKind{trajectories.ResumeEvent, trajectories.ContinueEvent,
	trajectories.AnswerEvent}

// endAgrees holds each end against the step before it, and looks for what was done after a step that had
// ended the episode or past its cap. After a crash or an end that can be continued a resumption may go on.
func endAgrees(j *Journal) []Violation {
	var out report
	var last *cua.Step // of this session
	n := 0
	most := j.maxSteps()
	for r := range j.accepted() {
		switch {
		case r.Type == trajectories.StepRecord:
			if n++; most > 0 && n == most+1 {
				out.at(n, "was made after %d steps, which is the cap", most)
			}
			if why, over := overWith(last); over {
				out.at(r.Step.N, "was made although step %d had ended the episode (%s)", last.N, why)
			}
			last = r.Step
		case r.Event != nil && slices.Contains(reopening, r.Event.Kind):
			last, most = nil, cmp.Or(r.Event.MaxSteps, most)
		case r.Type == trajectories.EndRecord:
			if why := j.wrongEnd(r.End, last, n, most); why != "" {
				out.at(n, "%s", why)
			}
		}
	}
	return out
}

// maxSteps is how many steps the episode may take; 0 is unknown, or no cap.
func (j *Journal) maxSteps() int {
	return cmp.Or(j.Header.Task.MaxSteps, j.bounds().Recovery.Limits.MaxSteps)
}

// overWith is the reason for which s ends the episode; false when it continues after it, or s is nil.
func overWith(s *cua.Step) (cua.EndReason, bool) {
	if s == nil {
		return "", false
	}
	r, _ := s.Ruled()
	switch a := s.Action; {
	case r.Verdict == cua.Halt || r.Verdict == cua.Pause:
		return r.End, true
	case a == nil && len(s.Rulings) == 0:
		return cua.EndRefused, true
	case a == nil:
	case a.Kind == cua.Ask:
		return cua.EndAsked, true
	case a.Kind == cua.Done && a.Success:
		return cua.EndDone, true
	case a.Kind == cua.Done:
		return cua.EndDoneFailed, true
	case s.Failure != nil && s.Failure.Kind.End() != "":
		return s.Failure.Kind.End(), true
	}
	return "", false
}

// outside are the ends that come from elsewhere than the last step.
var outside = []cua.EndReason{cua.EndCancelled, cua.EndBrainError, cua.EndMaxWall, cua.EndMaxSteps,
	cua.EndMaxTokens, cua.EndMaxCost, cua.EndSiteFault}

// wrongEnd says what of e is not borne out by the n steps before it, of which it may have most, and last is
// the newest of this session, nil when it made none; "" is nothing. A fault of the machine may come at any
// time.
func (j *Journal) wrongEnd(e *trajectories.End, last *cua.Step, n, most int) string {
	succeeds := e.Reason == cua.EndDone
	if e.Reward != nil {
		succeeds = *e.Reward >= 1
	}
	why, over := overWith(last)
	used := trajectories.Sum(j.Steps[:min(n, len(j.Steps))]).Tokens
	allowed := j.bounds().Recovery.Limits.MaxTokens
	switch {
	case e.Success != succeeds:
		return fmt.Sprintf("the end (%s) says success %t", e.Reason, e.Success)
	case e.Reason == cua.EndEnvError:
	case over && e.Reason != why:
		return fmt.Sprintf("the end says %s, the last step %s", e.Reason, why)
	case over && last.Action != nil && last.Action.Kind.Ends() && e.Answer != last.Action.Text:
		return fmt.Sprintf("the answer of the end (%s) is not that of the last step", e.Reason)
	case over, e.Reason == cua.EndPaused && j.pausedByPerson(n):
	case e.Reason == cua.EndMaxSteps && n < most:
		return fmt.Sprintf("the end says %s at step %d of %d", e.Reason, n, most)
	case e.Reason == cua.EndMaxTokens && used < allowed:
		return fmt.Sprintf("the end says %s after %d of %d", e.Reason, used, allowed)
	case e.Reason == cua.EndEnvEnded && (last == nil || !last.HasAction()),
		e.Reason != cua.EndEnvEnded && !slices.Contains(outside, e.Reason):
		return fmt.Sprintf("the end says %s, and no step ended the episode so", e.Reason)
	}
	return ""
}

// pausedByPerson reports whether a person asked for a pause after n steps.
func (j *Journal) pausedByPerson(n int) bool {
	return slices.ContainsFunc(j.Events, func(e trajectories.Event) bool {
		return e.Kind == trajectories.PauseEvent && e.By == cua.Person && e.Step == n
	})
}

// doneTooEarly looks at what the done gate let through: an answer that is blank or lacks a name that the task
// asks for, a plan whose last step does not show, or a planned value that no field ever showed and nobody
// ever typed.
func doneTooEarly(j *Journal, i int, s *cua.Step, say sayer) {
	if !j.acceptsDone(s) {
		return
	}
	if strings.TrimSpace(s.Action.Text) == "" {
		say("a done without an answer was accepted")
	}
	t, now := j.Header.Task, j.before(i)
	if n := len(t.Plan); n > 0 {
		last := t.Plan[n-1]
		if !strings.Contains(now.URL, last.URL) || !strings.Contains(folded(now.Title), folded(last.Title)) {
			say("a done was accepted although the last step of the plan does not show")
		}
	}
	for _, name := range t.OutputFields {
		if !strings.Contains(squeezed(s.Action.Text), squeezed(name)) {
			say("a done was accepted although its answer does not say %q", name)
		}
	}
	for _, v := range t.Fields {
		if !j.reached(i, v) {
			say("a done was accepted although the planned value of %q was never in the page", v.Label)
		}
	}
}

// reached reports whether v may have been in a field before step i: one showed it, one of its label was not
// blank, or somebody put it in. A day that was spelled in another way is known by its digits.
func (j *Journal) reached(i int, v cua.PlanValue) bool {
	in := func(o *cua.Observation) bool {
		return slices.ContainsFunc(o.Fields, func(f cua.Field) bool {
			filled := mentions(&f, v.Label) && !contentsOf(&f).blank()
			return filled || shows(&f, v.Value) || f.Checked && mentions(&f, v.Value)
		})
	}
	for k := range j.Steps[:i+1] {
		if in(j.before(k)) {
			return true
		}
	}
	return in(&j.Start) || slices.ContainsFunc(j.Steps[:i], func(s cua.Step) bool {
		a := s.Action
		typed := a != nil && a.Text != "" && !a.Kind.Ends() && folded(a.Text) == folded(v.Value)
		return typed || in(&s.After)
	})
}

// squeezed is text in lower case without anything but letters and digits.
func squeezed(text string) string { return strings.Join(labelWords(text), "") }
