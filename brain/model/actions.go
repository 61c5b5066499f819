package model

import (
	"fmt"
	"math"
	"net/url"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Notch is one notch of a mouse wheel, CSS pixels, whatever unit the wire uses.
const Notch = 100

// maxScroll is the limit of one scroll, CSS pixels.
const maxScroll = 20_000

// unknown is the failure for an action or key outside the closed vocabulary.
func unknown(format string, args ...any) *cua.Failure {
	return &cua.Failure{Kind: cua.FailUnknownAction, Detail: fmt.Sprintf(format, args...)}
}

// Bad is the failure for an argument that is missing or out of range.
func Bad(format string, args ...any) *cua.Failure {
	return &cua.Failure{Kind: cua.FailSchema, Detail: fmt.Sprintf(format, args...)}
}

// Unknown is the failure for an action that is unknown, or not possible in a browser.
func Unknown(name string) *cua.Failure {
	return unknown("there is no action %q here", cua.ClipBytes(name, 40))
}

// Press is count presses (1 to 3) of a button at a point: left, right, middle or wheel, back, forward. ""
// means left. Holding modifiers during a press is not supported, so modifiers are a failure and never
// ignored.
func Press(button string, count int, p cua.Point, modifiers ...string) (cua.Action, *cua.Failure) {
	for _, m := range modifiers {
		if strings.TrimSpace(m) != "" {
			return cua.Action{}, unknown("%s cannot be held during a press here: press without it",
				cua.ClipBytes(m, 40))
		}
	}
	a := cua.Action{Point: &p}
	switch b := strings.ToLower(button); {
	case b == "back":
		return cua.Action{Kind: cua.Back}, nil
	case b == "forward":
		return cua.Action{Kind: cua.Forward}, nil
	case b == "right" && count == 1:
		a.Kind = cua.RightClick
	case (b == "middle" || b == "wheel") && count == 1:
		a.Kind = cua.MiddleClick
	case (b == "left" || b == "") && count >= 1 && count <= 3:
		a.Kind = []cua.Kind{cua.Click, cua.DoubleClick, cua.TripleClick}[count-1]
	default:
		return cua.Action{}, unknown("%d presses of the button %q are not possible", count,
			cua.ClipBytes(button, 40))
	}
	return a, nil
}

// ScrollBy scrolls by CSS pixels at p. A nil p means the centre of the scrolled area.
func ScrollBy(dx, dy float64, p *cua.Point) (cua.Action, *cua.Failure) {
	if math.IsNaN(dx) || math.IsNaN(dy) || dx == 0 && dy == 0 {
		return cua.Action{}, Bad("scroll: needs a distance")
	}
	bound := func(v float64) float64 { return min(max(v, -maxScroll), maxScroll) }
	return cua.Action{Kind: cua.Scroll, DX: bound(dx), DY: bound(dy), Point: p}, nil
}

// Scroll scrolls px CSS pixels up, down, left or right.
func Scroll(direction string, px float64, p *cua.Point) (cua.Action, *cua.Failure) {
	switch strings.ToLower(direction) {
	case "up":
		return ScrollBy(0, -px, p)
	case "down":
		return ScrollBy(0, px, p)
	case "left":
		return ScrollBy(-px, 0, p)
	case "right":
		return ScrollBy(px, 0, p)
	}
	return cua.Action{}, Bad("scroll: %q is no direction: up, down, left or right",
		cua.ClipBytes(direction, 40))
}

// Direction is the direction and the distance, CSS pixels, of a scroll along one axis. A scroll along both
// axes counts as vertical, and one without a distance as right.
func Direction(a cua.Action) (direction string, px float64) {
	switch {
	case a.DY < 0:
		return "up", -a.DY
	case a.DY > 0:
		return "down", a.DY
	case a.DX < 0:
		return "left", -a.DX
	}
	return "right", a.DX
}

// Notches is Direction with the distance in notches of the wheel, at least one.
func Notches(a cua.Action) (direction string, n int) {
	direction, px := Direction(a)
	return direction, max(1, int(math.Round(px/Notch)))
}

// Wait waits for at least a millisecond and at most a minute. A model that wants to wait longer has to
// look in between.
func Wait(seconds float64) (cua.Action, *cua.Failure) {
	if math.IsNaN(seconds) || seconds < 0 {
		return cua.Action{}, Bad("wait: %v is no duration", seconds)
	}
	return cua.Action{Kind: cua.Wait, MS: int(min(max(seconds*1000, 1), 60_000))}, nil
}

// keysAction is the key action for the result of chord or sequence.
func keysAction(keys string, err error) (cua.Action, *cua.Failure) {
	if err != nil {
		return cua.Action{}, unknown("%v", err)
	}
	return cua.Action{Kind: cua.Key, Keys: keys}, nil
}

// PressChord presses keys together.
func PressChord(names ...string) (cua.Action, *cua.Failure) { return keysAction(chord(names...)) }

// PressSequence presses chords one after the other, repeat times.
func PressSequence(text string, repeat int) (cua.Action, *cua.Failure) {
	return keysAction(sequence(text, repeat))
}

// Open navigates to an http or https address; without a scheme https is used. The words back, forward and
// reload mean these actions.
func Open(address string) (cua.Action, *cua.Failure) {
	a := strings.TrimSpace(address)
	switch strings.ToLower(a) {
	case "":
		return cua.Action{}, Bad("navigate: needs a url")
	case "back":
		return cua.Action{Kind: cua.Back}, nil
	case "forward":
		return cua.Action{Kind: cua.Forward}, nil
	case "reload":
		return cua.Action{Kind: cua.Reload}, nil
	}
	scheme, rest, found := strings.Cut(a, "://")
	if !found {
		if head, _, colon := strings.Cut(a, ":"); colon && !strings.ContainsAny(head, "./") &&
			head != "localhost" {
			return cua.Action{}, Bad("navigate: only http and https addresses can be opened")
		}
		scheme, rest = "https", a
	}
	if s := strings.ToLower(scheme); s != "http" && s != "https" {
		return cua.Action{}, Bad("navigate: only http and https addresses can be opened")
	}
	full := strings.ToLower(scheme) + "://" + rest
	if u, err := url.Parse(full); err != nil || u.Host == "" {
		return cua.Action{}, Bad("navigate: that is no address")
	}
	return cua.Action{Kind: cua.Navigate, URL: full}, nil
}

// Enter types text at the focus, or after a press at p if p is not nil. clear overwrites the content of
// the field, and submit presses Return afterwards. The result is one or two actions, one step each.
func Enter(text string, p *cua.Point, clear, submit bool) []cua.Action {
	var out []cua.Action
	if text != "" || clear {
		out = append(out, cua.Action{Kind: cua.Type, Text: text, Point: p, Clear: clear})
	} else if p != nil {
		out = append(out, cua.Action{Kind: cua.Click, Point: p})
	}
	if submit {
		out = append(out, cua.Action{Kind: cua.Key, Keys: "Return"})
	}
	return out
}
