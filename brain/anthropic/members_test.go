package anthropic

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// page is an observation with a text field, a list, a box, a button, and a field far below.
func page() cua.Observation {
	field := func(id, role, typ, label string, y float64) cua.Field {
		return cua.Field{ID: id, Role: role, Type: typ, Label: label, Name: label, Editable: typ == "text",
			Empty: true, Box: cua.Box{X: 100, Y: y, W: 200, H: 40}}
	}
	o := cua.Observation{URL: "http://a.test/form", Title: "Form", Document: "d1",
		Viewport: cua.Size{W: 1280, H: 800}, Tabs: 2, Tab: 1, Fields: []cua.Field{field("#name", "textbox",
			"text", "Name", 100), field("#town", "combobox", "select", "Town", 160),
			field("#terms", "checkbox", "checkbox", "I accept", 220),
			field("#gift", "radio", "radio", "Gift", 280), field("#note", "textbox", "text", "Note", 2000)}}
	o.Fields[1].Options, o.Fields[1].Selected = []string{"Oslo", "Graz"}, "Oslo"
	for i, f := range o.Fields[:4] {
		o.Marks = append(o.Marks, cua.Mark{N: i + 1, ID: f.ID, Role: f.Role, Name: f.Label, Box: f.Box})
	}
	o.Marks = append(o.Marks, cua.Mark{N: 5, ID: "#send", Role: "button", Name: `Send "now"`, Box: cua.Box{X: 100, Y: 340, W: 100, H: 40}})
	return o
}

// sceneOf is o as a model of that tool was told of it: its references are ref_1 to ref_6 in the order of the
// page.
func sceneOf(o *cua.Observation) *scene {
	s := &scene{now: o, refs: &refs{}, tabs: &tabs{}, screen: model.Fit(cua.Size{W: 1280, H: 800},
		model.Limit{}, 0)}
	s.tabs.see(o, nil)
	s.tree("all", "")
	return s
}

type memberRow struct {
	name   string // of the member
	input  string
	want   []cua.Action // nil where the call cannot be done
	fails  cua.FailureKind
	says   string // a part of the failure
	change func(*scene)
}

func (row memberRow) check(t *testing.T, tool, toolset string) {
	t.Helper()
	o := page()
	s := sceneOf(&o)
	if row.change != nil {
		row.change(s)
	}
	k, err := kindOf(tool, true)
	if err != nil {
		t.Fatal(err)
	}
	c := call{id: "x", name: row.name, toolset: toolset, input: json.RawMessage(row.input)}
	if k.old {
		c.name = olderName
		c.input = json.RawMessage(strings.Replace(row.input, "{", `{"action":"`+row.name+`",`, 1))
		c.input = json.RawMessage(strings.Replace(string(c.input), ",}", "}", 1))
	}
	got, f := k.read(s, c)
	switch {
	case row.fails == "" && f != nil:
		t.Errorf("%s %s failed: %v", row.name, row.input, f)
	case row.fails != "" && (f == nil || f.Kind != row.fails || !strings.Contains(f.Detail, row.says)):
		t.Errorf("%s %s: failure %v, want %s with %q", row.name, row.input, f, row.fails, row.says)
	case row.fails == "" && !reflect.DeepEqual(got.actions, row.want):
		t.Errorf("%s %s: %+v, want %+v", row.name, row.input, got.actions, row.want)
	}
	for _, a := range got.actions {
		if err := a.Validate(o.Viewport); f == nil && err != nil {
			t.Errorf("%s %s: %v", row.name, row.input, err)
		}
	}
}

func at(x, y float64) *cua.Point { return &cua.Point{X: x, Y: y} }

func does1(a cua.Action) []cua.Action { return []cua.Action{a} }

const (
	here = `"target":{"type":"coordinate","x":10,"y":20}`
	send = `"target":{"type":"ref","ref":"ref_5"}`
)

