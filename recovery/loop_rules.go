package recovery

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// substitute is what a rule proposes instead.
type substitute struct {
	action cua.Action
	reason cua.Reason
	detail string // names labels and never values
	// end is that of a rung that stops the episode.
	end cua.EndReason
}

// rule asks one rule of the table in spec recovery by its number.
func (g LoopRecovery) rule(n int, t *cua.Turn, p cua.Proposal) (substitute, bool) {
	focus := t.Now.Focus
	if focus != nil && !focus.TakesText() {
		focus = nil
	}
	switch {
	case n == 1 && focus != nil:
		return g.typeValue(t, *focus)
	case n == 2 && focus != nil:
		if len(t.Form.Pending()) == 0 && g.submitShaped(p) && g.frozen(t) && g.uncovered(t, p) {
			return g.returnFrom(t, p, focus)
		}
	case n == 3 && focus != nil:
		if _, pending := g.valueFor(t, *focus); !pending {
			left := "nothing is left to type there"
			if focus.Empty {
				left = "it is empty, and no planned value waits for it"
			}
			return substitute{action: cua.Action{Kind: cua.Key, Keys: "Tab"}, reason: cua.TabToNextField,
				detail: fmt.Sprintf("pressed Tab in %s instead of clicking again: %s", named(*focus), left)}, true
		}
	case n == 4 && focus == nil:
		if g.submitShaped(p) && g.frozen(t) && g.uncovered(t, p) {
			return g.returnFrom(t, p, nil)
		}
	}
	return substitute{}, false
}

// typeValue is rule 1.
func (g LoopRecovery) typeValue(t *cua.Turn, focus cua.Field) (substitute, bool) {
	v, ok := g.valueFor(t, focus)
	text := v.Value
	if v.Field == focus.ID {
		text = cmp.Or(v.Text, text)
	}
	a := cua.Action{Kind: cua.Type, Into: focus.ID, Text: text, Clear: true}
	if !ok || held(focus, text) || typedAlready(t, a) {
		return substitute{}, false
	}
	return substitute{action: a, reason: cua.TypePendingValue,
		detail: fmt.Sprintf("typed the planned value %q into %s, which has the focus, instead of clicking again", line(v.Label), named(focus))}, true
}

// valueFor is the pending value that belongs in focus: one whose label matches; else, where no
// value at all matches the field and its texts say nothing of what it wants, the one that is left: that no other visible field
// matches and that the field's type allows, where there is one such value and one such field. A password, one-time code or payment field takes a value only by its label,
// and what looks like a secret goes nowhere else than where its label matches.
func (g LoopRecovery) valueFor(t *cua.Turn, focus cua.Field) (cua.FormValue, bool) {
	pending := t.Form.Pending()
	for _, v := range pending {
		if v.Field != "" && v.Field == focus.ID {
			return v, true
		}
	}
	if focus.Sensitive() {
		return cua.FormValue{}, false
	}
	if g.Config.Value == ValueFirst {
		if len(pending) > 0 {
			return pending[0], true
		}
		return cua.FormValue{}, false
	}
	if t.Form == nil || bound(t.Form, focus.ID) || !slices.Contains(t.Form.Vague, focus.ID) || otherVague(t, focus) {
		return cua.FormValue{}, false
	}
	var left []cua.FormValue
	for _, v := range pending {
		secret := cua.SecretName(v.Value) != "" || cua.SaysSecret(v.Label)
		if v.Field == "" && !secret && focus.Accepts(v.Value) {
			left = append(left, v)
		}
	}
	if len(left) != 1 {
		return cua.FormValue{}, false
	}
	return left[0], true
}

// otherVague says whether another visible field that says nothing of what it wants is still empty: which of them is meant for what
// would be a guess.
func otherVague(t *cua.Turn, focus cua.Field) bool {
	return slices.ContainsFunc(t.Form.Vague, func(id string) bool {
		f := fieldByID(&t.Now, id)
		return id != focus.ID && f != nil && f.Empty && f.TakesText()
	})
}

// bound says whether a value, landed or not, belongs in the field.
func bound(f *cua.FormState, field string) bool {
	for _, v := range f.Values {
		if v.Field == field {
			return true
		}
	}
	return false
}

