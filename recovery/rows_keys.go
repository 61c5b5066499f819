package recovery

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// The rows of the keyboard: a value, Return, Tab.

func (m *Moment) pressesAgain() bool {
	return m.Proposal.Action.Kind.Pressing() && slices.ContainsFunc(m.Signals, func(s cua.Signal) bool {
		return s.Level.AtLeast(cua.Soft) && repeats(m.Turn, s, m.Proposal, m.g.Config.PlacePx)
	})
}

// usableFocus is the focused field, if the keyboard reaches it and the target of the proposal.
func (m *Moment) usableFocus() *cua.Field {
	f := m.Evidence.Focus
	if f == nil || f.Covered || isCovered(m) || !m.Now.Reachable(f.Dialog) {
		return nil
	}
	return f
}

// value is the planned value for the focused field. The classic table uses the first pending one, but not in
// a password, one-time code or payment field.
func (m *Moment) value() *cua.FormValue {
	pending := m.Form.Pending()
	if m.g.Config.Classic && len(pending) > 0 && !m.Evidence.Focus.Sensitive() {
		return &pending[0]
	}
	return m.Evidence.Value
}

func valueIsPending(m *Moment) bool {
	again := m.pressesAgain() || m.Proposal.Action.PressesReturn()
	return again && m.usableFocus() != nil && m.value() != nil
}

// typeValue drops a line end at the end, which would send the form.
func typeValue(m *Moment) Way {
	f, v := m.Evidence.Focus, m.value()
	text := v.Value
	if v.Field == f.ID {
		text = cmp.Or(v.Text, text)
	}
	text = strings.TrimRight(text, "\r\n")
	if text == "" || holdsValue(f, text) {
		return Way{}
	}
	return doing(cua.Action{Kind: cua.Type, Into: f.ID, Text: text, Clear: true},
		"typed the planned value %q into %s, which has the focus, instead of clicking again",
		cua.OneLine(v.Label), named(f))
}

func holdsValue(f *cua.Field, value string) bool {
	if name := cua.SecretName(value); name != "" {
		return f.Secret == name
	}
	return f.ValueDigest != "" && f.ValueDigest == cua.Digest(value)
}

// nothingPendingInFocus requires more after a Return: another field must be empty, or Tab would lead the next
// Return to a button.
func nothingPendingInFocus(m *Moment) bool {
	f := m.usableFocus()
	return f != nil && m.Evidence.Value == nil &&
		(m.pressesAgain() || m.Proposal.Action.PressesReturn() && m.emptyBeside(f))
}

// emptyBeside reports whether another text field of f's form is empty.
func (m *Moment) emptyBeside(f *cua.Field) bool {
	return slices.ContainsFunc(m.Now.Fields, func(g cua.Field) bool {
		return g.ID != f.ID && g.Form == f.Form && g.Frame == f.Frame && g.Empty && g.TakesText()
	})
}

func pressTab(m *Moment) Way {
	f, left := m.Evidence.Focus, "nothing is left to type there"
	if f.Empty {
		left = "it is empty, and no planned value belongs there"
	}
	return doing(cua.Action{Kind: cua.Key, Keys: "Tab", Into: f.ID},
		"pressed Tab in %s instead of clicking again: %s", named(f), left)
}

func focusedAndSubmitting(m *Moment) bool {
	return m.Evidence.Focus != nil && len(m.Form.Pending()) == 0 && m.submitting()
}

func unfocusedAndSubmitting(m *Moment) bool { return m.Evidence.Focus == nil && m.submitting() }

// submitting reports whether a submit control is pressed again on a frozen page and Return was not tried
// there.
func (m *Moment) submitting() bool {
	frozen := idle(m.Evidence.LastActing(m.g.FrozenAfter), m.g.FrozenAfter) != nil
	return frozen && m.pressesAgain() && m.aimsAtSubmit() && !m.ReturnTried()
}

// aimsAtSubmit reports whether the target is a submit control, by its role, name and markup, or else by the
// brain's reasoning unless the click goes into a field. The task's text does not count.
func (m *Moment) aimsAtSubmit() bool {
	to, says := m.Proposal.Target, cua.SaysSubmit(m.Proposal.Thought) || cua.SaysSubmit(m.Proposal.Action.Why)
	return to.SubmitShaped() || says && !to.Editable && to.Field == ""
}

// returnInForm presses Return in the target's form: in the focused field, else in the last single-line field.
// A form with a pending value is not sent.
func returnInForm(m *Moment) Way {
	to, f := m.Proposal.Target, m.usableFocus()
	if m.Evidence.Focus == nil {
		f = m.Now.FieldByID(m.Now.ReturnField(to.Form))
	}
	if f == nil || f.Form == "" || !f.SingleLine() || m.waitsForValue(f.Form, f.Frame) ||
		to.Form != "" && (f.Form != to.Form || f.Frame != to.Frame) {
		return Way{}
	}
	return doing(cua.Action{Kind: cua.Key, Keys: "Return", Into: f.ID},
		"pressed Return in %s instead of clicking again", named(f))
}

func (m *Moment) waitsForValue(form, frame string) bool {
	return slices.ContainsFunc(m.Now.Fields, func(f cua.Field) bool {
		return f.Form == form && f.Frame == frame && m.Form.PendingFor(f.ID) != nil
	})
}

// returnSendsNothing reports whether Return is pressed again in a single-line field whose form has no pending
// value.
func returnSendsNothing(m *Moment) bool {
	f := m.Evidence.Focus
	return f != nil && f.SingleLine() && m.Proposal.Action.PressesReturn() && m.Now.Reachable(f.Dialog) &&
		!m.waitsForValue(f.Form, f.Frame) && (m.Form.AllLanded() || !m.emptyBeside(f))
}

// pressDefault presses the form's default button or, if there is none by the markup, the only submit control.
func pressDefault(m *Moment) Way {
	c := cmp.Or(m.Evidence.DefaultButton, m.onlySubmit())
	if c == nil {
		return Way{}
	}
	return m.pressing(m.Now.MarkByID(c.ID),
		"pressed %s instead of Return again, which sends nothing here", quoted(c.Name))
}

// onlySubmit is the only submit control of the focused field's form and dialog; nil if there are more.
func (m *Moment) onlySubmit() *cua.Control {
	f, found := m.Evidence.Focus, []cua.Control(nil)
	for _, mark := range m.Now.Marks {
		c := mark.Control()
		near := c.Form == f.Form && c.Frame == f.Frame && c.Dialog == f.Dialog
		if near && !c.Input && (c.Submit || c.Role == "button" && cua.SaysSubmit(c.Name)) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return &found[0]
}
