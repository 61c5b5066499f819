package detector

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// StreakConfig says when doing one thing over and over is worth a word.
type StreakConfig struct {
	// From is the first count that is told.
	From int `json:"from"`
}

// Streak counts mutating actions of one class on one target of one tab without a fresh look (spec: memory,
// repeat guard). It is a note: it starts no incident and is no alarm.
//
// An action of another class on the target, an explicit look at it, and a committed navigation, a reload or
// a rewind in its tab clear the count. So does an effect for clicks, keys and drags, but not for typing and
// selecting: an edit that "worked" each time is just what goes wrong unseen. A failed dispatch is no repeat,
// and what counts is what was dispatched.
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
			break // another session, in which everything was loaded anew
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

// streak is what the actions of one streak have in common with its last.
type streak struct {
	*trace
	last  *cua.Sample
	class string
	at    string
	tab   int
}

// reads says whether step i repeats the last, or ends the streak.
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

// edits says whether actions of class set values.
func edits(class string) bool { return class == string(cua.Type) || class == string(cua.Select) }

// alike says whether two steps did one thing in one place, which is cheaper to see than where.
func alike(a, b *cua.Sample) bool {
	return a.Signature == b.Signature && !a.Substituted && !b.Substituted
}

// otherTab says whether two tabs are known and not the same.
func otherTab(a, b int) bool { return a != b && a > 0 && b > 0 }

// touched is the identity of what was dispatched to in step i: the element, the bucket of the point, or what
// had the focus; "" for actions without a place.
func (t *trace) touched(i int) string {
	s := t.steps[i].Step
	a, id, p := s.Action, s.Target.ID, cmp.Or(s.Action.Point, s.Target.Point)
	if s.Substituted() { // the target is that of what was asked for
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

// looked says whether step i is a look at the whole page, which covers target, or a search for words that its
// name has. A look at one place is an action of another class there.
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

// leaves says whether step i committed a navigation in its tab. An edit that moves the address, as filters
// do that work while one types, is none.
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
