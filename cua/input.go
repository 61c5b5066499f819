package cua

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// InputKind is what a person did with a mouse or a keyboard.
type InputKind string

// The kinds.
const (
	InputMove  InputKind = "move"
	InputDown  InputKind = "down"
	InputUp    InputKind = "up"
	InputWheel InputKind = "wheel"
	// InputKey presses and releases a key.
	InputKey InputKind = "key"
	// InputText and InputPaste insert a text at the caret: one of an input method, and one of the clipboard.
	InputText  InputKind = "text"
	InputPaste InputKind = "paste"
)

// Input is one input of a person who has the browser. It is dispatched and never recorded.
type Input struct {
	Type InputKind `json:"type"`
	// X and Y are the place in the viewport, CSS pixels, for the mouse.
	X float64 `json:"x,omitzero"`
	Y float64 `json:"y,omitzero"`
	// DX and DY are how far the wheel turns to the right and down, CSS pixels.
	DX float64 `json:"dx,omitzero"`
	DY float64 `json:"dy,omitzero"`
	// Button is left, middle or right; "" is none for a move, and left for down and up.
	Button string `json:"button,omitzero"`
	// Clicks is how many presses in a row this one is, 1 to 3; 0 is 1.
	Clicks int `json:"clicks,omitzero"`
	// Modifiers are those that are held: Alt, Control, Meta, Shift.
	Modifiers []string `json:"modifiers,omitzero"`
	// Key is the name of a key, as KeyboardEvent.key has it.
	Key string `json:"key,omitzero"`
	// Text is what is inserted.
	Text string `json:"text,omitzero"`
}

const (
	// MaxInputText bounds the text of one input, bytes.
	MaxInputText = 64 << 10
	maxInputKey  = 40
)

// Checked is in with its numbers within a viewport of that size. The error says which part is not one.
func (in Input) Checked(view Size) (Input, error) {
	for _, m := range in.Modifiers {
		if !slices.Contains([]string{"Alt", "Control", "Meta", "Shift"}, m) {
			return in, fmt.Errorf("input: modifiers: Alt, Control, Meta and Shift are known")
		}
	}
	switch in.Type {
	case InputMove, InputDown, InputUp, InputWheel:
		return in.placed(view)
	case InputKey:
		if in.Key == "" || len(in.Key) > maxInputKey || len(in.Modifiers) > 4 {
			return in, fmt.Errorf("input: key: the name of a key is wanted")
		}
	case InputText, InputPaste:
		if in.Text == "" || len(in.Text) > MaxInputText || !utf8.ValidString(in.Text) {
			return in, fmt.Errorf("input: text: 1 to %d bytes are wanted", MaxInputText)
		}
	default:
		return in, fmt.Errorf("input: type: move, down, up, wheel, key, text and paste are known")
	}
	return in, nil
}

// placed is Checked for the mouse.
func (in Input) placed(view Size) (Input, error) {
	for _, v := range []float64{in.X, in.Y, in.DX, in.DY} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return in, fmt.Errorf("input: x, y, dx and dy: numbers are wanted")
		}
	}
	if !slices.Contains([]string{"", "left", "middle", "right"}, in.Button) {
		return in, fmt.Errorf("input: button: left, middle and right are known")
	}
	w, h := float64(view.W), float64(view.H)
	in.X, in.Y = min(max(in.X, 0), max(w-1, 0)), min(max(in.Y, 0), max(h-1, 0))
	in.DX, in.DY = min(max(in.DX, -w), w), min(max(in.DY, -h), h)
	in.Clicks = min(max(in.Clicks, 1), 3)
	return in, nil
}

// LiveView is the page as a person who has the browser sees it.
type LiveView struct {
	// JPEG is a picture of the viewport; nil is none, and the rest is news.
	JPEG []byte `redact:"-"`
	// AtMS is when it was taken, Unix milliseconds.
	AtMS int64
	// View is the viewport in CSS pixels.
	View Size
	// Tab and Tabs are the number of the tab that is shown, from 1, and how many there are.
	Tab, Tabs int
	// Dialog is the dialog that is open; nil is none. Return accepts it and Escape dismisses it.
	Dialog *Dialog
}
