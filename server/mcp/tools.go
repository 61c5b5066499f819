package mcp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/cua"
)

// session is the parameter that all tools have.
type session struct {
	Session string `json:"session,omitempty" jsonschema:"the browser, where there are several"`
}

func (s session) at() string { return s.Session }

// input is the input of a tool.
type input interface{ at() string }

// order is what a call asks for.
type order struct {
	// actions are steps to be made one after another, until one is not done as asked.
	actions []cua.Action
	// about is the client's own name of the element.
	about string
	// enough ends a call before its last action; nil is never.
	enough func(*cua.Step) bool
	show   show
	find   string // the elements to list with showElements; "" is all
}

// show is what a result contains beside what happened.
type show string

const (
	showElements show = "elements"
	showShot     show = "screenshot"
)

// hints are what clients ask a person about.
type hints struct{ reads, destroys bool }

var (
	reads = hints{reads: true}
	acts  = hints{destroys: true} // a click may send or delete
	moves = hints{}
)

// tool adds a tool whose call is the order that plan makes of it.
func tool[In input](s *Server, name, help string, h hints,
	plan func(*seat, *cua.Observation, In) (order, error)) {
	add(s, name, help, h, func(ctx context.Context, in In) (*sdk.CallToolResult, *Result, error) {
		return s.call(ctx, in.at(), func(st *seat) (*Result, error) {
			if err := st.ready(ctx); err != nil {
				return nil, err
			}
			if st.play.now.card != nil {
				return st.paused(), nil
			}
			now := st.play.now.turn.Now
			o, err := plan(st, &now, in)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return st.make(ctx, o)
		})
	})
}

func add[In input](s *Server, name, help string, h hints,
	handle func(context.Context, In) (*sdk.CallToolResult, *Result, error)) {
	addTool(s, name, help, h, func(ctx context.Context, req *sdk.CallToolRequest,
		in In) (*sdk.CallToolResult, *Result, error) {
		if a := answer(req); a != nil {
			return s.answered(ctx, in.at(), a)
		}
		got, r, err := handle(ctx, in)
		if err == nil && r.Outcome == Paused && asks(req) {
			return r.question(), nil, nil
		}
		return got, r, err
	})
}

// addTool adds a tool.
func addTool[In, Out any](s *Server, name, help string, h hints, handle sdk.ToolHandlerFor[In, Out]) {
	in, err := jsonschema.For[In](nil)
	if err != nil {
		panic(err) // as sdk.AddTool does: the type is no schema
	}
	single(in)
	sdk.AddTool(s.tools, &sdk.Tool{Name: name, Description: help, InputSchema: in,
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: h.reads, DestructiveHint: &h.destroys}}, handle)
}

// single gives each argument one type. By the schema of its Go type an optional argument is of its type or
// null, and clients take a list of types for text.
func single(s *jsonschema.Schema) {
	if i := slices.Index(s.Types, "null"); i >= 0 && len(s.Types) == 2 {
		s.Type, s.Types = s.Types[1-i], nil
	}
	for _, p := range s.Properties {
		single(p)
	}
	if s.Items != nil {
		single(s.Items)
	}
}

// on is the parameters of an element.
type on struct {
	session
	Target  string `json:"target" jsonschema:"ref of the element in the snapshot, as e12"`
	Element string `json:"element,omitempty" jsonschema:"the element in words"`
}

type clickIn struct {
	on
	DoubleClick bool   `json:"doubleClick,omitempty"`
	Button      string `json:"button,omitempty" jsonschema:"left (default), right or middle"`
}

type typeIn struct {
	on
	Text   string `json:"text" jsonschema:"replaces the content; <secret:NAME> types that secret unseen"`
	Submit bool   `json:"submit,omitempty" jsonschema:"press Enter afterwards"`
	Slowly bool   `json:"slowly,omitempty" jsonschema:"no difference: keys are always pressed one by one"`
}