func TestBrowserMembers(t *testing.T) {
	dialog := func(typ string) func(*scene) {
		return func(s *scene) {
			s.now.Dialog = &cua.Dialog{
				Type: typ}
		}
	}
	for _, row := range []memberRow{
		{name: "left_click", input: `{` + here + `}`, want: does1(cua.Action{Kind: cua.Click, Point: at(10, 20)})},
		{name: "left_click", input: `{` + send + `,"tab_id":"tab_1"}`, want: does1(cua.Action{Kind: cua.Click, Into: "#send"})},
		{name: "right_click", input: `{` + send + `}`, want: does1(cua.Action{Kind: cua.RightClick, Into: "#send"})},
		{name: "middle_click", input: `{` + here + `}`, want: does1(cua.Action{Kind: cua.MiddleClick, Point: at(10, 20)})},
		{name: "double_click", input: `{` + here + `}`, want: does1(cua.Action{Kind: cua.DoubleClick, Point: at(10, 20)})},
		{name: "triple_click", input: `{` + here + `,"modifiers":null}`, want: does1(cua.Action{Kind: cua.TripleClick, Point: at(10, 20)})},
		{name: "left_click", input: `{` + here + `,"modifiers":"shift"}`, fails: cua.FailUnknownAction, says: "cannot be held"},
		{name: "left_click", input: `{}`, fails: cua.FailSchema, says: "target is missing"},
		{name: "left_click", input: `{"target":{"type":"coordinate","x":"10","y":20}}`, fails: cua.FailSchema, says: "cannot unmarshal"},
		{name: "left_click", input: `{"target":{"type":"coordinate","x":10}}`, fails: cua.FailSchema, says: "must be"},
		{name: "left_click", input: `[1]`, fails: cua.FailSchema, says: "not an object"},
		{name: "left_click", input: `{"target":{"type":"coordinate","x":1280,"y":20}}`, fails: cua.FailSchema, says: "outside"},
		{name: "left_click", input: `{"target":{"type":"coordinate","x":-1,"y":20}}`, fails: cua.FailSchema, says: "outside"},
		{name: "left_click", input: `{"target":{"type":"ref","ref":"ref_99"}}`, fails: cua.FailNotFound, says: "no element was ever called"},
		{name: "left_click", input: `{` + send + `}`, fails: cua.FailNotFound, says: "read the page again", change: func(s *scene) { s.now.Document = "d2" }},
		{name: "left_click", input: `{` + send + `}`, fails: cua.FailNotFound, says: "read the page again", change: func(s *scene) { s.now.Marks = s.now.Marks[:4] }},
		{name: "left_click", input: `{` + here + `,"tab_id":"tab_2"}`, fails: cua.FailExec, says: "switch_tab to it first"},
		{name: "left_click", input: `{` + here + `,"tab_id":"tab_7"}`, fails: cua.FailNotFound, says: "open are tab_1, tab_2"},
		{name: "hover", input: `{` + send + `}`, want: does1(cua.Action{Kind: cua.Hover, Into: "#send"})},
		{name: "mouse_move", input: `{` + here + `}`, want: does1(cua.Action{Kind: cua.Hover, Point: at(10, 20)})},
		{name: "left_click_drag", input: `{"from":{"type":"coordinate","x":1,"y":2},` + here + `}`, want: does1(cua.Action{Kind: cua.Drag, Point: at(1, 2), To: at(10, 20)})},
		{name: "left_click_drag", input: `{` + here + `}`, fails: cua.FailSchema, says: "must be"},
		{name: "scroll", input: `{` + here + `,"scroll_direction":"down"}`, want: does1(cua.Action{Kind: cua.Scroll, Point: at(10, 20), DY: 300})},
		{name: "scroll", input: `{` + here + `,"scroll_direction":"left","scroll_amount":10}`, want: does1(cua.Action{Kind: cua.Scroll, Point: at(10, 20), DX: -1000})},
		{name: "scroll", input: `{` + here + `,"scroll_direction":"left","scroll_amount":11}`, fails: cua.FailSchema, says: "1 to 10"},
		{name: "scroll", input: `{` + here + `,"scroll_direction":"away"}`, fails: cua.FailSchema, says: "away"},
		{name: "scroll_to", input: `{"target":{"type":"ref","ref":"ref_6"}}`, want: does1(cua.Action{Kind: cua.Scroll, DY: 1620})},
		{name: "scroll_to", input: `{` + send + `}`, want: does1(cua.Action{Kind: cua.Observe})},
		{name: "scroll_to", input: `{` + here + `}`, fails: cua.FailSchema, says: "ref"},
		{name: "type", input: `{"text":"abc\n"}`, want: does1(cua.Action{Kind: cua.Type, Text: "abc\n"})},
		{name: "type", input: `{"text":""}`, fails: cua.FailSchema, says: "empty"},
		{name: "type", input: `{"text":"Ada"}`, want: does1(cua.Action{Kind: cua.AnswerDlg, Accept: true, Text: "Ada"}), change: dialog("prompt")},
		{name: "type", input: `{"text":"Ada"}`, fails: cua.FailExec, says: "press Return", change: dialog("confirm")},
		{name: "key", input: `{"text":"ctrl+A"}`, want: does1(cua.Action{Kind: cua.Key, Keys: "Control+a"})},
		{name: "key", input: `{"text":"BackSpace Page_Down","repeat":2}`, want: does1(cua.Action{Kind: cua.Key, Keys: "BackSpace Page_Down BackSpace Page_Down"})},
		{name: "key", input: `{"text":"Down","repeat":40}`, want: []cua.Action{{Kind: cua.Key, Keys: strings.TrimSpace(strings.Repeat("Down ", 32))}, {Kind: cua.Key, Keys: strings.TrimSpace(strings.Repeat("Down ", 8))}}},
		{name: "key", input: `{"text":"Down","repeat":101}`, fails: cua.FailSchema, says: "1 to 100"},
		{name: "key", input: `{"text":"Hyperdrive"}`, fails: cua.FailUnknownAction, says: "unknown key"},
		{name: "key", input: `{"text":"Return"}`, want: does1(cua.Action{Kind: cua.AnswerDlg, Accept: true}), change: dialog("confirm")},
		{name: "key", input: `{"text":"Escape"}`, want: does1(cua.Action{Kind: cua.AnswerDlg}), change: dialog("confirm")},
		{name: "key", input: `{"text":"Tab"}`, fails: cua.FailExec, says: "dialog is open", change: dialog("confirm")},
		{name: "wait", input: `{"duration":1.5}`, want: does1(cua.Action{Kind: cua.Wait, MS: 1500})},
		{name: "wait", input: `{"duration":31}`, fails: cua.FailSchema, says: "0 to 30"},
		{name: "wait", input: `{}`, fails: cua.FailSchema, says: "duration"},
		{name: "navigate", input: `{"url":"a.test/x"}`, want: does1(cua.Action{Kind: cua.Navigate, URL: "https://a.test/x"})},
		{name: "navigate", input: `{"url":"back"}`, want: does1(cua.Action{Kind: cua.Back})},
		{name: "navigate", input: `{"url":"forward"}`, want: does1(cua.Action{Kind: cua.Forward})},
		{name: "navigate", input: `{"url":"reload"}`, want: does1(cua.Action{Kind: cua.Reload})},
		{name: "navigate", input: `{"url":"file:///etc/passwd"}`, fails: cua.FailSchema, says: "http"},
		{name: "screenshot", input: `{}`, want: does1(cua.Action{Kind: cua.Observe})},
		{name: "zoom", input: `{"region":[0,0,100,50]}`, want: does1(cua.Action{Kind: cua.Zoom, Point: at(50, 25)})},
		{name: "zoom", input: `{"region":[100,0,100,50]}`, fails: cua.FailSchema, says: "region"},
		{name: "read_page", input: `{"filter":"interactive"}`, want: does1(cua.Action{Kind: cua.Observe})},
		{name: "read_page", input: `{"filter":null,"depth":3}`, want: does1(cua.Action{Kind: cua.Extract})},
		{name: "read_page", input: `{"ref":"ref_1"}`, want: does1(cua.Action{Kind: cua.Observe})},
		{name: "read_page", input: `{"filter":"none"}`, fails: cua.FailSchema, says: "filter"},
		{name: "find", input: `{"query":"send button"}`, want: does1(cua.Action{Kind: cua.Find, Text: "send button"})},
		{name: "find", input: `{"query":" "}`, fails: cua.FailSchema, says: "empty"},
		{name: "get_page_text", input: `{}`, want: does1(cua.Action{Kind: cua.Extract})},
		{name: "form_input", input: `{"target":{"type":"ref","ref":"ref_1"},"value":"Ada"}`, want: does1(cua.Action{Kind: cua.Type, Into: "#name", Text: "Ada", Clear: true})},
		{name: "form_input", input: `{"target":{"type":"ref","ref":"ref_6"},"value":12.5}`, want: does1(cua.Action{Kind: cua.Type, Into: "#note", Text: "12.5", Clear: true})},
		{name: "form_input", input: `{"target":{"type":"ref","ref":"ref_2"},"value":"Graz"}`, want: does1(cua.Action{Kind: cua.Select, Into: "#town", Text: "Graz"})},
		{name: "form_input", input: `{"target":{"type":"ref","ref":"ref_3"},"value":true}`, want: does1(cua.Action{Kind: cua.Click, Into: "#terms"})},
		{name: "form_input", input: `{"target":{"type":"ref","ref":"ref_3"},"value":false}`, want: does1(cua.Action{Kind: cua.Observe})},
		{name: "form_input", input: `{"target":{"type":"ref","ref":"ref_3"},"value":"yes"}`, fails: cua.FailSchema, says: "true or false"},
		{name: "form_input", input: `{"target":{"type":"ref","ref":"ref_4"},"value":false}`, want: does1(cua.Action{Kind: cua.Observe})},
		{name: "form_input", input: `{"target":{"type":"ref","ref":"ref_1"},"value":true}`, fails: cua.FailSchema, says: "no checkbox"},
		{name: "form_input", input: `{"target":{"type":"ref","ref":"ref_1"},"value":["a"]}`, fails: cua.FailSchema, says: "value must be"},
		{name: "form_input", input: `{` + send + `,"value":"x"}`, fails: cua.FailNotInteractable, says: "no form element"},
		{name: "file_upload", input: `{"target":{"type":"ref","ref":"ref_1"},"paths":["a.txt"]}`, want: does1(cua.Action{Kind: cua.Upload, Into: "#name", Files: []string{"a.txt"}})},
		{name: "file_upload", input: `{"target":{"type":"ref","ref":"ref_1"},"document_ids":["d"]}`, fails: cua.FailSchema, says: "paths"},
		{name: "new_tab", input: `{}`, want: does1(cua.Action{Kind: cua.NewTab})},
		{name: "list_tabs", input: `{}`, want: nil},
		{name: "switch_tab", input: `{"tab_id":"tab_2"}`, want: does1(cua.Action{Kind: cua.SwitchTab, Tab: 2})},
		{name: "close_tab", input: `{"tab_id":"tab_1"}`, want: does1(cua.Action{Kind: cua.CloseTab, Tab: 1})},
		{name: "close_tab", input: `{"tab_id":"tab_9"}`, fails: cua.FailNotFound, says: "open are"},
		{name: "hold_key", input: `{"text":"a","duration":1}`, fails: cua.FailUnknownAction, says: "offered are"},
		{name: "left_mouse_down", input: `{` + here + `}`, fails: cua.FailUnknownAction, says: "offered are"},
		{name: "javascript_exec", input: `{"text":"1"}`, fails: cua.FailUnknownAction, says: "offered are"},
		{name: "teleport", input: `{}`, fails: cua.FailUnknownAction, says: "teleport"},
	} {
		t.Run(row.name+row.input, func(t *testing.T) { row.check(t, "browser", "browser") })
	}
}

