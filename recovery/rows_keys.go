package recovery

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// The rows of the keyboard: a value, Return, Tab.

func (m *moment) pressesAgain() bool {
	return m.p.Action.Kind.Pressing() && slices.ContainsFunc(m.Signals, func(s cua.Signal) bool {
		return s.Level.AtLeast(cua.Soft) && repeats(m.Turn, s, m.p, m.g.Config.PlacePx)
	})
}

// usableFocus is the focused field, if the keyboard reaches it and what the proposal is aimed at.
func (m *moment) usableFocus() *cua.Field {
	f := m.Evidence.Focus
	if f == nil || f.Covered || isCovered(m) || !m.Now.Reachable(f.Dialog) {
		return nil
	}
	return f
}

// value is the planned value that belongs in the focused field. The classic table takes the first that is
// pending, but in a password, one-time code or payment field.
func (m *moment) value() *cua.FormValue {
	pending := m.Form.Pending()
	if m.g.Config.Classic && len(pending) > 0 && !m.Evidence.Focus.Sensitive() {
		return &pending[0]
	}
	return m.Evidence.Value
}

func valueIsPending(m *moment) bool {
	again := m.pressesAgain() || m.p.Action.PressesReturn()
	return again && m.usableFocus() != nil && m.value() != nil
}

// typeValue leaves out a line end at the end: it would send the form.
func typeValue(m *moment) way {
	f, v := m.Evidence.Focus, m.value()
	text := v.Value
	if v.Field == f.ID {
		text = cmp.Or(v.Text, text)
	}
	text = strings.TrimRight(text, "\r\n")
	if text == "" || holdsValue(f, text) {
		return way{}
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

// nothingPendingInFocus asks more of a Return: another field must be empty, else Tab would bring the next
// Return to a button.
func nothingPendingInFocus(m *moment) bool {
	f := m.usableFocus()
	return f != nil && m.Evidence.Value == nil &&
		(m.pressesAgain() || m.p.Action.PressesReturn() && m.emptyBeside(f))
}

// emptyBeside says whether another field of f's form takes text and holds none.
func (m *moment) emptyBeside(f *cua.Field) bool {
	return slices.ContainsFunc(m.Now.Fields, func(g cua.Field) bool {
		return g.ID != f.ID && g.Form == f.Form && g.Frame == f.Frame && g.Empty && g.TakesText()
	})
}

func pressTab(m *moment) way {
	f, left := m.Evidence.Focus, "nothing is left to type there"
	if f.Empty {
		left = "it is empty, and no planned value belongs there"
	}
	return doing(cua.Action{Kind: cua.Key, Keys: "Tab", Into: f.ID},
		"pressed Tab in %s instead of clicking again: %s", named(f), left)
}

func focusedAndSubmitting(m *moment) bool {
	return m.Evidence.Focus != nil && len(m.Form.Pending()) == 0 && m.submitting()
}

func unfocusedAndSubmitting(m *moment) bool { return m.Evidence.Focus == nil && m.submitting() }

// submitting says whether a submit control is pressed again on a frozen page and Return is untried there.
func (m *moment) submitting() bool {
	frozen := idle(m.Evidence.LastActing(m.g.Window), m.g.Window) != nil
	return frozen && m.pressesAgain() && m.aimsAtSubmit() && !m.ReturnTried()
}

// aimsAtSubmit goes by the target's role, name and markup, else by the brain's reasoning, unless the click
// goes into a field. The task's text plays no part.
func (m *moment) aimsAtSubmit() bool {
	to, says := m.p.Target, cua.SaysSubmit(m.p.Thought) || cua.SaysSubmit(m.p.Action.Why)
	return to.SubmitShaped() || says && !to.Editable && to.Field == ""
}

// returnInForm presses Return in the target's form: in the focused field, else in the last of one line. A
// form that waits for a planned value is not sent half filled in.
func returnInForm(m *moment) way {
	to, f := m.p.Target, m.usableFocus()
	if m.Evidence.Focus == nil {
		f = m.Now.FieldByID(m.Now.ReturnField(to.Form))
	}
	if f == nil || f.Form == "" || !f.SingleLine() || m.waitsForValue(f.Form, f.Frame) ||
		to.Form != "" && (f.Form != to.Form || f.Frame != to.Frame) {
		return way{}
	}
	return doing(cua.Action{Kind: cua.Key, Keys: "Return", Into: f.ID},
		"pressed Return in %s instead of clicking again", named(f))
}

func (m *moment) waitsForValue(form, frame string) bool {
	return slices.ContainsFunc(m.Now.Fields, func(f cua.Field) bool {
		return f.Form == form && f.Frame == frame && m.Form.PendingFor(f.ID) != nil
	})
}

// returnSendsNothing asks for one more Return in a field of one line whose form waits for nothing.
func returnSendsNothing(m *moment) bool {
	f := m.Evidence.Focus
	return f != nil && f.SingleLine() && m.p.Action.PressesReturn() && m.Now.Reachable(f.Dialog) &&
		!m.waitsForValue(f.Form, f.Frame) && (m.Form.AllLanded() || !m.emptyBeside(f))
}

// pressDefault presses what Return would have, or, where no markup says so, the one submit control around.
func pressDefault(m *moment) way {
	c := cmp.Or(m.Evidence.DefaultButton, m.onlySubmit())
	if c == nil {
		return way{}
	}
	return m.pressing(m.Now.MarkByID(c.ID),
		"pressed %s instead of Return again, which sends nothing here", quoted(c.Name))
}

// onlySubmit is the one submit control of the focused field's form and dialog; nil where there are more.
func (m *moment) onlySubmit() *cua.Control {
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
