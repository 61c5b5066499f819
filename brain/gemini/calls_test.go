package gemini

import (
	"encoding/json"
	"reflect"
	"testing"

	"google.golang.org/genai"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

func at(x, y float64) *cua.Point { return &cua.Point{X: x, Y: y} }

// view is the usual viewport: 1000 units are 1280 and 800 px.
var view = cua.Size{W: 1280, H: 800}

func TestCalls(t *testing.T) {
	key := func(keys string) []cua.Action { return []cua.Action{{Kind: cua.Key, Keys: keys}} }
	press := func(k cua.Kind, p *cua.Point) []cua.Action { return []cua.Action{{Kind: k, Point: p}} }
	wheel := func(dx, dy float64, p *cua.Point) []cua.Action {
		return []cua.Action{{Kind: cua.Scroll, DX: dx, DY: dy, Point: p}}
	}
	for _, row := range []struct {
		name, call, args string
		want             []cua.Action
		fail             cua.FailureKind
	}{
		{"click", "click", `{"x":500,"y":250,"intent":"go"}`, press(cua.Click, at(640, 200)), ""},
		{"click_at", "click_at", `{"x":999,"y":999}`, press(cua.Click, at(1278.72, 799)), ""},
		{"double", "double_click", `{"x":0,"y":0}`, press(cua.DoubleClick, at(0, 0)), ""},
		{"triple", "triple_click", `{"x":0,"y":0}`, press(cua.TripleClick, at(0, 0)), ""},
		{"middle", "middle_click", `{"x":0,"y":0}`, press(cua.MiddleClick, at(0, 0)), ""},
		{"right", "right_click", `{"x":0,"y":0}`, press(cua.RightClick, at(0, 0)), ""},
		{"move", "move", `{"x":100,"y":100}`, press(cua.Hover, at(128, 80)), ""},
		{"hover_at", "hover_at", `{"x":100,"y":100}`, press(cua.Hover, at(128, 80)), ""},
		{"type", "type", `{"text":"hi"}`, []cua.Action{{Kind: cua.Type, Text: "hi"}}, ""},
		{"type and enter", "type", `{"text":"hi","press_enter":true}`, []cua.Action{{Kind: cua.Type, Text: "hi"}, {Kind: cua.Key, Keys: "Return"}}, ""},
		{"type_text_at", "type_text_at", `{"x":100,"y":100,"text":"hi"}`,
			[]cua.Action{{Kind: cua.Type, Text: "hi", Point: at(128, 80), Clear: true},
				{Kind: cua.Key, Keys: "Return"}}, ""},
		{"type_text_at without either", "type_text_at", `{"x":100,"y":100,"text":"hi","press_enter":false,"clear_before_typing":false}`,
			[]cua.Action{{Kind: cua.Type, Text: "hi", Point: at(128, 80)}}, ""},
		{"a text that is empty", "type_text_at", `{"x":100,"y":100,"text":"","press_enter":false}`, []cua.Action{{Kind: cua.Type, Point: at(128, 80), Clear: true}}, ""},
		{"drag, as the table says", "drag_and_drop", `{"start_x":0,"start_y":0,"end_x":500,"end_y":500}`, []cua.Action{{Kind: cua.Drag, Point: at(0, 0), To: at(640, 400)}}, ""},
		{"drag, as the reference reads", "drag_and_drop", `{"x":0,"y":0,"destination_x":500,"destination_y":500}`, []cua.Action{{Kind: cua.Drag, Point: at(0, 0), To: at(640, 400)}}, ""},
		{"scroll", "scroll", `{"x":500,"y":500,"direction":"down"}`, wheel(0, 300, at(640, 400)), ""},
		{"scroll by pixels", "scroll", `{"x":500,"y":500,"direction":"up","magnitude_in_pixels":450}`, wheel(0, -450, at(640, 400)), ""},
		{"scroll by clicks", "scroll", `{"x":500,"y":500,"direction":"left","magnitude_in_wheel_clicks":3}`, wheel(-300, 0, at(640, 400)), ""},
		{"scroll, other spelling", "scroll", `{"x":500,"y":500,"direction":"down","magnitude":120}`, wheel(0, 120, at(640, 400)), ""},
		{"scroll_at", "scroll_at", `{"x":500,"y":500,"direction":"down"}`, wheel(0, 640, at(640, 400)), ""},
		{"scroll_at on the grid", "scroll_at", `{"x":500,"y":500,"direction":"right","magnitude":500}`, wheel(640, 0, at(640, 400)), ""},
		{"scroll_document", "scroll_document", `{"direction":"down"}`, wheel(0, 640, nil), ""},
		{"press_key", "press_key", `{"key":"Enter"}`, key("Return"), ""},
		{"hotkey", "hotkey", `{"keys":["control","shift","T"]}`, key("Control+Shift+t"), ""},
		{"key_combination", "key_combination", `{"keys":"control+a"}`, key("Control+a"), ""},
		{"wait", "wait", `{"seconds":2.5}`, []cua.Action{{Kind: cua.Wait, MS: 2500}}, ""},
		{"wait without a time", "wait", `{}`, []cua.Action{{Kind: cua.Wait, MS: 1000}}, ""},
		{"wait for a day", "wait", `{"seconds":86400}`, []cua.Action{{Kind: cua.Wait, MS: 60000}}, ""},
		{"wait_5_seconds", "wait_5_seconds", `{}`, []cua.Action{{Kind: cua.Wait, MS: 5000}}, ""},
		{"take_screenshot", "take_screenshot", `{}`, []cua.Action{{Kind: cua.Observe}}, ""},
		{"navigate", "navigate", `{"url":"example.com/a"}`, []cua.Action{{Kind: cua.Navigate, URL: "https://example.com/a"}}, ""},
		{"go_back", "go_back", `{}`, []cua.Action{{Kind: cua.Back}}, ""},
		{"go_forward", "go_forward", `{}`, []cua.Action{{Kind: cua.Forward}}, ""},
		{"outside, moved to the edge", "click", `{"x":1200,"y":-5}`, press(cua.Click, at(1278.72, 0)), ""},

		{"an unknown function", "fly", `{}`, nil, cua.FailUnknownAction},
		{"a button held down", "mouse_down", `{"x":1,"y":1}`, nil, cua.FailUnknownAction},
		{"a search engine", "search", `{}`, nil, cua.FailUnknownAction},
		{"an unknown key", "press_key", `{"key":"Hyper"}`, nil, cua.FailUnknownAction},
		{"no key", "hotkey", `{"keys":[]}`, nil, cua.FailUnknownAction},
		{"keys that are numbers", "hotkey", `{"keys":[1,2]}`, nil, cua.FailUnknownAction},
		{"no point", "click", `{}`, nil, cua.FailSchema},
		{"half a point", "click", `{"x":1}`, nil, cua.FailSchema},
		{"a point in words", "click", `{"x":"left","y":"top"}`, nil, cua.FailSchema},
		{"no text", "type", `{}`, nil, cua.FailSchema},
		{"nothing to type", "type", `{"text":""}`, nil, cua.FailSchema},
		{"no end of a drag", "drag_and_drop", `{"x":1,"y":1}`, nil, cua.FailSchema},
		{"no direction", "scroll", `{"x":1,"y":1}`, nil, cua.FailSchema},
		{"a direction that is none", "scroll_document", `{"direction":"inwards"}`, nil, cua.FailSchema},
		{"a scroll of nothing", "scroll", `{"direction":"down","magnitude_in_pixels":0}`, nil, cua.FailSchema},
		{"a file", "navigate", `{"url":"file:///etc/passwd"}`, nil, cua.FailSchema},
		{"a script", "navigate", `{"url":"javascript:alert(1)"}`, nil, cua.FailSchema},
		{"time backwards", "wait", `{"seconds":-1}`, nil, cua.FailSchema},
	} {
		t.Run(row.name, func(t *testing.T) {
			var args map[string]any
			if err := json.Unmarshal([]byte(row.args), &args); err != nil {
				t.Fatal(err)
			}
			w := &wire{screen: model.Fit(view, model.Limit{LongEdge: longEdge}, grid)}
			c := w.call(&genai.FunctionCall{ID: "i", Name: row.call, Args: args})
			if c.Failure != nil != (row.fail != "") || c.Failure != nil &&
				(c.Failure.Kind != row.fail || c.Failure.Raw == "") {
				t.Fatalf("failure %+v, want %q", c.Failure, row.fail)
			}
			if !reflect.DeepEqual(c.Actions, row.want) || c.ID != "i" || c.Name != row.call {
				got, _ := json.Marshal(c.Actions)
				t.Errorf("%s: %s", row.call, got)
			}
			for _, a := range c.Actions {
				if err := a.Validate(view); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func FuzzCalls(f *testing.F) {
	for _, name := range []string{"click", "type_text_at", "drag_and_drop", "scroll", "scroll_at", "hotkey",
		"navigate", "wait", "fly"} {
		f.Add(name, `{"x":1,"y":2,"text":"t","direction":"up","magnitude":1e300,"keys":["a"],"url":"http://[::1","seconds":1e18,"safety_decision":[]}`)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		var args map[string]any
		if json.Unmarshal([]byte(text), &args) != nil {
			return
		}
		w := &wire{screen: model.Fit(view, model.Limit{}, grid)}
		c := w.call(&genai.FunctionCall{Name: name, Args: args})
		if !c.Local && (c.Failure == nil) != (len(c.Actions) > 0) {
			t.Fatalf("%s %s: %+v", name, text, c)
		}
		for _, a := range c.Actions {
			if err := a.Validate(view); err != nil {
				t.Fatalf("%s %s: %v", name, text, err)
			}
		}
	})
}