type selectIn struct {
	on
	Values []string `json:"values" jsonschema:"the visible label of the option; one only"`
}

type keyIn struct {
	session
	Key    string `json:"key" jsonschema:"a key or a chord, as Enter, Tab, ArrowDown, Control+a"`
	Target string `json:"target,omitempty" jsonschema:"ref of the element that is focused first"`
}

type dragIn struct {
	session
	StartTarget  string `json:"startTarget"`
	EndTarget    string `json:"endTarget"`
	StartElement string `json:"startElement,omitempty"`
	EndElement   string `json:"endElement,omitempty"`
}

type uploadIn struct {
	session
	Target string   `json:"target,omitempty" jsonschema:"ref of the file field; omit it if there is only one"`
	Paths  []string `json:"paths" jsonschema:"names of files in the server's folder --fixtures"`
}

type scrollIn struct {
	session
	DX     float64 `json:"dx,omitempty" jsonschema:"CSS pixels, positive is right"`
	DY     float64 `json:"dy,omitempty" jsonschema:"CSS pixels, positive is down"`
	Target string  `json:"target,omitempty" jsonschema:"ref of an element in the container to scroll"`
}

type fieldIn struct {
	Target string `json:"target"`
	Name   string `json:"name,omitempty"`
	Type   string `json:"type,omitempty" jsonschema:"textbox, checkbox, radio, combobox or slider"`
	Value  string `json:"value" jsonschema:"a checkbox or radio: true or false; <secret:NAME> types a secret"`
}

type formIn struct {
	session
	Fields []fieldIn `json:"fields"`
}

// addActing adds the tools that act on elements.
func (s *Server) addActing() {
	tool(s, "browser_click", "Click an element", acts, planClick)
	tool(s, "browser_type", "Type into a field", acts, planType)
	tool(s, "browser_fill_form", "Fill several fields", acts, planForm)
	tool(s, "browser_select_option", "Select an option of a list", moves, planSelect)
	tool(s, "browser_press_key", "Press a key", acts, planKey)
	tool(s, "browser_hover", "Hover over an element", moves,
		func(st *seat, now *cua.Observation, in on) (order, error) {
			id, err := st.refs.find(in.Target, now)
			return one(cua.Action{Kind: cua.Hover, Into: id}), err
		})
	tool(s, "browser_drag", "Drag one element to another", acts,
		func(st *seat, now *cua.Observation, in dragIn) (order, error) {
			from, err := st.refs.center(in.StartTarget, now)
			to, err2 := st.refs.center(in.EndTarget, now)
			return one(cua.Action{Kind: cua.Drag, Point: from, To: to}), errors.Join(err, err2)
		})
	tool(s, "browser_file_upload", "Give files to a file field", acts, planUpload)
	tool(s, "browser_scroll", "Scroll the page or a container", moves, planScroll)
}

func one(a cua.Action) order { return order{actions: []cua.Action{a}} }

func planClick(st *seat, now *cua.Observation, in clickIn) (order, error) {
	kinds := map[string]cua.Kind{"": cua.Click, "left": cua.Click, "right": cua.RightClick,
		"middle": cua.MiddleClick}
	kind, ok := kinds[in.Button]
	if !ok {
		return order{}, fmt.Errorf("button is left, right or middle, not %q", clip(in.Button, 40))
	}
	if in.DoubleClick {
		if kind != cua.Click {
			return order{}, errors.New("doubleClick is with the left button only")
		}
		kind = cua.DoubleClick
	}
	id, err := st.refs.find(in.Target, now)
	return order{actions: []cua.Action{{Kind: kind, Into: id}}, about: in.Element}, err
}

func planType(st *seat, now *cua.Observation, in typeIn) (order, error) {
	id, err := st.refs.find(in.Target, now)
	o := order{about: in.Element,
		actions: []cua.Action{{Kind: cua.Type, Into: id, Text: in.Text, Clear: true}}}
	if in.Submit {
		o.actions = append(o.actions, cua.Action{Kind: cua.Key, Keys: "Return", Into: id})
	}
	return o, err
}

