package compat

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// instead is the action that was done instead of a call, in the format of the model's family; "" if the
// family cannot express it.
func (w *wire) instead(o model.Outcome, t *cua.Turn) string {
	a := o.Instead(t)
	if a == nil {
		return ""
	}
	parts := model.Plain(*a)
	if w.set.name == "fara" && a.Kind == cua.Type {
		parts = []cua.Action{*a} // it presses and clears by itself
	}
	var calls []string
	for _, part := range parts {
		said := w.set.spell(w, part)
		if said == "" {
			return ""
		}
		calls = append(calls, said)
	}
	return strings.Join(calls, ", then ")
}

// pressed are the verbs of Qwen's function for actions at one point.
func pressed() map[cua.Kind]string {
	return map[cua.Kind]string{cua.Click: "left_click", cua.RightClick: "right_click",
		cua.MiddleClick: "middle_click", cua.DoubleClick: "double_click", cua.TripleClick: "triple_click",
		cua.Hover: "mouse_move"}
}

// spellFlat formats a as a call of the flat function, without a wrapper if a reply is one object.
func spellFlat(w *wire, a cua.Action) string {
	verb, args := w.function(a)
	switch a.Kind {
	case cua.Scroll:
		where, notches := model.Notches(a)
		delete(args, "pixels")
		verb, args["direction"], args["amount"] = "scroll", where, notches
	case cua.Wait:
		delete(args, "time")
		args["seconds"] = seconds(a)
	case cua.Drag:
		args["end_coordinate"] = w.units(a.To)
	case cua.Observe:
		verb = "screenshot"
	case cua.Forward:
		verb = "history_forward"
	case cua.Reload:
		verb = "reload"
	}
	if !slices.Contains(flatActions, verb) {
		return ""
	}
	if args["action"] = verb; w.set.format != formatTools {
		return model.JSON(args)
	}
	return called(args)
}

// spellQwen formats a as a call of Qwen's function, or of Fara's if it has the verb.
func spellQwen(w *wire, a cua.Action) string {
	verb, args := w.function(a)
	verbs := qwenActions
	if w.set.name == "fara" {
		verbs = faraActions
		if a.Kind == cua.Type && a.Clear {
			args["delete_existing_text"] = true
		}
	}
	if a.Kind == cua.Drag || !slices.ContainsFunc(verbs, func(v named) bool { return v.name == verb }) {
		return "" // a drag begins where the pointer is
	}
	args["action"] = verb
	return called(args)
}

// called is a call of the only function.
func called(args map[string]any) string {
	return model.JSON(ordered{{"name", function}, {"arguments", args}})
}

// function is a as verb and arguments that Qwen's function and the flat one share; "" if neither has the
// verb.
func (w *wire) function(a cua.Action) (verb string, args map[string]any) {
	args = map[string]any{}
	if a.Point != nil {
		args["coordinate"] = w.units(a.Point)
	}
	if verb := pressed()[a.Kind]; verb != "" && a.Point != nil {
		return verb, args
	}
	switch a.Kind {
	case cua.Type:
		args["text"] = a.Text
		return "type", args
	case cua.Key:
		if strings.Contains(a.Keys, " ") {
			return "", args // one call is one chord
		}
		args["keys"] = strings.Split(strings.ToLower(a.Keys), "+")
		return "key", args
	case cua.Select:
		args["text"] = a.Text
		return "select_option", args
	case cua.Scroll:
		if a.DY == 0 {
			args["pixels"] = int(math.Round(-a.DX * w.scale()))
			return "hscroll", args
		}
		args["pixels"] = int(math.Round(-a.DY * w.scale()))
		return "scroll", args
	case cua.Drag:
		return "left_click_drag", args
	case cua.Navigate:
		args["url"] = a.URL
		return "visit_url", args
	case cua.Back:
		return "history_back", args
	case cua.Wait:
		args["time"] = seconds(a)
		return "wait", args
	}
	return "", args
}

