package brain

import (
	"encoding/json"

	"github.com/cua-runner/cua-runner/cua"
)

// clickAgain presses the field into which the text would be typed.
func clickAgain(s stroke) (cua.Decision, bool) {
	if s.said.Action.Kind != cua.Type {
		return s.said, false
	}
	p, ok := typedInto(s.turn, s.said.Action)
	if !ok {
		return s.said, false
	}
	return s.instead(cua.Action{Kind: cua.Click, Point: &p}, "the field needs its value; clicking the field")
}

// typedInto is a point of the field that a type action writes to: the point that it clicks first,
// otherwise the field that it names, otherwise the focused field.
func typedInto(t *cua.Turn, a cua.Action) (cua.Point, bool) {
	if a.Point != nil || a.Mark > 0 {
		return intended(t.Now, a)
	}
	f := t.Now.Focus
	if a.Into != "" {
		f = t.Now.FieldByID(a.Into)
	}
	if f == nil {
		return cua.Point{}, false
	}
	return f.Box.CenterIn(t.Now.Viewport)
}

// pressReturn presses Return in a focused field of one line, instead of moving to another field after this
// one has a value, and instead of pressing the submit control of the form.
func pressReturn(s stroke) (cua.Decision, bool) {
	f, a := s.turn.Now.Focus, s.said.Action
	if f == nil || !f.SingleLine() {
		return s.said, false
	}
	on, _ := aimed(s.turn.Now, a)
	onward := on.field && on.id != f.ID && (a.Kind.Pressing() || a.Kind == cua.Type || a.Kind == cua.Select)
	switch {
	case a.Kind.Pressing() && on.submit:
	case !f.Empty && (onward || a.Kind == cua.Key && a.Keys == "Tab"):
	default:
		return s.said, false
	}
	return s.instead(cua.Action{Kind: cua.Key, Keys: "Return"}, "the value is in; press Return")
}

// claimDone says that the task is done after any action was tried. It does not occur after a refused done:
// a brain that was told that the work is not done continues.
func claimDone(s stroke) (cua.Decision, bool) {
	tried := false
	steps := s.turn.History.Steps
	for i := range steps {
		tried = tried || steps[i].Acting()
		if steps[i].DoneRejected != "" {
			return s.said, false
		}
	}
	if !tried || s.said.Action.Kind.Ends() {
		return s.said, false
	}
	done := cua.Action{Kind: cua.Done, Success: true, Text: "All that was asked for is done."}
	return s.instead(done, "that was all")
}

// maxRaw is the length at which a reply that could not be parsed is cut, bytes. "…" follows.
const maxRaw = 4 << 10

// garble returns the first half of the JSON of the decision.
func garble(s stroke) (cua.Decision, bool) {
	whole, err := json.Marshal(s.said.Action)
	if err != nil { // a number that JSON does not have
		whole = []byte(`{"kind":"`)
	}
	raw := cua.ClipBytes(string(whole), min(len(whole)/2, maxRaw))
	d := s.said
	d.Action, d.Thought = cua.Action{}, ""
	const detail = "the reply is no action: the JSON ends too early"
	d.Failure = &cua.Failure{Kind: cua.FailSchema, Detail: detail, Raw: raw}
	return d, true
}
