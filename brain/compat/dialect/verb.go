package dialect

import (
	"math"
	"net/url"
	"strings"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// Hand is the context in which the calls of one reply are converted.
type Hand struct {
	// On is the picture that was sent.
	On model.Screen
	// Pointer is the position of the pointer, nil if it is unknown. A drag may begin there.
	Pointer *cua.Point
	// Thought is the thought of the reply, for verbs whose answer is there.
	Thought string
}

// mostNotches is the largest scroll amount without a unit that counts notches. Nobody scrolls by twenty
// pixels.
const mostNotches = 20

// usualNotches is the default of a scroll without a distance: about half a page.
const usualNotches = 5

// waitSeconds is the default of a wait without a time, as in UI-TARS' own prompt.
const waitSeconds = 5

// verbs maps the verbs of all dialects to kinds.
var verbs = map[string]cua.Kind{
	"left_click": cua.Click, "click": cua.Click, "left_single": cua.Click, "click_element": cua.Click, "tap": cua.Click,
	"right_click": cua.RightClick, "right_single": cua.RightClick,
	"middle_click": cua.MiddleClick,
	"double_click": cua.DoubleClick, "left_double": cua.DoubleClick,
	"triple_click": cua.TripleClick,
	"mouse_move":   cua.Hover, "hover": cua.Hover, "move": cua.Hover,
	"left_click_drag": cua.Drag, "drag": cua.Drag, "drag_and_drop": cua.Drag,
	"type": cua.Type, "write": cua.Type, "write_element": cua.Type, "input_text": cua.Type,
	"select_option": cua.Select,
	"key":           cua.Key, "hotkey": cua.Key, "press": cua.Key, "keypress": cua.Key, "press_key": cua.Key,
	"scroll": cua.Scroll, "hscroll": cua.Scroll,
	"wait":       cua.Wait,
	"screenshot": cua.Observe, "pause_and_memorize_fact": cua.Observe, "memorize": cua.Observe,
	"visit_url": cua.Navigate, "goto": cua.Navigate, "navigate": cua.Navigate, "open_url": cua.Navigate, "web_search": cua.Navigate,
	"history_back": cua.Back, "go_back": cua.Back, "back": cua.Back, "press_back": cua.Back,
	"history_forward": cua.Forward, "go_forward": cua.Forward,
	"reload": cua.Reload, "refresh": cua.Reload,
	"answer": cua.Done, "finished": cua.Done, "terminate": cua.Done, "done": cua.Done,
	"call_user": cua.Ask, "ask_user": cua.Ask, "ask": cua.Ask,
}

// Actions converts one call to actions: one action, or a type and the Return after it. An unknown verb is
// a failure of kind unknown_action. Missing or invalid arguments are a failure of kind schema_reject.
func (h *Hand) Actions(s Call) ([]cua.Action, *cua.Failure) {
	kind, ok := verbs[s.Verb]
	if !ok {
		bad := model.Unknown(s.Verb)
		bad.Raw = model.Unreadable("", s.Raw).Raw
		return nil, bad
	}
	out, bad := h.read(kind, s)
	if bad != nil {
		bad.Detail = s.Verb + ": " + strings.TrimPrefix(bad.Detail, s.Verb+": ")
		bad.Raw = model.Unreadable("", s.Raw).Raw
		return nil, bad
	}
	for _, a := range out {
		switch {
		case a.To != nil:
			h.Pointer = a.To
		case a.Point != nil:
			h.Pointer = a.Point
		}
	}
	return out, nil
}

func (h *Hand) read(kind cua.Kind, s Call) ([]cua.Action, *cua.Failure) {
	var a cua.Action
	var bad *cua.Failure
	switch kind {
	case cua.Click, cua.RightClick, cua.MiddleClick, cua.DoubleClick, cua.TripleClick, cua.Hover:
		a.Kind = kind
		if a.Point, bad = h.point(s.Args, spots...); bad == nil && a.Point == nil {
			bad = model.Bad("needs a coordinate")
		}
	case cua.Drag:
		a, bad = h.drag(s.Args)
	case cua.Type:
		return h.typing(s)
	case cua.Select:
		return one(h.choose(s))
	case cua.Key:
		a, bad = model.PressKeys(keys(s.Args)...)
		if len(keys(s.Args)) == 0 {
			bad = model.Bad("needs keys")
		}
	case cua.Scroll:
		a, bad = h.scroll(s)
	case cua.Wait:
		t, err := seconds(s.Args)
		if err != nil {
			return nil, model.Bad("%v", err)
		}
		a, bad = model.Wait(t)
	case cua.Navigate:
		a, bad = visit(s)
	case cua.Done:
		a = h.done(s)
	case cua.Ask:
		a, bad = h.ask(s)
	default:
		a.Kind = kind
	}
	return one(a, bad)
}

func one(a cua.Action, bad *cua.Failure) ([]cua.Action, *cua.Failure) {
	if bad != nil {
		return nil, bad
	}
	return []cua.Action{a}, nil
}

// typing is a text at the focus or at a point. A line break at its end, or press_enter, becomes a separate
// Return.
func (h *Hand) typing(s Call) ([]cua.Action, *cua.Failure) {
	t, err := text(s.Args, "text", "content", "value")
	if err != nil {
		return nil, model.Bad("%v", err)
	}
	p, bad := h.point(s.Args, spots...)
	if bad != nil {
		return nil, bad
	}
	t, enter := strings.CutSuffix(t, "\n")
	out := model.Enter(t, p, flag(s.Args, "delete_existing_text") || flag(s.Args, "clear"),
		enter || flag(s.Args, "press_enter"))
	if len(out) == 0 {
		return nil, model.Bad("needs a text")
	}
	return out, nil
}

func (h *Hand) choose(s Call) (cua.Action, *cua.Failure) {
	t, err := text(s.Args, "text", "option")
	if err != nil {
		return cua.Action{}, model.Bad("%v", err)
	}
	p, bad := h.point(s.Args, spots...)
	if bad == nil && p == nil {
		bad = model.Bad("needs a coordinate")
	}
	return cua.Action{Kind: cua.Select, Point: p, Text: t}, bad
}

// done is the end of the task. An answer claims success; an end states its own claim.
func (h *Hand) done(s Call) cua.Action {
	a := cua.Action{Kind: cua.Done, Success: s.Verb != "terminate"}
	if status, ok := s.Args["status"].(string); ok {
		a.Success = strings.EqualFold(status, "success")
	} else if v, ok := s.Args["success"].(bool); ok {
		a.Success = v
	}
	if a.Text, _ = text(s.Args, "text", "content", "answer"); strings.TrimSpace(a.Text) == "" {
		a.Text = h.Thought
	}
	return a
}

// ask is a question. UI-TARS' call_user has no arguments: the question is the thought.
func (h *Hand) ask(s Call) (cua.Action, *cua.Failure) {
	q, err := text(s.Args, "question", "text", "content")
	if err != nil || strings.TrimSpace(q) == "" {
		q = h.Thought
	}
	if q == "" {
		return cua.Action{}, model.Bad("needs a question")
	}
	return cua.Action{Kind: cua.Ask, Text: q}, nil
}

// visit navigates to an address. Fara searches by the address of a search engine, as it was trained to.
func visit(s Call) (cua.Action, *cua.Failure) {
	if s.Verb == "web_search" {
		q, err := text(s.Args, "query", "text")
		if err != nil {
			return cua.Action{}, model.Bad("%v", err)
		}
		return model.Open("https://www.bing.com/search?q=" + url.QueryEscape(q))
	}
	to, err := text(s.Args, "url", "text", "address")
	if err != nil {
		return cua.Action{}, model.Bad("%v", err)
	}
	return model.Open(to)
}

// Argument names for a point.
var (
	spots  = []string{"coordinate", "point", "start_box", "position", "box", "bbox", "bbox_2d", "coordinates"}
	starts = []string{"start_coordinate", "start_point", "start_box", "start", "from"}
	ends   = []string{"end_coordinate", "end_point", "end_box", "end", "to", "coordinate2", "destination"}
)

// drag parses the dialects' forms: from one point to another, or, with one point only, from the position
// of the pointer.
func (h *Hand) drag(args map[string]any) (cua.Action, *cua.Failure) {
	a := cua.Action{Kind: cua.Drag}
	var bad *cua.Failure
	if a.To, bad = h.point(args, ends...); bad != nil {
		return a, bad
	}
	if a.Point, bad = h.point(args, starts...); bad != nil {
		return a, bad
	}
	single, bad := h.point(args, "coordinate", "point")
	switch {
	case bad != nil:
		return a, bad
	case a.To == nil:
		a.To = single
	case a.Point == nil:
		a.Point = single
	}
	if a.Point == nil {
		a.Point = h.Pointer
	}
	if a.Point == nil || a.To == nil {
		return a, model.Bad("needs a start and an end")
	}
	return a, nil
}

// scroll parses direction and amount (in notches), or the signed pixels of the Qwen family, in which up
// and left are positive.
func (h *Hand) scroll(s Call) (cua.Action, *cua.Failure) {
	p, bad := h.point(s.Args, spots...)
	if bad != nil {
		return cua.Action{}, bad
	}
	by, given := float64(usualNotches), false
	for _, k := range []string{"pixels", "amount", "clicks", "magnitude"} {
		if v, ok := number(s.Args[k]); ok {
			by, given = v, true
			break
		}
	}
	by = h.distance(by)
	direction, _ := s.Args["direction"].(string)
	switch {
	case direction != "":
		return model.Scroll(direction, math.Abs(by), p)
	case !given:
		return cua.Action{}, model.Bad("needs a direction or pixels")
	case s.Verb == "hscroll":
		return model.ScrollBy(-by, 0, p)
	}
	return model.ScrollBy(0, -by, p)
}

// distance converts a scroll amount to CSS pixels.
func (h *Hand) distance(by float64) float64 {
	switch units := float64(h.On.Size.H); {
	case math.Abs(by) <= mostNotches:
		return by * model.Notch
	case h.On.Grid > 0:
		return by * float64(h.On.View.H) / float64(h.On.Grid)
	case units > 0:
		return by * float64(h.On.View.H) / units
	}
	return by
}

// point is the point in one of the named arguments, or in x and y; nil if there is none.
func (h *Hand) point(args map[string]any, names ...string) (*cua.Point, *cua.Failure) {
	for _, n := range names {
		v, ok := args[n]
		if !ok || v == nil {
			continue
		}
		x, y, ok := pair(v)
		if !ok {
			return nil, model.Bad("%s is no place: two numbers, or a box of four", n)
		}
		return h.at(x, y)
	}
	if names[0] != spots[0] || args["x"] == nil && args["y"] == nil {
		return nil, nil
	}
	x, okX := number(args["x"])
	y, okY := number(args["y"])
	if !okX || !okY {
		return nil, model.Bad("needs both x and y")
	}
	return h.at(x, y)
}

func (h *Hand) at(x, y float64) (*cua.Point, *cua.Failure) {
	p, bad := h.On.Point(x, y)
	if bad != nil {
		return nil, bad
	}
	return &p, nil
}
