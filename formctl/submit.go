package formctl

import (
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

// Review replaces or passes.
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
	a, how := submission(t, p.Target, form)
	if how == "" {
		return pass
	}
	return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: ReasonSubmit, Action: &a, Evidence: []int{earlier},
		Detail: fmt.Sprintf("%s: all planned values are in, and clicking %q had no effect before", how, clean(p.Target.Name))}
}

// submitShaped reads the target's own markup and name, never the brain's words. A thing named
// like a submit button counts although it is none by its role, unless it takes text.
func submitShaped(t cua.Target) bool {
	return t.SubmitShaped() || t.Identified() && !t.Editable && t.Field == "" && cua.SaysSubmit(t.Name)
}

// clicks looks at the steps since the form is in its state: the newest submit-shaped click
// without effect (0 is none), and whether the gate has acted there.
func (g ForceSubmit) clicks(h cua.History) (earlier int, tried bool) {
	now := h.Now().FormKey()
	samples := h.Samples()
	for i := len(samples) - 1; i >= 0; i-- {
		s := samples[i].Step
		if h.Before(i).FormKey() != now {
			continue
		}
		if r, ok := s.Ruled(); ok && r.Gate == g.Name() && s.Dispatched() {
			tried = true
		}
		if earlier == 0 && samples[i].Acting && samples[i].Idle() && s.Proposed.Kind.Pressing() && submitShaped(s.Target) {
			earlier = s.N
		}
	}
	return earlier, tried
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
