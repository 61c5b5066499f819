package dialect

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// page is a screen whose pixels are CSS pixels.
var page = model.Screen{View: cua.Size{W: 1280, H: 800}, Size: cua.Size{W: 1280, H: 800}}

// read is what a text asks for: the actions of all calls, or the first failure.
func read(text string) ([]cua.Action, *cua.Failure) {
	s, err := Parse(text)
	if err != nil {
		return nil, &cua.Failure{Kind: cua.FailSchema, Detail: err.Error()}
	}
	h := &Hand{On: page, Thought: s.Thought}
	var out []cua.Action
	for _, c := range s.Calls {
		a, bad := h.Actions(c)
		if bad != nil {
			return nil, bad
		}
		out = append(out, a...)
	}
	return out, nil
}

func spell(a cua.Action) string {
	s := string(a.Kind)
	for _, p := range []*cua.Point{a.Point, a.To} {
		if p != nil {
			s += fmt.Sprintf(" %g,%g", p.X, p.Y)
		}
	}
	if a.DX != 0 || a.DY != 0 {
		s += fmt.Sprintf(" by %g,%g", a.DX, a.DY)
	}
	if a.Kind == cua.Wait {
		s += fmt.Sprintf(" %d", a.MS)
	}
	if a.Kind == cua.Done {
		s += fmt.Sprintf(" %v", a.Success)
	}
	if a.Clear {
		s += " clear"
	}
	for _, t := range []string{a.Text, a.Keys, a.URL} {
		if t != "" {
			s += fmt.Sprintf(" %q", t)
		}
	}
	return s
}

func spellAll(actions []cua.Action) string {
	var out []string
	for _, a := range actions {
		out = append(out, spell(a))
	}
	return strings.Join(out, "; ")
}

