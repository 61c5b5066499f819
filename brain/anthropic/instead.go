package anthropic

import (
	"cmp"
	"strings"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// instead is the action that was done instead of a call, as one or several calls of the model; "" if the
// toolset cannot express it. into is the identity of the field that received it; "" if there is none.
func (w *wire) instead(a cua.Action, into string) string {
	if ref := w.refOf(into); ref != "" && (a.Kind == cua.Select || a.Kind == cua.Type && a.Clear) {
		return "form_input " + model.JSON(map[string]any{"target": map[string]any{"type": "ref", "ref": ref},
			"value": a.Text})
	}
	var calls []string
	for _, part := range model.Plain(a) {
		name, input := w.kind.member(part, w.screen)
		if name == "" {
			return ""
		}
		if w.kind.old {
			name, input = olderCall(name, input)
		}
		calls = append(calls, name+" "+model.JSON(input))
	}
	return strings.Join(calls, ", then ")
}

// refOf is the reference by which the model knows an element of the active tab; "" if there is none.
func (w *wire) refOf(id string) string {
	for i := len(w.refs.all) - 1; i >= 0 && id != "" && w.kind.browser; i-- {
		if e := w.refs.all[i]; e.id == id && e.tab == w.tabs.current() {
			return e.ref()
		}
	}
	return ""
}

// member expresses a as a call of a member of the toolset; "" if there is no such member.
func (k kind) member(a cua.Action, screen model.Screen) (string, map[string]any) {
	in := map[string]any{}
	if a.Kind == cua.Scroll && a.Point == nil {
		a.Point = &cua.Point{X: float64(screen.View.W / 2), Y: float64(screen.View.H / 2)}
	}
	if a.Point != nil {
		x, y := screen.Units(*a.Point)
		if k.browser {
			in["target"] = map[string]any{"type": "coordinate", "x": x, "y": y}
		} else {
			in["coordinate"] = []int{x, y}
		}
	}
	for name, kind := range pressed() {
		if kind == a.Kind && name != "hover" {
			return name, in
		}
	}
	switch a.Kind {
	case cua.Type:
		in["text"] = a.Text
	case cua.Key:
		in["text"] = a.Keys
	case cua.Scroll:
		in["scroll_direction"], in["scroll_amount"] = model.Notches(a)
	case cua.Wait:
		in["duration"] = float64(a.MS) / 1000
	case cua.AnswerDlg:
		return "key", map[string]any{"text": map[bool]string{true: "Return", false: "Escape"}[a.Accept]}
	case cua.Navigate, cua.Back, cua.Forward, cua.Reload:
		if !k.browser {
			return "", nil
		}
		return "navigate", map[string]any{"url": cmp.Or(a.URL, string(a.Kind))}
	default:
		return "", nil
	}
	return string(a.Kind), in
}
