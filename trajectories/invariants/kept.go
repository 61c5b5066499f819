package invariants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// The gate that keeps values, and what it says when it does.
const (
	keeper     = "force_fill"
	keepReason = "field_holds_value"
)

// keptValues looks at both sides of a promise: what was refused because the field holds its value must have been about a
// field that does, and a planned text that a field shows is not added to itself under the eyes of the gate, unless the
// brain insists.
func keptValues(j *Journal) []found {
	var out []found
	h := j.History()
	for i := range j.Steps {
		s := &j.Steps[i]
		now := h.Before(i)
		asked := *s // as if it had been done as proposed
		asked.Action, asked.Rulings = &s.Proposed, nil
		f := receiver(&now, &asked)
		r, ruled := s.Ruled()
		switch {
		case ruled && r.Verdict == cua.Refuse && r.Reason == keepReason:
			if why := j.untrue(h, i, f); why != "" {
				out = append(out, found{s.N, fmt.Sprintf("%s refused (%s), and %s", r.Gate, r.Reason, why)})
			}
		case f != nil && s.Dispatched() && !s.Substituted() && j.added(h, i, f):
			out = append(out, found{s.N, fmt.Sprintf("%s let the planned value be typed once more into %q, which holds it", keeper, calls(f))})
		}
	}
	return out
}

// untrue says why step i should not have been refused; "" when nothing speaks against it.
func (j *Journal) untrue(h cua.History, i int, f *cua.Field) string {
	a := j.Steps[i].Proposed
	switch {
	case f == nil:
		return "what was proposed goes into no visible field"
	case a.Kind.Pressing() && f.Type == "radio":
		if !f.Checked {
			return fmt.Sprintf("%q is not chosen", calls(f))
		}
	case a.Kind.Pressing() && f.Type == "checkbox":
		labels := func(v cua.PlanValue) bool { return labelled(f, v.Label) }
		if slices.ContainsFunc(j.Header.Task.Fields, labels) && !ticked(j.Header.Task, f) {
			return fmt.Sprintf("the box %q is not as it should be", calls(f))
		}
	case a.Kind.Pressing():
		return fmt.Sprintf("%q is no box", calls(f))
	case contentsOf(f).blank():
		return fmt.Sprintf("%q is empty", calls(f))
	case a.Kind == cua.Type && a.Text != "":
		p := passage{id: f.ID, text: a.Text, page: sheetOf(h.Before(i).URL)}
		p.read(h, i)
		if !shows(f, a.Text) && (p.spelled.blank() || contentsOf(f) != p.spelled) {
			return fmt.Sprintf("%q does not show what was to be typed", calls(f))
		}
	}
	return ""
}

// added says whether step i is the brain's typing of a planned text behind the same text, although the gate was asked:
// the field shows the text to the letter since somebody put it there in this document, and fewer proposals were
// refused before than those after which the brain is let go on.
func (j *Journal) added(h cua.History, i int, f *cua.Field) bool {
	s, now := &j.Steps[i], h.Before(i)
	a := s.Action
	asked := slices.ContainsFunc(s.Rulings, func(r cua.Ruling) bool { return r.Gate == keeper && r.Verdict == cua.Pass })
	selected := slices.ContainsFunc(now.Selected, func(b cua.Box) bool { return f.Box.Contains(b.Center()) })
	if !asked || a.Kind != cua.Type || a.Text == "" || a.Clear || selected || now.Dialog != nil || s.Target.Covering != nil ||
		len(s.Target.Idle.Changes) > 0 || strings.HasPrefix(s.By, cua.DirectorPrefix) {
		return false
	}
	own := planned(j.Header.Task, a.Text)
	alike := slices.DeleteFunc(slices.Clone(now.Fields), func(g cua.Field) bool { return !owned(&g, own) })
	if !owned(f, own) || len(alike) > 1 || !shows(f, a.Text) || j.insists(i) {
		return false
	}
	for k := i - 1; k >= 0 && j.Steps[k].After.Document == now.Document && j.Steps[k].RewoundTo == 0; k-- {
		e := &j.Steps[k]
		if e.Action == nil || e.Action.Kind != cua.Type {
			continue
		}
		before := h.Before(k)
		if was, is := receiver(&before, e), visible(&e.After, f.ID); was != nil && was.ID == f.ID {
			return e.Failure == nil && e.Action.Text == a.Text && is != nil && contentsOf(is) == contentsOf(f)
		}
	}
	return false
}

// insists says whether the proposals before step i were refused as often as the gate refuses in a row at most.
func (j *Journal) insists(i int) bool {
	limit := j.bounds().FormCtl.Refusals
	for k := 1; k <= limit; k++ {
		if i-k < 0 {
			return false
		}
		if r, ok := j.Steps[i-k].Ruled(); !ok || r.Verdict != cua.Refuse {
			return false
		}
	}
	return true
}