func TestDialects(t *testing.T) {
	tag := func(args string) string {
		return "I see it.\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": " + args +
			"}\n</tool_call>"
	}
	for _, row := range []struct{ name, text, want string }{
		{"qwen: a click", tag(`{"action": "left_click", "coordinate": [512, 384]}`), `click 512,384`},
		{"qwen: no end tag", strings.TrimSuffix(tag(`{"action": "left_click", "coordinate": [5, 6]}`), "</tool_call>"), `click 5,6`},
		{"qwen: two calls", tag(`{"action": "left_click", "coordinate": [5, 6]}`) + tag(`{"action": "type", "text": "x"}`), `click 5,6; type "x"`},
		{"qwen: keys", tag(`{"action": "key", "keys": ["ctrl", "c"]}`), `key "Control+c"`},
		{"qwen: keys joined", tag(`{"action": "key", "keys": ["ctrl+shift+t"]}`), `key "Control+Shift+t"`},
		{"qwen: a key typed as text", tag(`{"action": "key", "text": "Return"}`), `key "Return"`},
		{"qwen: plus itself", tag(`{"action": "key", "keys": ["ctrl", "+"]}`), `key "Control++"`},
		{"qwen: scroll up is positive", tag(`{"action": "scroll", "coordinate": [1, 2], "pixels": 300}`), `scroll 1,2 by 0,-300`},
		{"qwen: a few pixels are notches", tag(`{"action": "scroll", "pixels": -5}`), `scroll by 0,500`},
		{"qwen: sideways", tag(`{"action": "hscroll", "pixels": -200}`), `scroll by 200,0`},
		{"qwen: wait", tag(`{"action": "wait", "time": 2}`), `wait 2000`},
		{"qwen: a long wait", tag(`{"action": "wait", "time": 600}`), `wait 60000`},
		{"qwen: terminate", tag(`{"action": "terminate", "status": "success"}`), `done true "I see it."`},
		{"qwen: terminate without success", tag(`{"action": "terminate", "status": "failure"}`), `done false "I see it."`},
		{"qwen: answer", tag(`{"action": "answer", "text": "42"}`), `done true "42"`},
		{"qwen: a drag from where the pointer was", tag(`{"action": "mouse_move", "coordinate": [1, 1]}`) + tag(`{"action": "left_click_drag", "coordinate": [9, 9]}`), `hover 1,1; drag 1,1 9,9`},
		{"qwen: a number is typed", tag(`{"action": "type", "text": 42}`), `type "42"`},
		{"qwen3.5: xml", "<tool_call>\n<function=computer_use>\n<parameter=action>\nleft_click\n</parameter>\n<parameter=coordinate>\n[3, 4]\n</parameter>\n</function>\n</tool_call>", `click 3,4`},
		{"thinking is taken off", "<think>{\"action\": \"wait\"}</think>" + tag(`{"action": "left_click", "coordinate": [5, 6]}`), `click 5,6`},
		{"fara: type and send", tag(`{"action": "type", "coordinate": [7, 8], "text": "cats", "press_enter": true, "delete_existing_text": true}`), `type 7,8 clear "cats"; key "Return"`},
		{"fara: visit", tag(`{"action": "visit_url", "url": "example.org/a"}`), `navigate "https://example.org/a"`},
		{"fara: search", tag(`{"action": "web_search", "query": "a b"}`), `navigate "https://www.bing.com/search?q=a+b"`},
		{"fara: memorize", tag(`{"action": "pause_and_memorize_fact", "fact": "it is 5"}`), `observe`},
		{"bare JSON", `{"thought": "now", "action": "left_click", "coordinate": [1, 2], "text": null}`, `click 1,2`},
		{"bare JSON behind words", `I will click. {"action": "left_click", "coordinate": [1, 2]} That is it.`, `click 1,2`},
		{"fenced JSON", "Sure:\n```json\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"wait\", \"seconds\": 1}}\n```", `wait 1000`},
		{"arguments as text", `{"name": "computer_use", "arguments": "{\"action\": \"left_click\", \"coordinate\": [1, 2]}"}`, `click 1,2`},
		{"a list of calls", `[{"action": "left_click", "coordinate": [1, 2]}, {"action": "key", "keys": ["Tab"]}]`, `click 1,2; key "Tab"`},
		{"the name is the verb", `{"name": "click", "arguments": {"x": 10, "y": 20}}`, `click 10,20`},
		{"default: a drag", `{"action": "left_click_drag", "coordinate": [1, 2], "end_coordinate": [3, 4]}`, `drag 1,2 3,4`},
		{"default: scroll", `{"action": "scroll", "coordinate": [1, 2], "direction": "down", "amount": 3}`, `scroll 1,2 by 0,300`},
		{"holo", `{"note": null, "thought": "go", "tool_call": {"tool_name": "click", "element": "button", "x": 932, "y": 80}}`, `click 932,80`},
		{"holo: write", `{"note": "n", "thought": "t", "tool_call": {"tool_name": "write", "content": "abc", "press_enter": true}}`, `type "abc"; key "Return"`},
		{"holo: answer", `{"note": null, "thought": "t", "tool_call": {"tool_name": "answer", "content": "done it"}}`, `done true "done it"`},
		{"ui-tars", "Thought: I see.\nAction: click(start_box='(100,200)')", `click 100,200`},
		{"ui-tars: tokens", "Thought: x\nAction: click(start_box='<|box_start|>(100,200)<|box_end|>')", `click 100,200`},
		{"ui-tars: point", "Action: left_double(point='<point>10 20</point>')", `double_click 10,20`},
		{"ui-tars: a box", "Action: right_single(start_box='[10, 20, 30, 40]')", `right_click 20,30`},
		{"ui-tars: a place without a name", "Action: click(640,374)", `click 640,374`},
		{"ui-tars: a place without a name, in brackets", "Action: left_double((10, 20))", `double_click 10,20`},
		{"ui-tars: a place without a name, and more", "Action: scroll(5, 6, direction='down')", `scroll 5,6 by 0,500`},
		{"ui-tars: drag", "Action: drag(start_box='(1,2)', end_box='(3,4)')", `drag 1,2 3,4`},
		{"ui-tars: hotkey", "Action: hotkey(key='ctrl shift t')", `key "Control+Shift+t"`},
		{"ui-tars: type and send", `Action: type(content='it\'s me\n')`, `type "it's me"; key "Return"`},
		{"ui-tars: a quote within", `Action: type(content='it's me')`, `type "it's me"`},
		{"ui-tars: a backslash that escapes nothing", `Action: type(content='C:\ünter\日本')`, `type "C:\\ünter\\日本"`},
		{"ui-tars: double quotes", `Action: type(content="say \"hi\"")`, `type "say \"hi\""`},
		{"ui-tars: scroll", "Action: scroll(point='<point>5 6</point>', direction='down')", `scroll 5,6 by 0,500`},
		{"ui-tars: wait", "Action: wait()", `wait 5000`},
		{"ui-tars: finished", "Thought: All there.\nAction: finished(content='42')", `done true "42"`},
		{"ui-tars: finished without a word", "Thought: All there.\nAction: finished()", `done true "All there."`},
		{"ui-tars: call_user", "Thought: Which one?\nAction: call_user()", `ask "Which one?"`},
		{"ui-tars: several", "Thought: x\nAction: click(start_box='(1,2)')\n\ntype(content='a')\n\nhotkey(key='enter')", `click 1,2; type "a"; key "Return"`},
		{"ui-tars: words behind", "Action: click(start_box='(1,2)')\nThen I will type.", `click 1,2`},
		{"ui-tars: a bare place", "Action: click(start_box=(1,2))", `click 1,2`},
		{"ui-tars: bold", "**Thought:** x\n**Action:** click(start_box='(1,2)')", `click 1,2`},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, bad := read(row.text)
			if bad != nil || spellAll(got) != row.want {
				t.Errorf("got  %s %v\nwant %s", spellAll(got), bad, row.want)
			}
		})
	}
}

