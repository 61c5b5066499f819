package formctl

import (
	"cmp"
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// ForceSubmit sends a form whose values are all in when the brain clicks something
// submit-shaped a second time without effect: by the form's own submit control, or by Return
// where the form has none. At most once for each state of the form.
type ForceSubmit struct{ Config Config }

// ReasonSubmit is the gate's reason.
const ReasonSubmit = "submit_filled_form"

// Name is "force_submit".
func (ForceSubmit) Name() string { return "force_submit" }

// ReasonBox is the reason of a refusal: the form's submit control is disabled, and a box that must
// be ticked is not. Nobody ticks it unasked.
const ReasonBox = "required_box_unticked"

// Review replaces or passes. Where the form's submit control is disabled it presses nothing, and
// says once for each state of the form which required box is not ticked.
func (g ForceSubmit) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	pass := cua.Ruling{Gate: g.Name(), Verdict: cua.Pass}
	if p.Failure != nil || !p.Action.Kind.Pressing() || t.Now.Dialog != nil || !t.Form.AllLanded() || !submitShaped(p.Target) {
		return pass
	}
	earlier, tried := g.clicks(t.History)
	if earlier == 0 || tried {
		return pass
	}
	form, ok := formOf(t, p.Target)
	if !ok {
		return pass
	}
	if box := unticked(t.Now, p.Target, form); box != "" {
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Refuse, Reason: ReasonBox, Evidence: []int{earlier},
			Detail: fmt.Sprintf("the form cannot be sent: its submit control is disabled, and %q must be ticked and is not", box)}
	}
	a, how := submission(t, p.Target, form)
	if how == "" {
		return pass
	}
	return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: ReasonSubmit, Action: &a, Evidence: []int{earlier},
		Detail: fmt.Sprintf("%s: all planned values are in, and clicking %q had no effect before", how, clean(p.Target.Name))}
}

// unticked names the required box of the form that is not ticked while its submit control is disabled;
// "" where there is none.
func unticked(o cua.Observation, target cua.Target, form string) string {
	disabled := target.Submit && target.Disabled
	for _, m := range o.Marks {
		if m.Submit && m.Form == form {
			if !m.Disabled {
				return ""
			}
			disabled = true
		}
	}
	if !disabled {
		return ""
	}
	for _, f := range o.Fields {
		if f.Form == form && f.Required && !f.Checked && f.Type == "checkbox" && !f.Disabled {
			return clean(cmp.Or(f.Label, f.Name, f.NameAttr, f.IDAttr, "a box"))
		}
	}
	return ""
}

// submitShaped reads the target's own markup and name, never the brain's words. A thing named
// like a submit button counts although it is none by its role, unless it takes text.
func submitShaped(t cua.Target) bool {
	return t.SubmitShaped() || t.Identified() && !t.Editable && t.Field == "" && cua.SaysSubmit(t.Name)
}

// clicks looks at the steps since the form is in its state: the newest submit-shaped click
// without effect (0 is none), and whether the gate has acted there.
func (g ForceSubmit) clicks(h cua.History) (earlier int, tried bool) {
	now := h.Now()
	var candidates []int
	for i := len(h.Steps) - 1; i >= 0; i-- {
		s := &h.Steps[i]
		before := &h.Start
		if i > 0 {
			before = &h.Steps[i-1].After
		}
		if len(h.Resumed) > 0 {
			page := h.Before(i)
			before = &page
		}
		if before.FormDigest != now.FormDigest || before.URL != now.URL && before.FormKey() != now.FormKey() {
			continue
		}
		if r, ok := s.Ruled(); ok && r.Gate == g.Name() {
			tried = true
		}
		if s.Dispatched() && s.Proposed.Kind.Pressing() && submitShaped(s.Target) {
			candidates = append(candidates, i)
		}
	}
	if len(candidates) == 0 {
		return 0, tried
	}
	samples := h.Samples()
	for _, i := range candidates {
		if samples[i].Acting && samples[i].Idle() {
			return samples[i].Step.N, tried
		}
	}
	return 0, tried
}

// formOf is the form that the target submits: its own, else the one that the landed values are
// in, if all visible ones are in one.
func formOf(t *cua.Turn, target cua.Target) (string, bool) {
	if target.Form != "" {
		return target.Form, true
	}
	form, found := "", false
	for _, v := range t.Form.Values {
		f := fieldOf(t.Now, cua.Target{ID: v.Field})
		if v.Field == "" || f == nil {
			continue
		}
		if found && f.Form != form {
			return "", false
		}
		form, found = f.Form, true
	}
	return form, found
}

// submission is how the form is sent: how is "" when there is no other way than the click.
func submission(t *cua.Turn, target cua.Target, form string) (a cua.Action, how string) {
	has := target.Submit
	for _, m := range t.Now.Marks {
		if !m.Submit || m.Form != form {
			continue
		}
		has = true
		if m.ID != target.ID && !m.Disabled && !m.Covered && !m.Box.Empty() {
			at := m.Box.Center()
			return cua.Action{Kind: cua.Click, Point: &at}, "pressed the form's own submit control"
		}
	}
	into := t.Now.ReturnField(form)
	if has || into == "" || t.History.ReturnTried() {
		return cua.Action{}, ""
	}
	return cua.Action{Kind: cua.Key, Keys: "Return", Into: into}, "pressed Return in the form"
}
