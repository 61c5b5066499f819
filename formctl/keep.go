package formctl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// ReasonHeld is the reason of a refusal: the proposal would put a planned value once more into the
// field that holds it, or take it out again.
const ReasonHeld = "field_holds_value"

// keep refuses what would undo a planned value that has landed: its text typed once more into its field,
// its option chosen once more, the field emptied, its box or radio button pressed. Without it the text is
// there twice, and the field is not looked at again until something refuses the form.
//
// It refuses only what serves nothing. A different text is the brain's own business, for the page may want
// another form of the value; so is a field that the page put its own spelling into after the value went in,
// and one that came filled with a later document. What replaces the value by itself, or empties the field, may
// be the only way to make a page look at it again, and passes where there is a reason to (doubted). Adding the
// text to itself never is.
func (g ForceFill) keep(t *cua.Turn, p cua.Proposal) (cua.Ruling, bool) {
	f := receiver(t, p)
	if f == nil || strings.HasPrefix(p.By, cua.DirectorPrefix) {
		return cua.Ruling{}, false
	}
	v, ok := held(t, f)
	if !ok {
		return cua.Ruling{}, false
	}
	put, ok := putBy(t, f, v)
	if !ok {
		return cua.Ruling{}, false
	}
	what, loss := undoing(t, p, f, v)
	if what == nothing || what != adding && doubted(t, f, put) || g.refusedHere(t, what == repeating) {
		return cua.Ruling{}, false
	}
	r := cua.Ruling{Gate: g.Name(), Verdict: cua.Refuse, Reason: ReasonHeld,
		Detail: fmt.Sprintf("the field for %q already holds its planned value: %s", clean(v.Label), loss)}
	if put != nil {
		r.Evidence = []int{put.N}
	}
	return r, true
}

// receiver is the visible field that p types into, chooses in or presses; nil where it is none, or where
// it is not known to be the one that was shown.
func receiver(t *cua.Turn, p cua.Proposal) *cua.Field {
	idle := p.Target.Idle.Changes
	if p.Target.Covering != nil || slices.Contains(idle, cua.ChangeForm) || slices.Contains(idle, cua.ChangeURL) {
		return nil
	}
	a := p.Action
	placed := a.Point != nil || a.Mark > 0
	var f *cua.Field
	switch {
	case a.Kind == cua.Type && !placed && a.Into == "":
		if t.Now.Focus != nil {
			f = fieldOf(t.Now, cua.Target{ID: t.Now.Focus.ID})
		}
	case a.Kind == cua.Type:
		f = fieldOf(t.Now, p.Target)
	case a.Kind == cua.Select:
		if f = fieldOf(t.Now, p.Target); f != nil && f.Type != "select" {
			return nil
		}
	case a.Kind == cua.Click || a.Kind == cua.TripleClick: // a double click puts a box back itself
		if f = fieldOf(t.Now, p.Target); f != nil && f.Type != "checkbox" && f.Type != "radio" {
			return nil
		}
	}
	return f
}

// held is the value that has landed and that f shows; false where there is none.
func held(t *cua.Turn, f *cua.Field) (cua.FormValue, bool) {
	for _, v := range t.Form.Values {
		if v.Field != f.ID || !v.Landed {
			continue
		}
		w := want(v.PlanValue)
		return v, w.holds(f)
	}
	return cua.FormValue{}, false
}

// putBy is the newest live step of this document that put v into f, nil where f came with it on the start
// page. It is false where the page has made something else of the value since, or showed it of its own
// accord in a later document.
func putBy(t *cua.Turn, f *cua.Field, v cua.FormValue) (*cua.Step, bool) {
	live := cua.Live(t.History.Steps)
	for i := len(live) - 1; i >= 0 && live[i].After.Document == t.Now.Document; i-- {
		s := &live[i]
		if !goesInto(s, f) || s.Action.Kind == cua.Type && s.Action.Text != v.Value && s.Action.Text != v.Text {
			continue
		}
		is := fieldOf(s.After, cua.Target{ID: f.ID})
		return s, is != nil && sameContents(is, f)
	}
	start := &t.History.Start
	if start.Document != t.Now.Document || pageOf(start.URL) != pageOf(t.Now.URL) {
		return nil, false
	}
	was := fieldOf(*start, cua.Target{ID: f.ID})
	return nil, was != nil && sameContents(was, f)
}

