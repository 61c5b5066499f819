package detector

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// StreakConfig says how many repetitions are reported.
type StreakConfig struct {
	// From is the first count that is reported.
	From int `json:"from"`
}

// Streak counts mutating actions of one class on one target of one tab without a fresh look
// (docs/memory.md#repeat-guard). Its signal is a note: no alarm, and it starts no incident.
//
// The count is reset by an action of another class on the target, by an explicit look at it, and by a
// committed navigation, a reload or a rewind in its tab. An effect resets it for clicks, keys and drags, but
// not for typing and selecting: an edit that "worked" each time is what goes wrong unseen. A failed dispatch
// does not count. The dispatched action counts, not the proposed one.
type Streak struct{ Config }

// Detect is pure (Detector).
func (s Streak) Detect(h cua.History) []cua.Signal { return traced(s, h) }

func (s Streak) detect(t *trace) []cua.Signal {
	i := len(t.steps) - 1
	for i >= 0 && !t.did(i) {
		i--
	}
	if i < 0 || t.steps[i].Step.Failure != nil {
		return nil
	}
	last := t.steps[i]
	class, at, tab := classOf(last.Step.Action.Kind), t.touched(i), t.before(i).Tab
	if class == "" || at == "" {
		return nil
	}
	g := streak{t, last, class, at, tab}
	var run []*cua.Sample
	for ; i >= 0; i-- {
		repeat, ends := g.reads(i)
		if ends {
			break
		}
		if repeat {
			run = append(run, t.steps[i])
		}
		if t.resumed(i) {
			break // a new session, in which everything was loaded again
		}
	}
	if len(run) < s.Streak.From {
		return nil
	}
	slices.Reverse(run)
	return []cua.Signal{{Shape: cua.ShapeStreak, Level: cua.NoteLevel, Run: len(run), Since: run[0].Step.N,
		Target:   at,
		Evidence: numbers(run, maxEvidence)}}
}

// streak is what the actions of one streak share with its last.
type streak struct {
	*trace
	last  *cua.Sample
	class string
	at    string
	tab   int
}

// reads reports whether step i repeats the last action, or ends the streak.
func (g *streak) reads(i int) (repeat, ends bool) {
	x := g.steps[i]
	if !g.did(i) || otherTab(g.before(i).Tab, g.tab) {
		return false, false
	}
	if g.leaves(i) || g.looked(i, &g.last.Step.Target) {
		return false, true
	}
	if x.Step.Failure != nil || !alike(x, g.last) && g.touched(i) != g.at {
		return false, false
	}
	repeat = classOf(x.Step.Action.Kind) == g.class && (edits(g.class) || !x.Progress)
	return repeat, !repeat
}

// classOf is the class of a mutating action; "" for all others.
func classOf(k cua.Kind) string {
	switch k {
	case cua.Type, cua.Select, cua.Key, cua.Drag:
		return string(k)
	}
	if k.Pressing() {
		return string(cua.Click)
	}
	return ""
}

// edits reports whether actions of class set values.
func edits(class string) bool { return class == string(cua.Type) || class == string(cua.Select) }

// alike reports whether two steps did the same in the same place; this is cheaper than computing the place.
func alike(a, b *cua.Sample) bool {
	return a.Signature == b.Signature && !a.Substituted && !b.Substituted
}

// otherTab reports whether both tabs are known and differ.
func otherTab(a, b int) bool { return a != b && a > 0 && b > 0 }

// touched is the identity of the dispatched target of step i: the element, the bucket of the point, or what
// had the focus; "" for actions without a place.
func (t *trace) touched(i int) string {
	s := t.steps[i].Step
	a, id, p := s.Action, s.Target.ID, cmp.Or(s.Action.Point, s.Target.Point)
	if s.Substituted() { // Target is that of the proposal
		id, p = "", a.Point
	}
	switch focus := t.before(i).Focus; {
	case id != "" || a.Into != "":
		return cmp.Or(id, a.Into)
	case p != nil:
		return cua.PointID(*p)
	case (a.Kind == cua.Key || a.Kind == cua.Type) && focus != nil:
		return focus.ID
	}
	return ""
}

// looked reports whether step i is a look at the whole page, which includes target, or a find for words in
// its name. A look at one place is an action of another class there.
func (t *trace) looked(i int, target *cua.Target) bool {
	s := t.steps[i].Step
	if s.Failure != nil || t.touched(i) != "" {
		return false
	}
	switch s.Action.Kind {
	case cua.Observe, cua.Extract:
		return true
	case cua.Find:
		words := strings.ToLower(s.Action.Text)
		return words != "" && strings.Contains(strings.ToLower(target.Name), words)
	}
	return false
}

// leaves reports whether step i committed a navigation in its tab. An edit that changes the address, as live
// filters do, is none.
func (t *trace) leaves(i int) bool {
	s, b := t.steps[i].Step, t.before(i)
	switch {
	case s.RewoundTo > 0:
		return true
	case otherTab(b.Tab, s.After.Tab):
		return false
	case b.Document != "" && s.After.Document != "" && b.Document != s.After.Document:
		return true
	}
	switch s.Action.Kind {
	case cua.Navigate, cua.Back, cua.Forward, cua.Reload, cua.Rewind:
		return s.Failure == nil
	}
	return s.Effect.Has(cua.ChangeURL) && !edits(classOf(s.Action.Kind))
}
