package brain

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestParseScriptErrors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", "it has no actions"},
		{"only comments", "# nothing\n\n", "it has no actions"},
		{"an action that is unknown", `{"kind":"jump"}`, `line 1: unknown action kind "jump"`},
		{"a click without a place, second line", "{\"kind\":\"key\",\"keys\":\"Tab\"}\n{\"kind\":\"click\"}", "line 2: click: needs a point or a mark"},
		{"comments and empty lines count", "# a\n\n{\"kind\":\"wait\"}", "line 3: wait: ms must be 1 to 60000, not 0"},
		{"a field that does not exist", `{"kind":"key","key":"Tab"}`, `line 1: unknown field "key"`},
		{"a field of another type", `{"kind":"wait","ms":"1s"}`, `line 1: field "ms" takes int, not string`},
		{"cut off", `{"kind":"wait",`, "line 1: the JSON ends too early"},
		{"two on a line", `{"kind":"reload"} {"kind":"reload"}`, "line 1: expected the end of the entry after the object"},
		{"no object", `"click"`, "line 1: not a JSON object"},
		{"null", "null", "line 1: not a JSON object"},
		{"nth needs on", `{"kind":"click","point":{"x":1,"y":1},"nth":2}`, "line 1: nth needs on"},
		{"negative nth", `{"kind":"click","on":"a","nth":-1}`, "line 1: nth must be 1 or more, got -1"},
		{"an array names line and entry", "[\n {\"kind\":\"reload\"},\n {\"kind\":\"select\",\n  \"on\":\"Country\"}\n]", "line 3, entry 2: select: needs a point or a mark, and the text of an option"},
		{"an empty array", "[]", "it has no actions"},
		{"an array cut off", `[{"kind":"reload"}`, "line 1: the JSON ends too early"},
		{"an array with a slip", "[\n{\"kind\":\"reload\"}\n{\"kind\":\"reload\"}]", "line 3, entry 2: expected comma after array element"},
		{"something after the array", "[{\"kind\":\"reload\"}]\nx", "line 1: expected the end of the file after the array"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseScript("s.jsonl", []byte(tt.in))
			if got, want := errText(err), "brain: reading script s.jsonl: "+tt.want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestScriptFormsAreOne(t *testing.T) {
	lines, err := ParseScript("a",
		[]byte("# sign in\n{\"kind\":\"click\",\"on\":\"role=button name=Sign "+
			"in\",\"thought\":\"go\"}\n\n{\"kind\":\"done\",\"success\":true,\"text\":\"in\"}\n"))
	if err != nil {
		t.Fatal(err)
	}
	array, err := ParseScript("b", []byte(`[{"kind":"click","on":"role=button name=Sign in","thought":"go"}, {"kind":"done","success":true,"text":"in"}]`))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(lines, array) || len(lines) != 2 || lines[0].On != "role=button name=Sign in" ||
		!lines[1].Success {
		t.Errorf("lines %+v, array %+v", lines, array)
	}
}

func TestLoadScript(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if _, err := LoadScript(path); !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("a missing file: %v", err)
	}
	if err := os.WriteFile(path, []byte(`{"kind":"reload"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err := LoadScript(path); err != nil || len(s) != 1 {
		t.Errorf("got %v, %v", s, err)
	}
}

func TestScriptedDecides(t *testing.T) {
	b := Scripted{Script: []cua.Scripted{
		{Action: cua.Action{Kind: cua.Click}, On: "save", Thought: "save it"},
		{Action: cua.Action{Kind: cua.Click}, On: "Publish"},
		{Action: cua.Action{Kind: cua.Key, Keys: "Tab"}},
	}}
	turn := now("x", cua.Observation{Marks: []cua.Mark{mark(1, "Save", 100)}})
	at := func(n int) cua.Decision {
		t.Helper()
		turn.Decision = n
		d, err := b.Decide(context.Background(), turn)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := at(1); d.Action.Point == nil || *d.Action.Point != (cua.Point{X: 150, Y: 115}) ||
		d.Thought != "save it" || d.By != "scripted" {
		t.Errorf("first: %+v", d)
	}
	if d := at(2); d.Failure == nil || d.Failure.Kind != cua.FailNotFound || d.Action.Kind != "" || d.Failure.Detail != `script entry 2: no element "Publish" (number 1) on the page` {
		t.Errorf("not there: %+v", d.Failure)
	}
	if d := at(3); d.Action.Keys != "Tab" {
		t.Errorf("the script continues after a failure: %+v", d)
	}
	for n := 4; n < 6; n++ {
		if d := at(n); d.Action.Kind != cua.Done || d.Action.Success ||
			!strings.Contains(d.Action.Text, "after 3 actions") {
			t.Errorf("exhausted: %+v", d)
		}
	}
	if d := at(1); d.Thought != "save it" {
		t.Errorf("it kept state: %+v", d)
	}
	if b.Script[0].Point != nil {
		t.Error("the script was changed")
	}
}

func TestReplayDecides(t *testing.T) {
	s, task := login()
	steps := play(t, Heuristic{}, s, task, 20)
	again, _ := login()
	if got, want := told(play(t, Replay{Steps: steps}, again, task, 20)), told(steps); got != want {
		t.Errorf("replayed %s, recorded %s", got, want)
	}
	swapped := cua.Action{Kind: cua.Key, Keys: "Tab"}
	r := Replay{Steps: []cua.Step{
		{N: 1, Proposed: cua.Action{Kind: cua.Reload}, Action: &swapped},
		{N: 2, Failure: &cua.Failure{Kind: cua.FailUnknownAction, Detail: "jump"}},
	}}
	want := []cua.Decision{
		{Action: cua.Action{Kind: cua.Reload}, By: "replay"},
		{Failure: &cua.Failure{Kind: cua.FailUnknownAction, Detail: "jump"}, By: "replay"},
	}
	for i, w := range want {
		if d, err := r.Decide(context.Background(), &cua.Turn{Decision: i + 1}); err != nil ||
			!reflect.DeepEqual(d, w) {
			t.Errorf("decision %d: %+v, %v; want %+v", i+1, d, err, w)
		}
	}
	if d, _ := r.Decide(context.Background(), &cua.Turn{Decision: 3}); d.Action.Kind != cua.Done ||
		d.Action.Success {
		t.Errorf("after the end: %+v", d)
	}
}

func TestOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.json")
	if err := os.WriteFile(path, []byte(`[{"kind":"reload"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Steps: func(run string) ([]cua.Step, error) {
		if run != "runs/a:b" {
			return nil, errors.New("no journal in " + run)
		}
		return []cua.Step{{N: 1}}, nil
	}}
	tests := []struct {
		name, spec string
		o          Options
		want       Brain
		err        string
	}{
		{"the default", "heuristic", o, Heuristic{}, ""},
		{"a script", "scripted:" + path, o, Scripted{Script: []cua.Scripted{{Action: cua.Action{Kind: cua.Reload}}}}, ""},
		{"a run whose name has a colon", "replay:runs/a:b", o, Replay{Steps: []cua.Step{{N: 1}}}, ""},
		{"unknown", "gpt", o, nil, `brain: unknown brain "gpt"; known: heuristic, scripted:FILE, replay:RUN, floor:KIND`},
		{"heuristic with an argument", "heuristic:x", o, nil, `brain: heuristic takes no argument, but got "x"`},
		{"scripted without a file", "scripted", o, nil, "brain: scripted needs a file: scripted:FILE"},
		{"replay without a run", "replay:", o, nil, "brain: replay needs a run folder or journal: replay:RUN"},
		{"replay of nothing", "replay:x", o, nil, "brain: opening replay: no journal in x"},
		{"replay where nothing reads journals", "replay:x", Options{}, nil, "brain: replay is not available: Options.Steps is not set"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Open(tt.spec, tt.o)
			if errText(err) != tt.err || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %#v, %v; want %#v, %s", got, err, tt.want, tt.err)
			}
		})
	}
	for _, i := range List() {
		if i.Spec == "" || i.Help == "" || i.Key == "" || strings.Contains(i.Help, "\n") {
			t.Errorf("%+v needs a spec, one line of help and a key", i)
		}
	}
}

// FuzzParseScript: what is read is valid and reads again from its own JSON.
func FuzzParseScript(f *testing.F) {
	for _, s := range []string{`{"kind":"reload"}`, `[{"kind":"click","on":"a","nth":2}]`, "# c\n{\"kind\":\"wait\",\"ms\":5}\n", "[", "[{}]", "{\"kind\":\"done\"}\r\n", "[null]"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		script, err := ParseScript("f", data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(),
				"brain: reading script f: ") {
				t.Errorf("error %q", err)
			}
			return
		}
		out, err := json.Marshal(script)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseScript("f", out)
		if err != nil || !reflect.DeepEqual(again, script) {
			t.Errorf("%s reads as %+v, %v; was %+v", out, again, err, script)
		}
	})
}