func planKey(st *seat, now *cua.Observation, in keyIn) (order, error) {
	a := cua.Action{Kind: cua.Key, Keys: keyName(in.Key)}
	if in.Target != "" {
		var err error
		if a.Into, err = st.refs.find(in.Target, now); err != nil {
			return order{}, err
		}
	}
	return one(a), nil
}

func planSelect(st *seat, now *cua.Observation, in selectIn) (order, error) {
	if len(in.Values) != 1 {
		return order{}, fmt.Errorf("values has %d labels, want one", len(in.Values))
	}
	id, err := st.refs.find(in.Target, now)
	return order{about: in.Element,
		actions: []cua.Action{{Kind: cua.Select, Into: id, Text: in.Values[0]}}}, err
}

// planForm is one action for each field that is not set as it should be.
func planForm(st *seat, now *cua.Observation, in formIn) (o order, err error) {
	for _, f := range in.Fields {
		id, err := st.refs.find(f.Target, now)
		if err != nil {
			return o, err
		}
		a := cua.Action{Kind: cua.Type, Into: id, Text: f.Value, Clear: true}
		field := now.FieldByID(id)
		switch {
		case field == nil:
			return o, fmt.Errorf("%s is no field", f.Target)
		case field.Type == "select":
			a = cua.Action{Kind: cua.Select, Into: id, Text: f.Value}
		case field.Type == "checkbox" || field.Type == "radio":
			if f.Value != "true" && f.Value != "false" {
				return o, fmt.Errorf("%s is a %s: its value is true or false", f.Target, field.Type)
			}
			if field.Checked == (f.Value == "true") {
				continue
			}
			a = cua.Action{Kind: cua.Click, Into: id}
		}
		o.actions = append(o.actions, a)
	}
	if len(o.actions) == 0 {
		o.actions = []cua.Action{{Kind: cua.Observe}}
	}
	return o, nil
}

func planUpload(st *seat, now *cua.Observation, in uploadIn) (order, error) {
	var ids []string
	for _, f := range now.Fields {
		if f.Type == "file" {
			ids = append(ids, f.ID)
		}
	}
	id := ""
	switch {
	case in.Target != "":
		var err error
		if id, err = st.refs.find(in.Target, now); err != nil {
			return order{}, err
		}
	case len(ids) != 1:
		return order{}, fmt.Errorf("the page has %d file fields: name one by target", len(ids))
	default:
		id = ids[0]
	}
	return one(cua.Action{Kind: cua.Upload, Into: id, Files: in.Paths}), nil
}

func planScroll(st *seat, now *cua.Observation, in scrollIn) (order, error) {
	a := cua.Action{Kind: cua.Scroll, DX: in.DX, DY: in.DY}
	if in.DX == 0 && in.DY == 0 {
		a.DY = math.Round(0.8 * float64(now.Viewport.H))
	}
	if in.Target != "" {
		var err error
		if a.Point, err = st.refs.center(in.Target, now); err != nil {
			return order{}, err
		}
	}
	return order{actions: []cua.Action{a}, show: showElements}, nil
}

// keyName is a chord of Playwright in the names of X11.
func keyName(chord string) string {
	names := map[string]string{"enter": "Return", "arrowup": "Up", "arrowdown": "Down", "arrowleft": "Left",
		"arrowright": "Right", "pageup": "Page_Up", "pagedown": "Page_Down", "backspace": "BackSpace",
		"esc": "Escape", " ": "space", "controlormeta": "Control"}
	parts := []string{chord}
	if len(chord) > 1 {
		parts = strings.Split(chord, "+")
	}
	for i, p := range parts {
		if n, ok := names[strings.ToLower(p)]; ok {
			parts[i] = n
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "+")
}
