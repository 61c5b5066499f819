package formats

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// Two histories of one episode, in the older and the newer names of the form: a search, a
// dead button pressed twice, a batch that the page cut off, a reply that could not be read, done.

const oldUse = `{"history":[
 {"model_output":{"current_state":{"evaluation_previous_goal":"Unknown","memory":"start","next_goal":"search"},
   "action":[{"input_text":{"index":4,"text":"lamp"}},{"click_element":{"index":9}}]},
  "result":[{"is_done":false,"extracted_content":"typed","include_in_memory":true},{"is_done":false}],
  "state":{"url":"http://shop/","title":"Shop","tabs":[{"page_id":0,"url":"http://shop/","title":"Shop"}],"screenshot":"AAAA",
   "interacted_element":[
    {"tag_name":"input","xpath":"html/body/form/input","highlight_index":4,"entire_parent_branch_path":["html"],"attributes":{"type":"search","placeholder":"Find"},"shadow_root":false,
     "css_selector":"input","viewport_coordinates":{"top_left":{"x":100,"y":20},"width":200,"height":40},"viewport_info":{"width":1280,"height":720}},
    {"tag_name":"button","xpath":"html/body/form/button","highlight_index":9,"attributes":{"aria-label":"Go"}}]},
  "metadata":{"step_start_time":100.5,"step_end_time":104.5,"input_tokens":2897,"step_number":1}},
 {"model_output":{"current_state":{},"action":[{"click_element":{"index":3,"xpath":null}}]},
  "result":[{"is_done":false}],
  "state":{"url":"http://shop/q?lamp","title":"Results","tabs":[{}],"screenshot":"BBBB","interacted_element":[{"tag_name":"a","xpath":"html/body/a[2]","attributes":{"title":"Next"}}]}},
 {"model_output":{"current_state":{},"action":[{"click_element":{"index":5,"xpath":null}},{"scroll_down":{"amount":null}}]},
  "result":[{"error":"Element with index 5 does not exist"}],
  "state":{"url":"http://shop/q?lamp#top","title":"Results","tabs":[{}],"screenshot":"BBBB","interacted_element":[{"tag_name":"a","xpath":"html/body/a[2]","attributes":{"title":"Next"}},null]}},
 {"model_output":null,"result":[{"error":"Rate limit reached"}],"state":{"url":"http://shop/q?lamp","title":"","tabs":[{},{}],"interacted_element":[null]},"metadata":null},
 {"model_output":{"action":[{"done":{"text":"No lamps","success":false}}]},"result":[{"is_done":true,"success":false}],"state":{"url":"http://shop/q?lamp","title":"","tabs":[{},{}],"interacted_element":[null]}}
]}`

func readUse(t testing.TB, text string) *Run {
	t.Helper()
	for run, err := range Runs("-", BrowserUse, strings.NewReader(text), nil) {
		must(t, err)
		return run
	}
	t.Fatal("no run")
	return nil
}

func TestBrowserUseOlderForm(t *testing.T) {
	run := readUse(t, oldUse)
	if run.Format != BrowserUse || run.ID != "-" || run.Source != "browser-use" ||
		run.End != cua.EndDoneFailed || run.Success != nil {
		t.Errorf("%+v", run)
	}
	if !reflect.DeepEqual(run.Index, []int{0, 0, 1, 2, 2, 3, 4}) {
		t.Error(run.Index)
	}
	want := []struct {
		kind     cua.Kind // "" is not dispatched
		target   string
		decision int
		effect   string
		failure  cua.FailureKind
	}{
		{cua.Type, "textbox:Find:html/body/form/input", 1, "url,dom", ""},
		{cua.Click, "button:Go:html/body/form/button", 1, "url,dom", ""},
		{cua.Click, "link:Next:html/body/a[2]", 2, "none", ""},
		{cua.Click, "link:Next:html/body/a[2]", 3, "tab", cua.FailNotFound},
		{"", "", 3, "?", ""},
		{"", "", 4, "?", cua.FailModel},
		{cua.Done, "", 5, "?", ""},
	}
	if len(run.History.Steps) != len(want) {
		t.Fatalf("%d steps", len(run.History.Steps))
	}
	for i, w := range want {
		s := run.History.Steps[i]
		var kind cua.Kind
		if s.Action != nil {
			kind = s.Action.Kind
		}
		var fail cua.FailureKind
		if s.Failure != nil {
			fail = s.Failure.Kind
		}
		if kind != w.kind || s.Target.ID != w.target || s.Decision != w.decision ||
			progress(s.Effect) != w.effect || fail != w.failure {
			t.Errorf("step %d: %q %q decision %d effect %s failure %q", i, kind, s.Target.ID, s.Decision,
				progress(s.Effect), fail)
		}
	}
	first := run.History.Steps[0]
	if first.Target.Box != (cua.Box{X: 100, Y: 20, W: 200, H: 40}) ||
		*first.Target.Point != (cua.Point{X: 200, Y: 40}) || !first.Target.Editable ||
		first.Action.Text != "lamp" {
		t.Errorf("%+v", first)
	}
	if first.Usage.InputTokens != 2897 || first.Timing.Total() != 4000 ||
		first.Thought != "Unknown\nstart\nsearch" || run.History.Steps[1].Usage.InputTokens != 0 {
		t.Errorf("%+v", first)
	}
	samples := run.History.Samples()
	if samples[2].Before == "" || samples[2].Before != samples[2].After ||
		samples[2].Signature != samples[3].Signature {
		t.Errorf("%+v\n%+v", samples[2], samples[3])
	}
}

