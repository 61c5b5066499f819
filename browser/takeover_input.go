package browser

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/chromedp/cdproto/input"

	"github.com/cua-runner/cua-runner/cua"
)

// dispatch passes inputs to the page that is shown, until ctx ends or they are closed. Input that a page does
// not take is lost, as it is with a real mouse and keyboard.
func (l *live) dispatch(ctx context.Context, inputs <-chan cua.Input) {
	h := hand{}
	for {
		select {
		case in, ok := <-inputs:
			if !ok {
				return
			}
			t, err := l.s.here()
			if in, bad := in.Checked(l.s.view); err == nil && bad == nil {
				_ = h.input(ctx, t, in)
			}
		case <-ctx.Done():
			return
		}
	}
}

// hand is the mouse of a person.
type hand struct{ held int64 }

// input dispatches one input. While a dialog is open, Return accepts it and Escape dismisses it, and nothing
// else is passed on.
func (h *hand) input(ctx context.Context, t *tab, in cua.Input) error {
	var dialog *cua.Dialog
	t.look(func(st *tabState) { dialog = st.dialog })
	if dialog != nil {
		switch {
		case in.Type == cua.InputKey && in.Key == "Enter":
			return t.answer(ctx, true, dialog.Default)
		case in.Type == cua.InputKey && in.Key == "Escape":
			return t.answer(ctx, false, "")
		}
		return nil
	}
	switch in.Type {
	case cua.InputKey:
		return h.key(ctx, t, in)
	case cua.InputText, cua.InputPaste:
		return t.input.insert(ctx, in.Text)
	case cua.InputWheel:
		turn := modifiedWheel{wheel{input.DispatchMouseEventTypeMouseWheel, in.X, in.Y, in.DX, in.DY},
			modifierBits(in.Modifiers)}
		return t.input.raw(ctx, event{input.CommandDispatchMouseEvent, turn, false})
	}
	return t.input.raw(ctx, mouseEvent(h.mouse(t, in)))
}

// modifiedWheel is a wheel that is turned while modifiers are held.
type modifiedWheel struct {
	wheel
	Modifiers int64 `json:"modifiers"`
}

// mouse is a move, a press or a release.
func (h *hand) mouse(t *tab, in cua.Input) input.DispatchMouseEventParams {
	button := input.MouseButtonLeft
	if in.Button != "" {
		button = input.MouseButton(in.Button)
	}
	at := cua.Point{X: in.X, Y: in.Y}
	e := t.input.to(at, h.held)
	e.Modifiers = modifierBits(in.Modifiers)
	switch in.Type {
	case cua.InputDown:
		h.held |= buttonBit(button)
		e.Type = input.DispatchMouseEventTypeMousePressed
	case cua.InputUp:
		h.held &^= buttonBit(button)
		e.Type = input.DispatchMouseEventTypeMouseReleased
	default:
		return e
	}
	e.Button, e.Buttons, e.ClickCount = button, h.held, int64(in.Clicks)
	return e
}

// key presses and releases a key with its modifiers. A character that no key types is inserted.
func (h *hand) key(ctx context.Context, t *tab, in cua.Input) error {
	var c chord
	main, ok := keyNamed(in.Key)
	if !ok {
		if utf8.RuneCountInString(in.Key) == 1 && len(in.Modifiers) == 0 {
			return t.input.insert(ctx, in.Key)
		}
		return keyError("unknown key", in.Key)
	}
	if main.bit != 0 {
		return nil // it is held with the key that follows
	}
	c.main = main
	for _, name := range in.Modifiers {
		k, _ := keyNamed(name)
		if !slices.ContainsFunc(c.held, func(o key) bool { return o.bit == k.bit }) {
			c.held = append(c.held, k)
		}
	}
	c.shifted()
	return t.input.pressAll(ctx, []chord{c}, t.input.each)
}

func modifierBits(names []string) (bits int64) {
	for _, name := range names {
		k, _ := keyNamed(name)
		bits |= k.bit
	}
	return bits
}
