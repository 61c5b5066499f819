package anthropic

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// target is where a call of the browser toolset acts: a point of the viewport, or an element by reference.
type target struct {
	Type string   `json:"type"`
	X    *float64 `json:"x"`
	Y    *float64 `json:"y"`
	Ref  string   `json:"ref"`
}

// browserInput is the input of every member of the browser toolset.
type browserInput struct {
	Target    *target         `json:"target"`
	From      *target         `json:"from"`
	Modifiers string          `json:"modifiers"`
	Tab       string          `json:"tab_id"`
	URL       string          `json:"url"`
	Region    []float64       `json:"region"`
	Direction string          `json:"scroll_direction"`
	Amount    *int            `json:"scroll_amount"`
	Text      string          `json:"text"`
	Repeat    *int            `json:"repeat"`
	Duration  *float64        `json:"duration"`
	Query     string          `json:"query"`
	Filter    string          `json:"filter"`
	Ref       string          `json:"ref"`
	Value     json.RawMessage `json:"value"`
	Paths     []string        `json:"paths"`
	Documents []string        `json:"document_ids"`
}

// browserMembers are the offered members of the browser toolset. left_mouse_down, left_mouse_up and
// hold_key need a button or a key that stays down between two actions, which no action supports; they are
// disabled in the request. read_console, read_network and javascript_exec stay disabled, which is their
// default, because a brain has no need of a page's scripts. file_upload is offered if files is set.
func browserMembers(files bool) []string {
	out := []string{"navigate", "screenshot", "zoom", "left_click", "right_click", "middle_click",
		"double_click", "triple_click", "hover", "left_click_drag", "mouse_move", "scroll", "scroll_to",
		"type", "key", "wait", "read_page", "find", "get_page_text", "form_input", "new_tab", "list_tabs",
		"switch_tab", "close_tab"}
	if files {
		out = append(out, "file_upload")
	}
	return out
}

// tabMember reports whether a member manages tabs. Its result is exactly one browser_state block.
func tabMember(name string) bool {
	return slices.Contains([]string{"new_tab", "list_tabs", "switch_tab", "close_tab"}, name)
}

// readBrowser parses a call of the browser toolset. files reports whether file_upload is offered.
func readBrowser(s *scene, c call, files bool) (order, *cua.Failure) {
	if !slices.Contains(browserMembers(files), c.name) {
		return order{}, unknown(c, browserMembers(files))
	}
	var in browserInput
	if f := decode(c, &in); f != nil {
		return order{}, f
	}
	if tabMember(c.name) {
		return s.tabbing(c, in.Tab)
	}
	if in.Tab != "" && in.Tab != s.tabs.current() {
		if s.tabs.position(in.Tab) == 0 {
			return order{}, s.noTab(c, in.Tab)
		}
		return order{}, faulty(cua.FailExec, "%s: %q is not the active tab: switch_tab to it first", c.name,
			brain.Line(in.Tab, 40))
	}
	switch c.name {
	case "navigate":
		a, f := model.Open(in.URL)
		return does(a), f
	case "screenshot":
		return looks(cua.Observe, showShot), nil
	case "zoom":
		return s.zooming(c, in.Region)
	case "type":
		return s.typing(c, in.Text)
	case "key":
		return s.pressing(c, in.Text, in.Repeat)
	case "wait":
		return waiting(c, in.Duration, 30)
	case "read_page", "find", "get_page_text":
		return s.reading(c, in)
	}
	return s.acting(c, in)
}

// acting parses the members that need a point.
func (s *scene) acting(c call, in browserInput) (order, *cua.Failure) {
	if in.Target == nil {
		return order{}, model.Bad("%s: target is missing", c.name)
	}
	switch c.name {
	case "left_click_drag":
		from, f := s.coordinate(c, in.From)
		if f != nil {
			return order{}, f
		}
		to, f := s.coordinate(c, in.Target)
		return does(cua.Action{Kind: cua.Drag, Point: &from, To: &to}), f
	case "scroll":
		at, f := s.coordinate(c, in.Target)
		if f != nil {
			return order{}, f
		}
		n := 3
		if in.Amount != nil {
			n = *in.Amount
		}
		if n < 1 || n > 10 {
			return order{}, model.Bad("scroll: scroll_amount must be 1 to 10")
		}
		return scrolling(at, in.Direction, n)
	case "mouse_move":
		at, f := s.coordinate(c, in.Target)
		return does(cua.Action{Kind: cua.Hover, Point: &at}), f
	case "scroll_to":
		return s.scrollTo(c, in.Target)
	case "form_input":
		return s.setting(c, in)
	case "file_upload":
		return s.uploading(c, in)
	}
	if f := held(c, in.Modifiers); f != nil {
		return order{}, f
	}
	a, f := s.aim(c, in.Target)
	a.Kind = pressed()[c.name]
	return does(a), f
}

// coordinate is a target that must be a point.
func (s *scene) coordinate(c call, t *target) (cua.Point, *cua.Failure) {
	if t == nil || t.Type != "coordinate" || t.X == nil || t.Y == nil {
		return cua.Point{}, model.Bad(`%s: the target must be {"type":"coordinate","x":…,"y":…}`, c.name)
	}
	return s.screen.Point(*t.X, *t.Y)
}

// aim is an action without a kind, at the point of the target.
func (s *scene) aim(c call, t *target) (cua.Action, *cua.Failure) {
	if t.Type != "ref" {
		p, f := s.coordinate(c, t)
		return cua.Action{Point: &p}, f
	}
	e, f := s.element(c, t)
	if f != nil {
		return cua.Action{}, f
	}
	return e.at(), nil
}