// scale is the number of units per CSS pixel in the space in which the model scrolls.
func (w *wire) scale() float64 {
	units := w.on.Size.H
	if w.on.Grid > 0 {
		units = w.on.Grid
	}
	if w.on.View.H < 1 {
		return 1
	}
	return float64(units) / float64(w.on.View.H)
}

// units is a point in the model's units; nil means no point.
func (w *wire) units(p *cua.Point) []int {
	if p == nil {
		return nil
	}
	x, y := w.on.Units(*p)
	return []int{x, y}
}

func seconds(a cua.Action) float64 { return float64(a.MS) / 1000 }

// spellTars formats a as a line of UI-TARS' action space.
func spellTars(w *wire, a cua.Action) string {
	at := func(name string, p *cua.Point) string {
		x, y := w.on.Units(*p)
		return fmt.Sprintf("%s='<point>%d %d</point>'", name, x, y)
	}
	text := func(s string) string {
		return strings.NewReplacer(`\`, `\\`, `'`, `\'`, `"`, `\"`, "\n", `\n`).Replace(s)
	}
	pointed := map[cua.Kind]string{cua.Click: "click", cua.DoubleClick: "left_double",
		cua.RightClick: "right_single"}
	if verb := pointed[a.Kind]; verb != "" && a.Point != nil {
		return fmt.Sprintf("%s(%s)", verb, at("point", a.Point))
	}
	switch a.Kind {
	case cua.Drag:
		if a.Point != nil && a.To != nil {
			return fmt.Sprintf("drag(%s, %s)", at("start_point", a.Point), at("end_point", a.To))
		}
	case cua.Key:
		if !strings.Contains(a.Keys, " ") {
			return fmt.Sprintf("hotkey(key='%s')", strings.ReplaceAll(strings.NewReplacer("Control", "ctrl",
				"Return", "enter").Replace(a.Keys), "+", " "))
		}
	case cua.Type:
		return fmt.Sprintf("type(content='%s')", text(a.Text))
	case cua.Scroll:
		where, _ := model.Direction(a)
		if a.Point == nil {
			a.Point = &cua.Point{X: float64(w.on.View.W / 2), Y: float64(w.on.View.H / 2)}
		}
		return fmt.Sprintf("scroll(%s, direction='%s')", at("point", a.Point), where)
	case cua.Select:
		if a.Point != nil {
			return fmt.Sprintf("select_option(%s, text='%s')", at("point", a.Point), text(a.Text))
		}
	case cua.Navigate:
		return fmt.Sprintf("visit_url(url='%s')", text(a.URL))
	case cua.Wait:
		return "wait()"
	}
	return ""
}

// spellHolo formats a as a tool call of Holo's harness.
func spellHolo(w *wire, a cua.Action) string {
	out := map[string]any{}
	if a.Point != nil {
		out["x"], out["y"] = w.on.Units(*a.Point)
	}
	pointed := map[cua.Kind]string{cua.Click: "click", cua.DoubleClick: "double_click",
		cua.RightClick: "right_click"}
	switch name := pointed[a.Kind]; {
	case name != "" && a.Point != nil:
		out["tool_name"], out["element"] = name, "what was pressed"
	case a.Kind == cua.Type:
		out["tool_name"], out["content"], out["press_enter"] = "write", a.Text, false
	case a.Kind == cua.Key && !strings.Contains(a.Keys, " "):
		out["tool_name"], out["key"] = "press_key", strings.ToLower(a.Keys)
	case a.Kind == cua.Select && a.Point != nil:
		out["tool_name"], out["option"] = "select_option", a.Text
	case a.Kind == cua.Scroll:
		if a.Point == nil {
			out["x"], out["y"] = thousand/2, thousand/2
		}
		out["tool_name"] = "scroll"
		out["direction"], _ = model.Direction(a)
	case a.Kind == cua.Navigate:
		out["tool_name"], out["url"] = "goto", a.URL
	case a.Kind == cua.Back:
		out["tool_name"] = "go_back"
	case a.Kind == cua.Reload:
		out["tool_name"] = "refresh"
	case a.Kind == cua.Wait:
		out["tool_name"], out["seconds"] = "wait", seconds(a)
	default:
		return ""
	}
	return model.JSON(out)
}
