package anthropic

import (
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// computerInput is the input of every member of the computer toolset, and of the old tool.
type computerInput struct {
	Action     string    `json:"action"` // of the old tool only
	Coordinate []float64 `json:"coordinate"`
	Start      []float64 `json:"start_coordinate"`
	Region     []float64 `json:"region"`
	Text       string    `json:"text"`
	Direction  string    `json:"scroll_direction"`
	Amount     *int      `json:"scroll_amount"`
	Repeat     *int      `json:"repeat"`
	Duration   *float64  `json:"duration"`
}

// computerMembers are the offered members of the computer toolset. The others need a button or a key that
// stays down between two actions, which no action supports. They are disabled in the request, and a call
// of one is answered with an error.
func computerMembers() []string {
	return []string{"screenshot", "zoom", "left_click", "right_click", "middle_click", "double_click",
		"triple_click", "left_click_drag", "mouse_move", "cursor_position", "scroll", "type", "key", "wait"}
}

// readComputer parses a call of the computer toolset.
func readComputer(s *scene, c call) (order, *cua.Failure) {
	var in computerInput
	if f := decode(c, &in); f != nil {
		return order{}, f
	}
	switch c.name {
	case "screenshot":
		return looks(cua.Observe, showShot), nil
	case "cursor_position":
		return order{show: showPointer}, nil
	case "zoom":
		return s.zooming(c, in.Region)
	case "type":
		return s.typing(c, in.Text)
	case "key":
		return s.pressing(c, in.Text, in.Repeat)
	case "wait":
		return waiting(c, in.Duration, 300)
	}
	kind, ok := pressed()[c.name]
	if !ok && c.name != "scroll" && c.name != "left_click_drag" {
		return order{}, unknown(c, computerMembers())
	}
	if f := held(c, in.Text); f != nil {
		return order{}, f
	}
	if c.name == "left_click_drag" {
		return s.dragging(c, in)
	}
	at, f := s.pointed(c, in.Coordinate)
	if f != nil {
		return order{}, f
	}
	if c.name == "scroll" {
		if in.Amount == nil || *in.Amount < 1 || *in.Amount > 100 {
			return order{}, model.Bad("scroll: scroll_amount must be 1 to 100")
		}
		return scrolling(at, in.Direction, *in.Amount)
	}
	return does(cua.Action{Kind: kind, Point: &at}), nil
}

// pressed are the members of both toolsets that act at one point.
func pressed() map[string]cua.Kind {
	return map[string]cua.Kind{"left_click": cua.Click, "right_click": cua.RightClick,
		"middle_click": cua.MiddleClick, "double_click": cua.DoubleClick, "triple_click": cua.TripleClick,
		"mouse_move": cua.Hover, "hover": cua.Hover}
}

// dragging is a press at one point that is released at another.
func (s *scene) dragging(c call, in computerInput) (order, *cua.Failure) {
	if len(in.Coordinate) == 0 {
		return order{}, model.Bad("%s: coordinate must be [x, y]", c.name)
	}
	from, f := s.pointed(c, in.Start)
	if f != nil {
		return order{}, f
	}
	to, f := s.pointed(c, in.Coordinate)
	if f != nil {
		return order{}, f
	}
	return does(cua.Action{Kind: cua.Drag, Point: &from, To: &to}), nil
}

// pointed is a coordinate in the viewport. The default is the position of the pointer.
func (s *scene) pointed(c call, xy []float64) (cua.Point, *cua.Failure) {
	switch len(xy) {
	case 2:
		return s.screen.Point(xy[0], xy[1])
	case 0:
		if s.pointer == nil {
			return cua.Point{}, model.Bad("%s: the pointer was not moved yet, so a coordinate is needed",
				c.name)
		}
		return *s.pointer, nil
	}
	return cua.Point{}, model.Bad("%s: a coordinate must be [x, y]", c.name)
}

// readOlder parses a call of the only tool of computer_20251124. Its action is the member's name.
func readOlder(s *scene, c call) (order, *cua.Failure) {
	if c.name != olderName {
		return order{}, unknown(c, []string{olderName})
	}
	var in struct {
		Action string `json:"action"`
	}
	if f := decode(c, &in); f != nil {
		return order{}, f
	}
	if in.Action == "" {
		return order{}, model.Bad("computer: the input names no action")
	}
	return readComputer(s, call{id: c.id, name: in.Action, input: c.input})
}

// olderName is the required name of the old tool.
const olderName = "computer"

// olderCall converts the input of a member to the format of the old tool.
func olderCall(member string, input map[string]any) (string, map[string]any) {
	out := map[string]any{"action": member}
	for k, v := range input {
		out[k] = v
	}
	return olderName, out
}