func TestComputerMembers(t *testing.T) {
	pointed := func(s *scene) { s.pointer = at(7, 8) }
	for _, row := range []memberRow{
		{name: "screenshot", input: `{}`, want: does1(cua.Action{Kind: cua.Observe})},
		{name: "cursor_position", input: `{}`, want: nil},
		{name: "left_click", input: `{"coordinate":[10,20]}`, want: does1(cua.Action{Kind: cua.Click, Point: at(10, 20)})},
		{name: "left_click", input: `{}`, want: does1(cua.Action{Kind: cua.Click, Point: at(7, 8)}), change: pointed},
		{name: "left_click", input: `{"coordinate":null}`, fails: cua.FailSchema, says: "not moved yet"},
		{name: "left_click", input: `{"coordinate":[10]}`, fails: cua.FailSchema, says: "[x, y]"},
		{name: "left_click", input: `{"coordinate":[10,800]}`, fails: cua.FailSchema, says: "outside"},
		{name: "left_click", input: `{"coordinate":[10,20],"text":"ctrl"}`, fails: cua.FailUnknownAction, says: "cannot be held"},
		{name: "right_click", input: `{"coordinate":[10,20]}`, want: does1(cua.Action{Kind: cua.RightClick, Point: at(10, 20)})},
		{name: "middle_click", input: `{"coordinate":[10,20]}`, want: does1(cua.Action{Kind: cua.MiddleClick, Point: at(10, 20)})},
		{name: "double_click", input: `{"coordinate":[10,20]}`, want: does1(cua.Action{Kind: cua.DoubleClick, Point: at(10, 20)})},
		{name: "triple_click", input: `{"coordinate":[10,20]}`, want: does1(cua.Action{Kind: cua.TripleClick, Point: at(10, 20)})},
		{name: "mouse_move", input: `{"coordinate":[10,20]}`, want: does1(cua.Action{Kind: cua.Hover, Point: at(10, 20)})},
		{name: "left_click_drag", input: `{"start_coordinate":[1,2],"coordinate":[10,20]}`, want: does1(cua.Action{Kind: cua.Drag, Point: at(1, 2), To: at(10, 20)})},
		{name: "left_click_drag", input: `{"start_coordinate":[1,2]}`, fails: cua.FailSchema, says: "coordinate"},
		{name: "scroll", input: `{"coordinate":[10,20],"scroll_direction":"up","scroll_amount":5}`, want: does1(cua.Action{Kind: cua.Scroll, Point: at(10, 20), DY: -500})},
		{name: "scroll", input: `{"scroll_direction":"right","scroll_amount":1}`, want: does1(cua.Action{Kind: cua.Scroll, Point: at(7, 8), DX: 100}), change: pointed},
		{name: "scroll", input: `{"coordinate":[10,20],"scroll_direction":"up"}`, fails: cua.FailSchema, says: "scroll_amount"},
		{name: "type", input: `{"text":"abc"}`, want: does1(cua.Action{Kind: cua.Type, Text: "abc"})},
		{name: "key", input: `{"text":"alt+Tab"}`, want: does1(cua.Action{Kind: cua.Key, Keys: "Alt+Tab"})},
		{name: "wait", input: `{"duration":2}`, want: does1(cua.Action{Kind: cua.Wait, MS: 2000})},
		{name: "wait", input: `{"duration":301}`, fails: cua.FailSchema, says: "0 to 300"},
		{name: "zoom", input: `{"region":[0,0,100,50]}`, want: does1(cua.Action{Kind: cua.Zoom, Point: at(50, 25)})},
		{name: "left_mouse_up", input: `{}`, fails: cua.FailUnknownAction, says: "offered are"},
		{name: "hold_key", input: `{"text":"a","duration":1}`, fails: cua.FailUnknownAction, says: "offered are"},
		{name: "teleport", input: `{}`, fails: cua.FailUnknownAction, says: "teleport"},
	} {
		t.Run(row.name+row.input, func(t *testing.T) {
			row.check(t, "computer", "computer")
			row.check(t, olderTool, "")
		})
	}
}

