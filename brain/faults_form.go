package brain

import (
	"encoding/json"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// clickAgain presses the field that the text would have gone into.
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

// typedInto is a point of the field that a type goes into: where it clicks first, else the
// field it names, else the focused one.
func typedInto(t *cua.Turn, a cua.Action) (cua.Point, bool) {
	if a.Point != nil {
		return *a.Point, true
	}
	if a.Mark > 0 || a.Into != "" {
		e, ok := aimed(t.Now, a)
		if !ok {
			return cua.Point{}, false
		}
		return e.box.CenterIn(t.Now.Viewport)
	}
	if t.Now.Focus == nil {
		return cua.Point{}, false
	}
	return t.Now.Focus.Box.CenterIn(t.Now.Viewport)
}

// pressReturn presses Return in a focused field of one line where the next thing would be another
// field, once something is in this one, or the control that sends the form.
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

// claimDone says that all is done once anything was tried. It heeds a refusal: a brain that was told
// that the work is not done goes on with it, so that a gate can make the claim harmless.
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
	return s.instead(cua.Action{Kind: cua.Done, Success: true, Text: "All that was asked for is done."}, "that was all")
}

// maxRaw is where a reply that could not be read is cut, bytes.
const maxRaw = 4 << 10

// garble answers with the first half of the decision's JSON.
func garble(s stroke) (cua.Decision, bool) {
	whole, err := json.Marshal(s.said.Action)
	if err != nil { // a number that JSON does not have
		whole = []byte(`{"kind":"`)
	}
	raw := strings.ToValidUTF8(string(whole[:min(len(whole)/2, maxRaw)]), "")
	d := s.said
	d.Action, d.Thought = cua.Action{}, ""
	d.Failure = &cua.Failure{Kind: cua.FailSchema, Detail: "the reply is no action: the JSON ends too early", Raw: raw}
	return d, true
}