// badReplies are replies as models gave them that no action can be read from, each with the failure that it
// is.
var badReplies = []struct {
	name, text string
	kind       cua.FailureKind
}{
	{"nothing", "", cua.FailSchema},
	{"words alone", "I would click on the Submit button.", cua.FailSchema},
	{"a thought that was cut", "<think>The button is at", cua.FailSchema},
	{"an empty tag", "<tool_call></tool_call>", cua.FailSchema},
	{"JSON that ends too early", `<tool_call>{"name": "computer_use", "arguments": {"action": "left_cl`, cua.FailSchema},
	{"bare JSON that ends too early", `{"thought": "click", "action": "left_click", "coordinate": [1,`, cua.FailSchema},
	{"Python instead of JSON", `<tool_call>{'name': 'computer_use', 'arguments': {'action': 'wait'}}</tool_call>`, cua.FailSchema},
	{"a name without an action", `<tool_call>{"arguments": {"coordinate": [1, 2]}}</tool_call>`, cua.FailSchema},
	{"a verb of nobody", `{"action": "teleport", "coordinate": [1, 2]}`, cua.FailUnknownAction},
	{"the function and no verb", `{"name": "computer_use", "arguments": {"coordinate": [1, 2]}}`, cua.FailUnknownAction},
	{"a click without a place", `{"action": "left_click", "coordinate": null}`, cua.FailSchema},
	{"one number for a place", `{"action": "left_click", "coordinate": [512]}`, cua.FailSchema},
	{"three numbers for a place", `{"action": "left_click", "coordinate": [1, 2, 3]}`, cua.FailSchema},
	{"a place in words", `{"action": "left_click", "coordinate": "top right"}`, cua.FailSchema},
	{"x without y", `{"action": "left_click", "x": 5}`, cua.FailSchema},
	{"a place outside", `{"action": "left_click", "coordinate": [5000, 10]}`, cua.FailSchema},
	{"a place before the page", `{"action": "left_click", "coordinate": [-1, 10]}`, cua.FailSchema},
	{"a drag with one end", `{"action": "left_click_drag", "coordinate": [1, 2]}`, cua.FailSchema},
	{"a type without text", `{"action": "type", "text": null}`, cua.FailSchema},
	{"a key without keys", `{"action": "key", "keys": []}`, cua.FailSchema},
	{"a scroll to nowhere", `{"action": "scroll", "coordinate": [1, 2]}`, cua.FailSchema},
	{"a scroll aside", `{"action": "scroll", "direction": "sideways"}`, cua.FailSchema},
	{"a visit without a place", `{"action": "visit_url", "url": null}`, cua.FailSchema},
	{"a wait until Monday", `{"action": "wait", "seconds": "Monday"}`, cua.FailSchema},
	{"ui-tars: no call", "Thought: hm\nAction: I click it", cua.FailSchema},
	{"ui-tars: nothing behind it", "Thought: hm\nAction:", cua.FailSchema},
	{"ui-tars: no end", "Action: click(start_box='(1,2)", cua.FailSchema},
	{"ui-tars: a phone", "Action: press_home()", cua.FailUnknownAction},
	{"ui-tars: a box of words", "Action: click(start_box='the button')", cua.FailSchema},
	{"seventeen calls", strings.Repeat(`<tool_call>{"name":"wait","arguments":{}}</tool_call>`, MaxCalls+1), cua.FailSchema},
}

