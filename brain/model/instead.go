package model

import (
	"bytes"
	"encoding/json"

	"github.com/cua-runner/cua-runner/cua"
)

// AsCall introduces the action that was done instead of a call, written as a call of the model.
const AsCall = "What was done, as a call of yours: "

// Instead is the action that was done instead of what the model asked for; nil if there was none. An
// element that the runner knows only by its own identity is replaced by its place on the page before the
// step, if it was in view, because a wire has no other name for it. t is the turn that reports it.
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

// placeIn is the centre of the visible part of the element that a names; nil if a names none or it is not
// in view.
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

// Plain is a as actions that every vendor can express: a type at a place that overwrites the content
// becomes a press, a Control+a and a type. A key loses its place, because a press there could do more than
// set the focus.
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

// Told is o.Text and, if something else was done, that action as a call of the model. call "" means that
// the model cannot express it.
func (o Outcome) Told(call string) string {
	if call == "" {
		return o.Text
	}
	return o.Text + " " + AsCall + call
}

// JSON is v as JSON in a text for a model, without HTML escapes. It is "" if v cannot be encoded.
func JSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return string(bytes.TrimSpace(b.Bytes()))
}