func TestACallOfAnotherToolsetIsUnknown(t *testing.T) {
	o := page()
	for _, row := range []struct{ tool, toolset, name string }{
		{"browser", "computer", "left_click"}, {"browser", "", "screenshot"}, {"computer", "browser", "screenshot"}, {olderTool, "", "bash"},
	} {
		k, err := kindOf(row.tool, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, f := k.read(sceneOf(&o), call{name: row.name, toolset: row.toolset, input: json.RawMessage(`{}`)}); f == nil || f.Kind != cua.FailUnknownAction {
			t.Errorf("%+v: %v", row, f)
		}
	}
}

// Every member of the vendor's is offered here, or switched off, or off by itself: none was forgotten.
func TestEveryMemberIsKnown(t *testing.T) {
	schemas(t)
	off := []string{"hold_key", "left_mouse_down", "left_mouse_up"}
	byDefault := []string{"read_console", "read_network", "javascript_exec"}
	for _, row := range []struct {
		schema  string
		members []string
	}{
		{"BrowserToolsetConfigs", slices.Concat(browserMembers(true), off, byDefault)},
		{"ComputerToolsetConfigs", slices.Concat(computerMembers(), off)},
	} {
		known := membersOf(t, row.schema)
		slices.Sort(row.members)
		if !slices.Equal(known, row.members) {
			t.Errorf("%s has %v, known are %v", row.schema, known, row.members)
		}
	}
}

// Whatever a model calls is a failure that says why, or actions that can be dispatched.
func FuzzCalls(f *testing.F) {
	for _, k := range []string{browserTool, computerTool, olderTool} {
		for _, in := range []string{`{}`, `{"action":"left_click","coordinate":[1,2]}`, `{"target":{"type":"ref","ref":"ref_1"},"value":true}`, `{"text":"ctrl+a","repeat":3}`,
			`{"region":[0,0,1,1]}`, `{"url":"a"}`, `null`, `{"duration":1e400}`} {
			f.Add(k, "left_click", in)
			f.Add(k, "computer", in)
			f.Add(k, "form_input", in)
			f.Add(k, "key", in)
			f.Add(k, "navigate", in)
			f.Add(k, "zoom", in)
		}
	}
	f.Fuzz(func(t *testing.T, tool, name, input string) {
		k, err := kindOf(tool, true)
		if err != nil {
			return
		}
		toolset := map[bool]string{true: "browser", false: "computer"}[k.browser]
		o := page()
		s := sceneOf(&o)
		got, fail := k.read(s, call{id: "x", name: name, toolset: toolset, input: json.RawMessage(input)})
		if fail != nil {
			if fail.Detail == "" || !slices.Contains(cua.FailureKinds(), fail.Kind) {
				t.Errorf("%s %q: failure %+v", name, input, fail)
			}
			return
		}
		for _, a := range got.actions {
			if err := a.Validate(o.Viewport); err != nil {
				t.Errorf("%s %q: %v", name, input, err)
			}
		}
	})
}
