package cua

import (
	"math"
	"strings"
	"testing"
)

func TestInputsAreCheckedAndClamped(t *testing.T) {
	view := Size{W: 800, H: 600}
	for _, row := range []struct {
		name string
		in   Input
		want Input
		says string // in the error; "" is none
	}{
		{"a place within", Input{Type: InputMove, X: 10.5, Y: 20}, Input{X: 10.5, Y: 20, Clicks: 1}, ""},
		{"a place outside", Input{Type: InputDown, X: -1, Y: 1e9, Clicks: 9}, Input{X: 0, Y: 599, Clicks: 3}, ""},
		{"a wheel too far", Input{Type: InputWheel, DX: -1e9, DY: 1e9}, Input{DX: -800, DY: 600, Clicks: 1}, ""},
		{"no number", Input{Type: InputUp, X: math.NaN()}, Input{}, "numbers"},
		{"endless", Input{Type: InputWheel, DY: math.Inf(1)}, Input{}, "numbers"},
		{"an unknown button", Input{Type: InputDown, Button: "fourth"}, Input{}, "button"},
		{"an unknown modifier", Input{Type: InputKey, Key: "a", Modifiers: []string{"Hyper"}}, Input{}, "modifiers"},
		{"no key", Input{Type: InputKey}, Input{}, "key"},
		{"no text", Input{Type: InputPaste}, Input{}, "text"},
		{"a long text", Input{Type: InputText, Text: strings.Repeat("x", MaxInputText+1)}, Input{}, "text"},
		{"no UTF-8", Input{Type: InputText, Text: "\xff"}, Input{}, "text"},
		{"an unknown type", Input{Type: "evaluate"}, Input{}, "type"},
	} {
		got, err := row.in.Checked(view)
		if row.says != "" {
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("%s: the error is %v, want one about %s", row.name, err, row.says)
			}
			continue
		}
		if err != nil || got.X != row.want.X || got.Y != row.want.Y || got.DX != row.want.DX ||
			got.DY != row.want.DY || got.Clicks != row.want.Clicks {
			t.Errorf("%s: %+v (%v), want %+v", row.name, got, err, row.want)
		}
	}
}