// held says whether f holds value already.
func held(f cua.Field, value string) bool {
	if name := cua.SecretName(value); name != "" {
		return f.Secret == name
	}
	return f.ValueDigest != "" && f.ValueDigest == cua.Digest(value)
}

// uncovered says whether Return may stand for p: not while something covers what p is aimed at, for that
// is why the click does nothing, and a person would have to close it first. Where that was tried in vain, and in the
// arm classic, it may.
func (g LoopRecovery) uncovered(t *cua.Turn, p cua.Proposal) bool {
	return g.Config.Submit == SubmitReasoning || p.Target.Covering == nil || spent(t, cua.DismissOverlay)
}

// returnFrom presses Return where it sends the form that p's target belongs to: in the focused
// field if it is one of that form, else in the form's last field of one line, else on the target itself. Where
// there is none of them a Return goes nowhere (in a field of many lines it only adds a line); in the arm classic, it
// is pressed all the same.
func (g LoopRecovery) returnFrom(t *cua.Turn, p cua.Proposal, focus *cua.Field) (substitute, bool) {
	s := substitute{action: cua.Action{Kind: cua.Key, Keys: "Return"}, reason: cua.PressReturnForSubmit}
	form := cmp.Or(p.Target.Form, onlyForm(t.Now))
	if g.Config.Submit != SubmitReasoning && (firesUnasked(t.Now, p.Target, form) || awaits(t, form)) {
		return substitute{}, false
	}
	if focus != nil && focus.SingleLine() && (p.Target.Form == "" || p.Target.Form == focus.Form) {
		s.detail = fmt.Sprintf("pressed Return in %s instead of clicking again", named(*focus))
		return s, true
	}
	s.action.Into = t.Now.ReturnField(form)
	if s.action.Into == "" && (p.Target.Submit || p.Target.Role == "button") {
		s.action.Into = p.Target.ID
	}
	if s.action.Into == "" && (focus != nil || g.Config.Submit != SubmitReasoning) {
		return substitute{}, false
	}
	s.detail = "pressed Return in the form instead of clicking again"
	return s, true
}

// firesUnasked says whether Return in the form would press something that the brain did not ask for: the form's
// first submit control, where its name says that something is given up or paid for.
func firesUnasked(o cua.Observation, target cua.Target, form string) bool {
	for _, m := range o.Marks {
		if m.Submit && m.Form == form {
			return m.ID != target.ID && cua.Unasked(m.Name) && m.Name != target.Name
		}
	}
	return false
}

// awaits says whether a visible field of the form still waits for a planned value: sent now, it would be sent half filled in.
func awaits(t *cua.Turn, form string) bool {
	return slices.ContainsFunc(t.Form.Pending(), func(v cua.FormValue) bool {
		f := fieldByID(&t.Now, v.Field)
		return f != nil && f.Form == form
	})
}

// onlyForm is the form that all visible fields are in, "" when they are in several or in none.
func onlyForm(o cua.Observation) string {
	form := ""
	for i, f := range o.Fields {
		if i > 0 && f.Form != form {
			return ""
		}
		form = f.Form
	}
	return form
}

// submitShaped says whether p submits: by the target's own role and name, else by whole words of
// the brain's reasoning, unless the click goes into a field. The task's text plays no part.
func (g LoopRecovery) submitShaped(p cua.Proposal) bool {
	says := cua.SaysSubmit(p.Thought) || cua.SaysSubmit(p.Action.Why)
	if g.Config.Submit == SubmitReasoning {
		return says
	}
	return p.Target.SubmitShaped() || says && !p.Target.Editable && p.Target.Field == ""
}

// frozen says whether nothing had an effect lately.
func (g LoopRecovery) frozen(t *cua.Turn) bool {
	if g.Config.Frozen == FrozenEffect {
		return idle(acting(t.History), g.Window)
	}
	for _, s := range t.Signals {
		if s.Shape == cua.ShapeFrozen && s.Level.AtLeast(cua.Soft) {
			return true
		}
	}
	return false
}

// named is a field as messages call it.
func named(f cua.Field) string {
	for _, s := range []string{f.Label, f.Name, f.Placeholder, f.NameAttr, f.IDAttr} {
		if s = line(s); s != "" {
			return fmt.Sprintf("the field %q", s)
		}
	}
	return "the focused field"
}
