package lessons

import (
	"fmt"
	"slices"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Compose are what t's incidents and rewinds teach, in the order of their steps and each once. They
// are made of known words alone: kinds of action, roles and keys of closed lists, shapes and reason codes,
// and names that sayable lets pass. The incidents are those that package detector finds in t. One that had
// effects is a false alarm and teaches nothing, and so does one that closed because the episode was
// cancelled, failed for the infrastructure or ended well.
func Compose(t *trajectories.Trajectory, incidents []cua.Incident) []cua.Lesson {
	var out []cua.Lesson
	for _, f := range taught(t, incidents) {
		out = append(out, f.lesson)
	}
	return out
}

// teaching is a lesson and what taught it.
type teaching struct {
	step     int           // the first of it
	incident *cua.Incident // nil is a rewind
	lesson   cua.Lesson
}

// source is the id of the incident, "" for a rewind, and the first and the last step that taught the lesson.
func (f teaching) source() (incident string, evidence []int) {
	evidence = []int{f.step}
	if f.incident == nil {
		return "", evidence
	}
	if f.incident.Last > f.step {
		evidence = append(evidence, f.incident.Last)
	}
	return f.incident.ID, evidence
}

// taught is what Compose says, each with its source.
func taught(t *trajectories.Trajectory, incidents []cua.Incident) []teaching {
	c := composer{t: t, h: t.History()}
	c.samples = c.h.Samples()
	var found []teaching
	for i, in := range incidents {
		if l, ok := c.ofIncident(in); ok {
			found = append(found, teaching{in.First, &incidents[i], l})
		}
	}
	for i := range t.Steps {
		n := t.Steps[i].N
		inside := slices.ContainsFunc(incidents, func(in cua.Incident) bool {
			return in.First <= n &&
				n <= in.Last
		})
		if l, ok := c.ofRewind(i); ok && !inside {
			found = append(found, teaching{n, nil, l})
		}
	}
	slices.SortStableFunc(found, func(a, b teaching) int { return a.step - b.step })
	var out []teaching
	for _, f := range found {
		if !slices.ContainsFunc(out, func(o teaching) bool { return o.lesson.ID == f.lesson.ID }) {
			out = append(out, f)
		}
	}
	return out
}

type composer struct {
	t       *trajectories.Trajectory
	h       cua.History
	samples []cua.Sample
}

// saying is what step i did, in known words.
type saying func(i int) string

// lesson is a sentence about what step i did, with all that goes with it; false where it would be none. The
// sentence is made of what was done and where; one that is too long does without the place, and then without
// names.
func (c *composer) lesson(i int, sentence func(did string, say saying) string) (cua.Lesson, bool) {
	before := c.h.Before(i)
	l := cua.Lesson{Origin: cua.Origin(before.URL), Actions: []cua.Kind{c.samples[i].Action.Kind}}
	named := func(i int) string {
		return doing(c.samples[i].Action, named(c.samples[i].Step.Target, c.t.Header.Task.Goal))
	}
	bare := func(i int) string { return doing(c.samples[i].Action, roleWord(c.samples[i].Step.Target)) }
	l.Text = sentence(capital(named(i))+onPath(before.URL, c.t.Header.Task.URL), named)
	for _, say := range []saying{named, bare} {
		if Tokens(l.Text) > maxTokens {
			l.Text = sentence(capital(say(i)), say)
		}
	}
	if tags := c.t.Header.Task.Tags; len(tags) > 0 {
		l.Tag = tags[0]
	}
	if c.t.End != nil && !c.t.End.At.IsZero() {
		l.At = c.t.End.At.UTC().Format(time.RFC3339)
	}
	l.ID = ID(l)
	return l, Check(l) == nil
}

// ofIncident is what an incident teaches.
func (c *composer) ofIncident(in cua.Incident) (cua.Lesson, bool) {
	first := c.index(in.First)
	i, ok := c.repeated(in)
	if !ok || first < 0 || !c.counts(in) || c.falseAlarm(in, i) {
		return cua.Lesson{}, false
	}
	return c.lesson(i, func(did string, say saying) string {
		return fmt.Sprintf("%s again %s; %s.", did, cameTo(in.Shapes, c.samples[i].Step), c.worked(in, say))
	})
}

// counts reports whether what closed the incident has to do with the agent's work.
func (c *composer) counts(in cua.Incident) bool {
	if in.Outcome == "" || c.t.End == nil {
		return false
	}
	if in.Outcome != cua.OutcomeEnded {
		return true
	}
	switch c.t.End.Reason {
	case cua.EndMaxSteps, cua.EndMaxWall, cua.EndMaxTokens, cua.EndMaxCost, cua.EndDoneFailed,
		cua.EndDoneUnverified:
		return true
	}
	return false
}

// index is that of the step with this number; -1 is none.
func (c *composer) index(n int) int {
	return slices.IndexFunc(c.t.Steps, func(s cua.Step) bool { return s.N == n })
}

// window is how many steps before an incident made its first signal where no signal is on record: those of a
// soft window.
const window = 3

// evidence are the indexes of the steps that made the incident's signals, and of those inside it, rising;
// those that a gate replaced and those that did not act are left out.
func (c *composer) evidence(in cua.Incident) []int {
	made := map[int]bool{}
	first, last := c.index(in.First), c.index(in.Last)
	if first < 0 || last < 0 {
		return nil
	}
	signalled := false
	for i := first; i <= last; i++ {
		made[i] = true
		for _, g := range c.t.Steps[i].Signals {
			if !g.Level.AtLeast(cua.Soft) || !slices.Contains(in.Shapes, g.Shape) {
				continue
			}
			signalled = true
			for _, n := range g.Evidence {
				made[c.index(n)] = true
			}
		}
	}
	for i := max(0, first-window); i < first && !signalled; i++ {
		made[i] = true
	}
	var out []int
	for i := range c.t.Steps {
		if made[i] && c.own(i) {
			out = append(out, i)
		}
	}
	return out
}

// own reports whether step i did something to the page or waited, and as the brain asked.
func (c *composer) own(i int) bool {
	s := c.samples[i].Step
	return s.Action != nil && !s.Action.Kind.ReadOnly() && !s.Action.Kind.Ends() && !s.Substituted() &&
		s.RecoveryReason == "" && s.RewoundTo == 0
}

// repeated is the step that shows what the incident repeated: the newest of the evidence before the incident,
// which made the signal; else the first one inside it.
func (c *composer) repeated(in cua.Incident) (int, bool) {
	out := -1
	for _, i := range c.evidence(in) {
		if out < 0 || c.t.Steps[i].N < in.First {
			out = i
		}
	}
	return out, out >= 0
}

// falseAlarm reports whether what made the incident had effects after all: a step of its evidence before
// it, or one inside it that did the same as step i once more.
func (c *composer) falseAlarm(in cua.Incident, i int) bool {
	return slices.ContainsFunc(c.evidence(in), func(j int) bool {
		same := c.samples[j].Signature == c.samples[i].Signature
		return c.samples[j].Progress && (same || c.t.Steps[j].N < in.First)
	})
}

// ofRewind is what the rewind of step i teaches; false where it was none.
func (c *composer) ofRewind(i int) (cua.Lesson, bool) {
	if c.t.Steps[i].RewoundTo == 0 {
		return cua.Lesson{}, false
	}
	for j := i - 1; j >= 0 && c.t.Steps[j].N >= c.t.Steps[i].RewoundTo; j-- {
		if c.own(j) {
			return c.lesson(j, func(did string, _ saying) string {
				return did + " led to where it had to be taken back here; try another way first (rewind)."
			})
		}
	}
	return cua.Lesson{}, false
}

// cameTo says the outcome of repeating, by shape.
func cameTo(shapes []cua.Shape, last *cua.Step) string {
	if len(shapes) == 0 {
		return "has no effect here"
	}
	switch shapes[0] {
	case cua.ShapeFailures:
		if last.Failure != nil && slices.Contains(cua.FailureKinds(), last.Failure.Kind) {
			return fmt.Sprintf("fails here (%s)", last.Failure.Kind)
		}
		return "fails here"
	case cua.ShapeStall:
		return "brings nothing here"
	case cua.ShapeCycle, cua.ShapeRevisit, cua.ShapeSpiral, cua.ShapeStagnation:
		return fmt.Sprintf("gets nowhere here (%s)", shapes[0])
	}
	return "has no effect here"
}

// ways say what a recovery does, for a reader who never saw the code.
var ways = map[cua.Reason]string{
	cua.TypePendingValue:     "typing the planned value",
	cua.TabToNextField:       "going on to the next field by Tab",
	cua.PressReturnForSubmit: "pressing Return",
	cua.DismissOverlay:       "closing what lies over it",
	cua.ScrollIntoView:       "scrolling it into view",
	cua.RetargetClick:        "pressing the middle of the nearest control",
	cua.UseControl:           "setting the control by its value",
	cua.PressSubmit:          "pressing the form's submit control",
	cua.ReloadPage:           "reloading the page",
	cua.RewindReason:         "going back to an earlier page",
}

// worked says what got the run out of the incident, or what was tried without effect.
func (c *composer) worked(in cua.Incident, say saying) string {
	if in.Outcome == cua.OutcomeRewound {
		return fmt.Sprintf("%s worked (%s)", ways[cua.RewindReason], cua.RewindReason)
	}
	if in.Outcome.Recovered() {
		for _, a := range slices.Backward(in.Tried) {
			if way, ours := ways[a.Reason]; ours && a.Effect {
				return fmt.Sprintf("%s worked (%s)", way, a.Reason)
			}
		}
		for i := c.index(in.First); i >= 0 && i <= min(c.index(in.Last)+1, len(c.samples)-1); i++ {
			if s := &c.samples[i]; c.own(i) && s.Progress {
				return say(i) + " worked"
			}
		}
		return "do something else"
	}
	for _, a := range slices.Backward(in.Tried) {
		if _, ours := ways[a.Reason]; ours && !a.Effect {
			return fmt.Sprintf("nor did %s help; go another way early", a.Reason)
		}
	}
	return "the run ended there, so do something else early"
}