func TestBrowserUseNewerForm(t *testing.T) {
	dir := t.TempDir()
	frame, err := os.ReadFile(filepath.Join(rootData, "frames", "empty.png"))
	must(t, err)
	must(t, os.Mkdir(filepath.Join(dir, "screenshots"), 0o755))
	for name, data := range map[string][]byte{"step_1.png": frame, "step_2.png": frame,
		"step_3.png": append(frame[:len(frame):len(frame)], 0), "step_4.png": []byte("no picture")} {
		must(t, os.WriteFile(filepath.Join(dir, "screenshots", name), data, 0o644))
	}
	entry := func(n int, judgement string) string {
		return fmt.Sprintf(`{"model_output":{"evaluation_previous_goal":"","memory":"m","next_goal":"g","action":[{"click":{"index":46341}}],"thinking":"t"},
   "result":[{"is_done":false,"long_term_memory":"Clicked","metadata":{"click_x":1}%s}],
   "state":{"tabs":[{"url":"http://a/","title":"A","target_id":"F00D","parent_target_id":null}],"screenshot_path":"/gone/screenshots/step_%d.png","url":"http://a/","title":"A",
    "interacted_element":[{"node_id":5,"backend_node_id":%d,"frame_id":"X","node_type":1,"node_value":"","node_name":"BUTTON","attributes":{"class":"x"},"bounds":{"x":10,"y":20,"width":100,"height":30},
     "x_path":"html/body/button","element_hash":1234567890123456789,"stable_hash":7,"ax_name":"Save"}]},
   "metadata":{"step_start_time":1.5,"step_end_time":2.5,"step_number":%d,"step_interval":null},"state_message":"<agent_history>"}`, judgement, n, 100+n, n)
	}
	doc := map[string]json.RawMessage{}
	must(t, json.Unmarshal([]byte(`{"history":[`+strings.Join([]string{entry(1, ""), entry(2, ""), entry(3, ""), entry(4, ""), entry(5, `,"judgement":{"verdict":true}`)}, ",")+`]}`), &doc))
	text, err := json.MarshalIndent(doc, "", "  ")
	must(t, err)
	path := filepath.Join(dir, "history.json")
	must(t, os.WriteFile(path, text, 0o644))
	for run, err := range Runs(path, Auto, nil, nil) {
		must(t, err)
		if run.ID != "history" || run.Success == nil || !*run.Success {
			t.Errorf("%+v", run)
		}
		// no picture is unknown, and a path is none
		for i, want := range []string{"none", "dom", "?", "?", "?"} {
			if got := progress(run.History.Steps[i].Effect); got != want {
				t.Errorf("step %d: %s, want %s", i, got, want)
			}
		}
		s := run.History.Steps[0]
		if s.Target.ID != "button:Save:html/body/button" || *s.Action.Point != (cua.Point{X: 60, Y: 35}) ||
			s.Target.Tag != "button" || s.Thought != "t\nm\ng" {
			t.Errorf("%+v", s)
		}
	}
}