// element is the element of a reference. An unknown reference is answered with the advice to read the page
// again.
func (s *scene) element(c call, t *target) (*element, *cua.Failure) {
	if t == nil || t.Type != "ref" || t.Ref == "" {
		return nil, model.Bad(`%s: the target must be {"type":"ref","ref":"ref_…"}`, c.name)
	}
	e, stale := s.refs.find(t.Ref, s.tabs.current(), s.now)
	if stale != "" {
		return nil, faulty(cua.FailNotFound, "%s: %s", c.name, stale)
	}
	return e, nil
}

// at aims at an element by the identity from the page's probe. The browser looks up its place when the
// action is executed, and scrolls it into view. A mark number would not do: in the middle of a batch it
// may belong to another element.
func (e *element) at() cua.Action { return cua.Action{Into: e.id} }

// scrollTo scrolls an element to the middle of the viewport. If it is already there, the page is observed.
func (s *scene) scrollTo(c call, t *target) (order, *cua.Failure) {
	e, f := s.element(c, t)
	if f != nil {
		return order{}, f
	}
	view := s.now.Viewport
	box := e.boxAt(s.now)
	if p, ok := box.CenterIn(view); ok && p == box.Center() {
		return looks(cua.Observe, showReport), nil
	}
	mid := box.Center()
	a := cua.Action{Kind: cua.Scroll, DX: mid.X - float64(view.W)/2, DY: mid.Y - float64(view.H)/2}
	if mid.X >= 0 && mid.X < float64(view.W) {
		a.DX = 0
	}
	return does(a), nil
}

// setting sets a form element: text overwrites the content of a field, a label chooses an option, and a
// box is pressed if it is not in the wanted state.
func (s *scene) setting(c call, in browserInput) (order, *cua.Failure) {
	e, fail := s.element(c, in.Target)
	if fail != nil {
		return order{}, fail
	}
	i := slices.IndexFunc(s.now.Fields, func(f cua.Field) bool { return f.ID == e.id })
	if i < 0 {
		return order{}, faulty(cua.FailNotInteractable, "form_input: %s is no form element", in.Target.Ref)
	}
	f := &s.now.Fields[i]
	value, flag, isFlag, ok := valueOf(in.Value)
	if !ok {
		return order{}, model.Bad("form_input: value must be a string, a number or a boolean")
	}
	a := e.at()
	switch {
	case f.Disabled || f.ReadOnly:
		return order{}, faulty(cua.FailNotInteractable,
			"form_input: %s takes no value now (disabled or read only)", in.Target.Ref)
	case f.Type == "file":
		return order{}, faulty(cua.FailNotInteractable, "form_input: %s takes files", in.Target.Ref)
	case f.Type == "checkbox" || f.Type == "radio":
		return s.ticking(in, f, a, flag, isFlag)
	case isFlag:
		return order{}, model.Bad("form_input: %s is no checkbox, so a boolean is no value for it",
			in.Target.Ref)
	case f.Type == "select":
		a.Kind, a.Text = cua.Select, value
	default:
		a.Kind, a.Text, a.Clear = cua.Type, value, true
	}
	return does(a), nil
}

// ticking presses a checkbox or a radio button that is not in the wanted state.
func (s *scene) ticking(in browserInput, f *cua.Field, a cua.Action, want,
	isFlag bool) (order, *cua.Failure) {
	switch {
	case !isFlag:
		return order{}, model.Bad("form_input: %s is a %s and takes true or false", in.Target.Ref, f.Type)
	case f.Checked == want:
		return looks(cua.Observe, showReport), nil
	case f.Type == "radio" && !want:
		return order{}, faulty(cua.FailNotInteractable,
			"form_input: a radio button is unset by setting another of its group")
	}
	a.Kind = cua.Click
	return does(a), nil
}

// valueOf parses the value of a form_input.
func valueOf(raw json.RawMessage) (text string, flag, isFlag, ok bool) {
	var v any
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		return "", false, false, false
	}
	switch v := v.(type) {
	case string:
		return v, false, false, true
	case bool:
		return "", v, true, true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), false, false, true
	}
	return "", false, false, false
}

// uploading passes files of the task to a file field. Only their names count: the browser takes them only
// from the task's own folder.
func (s *scene) uploading(c call, in browserInput) (order, *cua.Failure) {
	e, f := s.element(c, in.Target)
	if f != nil {
		return order{}, f
	}
	if len(in.Documents) > 0 || len(in.Paths) == 0 {
		return order{},
			model.Bad("file_upload: paths must name files of the task; document_ids are not known here")
	}
	a := e.at()
	a.Kind, a.Files = cua.Upload, in.Paths
	return does(a), nil
}

// reading parses the members that only read. The text of the page needs an action; the elements are known.
func (s *scene) reading(c call, in browserInput) (order, *cua.Failure) {
	switch c.name {
	case "find":
		if strings.TrimSpace(in.Query) == "" {
			return order{}, model.Bad("find: query is empty")
		}
		return order{actions: []cua.Action{{Kind: cua.Find, Text: in.Query}}, show: showFound,
			query: in.Query}, nil
	case "get_page_text":
		return looks(cua.Extract, showText), nil
	}
	o := looks(cua.Extract, showPage)
	o.filter, o.ref = in.Filter, in.Ref
	switch in.Filter {
	case "interactive":
		o.actions[0].Kind = cua.Observe
	case "", "all":
	default:
		return order{}, model.Bad("read_page: filter must be interactive or all, not %q",
			brain.Line(in.Filter, 20))
	}
	if in.Ref != "" {
		o.actions[0].Kind = cua.Observe // there is no text per element
		if _, f := s.element(c, &target{Type: "ref", Ref: in.Ref}); f != nil {
			return order{}, f
		}
	}
	return o, nil
}
