package formctl

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// ForceSubmit sends a form whose values have all landed when the brain presses something submit-shaped a
// second time without effect: by the form's own submit control, or by Return if it has none. It follows safe
// activation (cua.MayPress, cua.MayReturn), and acts at most once in each state of the form.
type ForceSubmit struct{ Config Config }

// ReasonSubmit is the gate's reason.
const ReasonSubmit = "submit_filled_form"

// ReasonBox is the reason of a refusal: the submit control is disabled and a required box is not ticked.
const ReasonBox = "required_box_unticked"

// Name is "force_submit".
func (ForceSubmit) Name() string { return "force_submit" }

// Review replaces, refuses or passes. It presses no disabled control, and names the required box that is not
// ticked.
func (g ForceSubmit) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	pass := cua.Ruling{Gate: g.Name(), Verdict: cua.Pass}
	if p.Failure != nil || t.Evidence == nil || !p.Action.Kind.Pressing() || p.Target.Covering != nil ||
		!t.Form.AllLanded() || !submitShaped(p.Target) {
		return pass
	}
	form := formOf(t, p.Target)
	if form == nil || form.Dialog != p.Target.Dialog || !t.Now.Reachable(form.Dialog) {
		return pass
	}
	earlier := pressedBefore(t, p.Target, form)
	if earlier == 0 || g.acted(t) {
		return pass
	}
	if box := unticked(&t.Now, form); box != "" {
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Refuse, Reason: ReasonBox, Evidence: []int{earlier},
			Detail: fmt.Sprintf("the submit control is disabled, and %q must be ticked and is not", box)}
	}
	a, how := submission(t, p, form)
	if how == "" {
		return pass
	}
	return cua.Ruling{Gate: g.Name(), Verdict: cua.Replace, Reason: ReasonSubmit, Evidence: []int{earlier},
		Action: &a, Detail: fmt.Sprintf("%s: all planned values are in, and clicking %q had no effect before",
			how, cua.Flat(p.Target.Name))}
}

// submitShaped uses the target's own markup and name, never the brain's words. An element with the name of a
// submit button counts whatever its role, unless it takes text.
func submitShaped(t cua.Target) bool {
	return t.SubmitShaped() || t.Identified() && !t.Editable && t.Field == "" && cua.SaysSubmit(t.Name)
}

// formOf is the form that the target submits: its own, else the one of all visible landed values; nil is
// none.
func formOf(t *cua.Turn, target cua.Target) *cua.Form {
	if target.Form != "" {
		return t.Now.FormOf(target.Form, target.Frame)
	}
	var found *cua.Form
	for _, v := range t.Form.Values {
		f := t.Now.FieldByID(v.Field)
		if f == nil {
			continue
		}
		form := t.Now.FormOf(f.Form, f.Frame)
		if form == nil || form.ID == "" || found != nil && found != form {
			return nil
		}
		found = form
	}
	return found
}

// pressedBefore is the newest step that pressed the target, or something submit-shaped of its form, without
// effect in this state of the page; 0 is none.
func pressedBefore(t *cua.Turn, target cua.Target, form *cua.Form) (step int) {
	for _, tried := range t.Evidence.Tried {
		s := tried.Step
		same := s.Target.ID == target.ID || s.Target.Form == form.ID && s.Target.Frame == form.Frame
		if s.Proposed.Kind.Pressing() && submitShaped(s.Target) && same {
			step = s.N
		}
	}
	return step
}

// acted reports whether the gate has already ruled in this state of the form.
func (g ForceSubmit) acted(t *cua.Turn) bool {
	return slices.ContainsFunc(t.Evidence.Ruled, func(i int) bool {
		r, _ := t.History.Steps[i].Ruled()
		return r.Gate == g.Name() && t.SameForm(i)
	})
}

// unticked names the unticked required box of a form with a disabled submit control; "" is none.
func unticked(o *cua.Observation, form *cua.Form) string {
	if form.Default == nil || !form.Default.Disabled {
		return ""
	}
	for _, f := range o.Fields {
		open := f.Type == "checkbox" && f.Required && !f.Checked && !f.Disabled
		if open && f.Form == form.ID && f.Frame == form.Frame {
			return cua.Flat(cmp.Or(f.Label, f.Name, f.NameAttr, f.IDAttr, "a box"))
		}
	}
	return ""
}

// submission is how the form is sent; how is "" if the press itself is the only way. The press of a real
// submit control is never replaced: another control does something else, and Return presses the first one.
func submission(t *cua.Turn, p cua.Proposal, form *cua.Form) (a cua.Action, how string) {
	if p.Target.Submit {
		return cua.Action{}, ""
	}
	if c := form.Default; c != nil {
		m := t.Now.MarkByID(c.ID)
		unfit := c.ID == p.Target.ID || m != nil && m.Covered || cua.SaysRetreat(c.Name+"\n"+c.Text)
		if unfit || cua.MayPress(p, *c) == "" {
			return cua.Action{}, ""
		}
		return cua.Action{Kind: cua.Click, Into: c.ID}, "pressed the form's own submit control"
	}
	if t.ReturnTried() {
		return cua.Action{}, ""
	}
	for j := len(t.Now.Fields) - 1; j >= 0; j-- {
		f := &t.Now.Fields[j]
		if f.Form == form.ID && f.Frame == form.Frame && cua.MayReturn(&t.Now, p, f) != "" {
			return cua.Action{Kind: cua.Key, Keys: "Return", Into: f.ID}, "pressed Return in the form"
		}
	}
	return cua.Action{}, ""
}
