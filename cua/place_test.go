package cua

import "testing"

func TestByPlace(t *testing.T) {
	text := Field{Type: "text", Editable: true}
	list := []Field{{Type: "radio"}, text, {Type: "radio"}, {Type: "checkbox"}, text, {Type: "select"}, text}
	for words, want := range map[string]int{"2nd radio button": 2, "the third textbox": 6,
		"last text field": 6, "first check box": 3, "1st dropdown": 5, "1st checkbox": 3,
		"the field for 2nd textbox needs its value": 4,
		"3rd radio button":                          -1, "2nd floor": -1, "second": -1, "0th radio button": -1, "the radio button": -1, "first name field": -1, "": -1} {
		if got := ByPlace(words, list); got != want {
			t.Errorf("%q is %d, want %d", words, got, want)
		}
	}
}