func TestBrowserUseActions(t *testing.T) {
	for _, c := range []struct {
		action string
		want   cua.Action
		target string
	}{
		{`{"click_element_by_index":{"index":5}}`, cua.Action{Kind: cua.Click}, "[5]"},
		{`{"click_element_by_index":5}`, cua.Action{Kind: cua.Click}, "[5]"},
		{`{"click":{"coordinate_x":10,"coordinate_y":20}}`, cua.Action{Kind: cua.Click, Point: &cua.Point{X: 10, Y: 20}}, ""},
		{`{"interacted_element":null,"click":{"index":5}}`, cua.Action{Kind: cua.Click}, "[5]"},
		{`{"input":{"index":5,"text":"ada","clear":true}}`, cua.Action{Kind: cua.Type, Text: "ada", Clear: true}, "[5]"},
		{`{"input_text":{"index":0,"text":"ada"}}`, cua.Action{Kind: cua.Type, Text: "ada"}, "[0]"},
		{`{"go_to_url":{"url":"http://a/"}}`, cua.Action{Kind: cua.Navigate, URL: "http://a/"}, ""},
		{`{"navigate":{"url":"http://a/","new_tab":true}}`, cua.Action{Kind: cua.NewTab, URL: "http://a/"}, ""},
		{`{"open_tab":{"url":"http://a/"}}`, cua.Action{Kind: cua.NewTab, URL: "http://a/"}, ""},
		{`{"search_google":{"query":"lamp"}}`, cua.Action{Kind: cua.Navigate, Text: "lamp"}, ""},
		{`{"switch_tab":{"page_id":1}}`, cua.Action{Kind: cua.SwitchTab, Text: "1"}, ""},
		{`{"switch":{"tab_id":"F00D"}}`, cua.Action{Kind: cua.SwitchTab, Text: "F00D"}, ""},
		{`{"close":{"tab_id":"F00D"}}`, cua.Action{Kind: cua.CloseTab, Text: "F00D"}, ""},
		{`{"scroll_down":{}}`, cua.Action{Kind: cua.Scroll, Text: "down"}, ""},
		{`{"scroll_up":{"amount":300}}`, cua.Action{Kind: cua.Scroll, Text: "up 300"}, ""},
		{`{"scroll":{"down":false,"num_pages":0.5,"index":7}}`, cua.Action{Kind: cua.Scroll, Text: "up 0.5"}, "[7]"},
		{`{"scroll":{"down":true,"pages":2.0}}`, cua.Action{Kind: cua.Scroll, Text: "down 2.0"}, ""},
		{`{"find_text":{"text":"Reviews"}}`, cua.Action{Kind: cua.Scroll, Text: "Reviews"}, ""},
		{`{"send_keys":{"keys":"Control+ArrowDown"}}`, cua.Action{Kind: cua.Key, Keys: "Control+Down"}, ""},
		{`{"wait":{"seconds":5}}`, cua.Action{Kind: cua.Wait, MS: 5000}, ""},
		{`{"wait":{}}`, cua.Action{Kind: cua.Wait, MS: 3000}, ""},
		{`{"extract_content":{"goal":"prices"}}`, cua.Action{Kind: cua.Extract, Text: `{"goal":"prices"}`}, ""},
		{`{"extract_structured_data":{"query":"prices"}}`, cua.Action{Kind: cua.Extract, Text: `{"query":"prices"}`}, ""},
		{`{"extract":{"query":"q"}}`, cua.Action{Kind: cua.Extract, Text: `{"query":"q"}`}, ""},
		{`{"find_elements":{"selector":"a"}}`, cua.Action{Kind: cua.Find, Text: `{"selector":"a"}`}, ""},
		{`{"write_file":{"file_name":"todo.md","content":"x"}}`, cua.Action{Kind: cua.Observe, Text: `{"file_name":"todo.md","content":"x"}`}, ""},
		{`{"get_dropdown_options":{"index":3}}`, cua.Action{Kind: cua.Extract, Text: `{"index":3}`}, ""},
		{`{"select_dropdown_option":{"index":3,"text":"Two"}}`, cua.Action{Kind: cua.Select, Text: "Two"}, "[3]"},
		{`{"go_back":{}}`, cua.Action{Kind: cua.Back}, ""},
		{`{"go_back":null}`, cua.Action{Kind: cua.Back}, ""},
		{`{"upload_file":{"index":2,"path":"a.pdf"}}`, cua.Action{Kind: cua.Upload, Files: []string{"a.pdf"}}, "[2]"},
		{`{"drag_drop":{"coord_source_x":1,"coord_source_y":2,"coord_target_x":3,"coord_target_y":4}}`, cua.Action{Kind: cua.Drag, Point: &cua.Point{X: 1, Y: 2}, To: &cua.Point{X: 3, Y: 4}}, ""},
		{`{"evaluate":{"code":"f( )"}}`, cua.Action{Kind: "script", Text: `{"code":"f( )"}`}, ""},
		{`{"solve_captcha":{"depth": 2}}`, cua.Action{Kind: "solve_captcha", Text: `{"depth":2}`}, ""},
		{`{"done":{"text":"42","success":true}}`, cua.Action{Kind: cua.Done, Text: "42", Success: true}, ""},
		{`{"done":{"data":{"n":1},"success":true}}`, cua.Action{Kind: cua.Done, Text: `{"n":1}`, Success: true}, ""},
	} {
		run := readUse(t, `{"history":[{"model_output":{"action":[`+c.action+`]}}]}`)
		s := run.History.Steps[0]
		if s.Action == nil || !reflect.DeepEqual(*s.Action, c.want) || s.Target.ID != c.target {
			t.Errorf("%s: %+v at %q, want %+v at %q", c.action, s.Action, s.Target.ID, c.want, c.target)
		}
	}
}

