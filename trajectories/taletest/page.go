package taletest

import "github.com/cua-runner/cua-runner/cua"

// Textbox is a field of one line in the form. Its identity is made of its label.
func Textbox(label string) cua.Field {
	return cua.Field{ID: "box/" + label, Role: "textbox", Label: label, Tag: "input", Type: "text", Form: "f",
		Editable: true, Empty: true}
}

// SendButton is the submit button of the form. It covers no field.
func SendButton() cua.Mark {
	return cua.Mark{N: 1, ID: "button/Send", Role: "button", Name: "Send", Text: "Send", Tag: "button",
		Type: "submit", Submit: true, Form: "f", Box: cua.Box{X: 400, Y: 400, W: 80, H: 20}}
}

// Change is what a step does to the page.
type Change = func(o *cua.Observation)

// Holding puts a value into the field with that label; "" empties it.
func Holding(label, value string) Change {
	return func(o *cua.Observation) {
		for i := range o.Fields {
			if f := &o.Fields[i]; f.Label == label {
				f.ValueDigest, f.Secret, f.Empty = cua.Digest(value), cua.SecretName(value), value == ""
			}
		}
	}
}

// DOM changes what the page shows outside its fields.
func DOM(digest string) Change { return func(o *cua.Observation) { o.DOMDigest = digest } }

// Passes are the rulings of gates that let a proposal pass.
func Passes(gates ...string) []cua.Ruling {
	var out []cua.Ruling
	for _, g := range gates {
		out = append(out, cua.Ruling{Gate: g, Verdict: cua.Pass})
	}
	return out
}

// Click is a click on the button, by its place.
func Click() cua.Action { return cua.Action{Kind: cua.Click, Point: &cua.Point{X: 440, Y: 410}} }

// Typing types value into the field with that label, in place of what it holds.
func Typing(label, value string) cua.Action {
	return cua.Action{Kind: cua.Type, Into: "box/" + label, Text: value, Clear: true}
}

// ReturnKey presses Return in the field with that label; "" is wherever the focus is.
func ReturnKey(label string) cua.Action {
	a := cua.Action{Kind: cua.Key, Keys: "Return"}
	if label != "" {
		a.Into = "box/" + label
	}
	return a
}
