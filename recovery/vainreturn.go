package recovery

import (
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// insteadOfReturn asks one rule of the table for a Return that goes on and on in a field and sends nothing. Only what leads
// on in the form stands for it: the value that the field waits for, and Tab while another field of it is empty.
func (g LoopRecovery) insteadOfReturn(n int, t *cua.Turn) (substitute, bool) {
	focus := t.Now.Focus
	if focus == nil || !focus.SingleLine() {
		return substitute{}, false
	}
	switch n {
	case 1:
		return g.typeValue(t, *focus)
	case 3:
		other := emptyField(t.Now, *focus)
		if _, pending := g.valueFor(t, *focus); pending || other == nil {
			return substitute{}, false
		}
		return substitute{action: cua.Action{Kind: cua.Key, Keys: "Tab"}, reason: cua.TabToNextField,
			detail: fmt.Sprintf("pressed Tab in %s instead of Return again, which sends nothing: %s is still empty", named(*focus), named(*other))}, true
	}
	return substitute{}, false
}

// emptyField is the first visible field of f's form, beside f, that takes text and holds none; nil is none.
func emptyField(o cua.Observation, f cua.Field) *cua.Field {
	for i := range o.Fields {
		g := &o.Fields[i]
		if g.ID != f.ID && g.Form == f.Form && g.Frame == f.Frame && g.Empty && g.TakesText() {
			return g
		}
	}
	return nil
}

// pressSubmit is the rung for a Return that sends nothing, in a form without a submission of its own: the one control of the form
// that says that it sends is pressed. Not while a field waits for its value, nor one is empty that may want some, unless all
// that was planned is in or Tab has been tried; and nothing that costs, removes or goes back is pressed for a Return.
func (g Ladder) pressSubmit(t *cua.Turn, p cua.Proposal) (substitute, bool) {
	focus := t.Now.Focus
	if !p.Action.PressesReturn() || focus == nil || !focus.SingleLine() || awaits(t, focus.Form) || !returnedInVain(t.History) {
		return substitute{}, false
	}
	if emptyField(t.Now, *focus) != nil && !t.Form.AllLanded() && !spent(t, cua.TabToNextField) {
		return substitute{}, false
	}
	m := sender(t.Now, focus.Form, focus.Frame)
	if m == nil || m.Disabled || m.Covered || cua.Unasked(m.Name) && !mentions(p, m.Name) {
		return substitute{}, false
	}
	at, ok := m.Box.CenterIn(t.Now.Viewport)
	return substitute{action: cua.Action{Kind: cua.Click, Point: &at},
		detail: fmt.Sprintf("pressed %s instead of Return again, which sends nothing here", quoted(m.Name))}, ok
}

// vainReturns is how many Returns must have had no effect in a state of a form for it to count as one that Return does not send.
// One may be late; two, as for presses that miss (LadderConfig.Misses).
const vainReturns = 2

// returnedInVain says whether Return was pressed in the state that the form is in now as often as that, and never had an effect.
func returnedInVain(h cua.History) bool {
	now, n := h.Now().FormKey(), 0
	samples := h.Samples()
	for i := h.Fresh(); i < len(samples); i++ {
		s := &samples[i]
		if !s.Step.Dispatched() || !s.Step.Action.PressesReturn() || h.Before(i).FormKey() != now {
			continue
		}
		if !s.Idle() {
			return false
		}
		n++
	}
	return n >= vainReturns
}

// sender is the control that sends the form: the one that does so by its markup, else the one button whose name says so; nil
// where there is none, or more than one.
func sender(o cua.Observation, form, frame string) *cua.Mark {
	for _, sends := range []func(m cua.Mark) bool{
		func(m cua.Mark) bool { return m.Submit },
		func(m cua.Mark) bool { return m.Role == "button" && cua.SaysSubmit(m.Name) },
	} {
		var found []*cua.Mark
		for i := range o.Marks {
			if m := &o.Marks[i]; m.Form == form && m.Frame == frame && sends(*m) && !cua.SaysRetreat(m.Name) {
				found = append(found, m)
			}
		}
		switch len(found) {
		case 0:
		case 1:
			return found[0]
		default:
			return nil
		}
	}
	return nil
}
