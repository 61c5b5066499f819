package formats

import (
	"net/url"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// foreignRun is a trajectory that was not made here, as its form was read: what each step did,
// and what was seen before it.
type foreignRun struct {
	// steps have no number, decision, effect and page yet; told has what there is of that, by
	// the same index.
	steps    []cua.Step
	told     []told
	final    seen // the page after the last step
	viewport cua.Size
	// structured says that the run has a digest of structure somewhere. Then a digest of the
	// whole never stands for one: the two are not comparable.
	structured bool
}

// told is what a foreign trajectory tells around one step.
type told struct {
	page seen // before it
	// decision is equal for steps that share one.
	decision int
	// effect is what the trajectory itself says of it; nil is nothing.
	effect *bool
	// taken says that a done ended the task, even if others follow.
	taken bool
	// last fills the step in once it is known whether it is the last; nil is a step that does not depend on
	// that.
	last func(s *cua.Step, last bool)
}

// add puts one step behind the others.
func (r *foreignRun) add(s cua.Step, t told) {
	r.steps, r.told = append(r.steps, s), append(r.told, t)
}

// seen is what a foreign trajectory says of one page; "" is unknown.
type seen struct {
	url, title string
	// all is a digest of what was observed, of whatever kind; dom and form are those of
	// structure and form.
	all, dom, form string
	// picture is a perceptual hash of the frame, 64 bits in hex.
	picture string
	// view is the 256-bit perception hash of the frame; where structure is not told it decides beside equal
	// digests.
	view  string
	focus string
	tabs  int // 0 is unknown
}

// history joins the steps of each decision: they share the page before the first of them, and
// the outcome of them all.
func (r *foreignRun) history() cua.History {
	r.placeEnd()
	h := cua.History{Start: r.observation(r.final), Steps: r.steps}
	if len(r.told) > 0 {
		h.Start = r.observation(r.told[0].page)
	}
	j := joining{page: h.Start}
	for first, next := 0, 0; first < len(r.steps); first = next {
		for next = first + 1; next < len(r.steps) && r.told[next].decision == r.told[first].decision; {
			next++
		}
		after := r.final
		if next < len(r.steps) {
			after = r.told[next].page
		}
		j.join(r, first, next, after)
	}
	return h
}

// joining is what the decisions before leave for the next one.
type joining struct {
	page     cua.Observation // before the decision
	decision int             // its number
	look     reading
}

// join completes the steps of the next decision, those from first up to next. after is the page after them.
func (j *joining) join(r *foreignRun, first, next int, after seen) {
	j.decision++
	before := r.told[first].page
	then, effect := r.observation(after), r.effect(before, after)
	if j.look.scrolled(r.steps[first:next], before, after, effect) {
		effect = &cua.Effect{Progress: []cua.Change{cua.ChangeScroll}}
		then.DOMDigest = cua.Digest(then.DOMDigest + " " + after.all)
	}
	rests := j.page.DOMDigest != ""
	for i := first; i < next; i++ {
		s := &r.steps[i]
		s.N, s.Decision, s.After = i+1, j.decision, j.page
		if s.Action != nil {
			s.Effect = overrule(effect, r.told[i].effect)
			rests = rests && s.Effect != nil && !s.Effect.Any()
		}
	}
	if rests { // nothing had an effect: the state is what it was, whatever the hashes say
		then.DOMDigest, then.FormDigest = j.page.DOMDigest, j.page.FormDigest
	}
	j.page, r.steps[next-1].After = then, then
}

// placeEnd gives a last page that is known by its digest alone the address of an earlier page that was the
// same.
func (r *foreignRun) placeEnd() {
	end := &r.final
	for _, t := range r.told {
		p := t.page
		if end.url == "" && p.all == end.all && p.dom == end.dom && p.form == end.form && p.all+p.dom != "" {
			end.url = p.url
		}
	}
}

// observation is what detectors read of a page. A form alone is no state where structure is told too:
// it is equal on pages that differ.
func (r *foreignRun) observation(s seen) cua.Observation {
	o := cua.Observation{URL: s.url, Title: s.title, Viewport: r.viewport, DOMDigest: s.dom,
		FormDigest: s.form, FrameSHA: s.all, Tabs: s.tabs}
	if s.focus != "" {
		o.Focus = &cua.Field{ID: s.focus}
	}
	switch {
	case !r.structured:
		o.DOMDigest = s.all
	case s.dom == "":
		o.FormDigest = ""
	}
	if s.picture != "" || s.view != "" {
		o.Fingerprint = &cua.Fingerprint{DHash64: s.picture, PHash256: s.view}
	}
	if s.view != "" && !r.structured {
		o.DOMDigest = ""
	}
	return o
}

// effect compares like with like; nil is unknown.
func (r *foreignRun) effect(before, after seen) *cua.Effect {
	e := &cua.Effect{}
	if before.url != "" && after.url != "" && before.url != after.url &&
		pageOf(before.url) != pageOf(after.url) {
		e.Progress = append(e.Progress, cua.ChangeURL)
	}
	if before.tabs != 0 && after.tabs != 0 && before.tabs != after.tabs {
		e.Progress = append(e.Progress, cua.ChangeTab)
	}
	x, y := r.contents(before, after)
	form := compareDigests(e, before.form, after.form, cua.ChangeForm)
	known := compareDigests(e, x, y, cua.ChangeDOM)
	switch {
	case before.form == "" && after.form == "":
	case known: // one structure with and without a form: the form is unknown
		known = form
	case x == "" && y == "":
		known = form && !r.structured
	}
	if r.structured && !known && len(e.Progress) == 0 {
		// Beside digests of the structure one of the whole says something only when it is equal, or
		// where neither page has them.
		known = before.all != "" && before.all == after.all
		if x == "" && y == "" && before.form == "" && after.form == "" {
			compareDigests(e, before.all, after.all, cua.ChangeDOM)
		}
	}
	if !known && len(e.Progress) == 0 {
		return nil
	}
	return e
}

// compareDigests adds the change c to e where both digests are known and differ. same says that they are
// known and equal.
func compareDigests(e *cua.Effect, x, y string, c cua.Change) (same bool) {
	if x != "" && y != "" && x != y {
		e.Progress = append(e.Progress, c)
	}
	return x != "" && x == y
}

// contents are what stands for the contents of the two pages: their structure, else the whole, of which
// nearly equal views are one.
func (r *foreignRun) contents(before, after seen) (x, y string) {
	switch {
	case r.structured:
		return before.dom, after.dom
	case before.view == "" || after.view == "" || before.all == after.all:
		return before.all, after.all
	case cua.SameView(&cua.Fingerprint{PHash256: before.view}, &cua.Fingerprint{PHash256: after.view}):
		return "same", "same"
	}
	return "same", "another"
}

// reading tells a scroll from a clock where digests of the structure do not say how far a page is
// scrolled: both move the digest of the whole and nothing else.
type reading struct {
	// alone counts how often in a row steps that do not scroll moved nothing but the whole.
	alone int
}

// scrolled reports whether steps moved the page by scrolling and in no other way.
func (r *reading) scrolled(steps []cua.Step, before, after seen, e *cua.Effect) bool {
	if e == nil {
		return false
	}
	moved := !e.Any() && before.all != "" && after.all != "" && before.all != after.all
	if scrolls(steps) {
		return moved && r.alone < clockTicks
	}
	if r.alone++; !moved {
		r.alone = 0
	}
	return false
}

// clockTicks is how many such steps make a clock: a click into a field moves the whole too, but the next
// one then moves the form.
const clockTicks = 2

// scrolls reports whether all that acts in steps scrolls.
func scrolls(steps []cua.Step) bool {
	did := false
	for i := range steps {
		a := steps[i].Action
		switch {
		case a == nil || !steps[i].Acting():
		case a.Kind == cua.Scroll, a.Kind == cua.Key && slices.Contains(scrollKeys, a.Keys):
			did = true
		default:
			return false
		}
	}
	return did
}

var scrollKeys = []string{"Page_Down", "Page_Up", "Down", "Up", "Home", "End", "space"}

// overrule puts what the trajectory itself says of an effect in its place.
func overrule(e *cua.Effect, says *bool) *cua.Effect {
	switch {
	case says == nil:
		return e
	case !*says:
		return &cua.Effect{}
	case e.Any():
		return e
	}
	return &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}
}

// pageOf is origin and path with query.
func pageOf(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	return u.String()
}

// foreignEnd is how a run ended that says so by its last step; "" is unknown.
func foreignEnd(h cua.History) cua.EndReason {
	n := len(h.Steps)
	if n == 0 || h.Steps[n-1].Action == nil || h.Steps[n-1].Action.Kind != cua.Done {
		return ""
	}
	if h.Steps[n-1].Action.Success {
		return cua.EndDone
	}
	return cua.EndDoneFailed
}
