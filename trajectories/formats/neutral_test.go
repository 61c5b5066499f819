package formats

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// readOne reads one trajectory in the neutral form.
func readOne(t testing.TB, text string) *Run {
	t.Helper()
	for run, err := range Runs("-", Neutral, strings.NewReader(text), nil) {
		must(t, err)
		return run
	}
	t.Fatal("no run")
	return nil
}

func TestNeutralActions(t *testing.T) {
	at := &cua.Point{X: 4, Y: 5}
	for _, c := range []struct {
		step string
		want cua.Action
	}{
		{`"click","x":4,"y":5`, cua.Action{Kind: cua.Click, Point: at}},
		{`"Click","x":4`, cua.Action{Kind: cua.Click}},
		{`"double_click"`, cua.Action{Kind: cua.DoubleClick}},
		{`"right_click"`, cua.Action{Kind: cua.RightClick}},
		{`"triple_click"`, cua.Action{Kind: cua.TripleClick}},
		{`"hover"`, cua.Action{Kind: cua.Hover}},
		{`"drag","x":4,"y":5,"text":"to [146, 67.5]"`, cua.Action{Kind: cua.Drag, Point: at, To: &cua.Point{X: 146, Y: 67.5}}},
		{`"drag","text":"to the basket"`, cua.Action{Kind: cua.Drag, Text: "to the basket"}},
		{`"type","text":"ada"`, cua.Action{Kind: cua.Type, Text: "ada"}},
		{`"key","text":"ENTER"`, cua.Action{Kind: cua.Key, Keys: "Return"}},
		{`"key","text":"'ctrl', 'v'"`, cua.Action{Kind: cua.Key, Keys: "Control+v"}},
		{`"key","text":"Shift+PageDown"`, cua.Action{Kind: cua.Key, Keys: "Shift+Page_Down"}},
		{`"key","text":"+"`, cua.Action{Kind: cua.Key, Keys: "+"}},
		{`"scroll","text":"0,-500"`, cua.Action{Kind: cua.Scroll, DY: -500}},
		{`"scroll","text":"down"`, cua.Action{Kind: cua.Scroll, Text: "down"}},
		{`"goto","text":"http://a/"`, cua.Action{Kind: cua.Navigate, URL: "http://a/"}},
		{`"back"`, cua.Action{Kind: cua.Back}},
		{`"forward"`, cua.Action{Kind: cua.Forward}},
		{`"reload"`, cua.Action{Kind: cua.Reload}},
		{`"wait","wait_ms":1500.0`, cua.Action{Kind: cua.Wait, MS: 1500}},
		{`"select","text":"Two"`, cua.Action{Kind: cua.Select, Text: "Two"}},
		{`"tab","text":"2"`, cua.Action{Kind: cua.SwitchTab, Tab: 2}},
		{`"tab","text":"http://a/"`, cua.Action{Kind: cua.SwitchTab, URL: "http://a/"}},
		{`"extract","text":"prices"`, cua.Action{Kind: cua.Extract, Text: "prices"}},
		{`"find","text":"price"`, cua.Action{Kind: cua.Find, Text: "price"}},
		{`"note","text":"n"`, cua.Action{Kind: cua.Observe, Text: "n"}},
		{`"script","text":"f()"`, cua.Action{Kind: "script", Text: "f()"}},
		{`"other"`, cua.Action{Kind: "other"}},
		{`"shake"`, cua.Action{Kind: "shake"}},
		{`"fail"`, cua.Action{Kind: cua.Done}},
		{`"done","text":"42"`, cua.Action{Kind: cua.Done, Success: true, Text: "42"}},
	} {
		run := readOne(t, `{"steps":[{"index":0,"action_type":`+c.step+`}]}`)
		s := run.History.Steps[0]
		if s.Action == nil || !reflect.DeepEqual(*s.Action, c.want) ||
			!reflect.DeepEqual(s.Proposed, c.want) || s.Failure != nil {
			t.Errorf("%s: %+v (%v), want %+v", c.step, s.Action, s.Failure, c.want)
		}
		if acts := s.Acting(); acts == (c.want.Kind == cua.Wait || c.want.Kind.ReadOnly() ||
			c.want.Kind.Ends()) {
			t.Errorf("%s: acting is %v", c.step, acts)
		}
	}
}