// goesInto says whether s put something into f, by whomever.
func goesInto(s *cua.Step, f *cua.Field) bool {
	a := s.Action
	switch {
	case a == nil || s.Failure != nil:
		return false
	case a.Kind != cua.Type && a.Kind != cua.Select && !(a.Kind.Pressing() && (f.Type == "checkbox" || f.Type == "radio")):
		return false
	case a.Into != "":
		return a.Into == f.ID
	case s.Substituted(): // Target is that of the proposal
		return false
	case s.Target.Field != "" || s.Target.ID != "":
		return s.Target.Field == f.ID || s.Target.ID == f.ID
	}
	return s.After.Focus != nil && s.After.Focus.ID == f.ID
}

// sameContents compares what one field holds at two times.
func sameContents(a, b *cua.Field) bool {
	return a.ValueDigest == b.ValueDigest && a.Secret == b.Secret && a.Selected == b.Selected && a.Checked == b.Checked
}

// harm is what a proposal would do to a value that its field holds.
type harm int

const (
	nothing   harm = iota
	repeating      // the field would hold it as before
	emptying       // it would be gone
	adding         // the text would be added to itself
)

// undoing says what would become of the value v that f holds, and that in words.
func undoing(t *cua.Turn, p cua.Proposal, f *cua.Field, v cua.FormValue) (harm, string) {
	a := p.Action
	switch a.Kind {
	case cua.Click, cua.TripleClick:
		if f.Type == "radio" {
			return repeating, "it is chosen"
		}
		return emptying, "a press would undo it"
	case cua.Select:
		o, ok := optionOf(f, a.Text)
		switch {
		case ok && o == f.Selected:
			return repeating, "that option is chosen"
		case ok && blankOption(t, f.ID, o):
			return emptying, "this would empty it"
		}
		return nothing, ""
	}
	replaces := a.Clear || a.Point == nil && a.Mark == 0 && selectedIn(t.Now, f)
	switch {
	case f.Type == "select":
		return nothing, ""
	case a.Text == "" && a.Clear:
		return emptying, "this would empty it"
	case a.Text == "" || a.Text != v.Value && a.Text != v.Text && a.Text != strings.TrimSpace(v.Value):
		return nothing, ""
	case replaces:
		return repeating, "it need not be typed again"
	}
	return adding, "typing it again would add to it"
}

// blankOption says whether the field was seen, in this document, to be empty with that option chosen: "Choose…".
func blankOption(t *cua.Turn, field, option string) bool {
	for i := len(t.History.Steps); i >= 0; i-- {
		o := t.History.Before(i)
		if o.Document != t.Now.Document {
			return false
		}
		if f := fieldOf(o, cua.Target{ID: field}); f != nil && f.Selected == option && f.ValueDigest == "" {
			return true
		}
	}
	return false
}

// selectedIn says whether text is selected in f, so that what is typed takes its place.
func selectedIn(o cua.Observation, f *cua.Field) bool {
	return slices.ContainsFunc(o.Selected, func(b cua.Box) bool { return !b.Empty() && f.Box.Contains(b.Center()) })
}

// doubted says whether there is a reason to put the value in again or to take it out: the page calls it invalid;
// or the field is one whose list opens, or whose search runs, while somebody types; or the newest press on something
// that is no field, or Return, since the value went in had no effect: a page may not have noticed it.
func doubted(t *cua.Turn, f *cua.Field, put *cua.Step) bool {
	if f.Invalid != "" || f.Role == "combobox" && f.Type != "select" || f.Role == "searchbox" || f.Type == "search" {
		return true
	}
	samples := t.History.Samples()
	for i := len(samples) - 1; i >= 0; i-- {
		s := samples[i].Step
		if put != nil && s.N <= put.N || s.After.Document != t.Now.Document {
			return false
		}
		if s.Action == nil || !s.Action.PressesReturn() && !(s.Action.Kind.Pressing() && fieldOf(t.Now, s.Target) == nil) {
			continue
		}
		return samples[i].Idle()
	}
	return false
}

// refusedHere says whether the last Config.Refusals proposals were refused, by whatever gate, at the state of the page
// that still holds: then the brain insists, and the detectors judge what comes of it. What would change nothing is refused
// no oftener at that state in all, whatever was done in vain between: a brain that goes through a form once more, field by
// field, wastes steps and does no harm, and refusals are failures, which end an episode when there are many.
func (g ForceFill) refusedHere(t *cua.Turn, inAll bool) bool {
	steps := t.History.Steps[t.History.Fresh():]
	churn := t.History.Churn()
	now := cua.Node(t.Now, churn)
	for i, n := len(steps)-1, 0; n < g.Config.Refusals; i-- {
		if i < 0 || cua.Node(steps[i].After, churn) != now {
			return false
		}
		r, ok := steps[i].Ruled()
		switch {
		case ok && r.Verdict == cua.Refuse && !steps[i].Dispatched():
			n++
		case !inAll:
			return false
		}
	}
	return true
}
