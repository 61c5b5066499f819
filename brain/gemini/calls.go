package gemini

import (
	"fmt"
	"math"
	"strings"

	"google.golang.org/genai"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// Distances and times that the API does not specify.
const (
	scrollPixels = 300 // magnitude_in_pixels
	scrollUnits  = 800 // magnitude of the older functions, on the grid
	legacyWait   = 5   // wait_5_seconds
	defaultWait  = 1
)

// args are the arguments of a call. They have several spellings.
type args map[string]any

// number is the first of names that is present and a finite number.
func (a args) number(names ...string) (float64, bool) {
	for _, n := range names {
		if v, ok := a[n].(float64); ok && !math.IsInf(v, 0) && !math.IsNaN(v) {
			return v, true
		}
	}
	return 0, false
}

func (a args) text(names ...string) string {
	for _, n := range names {
		if v, ok := a[n].(string); ok {
			return v
		}
	}
	return ""
}

func (a args) yes(name string, fallback bool) bool {
	switch v := a[name].(type) {
	case bool:
		return v
	case string:
		return strings.EqualFold(v, "true")
	}
	return fallback
}

// list is a list of names: an array, or one string.
func (a args) list(name string) []string {
	switch v := a[name].(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, e := range v {
			s, ok := e.(string)
			if !ok {
				return nil
			}
			out = append(out, s)
		}
		return out
	}
	return nil
}

// reader converts the arguments of one call to actions.
type reader struct {
	args
	screen model.Screen
	moved  bool // a point outside the grid was moved to its edge
}

// point parses a point; nil with a failure if it is missing.
func (r *reader) point(xs, ys []string) (*cua.Point, *cua.Failure) {
	x, okX := r.number(xs...)
	y, okY := r.number(ys...)
	if !okX || !okY {
		return nil, model.Bad("%s and %s must be numbers", xs[0], ys[0])
	}
	p, moved, f := r.screen.Clamp(x, y)
	r.moved = r.moved || moved
	return &p, f
}

func (r *reader) here() (*cua.Point, *cua.Failure) { return r.point([]string{"x"}, []string{"y"}) }

// call parses one function call. A malformed call has a failure and is answered, too.
func (w *wire) call(f *genai.FunctionCall) model.Call {
	r := &reader{args: f.Args, screen: w.screen}
	out := model.Call{ID: f.ID, Name: f.Name, Thought: r.text("intent"), Checks: check(f.Args)}
	if f.Name == "open_web_browser" {
		out.Local, out.Answer = true, "The browser is open."
		return out
	}
	out.Actions, out.Failure = r.actions(f.Name)
	if r.moved {
		out.Thought = strings.TrimSpace(fmt.Sprintf("%s (a point outside of the grid was moved to its edge)",
			out.Thought))
	}
	if out.Failure != nil {
		out.Actions = nil
		out.Failure.Raw = raw(f)
	}
	return out
}

// one is a list of one action.
func one(a cua.Action, f *cua.Failure) ([]cua.Action, *cua.Failure) {
	if f != nil {
		return nil, f
	}
	return []cua.Action{a}, nil
}

// presses are the functions of both generations that press a button at a point.
var presses = map[string]struct {
	button string
	count  int
}{
	"click": {"left", 1}, "click_at": {"left", 1}, "double_click": {"left", 2}, "triple_click": {"left", 3},
	"middle_click": {"middle", 1}, "right_click": {"right", 1},
}

// actions are the actions of a function.
func (r *reader) actions(name string) ([]cua.Action, *cua.Failure) {
	if press, ok := presses[name]; ok {
		p, f := r.here()
		if f != nil {
			return nil, f
		}
		return one(model.Press(press.button, press.count, *p))
	}
	switch name {
	case "move", "hover_at":
		p, f := r.here()
		return one(cua.Action{Kind: cua.Hover, Point: p}, f)
	case "type":
		return r.typed(nil, false, false)
	case "type_text_at":
		p, f := r.here()
		if f != nil {
			return nil, f
		}
		return r.typed(p, true, true)
	case "drag_and_drop":
		return r.drag()
	case "scroll", "scroll_at", "scroll_document":
		return one(r.scroll(name))
	case "press_key":
		return one(model.PressChord(r.text("key", "keys")))
	case "hotkey", "key_combination":
		return one(model.PressChord(r.list("keys")...))
	case "wait":
		s, ok := r.number("seconds")
		if !ok {
			s = defaultWait
		}
		return one(model.Wait(s))
	case "wait_5_seconds":
		return one(model.Wait(legacyWait))
	case "take_screenshot":
		return one(cua.Action{Kind: cua.Observe}, nil)
	case "navigate":
		return one(model.Open(r.text("url")))
	case "go_back":
		return one(cua.Action{Kind: cua.Back}, nil)
	case "go_forward":
		return one(cua.Action{Kind: cua.Forward}, nil)
	}
	return nil, model.Unknown(name)
}

// typed types text. clear and enter are the defaults of the call.
func (r *reader) typed(p *cua.Point, clear, enter bool) ([]cua.Action, *cua.Failure) {
	text, ok := r.args["text"].(string)
	if !ok {
		return nil, model.Bad("text must be a string")
	}
	out := model.Enter(text, p, r.yes("clear_before_typing", clear), r.yes("press_enter", enter))
	if len(out) == 0 {
		return nil, model.Bad("there is no text to type")
	}
	return out, nil
}

func (r *reader) drag() ([]cua.Action, *cua.Failure) {
	from, f := r.point([]string{"start_x", "x"}, []string{"start_y", "y"})
	if f != nil {
		return nil, f
	}
	to, f := r.point([]string{"end_x", "destination_x"}, []string{"end_y", "destination_y"})
	return one(cua.Action{Kind: cua.Drag, Point: from, To: to}, f)
}

// scroll parses a distance in pixels, in wheel clicks or on the grid, and a point, which a scroll of the
// whole document does not have.
func (r *reader) scroll(name string) (cua.Action, *cua.Failure) {
	direction := r.text("direction")
	edge := float64(r.screen.View.H)
	if d := strings.ToLower(direction); d == "left" || d == "right" {
		edge = float64(r.screen.View.W)
	}
	if name == "scroll_document" {
		return model.Scroll(direction, edge*scrollUnits/grid, nil)
	}
	px, given := r.number("magnitude_in_pixels")
	if clicks, ok := r.number("magnitude_in_wheel_clicks"); ok && !given {
		px, given = clicks*model.Notch, true
	}
	if v, ok := r.number("magnitude"); ok && !given {
		px, given = v, true
		if name == "scroll_at" {
			px = v * edge / grid
		}
	}
	if !given {
		px = scrollPixels
		if name == "scroll_at" {
			px = edge * scrollUnits / grid
		}
	}
	if px <= 0 {
		return cua.Action{}, model.Bad("scroll: the magnitude must be above 0")
	}
	var place *cua.Point
	if _, ok := r.number("x"); ok {
		p, f := r.here()
		if f != nil {
			return cua.Action{}, f
		}
		place = p
	}
	return model.Scroll(direction, px, place)
}