func TestNeutralSteps(t *testing.T) {
	run := readOne(t, `{"id":"a","source":"s","benchmark":"b","task":"t","success":true,"looping":false,"label_quality":"ok","viewport":[800,600],"steps":[
		{"index":2,"action_type":"none","error":"could not read the reply","thought":"`+strings.Repeat("é", 4000)+`"},
		{"index":3,"action_type":"none","error":"policy_denied: not there"},
		{"index":4,"action_type":"none"},
		{"index":5,"action_type":"done","text":"too early"},
		{"index":7,"action_type":"click","target":"role=button name=Next page","error":"Timeout 30000ms exceeded","tokens":900,"usd":0.01,"seconds":4},
		{"index":8,"action_type":"click","target":"#12","box":[1,2,30,40],"x":-1,"y":2.5,"error":"something","tokens_in":7,"tokens_out":2,"focus":"name"},
		{"index":9,"action_type":"done"}]}`)
	if run.ID != "a" || run.Source != "s" || run.Benchmark != "b" || run.Task != "t" || !*run.Success ||
		*run.Looping || run.Quality != "ok" || run.End != cua.EndDone || run.Format != Neutral {
		t.Errorf("%+v", run)
	}
	if !reflect.DeepEqual(run.Index, []int{2, 3, 4, 5, 7, 8, 9}) {
		t.Error(run.Index)
	}
	steps := run.History.Steps
	for i, want := range []struct {
		kind       cua.FailureKind
		dispatched bool
	}{{cua.FailSchema, false}, {cua.FailPolicy, false}, {"", false}, {cua.FailDoneRefused, false},
		{cua.FailTimeout, true}, {cua.FailExec, true}, {"", true}} {
		var got cua.FailureKind
		if f := steps[i].Failure; f != nil {
			got = f.Kind
		}
		if got != want.kind || steps[i].HasAction() != want.dispatched || steps[i].N != i+1 ||
			steps[i].Decision != i+1 {
			t.Errorf("step %d: %q, dispatched %v", i, got, steps[i].HasAction())
		}
	}
	next, place := steps[4], steps[5]
	if next.Target.Role != "button" || next.Target.Name != "Next page" || !next.Target.Identified() ||
		next.Usage.Tokens() != 900 || *next.Usage.USD != 0.01 || next.Timing.Total() != 4000 {
		t.Errorf("%+v", next)
	}
	if *place.Target.Point != (cua.Point{X: -1, Y: 2.5}) || place.Target.ID != "#12" ||
		place.Target.Box != (cua.Box{X: 1, Y: 2, W: 30, H: 40}) || place.Usage.InputTokens != 7 ||
		place.Usage.OutputTokens != 2 {
		t.Errorf("%+v", place)
	}
	if before := run.History.Before(5); before.Focus == nil || before.Focus.ID != "name" ||
		before.Viewport != (cua.Size{W: 800, H: 600}) {
		t.Errorf("%+v", before)
	}
	if n := len(steps[0].Thought); n != 4096 {
		t.Errorf("a thought of %d bytes", n)
	}
}