func TestBrowserUseOddEntries(t *testing.T) {
	for _, c := range []struct {
		name, entries string
		dispatched    string // d, or - for nothing dispatched
		failure       cua.FailureKind
	}{
		{"null", `null`, "-", ""},
		{"no actions", `{"model_output":{"action":[]},"result":[]}`, "-", ""},
		{"an action without a name", `{"model_output":{"action":[{}]}}`, "-", cua.FailSchema},
		{"a done that was refused", `{"model_output":{"action":[{"done":{}}]},"result":[{}]},{"model_output":{"action":[{"click":{}}]}}`, "-d", cua.FailDoneRefused},
		{"a done, and another task", `{"model_output":{"action":[{"done":{}}]},"result":[{"is_done":true}]},{"model_output":{"action":[{"click":{}}]}}`, "dd", ""},
		{"a reply that could not be read", `{"result":[{"error":"Could not parse response"}]}`, "-", cua.FailSchema},
	} {
		steps := readUse(t, `{"history":[`+c.entries+`]}`).History.Steps
		got, fail := "", cua.FailureKind("")
		for _, s := range steps {
			got += map[bool]string{true: "d", false: "-"}[s.HasAction()]
		}
		if f := steps[0].Failure; f != nil {
			fail = f.Kind
		}
		if got != c.dispatched || fail != c.failure {
			t.Errorf("%s: %s %q", c.name, got, fail)
		}
	}
}

func TestBrowserUseMistakes(t *testing.T) {
	entry := func(s string) string { return `{"history":[{"model_output":null},` + s + `]}` }
	for _, c := range []struct{ name, text, want string }{
		{"history is null", `{"history":null}`, "history: a list belongs there"},
		{"history is an object", `{"history":{}}`, "history: a list belongs there"},
		{"an entry is a number", entry(`3`), "entry 1 of the history: an object belongs there, not number"},
		{"an action is a text", entry(`{"model_output":{"action":["click"]}}`), "entry 1 of the history: action 0: an object belongs there, not string"},
		{"actions are an object", entry(`{"model_output":{"action":{}}}`), "model_output.action: a list belongs there, not object"},
		{"a coordinate is a word", entry(`{"model_output":{"action":[{"click":{"coordinate_x":"left","coordinate_y":1}}]}}`), `action 0: click: coordinate_x is "left"`},
		{"a coordinate beyond screens", entry(`{"model_output":{"action":[{"click":{"coordinate_x":1e300,"coordinate_y":1}}]}}`), "coordinate_x is"},
		{"a coordinate in words of Python", entry(`{"model_output":{"action":[{"click":{"coordinate_x":"nan","coordinate_y":1}}]}}`), "coordinate_x is"},
		{"NaN", entry(`{"metadata":{"step_start_time":NaN}}`), "NaN and Infinity are no JSON"},
		{"a time beyond all measure", entry(`{"metadata":{"step_start_time":1e300}}`), "beyond all measure"},
		{"a name like a novel", entry(`{"model_output":{"action":[{"` + strings.Repeat("a", 65) + `":{}}]}}`), "a name of 65 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := collect("-", Auto, c.text+"\n"+one("next"))
			if len(got) != 2 || !strings.Contains(got[0], "line 1 (byte 0): ") ||
				!strings.Contains(got[0], c.want) || got[1] != "next@2" {
				t.Errorf("%q, want %s", got, c.want)
			}
		})
	}
}
