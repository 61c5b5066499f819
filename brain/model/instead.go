package model

import (
	"bytes"
	"encoding/json"

	"github.com/cua-runner/cua-runner/cua"
)

// AsCall stands before what was done in place of a call, written as the model would have called it.
const AsCall = "What was done, as a call of yours: "

// Instead is what was done in place of what the model asked for, nil where nothing was. Elements that the
// runner knows by an identity of its own have their place on the page before the step, where they were in
// view: a wire has no other name for them. The turn is the one that tells of it.
func (o Outcome) Instead(t *cua.Turn) *cua.Action {
	if o.Fate != Substituted || len(o.Steps) == 0 {
		return nil
	}
	s := &o.Steps[len(o.Steps)-1]
	if s.Action == nil {
		return nil
	}
	a := *s.Action
	for i := range t.History.Steps {
		if a.Point == nil && t.History.Steps[i].N == s.N {
			page := t.History.Before(i)
			a.Point = placeIn(&page, a)
		}
	}
	a.Into, a.Mark, a.Why = "", 0, ""
	return &a
}

// placeIn is the middle of what is in view of the element that a names; nil where it names none or none is in
// view.
func placeIn(page *cua.Observation, a cua.Action) *cua.Point {
	var box cua.Box
	for _, f := range page.Fields {
		if a.Into != "" && f.ID == a.Into {
			box = f.Box
		}
	}
	for _, m := range page.Marks {
		if a.Into != "" && m.ID == a.Into || a.Mark > 0 && m.N == a.Mark {
			box = m.Box
		}
	}
	if p, ok := box.CenterIn(page.Viewport); ok {
		return &p
	}
	return nil
}

// Plain is a as actions that every vendor has a word for: a type at a place that replaces what is there is a
// press, a Control+a and a type. A key has no place: a press there could do more than give it the focus.
func Plain(a cua.Action) []cua.Action {
	var out []cua.Action
	switch a.Kind {
	case cua.Type:
		if a.Point != nil {
			out = append(out, cua.Action{Kind: cua.Click, Point: a.Point})
		}
		if a.Clear {
			out = append(out, cua.Action{Kind: cua.Key, Keys: "Control+a"})
		}
		if a.Clear && a.Text == "" {
			return append(out, cua.Action{Kind: cua.Key, Keys: "Delete"})
		}
		return append(out, cua.Action{Kind: cua.Type, Text: a.Text})
	case cua.Key:
		a.Point = nil
	}
	return append(out, a)
}

// Told is o.Text and, where something else was done, that as the model would have called it; call "" is no
// such words.
func (o Outcome) Told(call string) string {
	if call == "" {
		return o.Text
	}
	return o.Text + " " + AsCall + call
}

// JSON is v in a text for a model: as encoding/json has it, without the escapes that only a web page needs.
// It is "" where v cannot be written.
func JSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