// TestNeutralEffects: a page is written u=url a=observation d=dom f=form, and each case is the
// pages before two clicks and after the second.
func TestNeutralEffects(t *testing.T) {
	for _, c := range []struct {
		name    string
		pages   [3]string
		effect  string // what step 0 says itself
		want    string // classes of progress, "none", or "?" for unknown
		resting bool   // whether the node after step 0 is that before it
	}{
		{"nothing known", [3]string{"", "", ""}, "", "?", true},
		{"observations equal", [3]string{"a=1", "a=1", ""}, "", "none", true},
		{"observations differ", [3]string{"a=1", "a=2", ""}, "", "dom", false},
		{"observation unknown after", [3]string{"a=1", "", ""}, "", "?", false},
		{"only urls, equal", [3]string{"u=http://x/", "u=http://x/", ""}, "", "?", true},
		{"only urls, another", [3]string{"u=http://x/", "u=http://x/2", ""}, "", "url", true},
		{"only the fragment moved", [3]string{"u=http://x/#1 a=1", "u=http://x/#2 a=1", ""}, "", "none", true},
		{"url unknown on one side", [3]string{"u=http://x/ a=1", "a=1", ""}, "", "none", false},
		{"structure equal, a moving picture beside it", [3]string{"a=1 d=1 f=1", "a=2 d=1 f=1", ""}, "", "none", true},
		{"form moved", [3]string{"a=1 d=1 f=1", "a=1 d=1 f=2", ""}, "", "form", false},
		{"form and structure moved", [3]string{"d=1 f=1", "d=2 f=2", ""}, "", "form,dom", false},
		{"no structure but a form: the picture decides", [3]string{"a=1 f=1", "a=2 f=1", ""}, "", "dom", false},
		{"structure on one side, pictures equal", [3]string{"a=1 d=1", "a=1", ""}, "", "none", true},
		{"structure on one side, forms equal", [3]string{"a=1 d=1 f=1", "a=2 f=1", ""}, "", "?", false},
		{"structure on one side, forms differ", [3]string{"d=1 f=1", "f=2", ""}, "", "form", false},
		{"structure equal, form on one side", [3]string{"d=1 f=1", "d=1", ""}, "", "?", false},
		{"structure equal, form on one side, pictures equal", [3]string{"a=1 d=1 f=1", "a=1 d=1", ""}, "", "none", true},
		{"forms alone", [3]string{"f=1", "f=1", ""}, "", "none", true},
		{"structure on one side, pictures differ", [3]string{"a=1 d=1", "a=2", ""}, "", "?", false},
		{"says yes", [3]string{"d=1", "d=1", ""}, "true", "dom", true},
		{"says yes, hashes tell what", [3]string{"d=1 f=1", "d=1 f=2", ""}, "true", "form", false},
		{"says no", [3]string{"d=1", "d=2", ""}, "false", "none", true},
		{"says no where nothing is known", [3]string{"", "", ""}, "false", "none", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			names := strings.NewReplacer("u=", `"url":"`, "a=", `"observation_hash":"`, "d=", `"dom_hash":"`, "f=", `"form_hash":"`, " ", `",`)
			page := func(i int) string {
				if c.pages[i] == "" {
					return ""
				}
				return "," + names.Replace(c.pages[i]) + `"`
			}
			effect := ""
			if c.effect != "" {
				effect = `,"effect":` + c.effect
			}
			run := readOne(t, fmt.Sprintf(`{"steps":[{"index":0,"action_type":"click"%s%s},{"index":1,"action_type":"click"%s}]}`, page(0), effect, page(1)))
			if got := progress(run.History.Steps[0].Effect); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if x := run.History.Samples()[0]; (x.Before == x.After) != c.resting {
				t.Errorf("nodes %q and %q", x.Before, x.After)
			}
		})
	}
}

// TestNeutralScroll: where structure does not say how far a page is scrolled, the picture does, unless
// it moves by itself. Each case is what was done and the digest of the picture before it; structure and
// form are always the same.
func TestNeutralScroll(t *testing.T) {
	for _, c := range []struct{ name, steps, want string }{
		{"down a page, and at its end", "scroll:1 scroll:2 key=Page_Down:3 scroll:4 scroll:4", "scroll scroll scroll none none"},
		{"a look on the way", "scroll:1 extract:2 scroll:2 scroll:3", "scroll none scroll none"},
		{"a click into a field, then down", "click:1 scroll:2 scroll:3 scroll:4", "none scroll scroll none"},
		{"beside a clock", "click:1 click:2 scroll:3 click:4 scroll:5 scroll:6", "none none none none none none"},
		{"the clock has stopped", "click:1 click:2 click:3 click:3 scroll:4 scroll:5", "none none none none scroll none"},
		{"keys that do not scroll", "key=Tab:1 key=Tab:2 key=Tab:3", "none none none"},
	} {
		var lines []string
		last := ""
		for i, s := range strings.Fields(c.steps) {
			word, all, _ := strings.Cut(s, ":")
			kind, text, _ := strings.Cut(word, "=")
			lines = append(lines, fmt.Sprintf(`{"index":%d,"action_type":%q,"text":%q,"dom_hash":"d","form_hash":"f","observation_hash":%q}`, i, kind, text, all))
			last = all
		}
		run := readOne(t, fmt.Sprintf(`{"final_dom_hash":"d","final_form_hash":"f","final_observation_hash":%q,"steps":[%s]}`, last, strings.Join(lines, ",")))
		var got []string
		for _, x := range run.History.Samples() {
			got = append(got, progress(x.Step.Effect))
			if scrolled := got[len(got)-1] == "scroll"; scrolled != x.New {
				t.Errorf("%s: step %d: new is %v", c.name, x.Step.N, x.New)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.name, got, c.want)
		}
	}
}

