package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// call is one tool_use block of a reply.
type call struct {
	id      string
	name    string // the member, or the action of the old tool
	toolset string // "" for the old tool, which has none
	input   json.RawMessage
}

// show is the content of the result of a call, in addition to its report.
type show string

const (
	showReport  show = ""        // only the report; the last result of a batch may add a picture
	showShot    show = "shot"    // the page's picture
	showZoom    show = "zoom"    // a part of it
	showPage    show = "page"    // the elements, and the page's text if order.filter asks for it
	showFound   show = "found"   // the elements that match order.query
	showText    show = "text"    // the page's text
	showTabs    show = "tabs"    // only a browser_state block
	showPointer show = "pointer" // where the pointer is
)

// order is a parsed call: actions, and what the result must show.
type order struct {
	actions []cua.Action // none if the answer needs no step
	show    show
	region  cua.Box // region of a zoom, CSS pixels
	query   string  // query of a find
	filter  string  // filter of a read_page: "", interactive or all
	ref     string  // parent element of a read_page
	opens   bool    // it opens a tab
}

// does is an order of one action that is only reported.
func does(a cua.Action) order { return order{actions: []cua.Action{a}} }

// looks is an order that observes the page.
func looks(k cua.Kind, s show) order { return order{actions: []cua.Action{{Kind: k}}, show: s} }

// scene is the context in which a call is parsed: the page when the call is executed.
type scene struct {
	now     *cua.Observation
	refs    *refs
	tabs    *tabs
	pointer *cua.Point // nil if nothing has moved it
	screen  model.Screen
}

// faulty is the failure for a call that cannot be converted. Its detail is the answer to the model, and
// the step fails.
func faulty(kind cua.FailureKind, format string, args ...any) *cua.Failure {
	return &cua.Failure{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// maxInput is the limit of the input of one call, bytes. A text that a model types is shorter.
const maxInput = 256 << 10

// decode parses the input of a call. A value of the wrong type is an error and never a zero.
func decode(c call, into any) *cua.Failure {
	raw := bytes.TrimSpace(c.input)
	if len(raw) > maxInput {
		return model.Bad("%s: the input is longer than %d bytes", c.name, maxInput)
	}
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	if raw[0] != '{' {
		return model.Bad("%s: the input is not an object", c.name)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return model.Bad("%s: %v", c.name, err)
	}
	return nil
}

// unknown answers a call of a member that was not offered.
func unknown(c call, offered []string) *cua.Failure {
	return faulty(cua.FailUnknownAction, "there is no %q here; offered are %s", brain.Line(c.name, 60),
		strings.Join(offered, ", "))
}

// maxRepeat is the maximum repetition of the keys of a call (the vendor's limit). maxPresses is the
// maximum number of chords in one action; more become further actions, one step each.
const (
	maxRepeat  = 100
	maxPresses = 32
)

// pressing presses keys repeatedly. While a dialog is open, Return accepts it and Escape dismisses it, as
// on a keyboard: an open dialog receives all keys, and the page none.
func (s *scene) pressing(c call, text string, repeat *int) (order, *cua.Failure) {
	n := 1
	if repeat != nil {
		n = *repeat
	}
	if n < 1 || n > maxRepeat {
		return order{}, model.Bad("%s: repeat must be 1 to %d", c.name, maxRepeat)
	}
	once, f := model.PressSequence(text, 1)
	if f != nil {
		return order{}, f
	}
	words := strings.Fields(once.Keys)
	if s.now.Dialog != nil {
		switch words[0] {
		case "Return":
			return does(cua.Action{Kind: cua.AnswerDlg, Accept: true}), nil
		case "Escape":
			return does(cua.Action{Kind: cua.AnswerDlg}), nil
		}
		return order{}, faulty(cua.FailExec,
			"a %s dialog is open: only Return (accept) and Escape (dismiss) reach it", s.now.Dialog.Type)
	}
	var o order
	for chunk := range slices.Chunk(slices.Repeat(words, n), maxPresses) {
		o.actions = append(o.actions, cua.Action{Kind: cua.Key, Keys: strings.Join(chunk, " ")})
	}
	return o, nil
}

// typing types text at the focus, or answers and accepts an open prompt.
func (s *scene) typing(c call, text string) (order, *cua.Failure) {
	if text == "" {
		return order{}, model.Bad("%s: text is empty", c.name)
	}
	if d := s.now.Dialog; d != nil {
		if d.Type != "prompt" {
			return order{}, faulty(cua.FailExec,
				"a %s dialog is open and takes no text: press Return to accept it or Escape to dismiss it",
				d.Type)
		}
		return does(cua.Action{Kind: cua.AnswerDlg, Accept: true, Text: strings.TrimSuffix(text, "\n")}), nil
	}
	return does(cua.Action{Kind: cua.Type, Text: text}), nil
}

// waiting is a wait; most is the maximum of the member, seconds.
func waiting(c call, seconds *float64, most float64) (order, *cua.Failure) {
	if seconds == nil || !(*seconds >= 0 && *seconds <= most) {
		return order{}, model.Bad("%s: duration must be 0 to %g seconds", c.name, most)
	}
	a, f := model.Wait(*seconds)
	return does(a), f
}

// scrolling is a scroll by that many notches at a point.
func scrolling(at cua.Point, direction string, amount int) (order, *cua.Failure) {
	a, f := model.Scroll(direction, float64(model.Notch*amount), &at)
	return does(a), f
}

// held refuses modifier keys, because no action holds keys.
func held(c call, keys string) *cua.Failure {
	if strings.TrimSpace(keys) == "" {
		return nil
	}
	return faulty(cua.FailUnknownAction, "%s: %q cannot be held during a pointer action here; do it without",
		c.name, brain.Line(keys, 40))
}

// zooming is a zoom to a part of the picture.
func (s *scene) zooming(c call, r []float64) (order, *cua.Failure) {
	if len(r) != 4 || !(r[2] > r[0] && r[3] > r[1]) {
		return order{}, model.Bad("%s: region must be [x0, y0, x1, y1] with x0 < x1 and y0 < y1", c.name)
	}
	from, f := s.screen.Point(r[0], r[1])
	if f != nil {
		return order{}, f
	}
	to, f := s.screen.Point(r[2]-1, r[3]-1) // the end of the region is exclusive
	if f != nil {
		return order{}, f
	}
	box := cua.Box{X: from.X, Y: from.Y, W: to.X - from.X + 1, H: to.Y - from.Y + 1}
	at := box.Center()
	return order{actions: []cua.Action{{Kind: cua.Zoom, Point: &at}}, show: showZoom, region: box}, nil
}
