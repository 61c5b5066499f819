package openai

import (
	"strings"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// instead is the action that was done instead of a call, as output items of a response; "" if the
// vocabulary cannot express it.
func (w *wire) instead(o model.Outcome, t *cua.Turn) string {
	a := o.Instead(t)
	if a == nil {
		return ""
	}
	if name, args := asFunction(*a, w.on); name != "" {
		return model.JSON(map[string]any{"type": "function_call", "name": name,
			"arguments": model.JSON(args)})
	}
	var actions []map[string]any
	for _, part := range model.Plain(*a) {
		spelled := asAction(part, w.on)
		if spelled == nil {
			return ""
		}
		actions = append(actions, spelled)
	}
	if !w.set.preview {
		return model.JSON(map[string]any{"type": "computer_call", "actions": actions})
	}
	var calls []string // one action each
	for _, x := range actions {
		calls = append(calls, model.JSON(map[string]any{"type": "computer_call", "action": x}))
	}
	return strings.Join(calls, ", ")
}

// asFunction is a as a call of one of our functions; "" if there is none.
func asFunction(a cua.Action, on model.Screen) (name string, arguments map[string]any) {
	switch a.Kind {
	case cua.Navigate:
		return "navigate", map[string]any{"url": a.URL}
	case cua.Reload:
		return "reload", map[string]any{}
	case cua.Select:
		if a.Point != nil {
			x, y := on.Units(*a.Point)
			return "select_option", map[string]any{"x": x, "y": y, "option": a.Text}
		}
	case cua.AnswerDlg:
		return "answer_dialog", map[string]any{"accept": a.Accept, "text": a.Text}
	case cua.SwitchTab:
		return "switch_tab", map[string]any{"tab": a.Tab}
	case cua.CloseTab:
		return "close_tab", map[string]any{}
	case cua.Extract:
		return "read_page", map[string]any{}
	}
	return "", nil
}

// asAction is a as an action of the computer; nil if there is none.
func asAction(a cua.Action, on model.Screen) map[string]any {
	out := map[string]any{}
	if a.Point != nil {
		out["x"], out["y"] = on.Units(*a.Point)
	}
	buttons := map[cua.Kind]string{cua.Click: "left", cua.RightClick: "right", cua.MiddleClick: "wheel",
		cua.Back: "back", cua.Forward: "forward"}
	switch a.Kind {
	case cua.Back, cua.Forward:
		out["type"], out["button"], out["x"], out["y"] = "click", buttons[a.Kind], 0, 0
	case cua.Click, cua.RightClick, cua.MiddleClick:
		out["type"], out["button"] = "click", buttons[a.Kind]
	case cua.DoubleClick:
		out["type"] = "double_click"
	case cua.Hover:
		out["type"] = "move"
	case cua.Scroll:
		if a.Point == nil {
			out["x"], out["y"] = on.Size.W/2, on.Size.H/2
		}
		out["type"], out["scroll_x"], out["scroll_y"] = "scroll", units(a.DX, on), units(a.DY, on)
	case cua.Drag:
		if a.Point == nil || a.To == nil {
			return nil
		}
		x, y := on.Units(*a.To)
		return map[string]any{"type": "drag", "path": []map[string]any{{"x": out["x"], "y": out["y"]},
			{"x": x, "y": y}}}
	case cua.Key:
		if strings.Contains(a.Keys, " ") {
			return nil // one keypress is one chord
		}
		return map[string]any{"type": "keypress", "keys": pressed(a.Keys)}
	case cua.Type:
		return map[string]any{"type": "type", "text": a.Text}
	case cua.Wait:
		return map[string]any{"type": "wait"}
	case cua.Observe:
		return map[string]any{"type": "screenshot"}
	default:
		return nil
	}
	if out["x"] == nil {
		return nil
	}
	return out
}

// pressed are the keys of one chord in the vendor's spelling.
func pressed(chord string) []string {
	names := map[string]string{"Control": "CTRL", "Return": "ENTER", "Escape": "ESC", "Up": "ARROWUP",
		"Down": "ARROWDOWN", "Left": "ARROWLEFT", "Right": "ARROWRIGHT", "Page_Up": "PAGEUP",
		"Page_Down": "PAGEDOWN"}
	var out []string
	for _, part := range strings.Split(chord, "+") {
		name, ok := names[part]
		if !ok {
			name = strings.ToUpper(part)
		}
		out = append(out, name)
	}
	return out
}

// units converts a distance in CSS pixels to whole pixels of the screenshot.
func units(d float64, on model.Screen) int {
	if on.View.W < 1 {
		return int(d)
	}
	return int(d * float64(on.Size.W) / float64(on.View.W))
}