// progress are the classes of e, "none", or "?" for unknown.
func progress(e *cua.Effect) string {
	if e == nil {
		return "?"
	}
	var out []string
	for _, c := range e.Progress {
		out = append(out, string(c))
	}
	if out == nil {
		return "none"
	}
	return strings.Join(out, ",")
}

func TestNeutralFinalPage(t *testing.T) {
	for _, c := range []struct{ name, final, page, want string }{
		{"unknown", "", `"observation_hash":"1"`, "?"},
		{"the same", `"final_observation_hash":"1"`, `"observation_hash":"1"`, "none"},
		{"another", `"final_observation_hash":"2"`, `"observation_hash":"1"`, "dom"},
		{"another place", `"final_url":"http://b/"`, `"url":"http://a/"`, "url"},
		{"a picture cannot be compared with structure", `"final_observation_hash":"2"`, `"observation_hash":"1","dom_hash":"1"`, "?"},
		{"structure too", `"final_dom_hash":"1","final_form_hash":"2"`, `"dom_hash":"1","form_hash":"1"`, "form"},
	} {
		run := readOne(t, "{"+strings.TrimPrefix(c.final+",", ",")+`"steps":[{"index":0,"action_type":"click",`+c.page+`}]}`)
		if got := progress(run.History.Steps[0].Effect); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestNeutralDecisions(t *testing.T) {
	run := readOne(t, `{"final_observation_hash":"3","steps":[
		{"index":0,"decision":7,"action_type":"type","observation_hash":"1"},
		{"index":1,"decision":7,"action_type":"none","error":"x"},
		{"index":2,"decision":7,"action_type":"click","effect":false},
		{"index":3,"decision":4,"action_type":"click","observation_hash":"2"},
		{"index":4,"action_type":"click","observation_hash":"2"},
		{"index":5,"action_type":"click","observation_hash":"3"}]}`)
	h := run.History
	for i, want := range []struct {
		decision int
		effect   string
		after    string
	}{{1, "dom", "1"}, {1, "?", "1"}, {1, "none", "2"}, {2, "none", "2"}, {3, "dom", "3"}, {4, "none", "3"}} {
		s := h.Steps[i]
		if s.Decision != want.decision || progress(s.Effect) != want.effect ||
			s.After.DOMDigest != want.after {
			t.Errorf("step %d: decision %d, effect %s, after %q", i, s.Decision, progress(s.Effect),
				s.After.DOMDigest)
		}
	}
	if h.Start.DOMDigest != "1" {
		t.Error(h.Start.DOMDigest)
	}
}

func TestNeutralMistakes(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"index is a text", `{"steps":[{"index":"0","action_type":"click"}]}`, "step 1 of the list: index: a number belongs there, not string"},
		{"index with a fraction", `{"steps":[{"index":0.5,"action_type":"click"}]}`, "index is 0.5"},
		{"index below 0", `{"steps":[{"index":-1,"action_type":"click"}]}`, "index is -1"},
		{"index twice", `{"steps":[{"index":3,"action_type":"click"},{"index":3,"action_type":"click"}]}`, "step 2 of the list: index 3 after 3: they must rise"},
		{"index falls", `{"steps":[{"index":3,"action_type":"click"},{"index":2,"action_type":"click"}]}`, "index 2 after 3"},
		{"no action_type", `{"steps":[{"index":0}]}`, "action_type is missing"},
		{"a novel as action_type", `{"steps":[{"index":0,"action_type":"` + strings.Repeat("a", 65) + `"}]}`, "action_type of 65 bytes"},
		{"NaN", `{"steps":[{"index":0,"action_type":"click","x":NaN,"y":1}]}`, "NaN and Infinity are no JSON"},
		{"minus infinity", `{"steps":[{"index":0,"action_type":"click","x":-Infinity,"y":1}]}`, "NaN and Infinity are no JSON"},
		{"beyond floats", `{"steps":[{"index":0,"action_type":"click","x":1e999,"y":1}]}`, "x: a number belongs there, not number 1e999"},
		{"beyond screens", `{"steps":[{"index":0,"action_type":"click","x":1,"y":-1000001}]}`, "y is -1.000001e+06"},
		{"coordinate is a text", `{"steps":[{"index":0,"action_type":"click","x":"12","y":1}]}`, "x: a number belongs there, not string"},
		{"box of two", `{"steps":[{"index":0,"action_type":"click","box":[1,2]}]}`, "box is [1 2]: x, y, width and height belong there"},
		{"box beyond screens", `{"steps":[{"index":0,"action_type":"click","box":[1,2,3e6,4]}]}`, "box is [1 2 3e+06 4]"},
		{"tokens below 0", `{"steps":[{"index":0,"action_type":"click","tokens":-5}]}`, "tokens is -5"},
		{"effect is a text", `{"steps":[{"index":0,"action_type":"click","effect":"yes"}]}`, "effect: true or false belongs there, not string"},
		{"a step is a number", `{"steps":[3]}`, "step 1 of the list: an object belongs there, not number"},
		{"a step is null", `{"steps":[null]}`, "action_type is missing"},
		{"steps are null", `{"steps":null}`, "steps: a list belongs there"},
		{"steps are an object", `{"steps":{}}`, "steps: a list belongs there"},
		{"id is a number", `{"id":4,"steps":[]}`, "id: a text belongs there, not number"},
		{"viewport of one", `{"viewport":[1280],"steps":[]}`, "viewport: width and height belong there, not 1 numbers"},
		{"viewport of texts", `{"viewport":["a","b"],"steps":[]}`, "a number belongs there, not string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := collect("-", Auto, c.text+"\n"+one("next"))
			if len(got) != 2 || !strings.Contains(got[0], "trajectories: reading -: line 1 (byte 0): ") ||
				!strings.Contains(got[0], c.want) || got[1] != "next@2" {
				t.Errorf("%q, want %s", got, c.want)
			}
		})
	}
}

func TestNeutralWithoutSteps(t *testing.T) {
	run := readOne(t, `{"id":"a","final_url":"http://a/","steps":[]}`)
	if len(run.History.Steps) != 0 || len(run.Index) != 0 || run.History.Now().URL != "http://a/" ||
		run.End != "" {
		t.Errorf("%+v", run)
	}
}

// TestNeutralPage reads the example of the page that explains the form, and looks for each field there.
func TestNeutralPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/trajectories-neutral.md")
	must(t, err)
	_, rest, _ := strings.Cut(string(page), "```json\n")
	example, rest, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("no example")
	}
	run := readOne(t, example)
	if run.ID != "run-17" || len(run.History.Steps) != 4 || run.History.Start.Viewport.W != 1280 {
		t.Errorf("%+v", run)
	}
	for i, want := range []string{"?", "form", "none", "none"} {
		if got := progress(run.History.Steps[i].Effect); got != want {
			t.Errorf("step %d: %s, want %s", i, got, want)
		}
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[neutralHead](), reflect.TypeFor[neutralStep]()} {
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if !strings.Contains(rest, "`"+name+"`") {
				t.Errorf("the tables do not name %s", name)
			}
		}
	}
}
