package openai

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// waitSeconds is the length of the computer tool's wait, which has no time argument. The vendor's samples
// use this value.
const waitSeconds = 2

// said is one action of a computer call. It is decoded here and not by the SDK, which turns missing values
// into zero: a click without a point would become a click at 0,0.
type said struct {
	Type    string   `json:"type"`
	Button  string   `json:"button"`
	X       *float64 `json:"x"`
	Y       *float64 `json:"y"`
	ScrollX float64  `json:"scroll_x"`
	ScrollY float64  `json:"scroll_y"`
	Keys    []string `json:"keys"`
	Path    []place  `json:"path"`
	Text    *string  `json:"text"`
}

// place is a point in pixels of the screenshot.
type place struct {
	X *float64 `json:"x"`
	Y *float64 `json:"y"`
}

// action converts one action of a computer call. A malformed action is a failure of kind schema_reject. An
// unsupported one is a failure of kind unknown_action.
func action(raw string, on model.Screen) (cua.Action, *cua.Failure) {
	var s said
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		return cua.Action{}, model.Unreadable("an action of the computer call cannot be read: "+err.Error(),
			raw)
	}
	a, bad := s.action(on)
	if bad != nil {
		bad.Raw = model.Unreadable("", raw).Raw
		return cua.Action{}, bad
	}
	return a, nil
}

func (s said) action(on model.Screen) (cua.Action, *cua.Failure) {
	switch s.Type {
	case "click":
		return s.press(s.Button, 1, on)
	case "double_click":
		return s.press("left", 2, on)
	case "move":
		p, bad := place{s.X, s.Y}.point(s.Type, on)
		return cua.Action{Kind: cua.Hover, Point: p}, bad
	case "scroll":
		p, bad := place{s.X, s.Y}.point(s.Type, on)
		if bad != nil {
			return cua.Action{}, bad
		}
		return model.ScrollBy(length(s.ScrollX, on), length(s.ScrollY, on), p)
	case "drag":
		return s.drag(on)
	case "keypress":
		return keypress(s.Keys)
	case "type":
		if s.Text == nil {
			return cua.Action{}, model.Bad("type: needs a text")
		}
		return cua.Action{Kind: cua.Type, Text: *s.Text}, nil
	case "wait":
		return model.Wait(waitSeconds)
	case "screenshot":
		return cua.Action{Kind: cua.Observe}, nil
	}
	return cua.Action{}, model.Unknown(s.Type)
}

// press is count presses of a button. The buttons back and forward navigate the history and need no point.
func (s said) press(button string, count int, on model.Screen) (cua.Action, *cua.Failure) {
	if button == "back" || button == "forward" {
		return model.Press(button, count, cua.Point{}, s.Keys...)
	}
	p, bad := place{s.X, s.Y}.point(s.Type, on)
	if bad != nil {
		return cua.Action{}, bad
	}
	return model.Press(button, count, *p, s.Keys...)
}

// drag goes from the first point of the path to the last one. The points between are ignored, because a
// drag here has two ends.
func (s said) drag(on model.Screen) (cua.Action, *cua.Failure) {
	if len(s.Path) < 2 {
		return cua.Action{}, model.Bad("drag: needs a path of two places or more")
	}
	from, bad := s.Path[0].point(s.Type, on)
	if bad != nil {
		return cua.Action{}, bad
	}
	to, bad := s.Path[len(s.Path)-1].point(s.Type, on)
	return cua.Action{Kind: cua.Drag, Point: from, To: to}, bad
}

func (p place) point(kind string, on model.Screen) (*cua.Point, *cua.Failure) {
	if p.X == nil || p.Y == nil {
		return nil, model.Bad("%s: needs x and y", kind)
	}
	at, bad := on.Point(*p.X, *p.Y)
	return &at, bad
}

// length converts a distance in pixels of the screenshot to CSS pixels. Both axes have the same scale.
func length(d float64, on model.Screen) float64 {
	if on.Size.W < 1 {
		return d
	}
	return d * float64(on.View.W) / float64(on.Size.W)
}

// keypress presses the keys of one call. The wire names keys in upper case, so a letter means the key and
// not the capital letter.
func keypress(keys []string) (cua.Action, *cua.Failure) {
	var names []string
	for _, k := range keys {
		if utf8.RuneCountInString(k) == 1 {
			k = strings.ToLower(k)
		}
		names = append(names, k)
	}
	return model.PressKeys(names...)
}
