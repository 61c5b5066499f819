package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// half is a picture of half the size of the page.
var half = model.Screen{View: cua.Size{W: 1280, H: 800}, Size: cua.Size{W: 640, H: 400}}

func spell(t *testing.T, a cua.Action) string {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestActions(t *testing.T) {
	for _, row := range []struct{ name, wire, want string }{
		{"a click", `{"type":"click","button":"left","x":10,"y":20}`, `{"kind":"click","point":{"x":20.5,"y":40.5}}`},
		{"a right click", `{"type":"click","button":"right","x":10,"y":20,"keys":null}`, `{"kind":"right_click","point":{"x":20.5,"y":40.5}}`},
		{"the wheel", `{"type":"click","button":"wheel","x":10,"y":20,"keys":[]}`, `{"kind":"middle_click","point":{"x":20.5,"y":40.5}}`},
		{"the button back", `{"type":"click","button":"back","x":10,"y":20}`, `{"kind":"back"}`},
		{"the button forward", `{"type":"click","button":"forward","x":10,"y":20}`, `{"kind":"forward"}`},
		{"a double click", `{"type":"double_click","x":0,"y":0,"keys":null}`, `{"kind":"double_click","point":{"x":0.5,"y":0.5}}`},
		{"a move", `{"type":"move","x":639,"y":399}`, `{"kind":"hover","point":{"x":1278.5,"y":798.5}}`},
		{"a drag by its ends", `{"type":"drag","path":[{"x":0,"y":0},{"x":5,"y":9},{"x":10,"y":0}]}`, `{"kind":"drag","point":{"x":0.5,"y":0.5},"to":{"x":20.5,"y":0.5}}`},
		{"a scroll in the picture's pixels", `{"type":"scroll","x":0,"y":0,"scroll_x":-10,"scroll_y":150}`, `{"kind":"scroll","point":{"x":0.5,"y":0.5},"dx":-20,"dy":300}`},
		{"a chord in upper case", `{"type":"keypress","keys":["CTRL","A"]}`, `{"kind":"key","keys":"Control+a"}`},
		{"a letter is the key", `{"type":"keypress","keys":["A"]}`, `{"kind":"key","keys":"a"}`},
		{"two modifiers", `{"type":"keypress","keys":["SHIFT","CTRL","ArrowLeft"]}`, `{"kind":"key","keys":"Control+Shift+Left"}`},
		{"keys one after another", `{"type":"keypress","keys":["TAB","TAB","ENTER"]}`, `{"kind":"key","keys":"Tab Tab Return"}`},
		{"a modifier holds for what is behind it", `{"type":"keypress","keys":["SHIFT","TAB","TAB"]}`, `{"kind":"key","keys":"Shift+Tab Shift+Tab"}`},
		{"a modifier alone", `{"type":"keypress","keys":["SHIFT"]}`, `{"kind":"key","keys":"Shift"}`},
		{"the space bar", `{"type":"keypress","keys":[" "]}`, `{"kind":"key","keys":"space"}`},
		{"text", `{"type":"type","text":"Hello\nyou"}`, `{"kind":"type","text":"Hello\nyou"}`},
		{"a wait", `{"type":"wait"}`, `{"kind":"wait","ms":2000}`},
		{"a look", `{"type":"screenshot"}`, `{"kind":"observe"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, bad := action(row.wire, half)
			if got := spell(t, a); bad != nil || got != row.want {
				t.Errorf("got  %s %v\nwant %s", got, bad, row.want)
			}
		})
	}
}

func TestBadActions(t *testing.T) {
	for _, row := range []struct {
		name, wire string
		kind       cua.FailureKind
	}{
		{"no JSON", `{"type":`, cua.FailSchema},
		{"a place in words", `{"type":"click","button":"left","x":"left","y":1}`, cua.FailSchema},
		{"no place", `{"type":"click","button":"left"}`, cua.FailSchema},
		{"half a place", `{"type":"move","x":1}`, cua.FailSchema},
		{"outside", `{"type":"click","button":"left","x":640,"y":1}`, cua.FailSchema},
		{"before the picture", `{"type":"double_click","x":-1,"y":1}`, cua.FailSchema},
		{"a drag from outside", `{"type":"drag","path":[{"x":900,"y":0},{"x":1,"y":1}]}`, cua.FailSchema},
		{"a drag with one end", `{"type":"drag","path":[{"x":1,"y":0}]}`, cua.FailSchema},
		{"a scroll to nowhere", `{"type":"scroll","x":1,"y":1,"scroll_x":0,"scroll_y":0}`, cua.FailSchema},
		{"a scroll at no place", `{"type":"scroll","scroll_y":9}`, cua.FailSchema},
		{"no text", `{"type":"type"}`, cua.FailSchema},
		{"an unknown action", `{"type":"teleport"}`, cua.FailUnknownAction},
		{"no action", `{}`, cua.FailUnknownAction},
		{"an unknown button", `{"type":"click","button":"third","x":1,"y":1}`, cua.FailUnknownAction},
		{"an unknown key", `{"type":"keypress","keys":["CTRL","WARP"]}`, cua.FailUnknownAction},
		{"no key", `{"type":"keypress","keys":[]}`, cua.FailUnknownAction},
		{"a held key", `{"type":"click","button":"left","x":1,"y":1,"keys":["CTRL"]}`, cua.FailUnknownAction},
		{"a NUL key", `{"type":"keypress","keys":["\u0000"]}`, cua.FailUnknownAction},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, bad := action(row.wire, half)
			if bad == nil || bad.Kind != row.kind || bad.Raw != row.wire {
				t.Errorf("got %s %+v, want %s", spell(t, a), bad, row.kind)
			}
		})
	}
}

func TestFunctions(t *testing.T) {
	for _, row := range []struct{ name, function, args, want string }{
		{"navigate", "navigate", `{"url":"example.org/a"}`, `{"kind":"navigate","url":"https://example.org/a"}`},
		{"reload", "reload", `{}`, `{"kind":"reload"}`},
		{"reload without arguments", "reload", ``, `{"kind":"reload"}`},
		{"an option", "select_option", `{"x":1,"y":2,"option":"Norway"}`, `{"kind":"select","point":{"x":2.5,"y":4.5},"text":"Norway"}`},
		{"a dialog", "answer_dialog", `{"accept":true,"text":"x"}`, `{"kind":"dialog","text":"x","accept":true}`},
		{"a tab", "switch_tab", `{"tab":2}`, `{"kind":"switch_tab","tab":2}`},
		{"done", "done", `{"success":true,"answer":"42"}`, `{"kind":"done","text":"42","success":true}`},
		{"not done", "done", `{"success":false,"answer":"no such page"}`, `{"kind":"done","text":"no such page"}`},
		{"a question", "ask", `{"question":"Which?"}`, `{"kind":"ask","text":"Which?"}`},
		{"read", "read_page", `{}`, `{"kind":"extract"}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, bad := call(row.function, row.args, half)
			if got := spell(t, a); bad != nil || got != row.want {
				t.Errorf("got  %s %v\nwant %s", got, bad, row.want)
			}
		})
	}
	for _, row := range []struct {
		name, function, args string
		kind                 cua.FailureKind
	}{
		{"unknown", "launch", `{}`, cua.FailUnknownAction},
		{"no JSON", "navigate", `url=x`, cua.FailSchema},
		{"a list", "navigate", `["x"]`, cua.FailSchema},
		{"a missing argument", "done", `{"answer":"x"}`, cua.FailSchema},
		{"null", "ask", `{"question":null}`, cua.FailSchema},
		{"a wrong type", "switch_tab", `{"tab":"two"}`, cua.FailSchema},
		{"a scheme that is not opened", "navigate", `{"url":"file:///etc/passwd"}`, cua.FailSchema},
		{"outside", "select_option", `{"x":5000,"y":2,"option":"a"}`, cua.FailSchema},
	} {
		t.Run(row.name, func(t *testing.T) {
			if a, bad := call(row.function, row.args, half); bad == nil || bad.Kind != row.kind {
				t.Errorf("got %s %+v, want %s", spell(t, a), bad, row.kind)
			}
		})
	}
}

// TestFunctionsAreStrict: a strict function requires all its arguments and allows no others.
func TestFunctionsAreStrict(t *testing.T) {
	for _, f := range functions() {
		p := f.parameters()
		if len(p["required"].([]string)) != len(p["properties"].(map[string]any)) ||
			p["additionalProperties"] != false || f.help == "" {
			t.Errorf("%s is not strict: %v", f.name, p)
		}
	}
}

func FuzzAction(f *testing.F) {
	f.Add(`{"type":"click","button":"left","x":10,"y":20}`)
	f.Add(`{"type":"keypress","keys":["CTRL","A"]}`)
	f.Add(`{"type":"drag","path":[{"x":0,"y":0},{"x":1e999,"y":9}]}`)
	f.Add(`{"type":"scroll","x":0,"y":0,"scroll_x":-1e308,"scroll_y":1e308}`)
	f.Fuzz(func(t *testing.T, raw string) {
		a, bad := action(raw, half)
		if bad != nil {
			if bad.Kind != cua.FailSchema && bad.Kind != cua.FailUnknownAction || bad.Detail == "" ||
				len(bad.Raw) > 4<<10 {
				t.Fatalf("%+v", bad)
			}
			return
		}
		if err := a.Validate(half.View); err != nil && !strings.Contains(err.Error(), "needs") {
			t.Fatalf("%s: %v", spell(t, a), err)
		}
	})
}
