package gemini

import (
	"math"
	"strings"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// instead is the action that was done instead of a call, as calls of the model with points on its grid;
// nil if the predefined functions cannot express it.
func (w *wire) instead(o model.Outcome, t *cua.Turn) []map[string]any {
	a := o.Instead(t)
	if a == nil {
		return nil
	}
	if legacy(w.name) {
		return w.older(*a)
	}
	var out []map[string]any
	for _, part := range model.Plain(*a) {
		call := w.spelled(part)
		if call == nil {
			return nil
		}
		out = append(out, call)
	}
	return out
}

// named is one call.
func named(name string, args map[string]any) map[string]any {
	return map[string]any{"name": name, "args": args}
}

// at are the arguments of a point.
func (w *wire) at(p *cua.Point) map[string]any {
	if p == nil {
		return map[string]any{}
	}
	x, y := w.screen.Units(*p)
	return map[string]any{"x": x, "y": y}
}

// spelled is a as a call of the newer functions.
func (w *wire) spelled(a cua.Action) map[string]any {
	args := w.at(a.Point)
	pointed := map[cua.Kind]string{cua.Click: "click", cua.DoubleClick: "double_click",
		cua.TripleClick: "triple_click", cua.MiddleClick: "middle_click", cua.RightClick: "right_click",
		cua.Hover: "move"}
	if name := pointed[a.Kind]; name != "" && a.Point != nil {
		return named(name, args)
	}
	switch a.Kind {
	case cua.Type:
		return named("type", map[string]any{"text": a.Text, "press_enter": false})
	case cua.Key:
		switch {
		case strings.Contains(a.Keys, " "):
			return nil // one call is one chord
		case strings.Contains(a.Keys, "+"):
			return named("hotkey", map[string]any{"keys": strings.Split(a.Keys, "+")})
		}
		return named("press_key", map[string]any{"key": a.Keys})
	case cua.Drag:
		if a.Point != nil && a.To != nil {
			end := w.at(a.To)
			return named("drag_and_drop", map[string]any{"start_x": args["x"], "start_y": args["y"],
				"end_x": end["x"], "end_y": end["y"]})
		}
	case cua.Scroll:
		direction, px := model.Direction(a)
		args["direction"], args["magnitude_in_pixels"] = direction, int(math.Round(px))
		return named("scroll", args)
	case cua.Wait:
		return named("wait", map[string]any{"seconds": max(1, a.MS/1000)})
	case cua.Observe:
		return named("take_screenshot", args)
	case cua.Navigate:
		return named("navigate", map[string]any{"url": a.URL})
	case cua.Back:
		return named("go_back", args)
	case cua.Forward:
		return named("go_forward", args)
	}
	return nil
}

// older is a as calls of the functions of the first generation, which type at a point.
func (w *wire) older(a cua.Action) []map[string]any {
	args := w.at(a.Point)
	switch a.Kind {
	case cua.Click, cua.Hover:
		if a.Point != nil {
			return []map[string]any{named(map[cua.Kind]string{cua.Click: "click_at",
				cua.Hover: "hover_at"}[a.Kind], args)}
		}
	case cua.Type:
		if a.Point != nil {
			args["text"], args["clear_before_typing"], args["press_enter"] = a.Text, a.Clear, false
			return []map[string]any{named("type_text_at", args)}
		}
	case cua.Key:
		if !strings.Contains(a.Keys, " ") {
			return []map[string]any{named("key_combination", map[string]any{"keys": a.Keys})}
		}
	case cua.Drag:
		if a.Point != nil && a.To != nil {
			end := w.at(a.To)
			args["destination_x"], args["destination_y"] = end["x"], end["y"]
			return []map[string]any{named("drag_and_drop", args)}
		}
	case cua.Scroll:
		direction, px := model.Direction(a)
		args["direction"] = direction
		if a.Point == nil {
			return []map[string]any{named("scroll_document", args)}
		}
		edge := w.screen.View.H
		if a.DY == 0 {
			edge = w.screen.View.W
		}
		args["magnitude"] = int(math.Round(px)) * grid / max(edge, 1)
		return []map[string]any{named("scroll_at", args)}
	case cua.Navigate, cua.Back, cua.Forward:
		if call := w.spelled(a); call != nil {
			return []map[string]any{call}
		}
	}
	return nil
}
