package trajectories

import (
	"net/url"

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
	focus   string
	tabs    int // 0 is unknown
}

// history joins the steps of each decision: they share the page before the first of them, and
// what came of them all.
func (r *foreignRun) history() cua.History {
	h := cua.History{Start: r.observation(r.final), Steps: r.steps}
	decision := 0
	for first, next := 0, 0; first < len(r.steps); first = next {
		decision++
		for next = first + 1; next < len(r.steps) && r.told[next].decision == r.told[first].decision; {
			next++
		}
		before, after := r.told[first].page, r.final
		if next < len(r.steps) {
			after = r.told[next].page
		}
		page, effect := r.observation(before), r.effect(before, after)
		if first == 0 {
			h.Start = page
		}
		for i := first; i < next; i++ {
			s := &r.steps[i]
			s.N, s.Decision, s.After = i+1, decision, page
			if i == next-1 {
				s.After = r.observation(after)
			}
			if s.Action != nil {
				s.Effect = overrule(effect, r.told[i].effect)
			}
		}
	}
	return h
}

func (r *foreignRun) observation(s seen) cua.Observation {
	o := cua.Observation{URL: s.url, Title: s.title, Viewport: r.viewport, DOMDigest: s.dom, FormDigest: s.form, FrameSHA: s.all, Tabs: s.tabs}
	if s.focus != "" {
		o.Focus = &cua.Field{ID: s.focus}
	}
	if !r.structured {
		o.DOMDigest = s.all
	}
	if s.picture != "" {
		o.Fingerprint = &cua.Fingerprint{DHash64: s.picture}
	}
	return o
}

// effect compares like with like; nil is unknown.
func (r *foreignRun) effect(before, after seen) *cua.Effect {
	e := &cua.Effect{}
	if before.url != "" && after.url != "" && before.url != after.url && pageOf(before.url) != pageOf(after.url) {
		e.Progress = append(e.Progress, cua.ChangeURL)
	}
	if before.tabs != 0 && after.tabs != 0 && before.tabs != after.tabs {
		e.Progress = append(e.Progress, cua.ChangeTab)
	}
	known := false
	compare := func(x, y string, c cua.Change) {
		if x == "" || y == "" {
			return
		}
		known = true
		if x != y {
			e.Progress = append(e.Progress, c)
		}
	}
	x, y := r.observation(before), r.observation(after)
	compare(x.FormDigest, y.FormDigest, cua.ChangeForm)
	compare(x.DOMDigest, y.DOMDigest, cua.ChangeDOM)
	// Beside digests of the structure one of the whole says something only when it is equal, or
	// where neither page has them.
	if !known && (before.all == after.all || x.DOMDigest == "" && y.DOMDigest == "" && x.FormDigest == "" && y.FormDigest == "") {
		compare(before.all, after.all, cua.ChangeDOM)
	}
	if !known && len(e.Progress) == 0 {
		return nil
	}
	return e
}

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