func TestBadReplies(t *testing.T) {
	for _, row := range badReplies {
		t.Run(row.name, func(t *testing.T) {
			got, bad := read(row.text)
			if bad == nil {
				t.Fatalf("read as %s", spellAll(got))
			}
			if bad.Kind != row.kind || bad.Detail == "" {
				t.Errorf("got %s (%s), want %s", bad.Kind, bad.Detail, row.kind)
			}
		})
	}
}

// A text that is cut ends as every clip does, so that a secret that was cut is still found.
func TestALongReplyIsClipped(t *testing.T) {
	s, _ := Parse(strings.Repeat("word ", maxText))
	if len(s.Thought) > maxText+len("…") || !strings.HasSuffix(s.Thought, "…") {
		t.Errorf("%d bytes that end in %q", len(s.Thought), s.Thought[max(0, len(s.Thought)-9):])
	}
}

func TestTheOrderOfDialects(t *testing.T) {
	tag := `<tool_call>{"name": "wait", "arguments": {"seconds": 1}}</tool_call>`
	bare := `{"action": "wait", "seconds": 2}`
	line := "Action: wait(seconds='3')"
	for _, row := range []struct{ name, text, want string }{
		{"tags before JSON and lines", line + "\n" + bare + "\n" + tag, "wait 1000"},
		{"JSON before lines", line + "\n" + bare, "wait 2000"},
		{"lines last", line, "wait 3000"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got, bad := read(row.text); spellAll(got) != row.want {
				t.Errorf("got %s %v, want %s", spellAll(got), bad, row.want)
			}
		})
	}
}

// check is what holds for every text: it is read or said to be bad, and what it asks for is finite and has a
// place inside.
func check(t *testing.T, text string) {
	s, err := Parse(text)
	if err == nil && len(s.Calls) == 0 {
		t.Fatal("no call and no error")
	}
	if errors.Is(err, ErrNoCall) && len(s.Calls) > 0 {
		t.Fatal("calls, and none")
	}
	got, bad := read(text)
	if bad != nil {
		if !slices.Contains([]cua.FailureKind{cua.FailSchema, cua.FailUnknownAction}, bad.Kind) ||
			len(bad.Raw) > 4<<10 {
			t.Fatalf("failure %s with %d bytes", bad.Kind, len(bad.Raw))
		}
		return
	}
	if len(got) > 2*MaxCalls {
		t.Fatalf("%d actions", len(got))
	}
	for _, a := range got {
		for _, v := range []float64{a.DX, a.DY} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%s", spell(a))
			}
		}
		for _, p := range []*cua.Point{a.Point, a.To} {
			if p != nil && !(p.X >= 0 && p.Y >= 0 && p.X < 1280 && p.Y < 800) {
				t.Fatalf("outside: %s", spell(a))
			}
		}
		if a.Kind == cua.Wait && (a.MS < 1 || a.MS > 60_000) {
			t.Fatalf("%s", spell(a))
		}
	}
}

func seeds(f *testing.F) {
	for _, row := range badReplies {
		f.Add(row.text)
	}
	for _, s := range []string{
		"I see it.\n<tool_call>\n{\"name\": \"computer_use\", \"arguments\": {\"action\": \"left_click\", \"coordinate\": [512, 384]}}\n</tool_call>",
		"<tool_call><function=computer_use><parameter=action>scroll</parameter><parameter=pixels>-3</parameter></function></tool_call>",
		"```json\n{\"thought\":\"x\",\"tool_call\":{\"tool_name\":\"write\",\"content\":\"a\",\"x\":1,\"y\":2}}\n```",
		"Thought: x\nAction: drag(start_box='<|box_start|>(1,2)<|box_end|>', end_box='[3,4,5,6]')\n\ntype(content='it\\'s\\n')",
	} {
		f.Add(s)
	}
}

func FuzzParseText(f *testing.F) {
	seeds(f)
	f.Fuzz(check)
}

func FuzzParseTags(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) { check(t, openTag+text+closeTag) })
}

func FuzzParseJSON(f *testing.F) {
	f.Add(`"left_click","coordinate":[1,2]`)
	f.Add(`"scroll","pixels":-3,"x":1,"y":"2"`)
	f.Fuzz(func(t *testing.T, text string) { check(t, `{"action":`+text+`}`) })
}

func FuzzParseActions(f *testing.F) {
	f.Add("click(start_box='(1,2)')")
	f.Add("type(content='it's', x=\"\\\"\")\n\nhotkey(key='ctrl c')")
	f.Fuzz(func(t *testing.T, text string) { check(t, "Thought: x\nAction: "+text) })
}
