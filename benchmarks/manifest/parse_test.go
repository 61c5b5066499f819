package manifest

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

const whole = `{"version": 1, "viewport": {"w": 800, "h": 600}, "site": {"dir": "dist", "seeded": true, "posts": ["/api/seen"]}, "tasks": [
 {"id": "login", "goal": "Log in.", "url": "http://127.0.0.1:8080/login?seed={seed}", "fields": [{"label": "Name", "value": "Ada"}], "cap": 12,
  "tags": ["form"], "ready": "document.forms.length > 0", "allow": ["127.0.0.1:8081"], "idempotent": true, "success": {"predicate": "document.title === 'In'"}},
 {"id": "read", "goal": "Read.", "url": "/page", "success": {"text": "Well read", "at_end": true}},
 {"id": "go", "goal": "Go.", "url": "https://example.org/", "success": {"url": "/there"}},
 {"id": "say", "goal": "Say.", "url": "/say", "success": {"answer": "42"}},
 {"id": "order", "goal": "Order.", "url": "/shop", "success": {"http": {"reset": "http://127.0.0.1:9/reset", "state": "http://127.0.0.1:9/{run}",
  "verdict": "http://127.0.0.1:9/verdict", "timeout_ms": 300}}}]}`

func TestAManifestIsRead(t *testing.T) {
	m, err := Parse("tasks.json", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := &Manifest{Version: 1, Viewport: cua.Size{W: 800, H: 600},
		Site: &Site{Dir: "dist", Seeded: true, Posts: []string{"/api/seen"}}, Tasks: []Task{
			{ID: "login", Goal: "Log in.", URL: "http://127.0.0.1:8080/login?seed={seed}", Fields: []cua.PlanValue{{Label: "Name", Value: "Ada"}}, Cap: 12,
				Tags: []string{"form"}, Ready: "document.forms.length > 0", Allow: []string{"127.0.0.1:8081"},
				Idempotent: true, Success: Success{Predicate: "document.title === 'In'"}},
			{ID: "read", Goal: "Read.", URL: "/page", Success: Success{Text: "Well read", AtEnd: true}},
			{ID: "go", Goal: "Go.", URL: "https://example.org/", Success: Success{URL: "/there"}},
			{ID: "say", Goal: "Say.", URL: "/say", Success: Success{Answer: "42"}},
			{ID: "order", Goal: "Order.", URL: "/shop", Success: Success{HTTP: &Oracle{Reset: "http://127.0.0.1:9/reset", State: "http://127.0.0.1:9/{run}",
				Verdict: "http://127.0.0.1:9/verdict", TimeoutMS: 300}}},
		}}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("got  %+v\nwant %+v", m, want)
	}
	if m.Tasks[0].Steps() != 12 || m.Tasks[1].Steps() != defaultCap {
		t.Errorf("caps %d and %d", m.Tasks[0].Steps(), m.Tasks[1].Steps())
	}
}

// task is a manifest with one task that has these members.
func task(members string) string { return "{\"version\": 1, \"tasks\": [\n{" + members + "}]}" }

const fine = `"id": "a", "goal": "g", "url": "http://h/", `

func TestEveryFaultOfAManifestIsToldWithItsPlace(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", []string{"m.json:1: no JSON: it ends in the middle of a value"}},
		{"half of it", "{\"version\": 1,\n", []string{"m.json:2: no JSON: it ends in the middle of a value"}},
		{"no JSON", "{\"version\": 1,\n tasks: []}", []string{"m.json:2: no JSON: invalid character 't'"}},
		{"two values", "{\"version\": 1, \"tasks\": [{" + fine + "\"success\": {\"text\": \"x\"}}]}\n{}", []string{"m.json:2: no JSON: there is more after the value"}},
		{"a list", "[]", []string{"m.json:1: it is a list and must be an object"}},
		{"an empty object", "{}", []string{"m.json:1: /version: it is missing", "m.json:1: /tasks: it is missing"}},
		{"another version", `{"version": 2, "tasks": []}`, []string{"/version: 2 is no whole number from 1 to 1"}},
		{"no task", `{"version": 1, "tasks": []}`, []string{"/tasks: there is no task"}},
		{"tasks that are no list", `{"version": 1, "tasks": {}}`, []string{"/tasks: it is an object and must be a list"}},
		{"a viewport without height", `{"version": 1, "viewport": {"w": 10.5}, "tasks": [{` + fine + `"success": {"text": "x"}}]}`,
			[]string{"/viewport/h: it is missing", "/viewport/w: 10.5 is no whole number from 64 to 4096"}},
		{"a task of nothing", task(""), []string{"m.json:2: /tasks/0/id: it is missing", "/tasks/0/goal: it is missing", "/tasks/0/url: it is missing", "/tasks/0/success: it is missing"}},
		{"a name that nobody knows", task(fine + `"success": {"text": "x"}, "goals/~": 1`), []string{"m.json:2: /tasks/0/goals~1~0: unknown; known here: id, goal"}},
		{"a member twice", task(fine + `"success": {"text": "x"}, "goal": "h"`), []string{"/tasks/0/goal: it is there twice"}},
		{"two ids", task(fine + `"success": {"text": "x"}}, {` + fine + `"success": {"text": "x"}`), []string{`/tasks/1/id: "a" is the id of /tasks/0 too`}},
		{"an id for no folder", task(`"id": "../a", "goal": "g", "url": "http://h/", "success": {"text": "x"}`), []string{"/tasks/0/id: \"../a\" must be"}},
		{"an empty goal", task(`"id": "a", "goal": " ", "url": "http://h/", "success": {"text": "x"}`), []string{"/tasks/0/goal: it is empty"}},
		{"a file as address", task(`"id": "a", "goal": "g", "url": "file:///etc/passwd", "success": {"text": "x"}`), []string{"/tasks/0/url: \"file:///etc/passwd\" is no address"}},
		{"a path without a site", task(`"id": "a", "goal": "g", "url": "/x", "success": {"text": "x"}`), []string{"/tasks/0/url: \"/x\" is no address"}},
		{"a password in the address", task(`"id": "a", "goal": "g", "url": "http://u:p@h/", "success": {"text": "x"}`), []string{"/tasks/0/url: it has a user name or a password"}},
		{"a cap of none", task(fine + `"cap": 0, "success": {"text": "x"}`), []string{"/tasks/0/cap: 0 is no whole number from 1 to 1000"}},
		{"a cap in words", task(fine + `"cap": "ten", "success": {"text": "x"}`), []string{"/tasks/0/cap: it is a text and must be a number"}},
		{"tags that are numbers", task(fine + `"tags": [1], "success": {"text": "x"}`), []string{"/tasks/0/tags/0: it is a number and must be a text"}},
		{"ready by nothing", task(fine + `"ready": true, "success": {"text": "x"}`), []string{"/tasks/0/ready: it is true or false and must be a text"}},
		{"a secret", task(fine + `"fields": [{"label": "l", "value": "<secret:x>"}], "success": {"text": "x"}`), []string{"/tasks/0/fields/0/value: a benchmark has no secrets"}},
		{"a field of nothing", task(fine + `"fields": [{}], "success": {"text": "x"}`), []string{"/tasks/0/fields/0/label: it is missing", "/tasks/0/fields/0/value: it is missing"}},
		{"no verdict", task(fine + `"success": {}`), []string{"/tasks/0/success: exactly one of predicate, text, url, answer, http must be there; none is there"}},
		{"null for a verdict", task(fine + `"success": null`), []string{"/tasks/0/success: it is null and must be an object"}},
		{"two verdicts", task(fine + `"success": {"text": "x", "url": "y"}`), []string{"/tasks/0/success: exactly one of predicate, text, url, answer, http must be there; text and url are there"}},
		{"an empty predicate", task(fine + `"success": {"predicate": ""}`), []string{"/tasks/0/success/predicate: it is empty"}},
		{"predicates and what is waited for that are no JavaScript", "{\"version\": 1, \"tasks\": [\n{" + fine + `"ready": "const a = 1", "success": {"predicate": "if ("}},` + "\n" +
			`{"id": "b", "goal": "g", "url": "http://h/", "ready": "true", "success": {"predicate": "if ("}}]}`,
			[]string{"m.json:2: /tasks/0/ready: no JavaScript expression: character 1: Unexpected \"const\"",
				"m.json:2: /tasks/0/success/predicate: no JavaScript expression: character 1: Unexpected \"if\"",
				"m.json:3: /tasks/1/success/predicate: no JavaScript expression"}},
		{"at the end twice", task(fine + `"success": {"answer": "x", "at_end": true}`), []string{"/tasks/0/success/at_end: it is for predicate, text and url"}},
		{"an oracle without a verdict", task(fine + `"success": {"http": {"reset": "ftp://h/", "timeout_ms": 60000}}`),
			[]string{"/tasks/0/success/http/verdict: it is missing",
				"timeout_ms: 60000 is no whole number from 1 to 10000",
				"/tasks/0/success/http/reset: \"ftp://h/\" is no address"}},
		{"a harm that is no JavaScript", task(fine + `"success": {"text": "x"}, "harm": "if ("`),
			[]string{"/tasks/0/harm: no JavaScript expression: character 1"}},
		{"a script that is no list", task(fine + `"success": {"text": "x"}, "script": {}`),
			[]string{"/tasks/0/script: it is an object and must be a list"}},
		{"actions that are none", task(fine + `"success": {"text": "x"}, "script": [1, {"kind": "click", "at": 1},` + "\n" +
			`{"kind": "press"}, {"kind": "click"}, {"kind": "key", "on": "A"}]`),
			[]string{"m.json:2: /tasks/0/script/0: it is a number and must be an object", `/tasks/0/script/1: no action: json: unknown field "at"`,
				`m.json:3: /tasks/0/script/2: no action: unknown action kind "press"`, "/tasks/0/script/3: no action: click: needs a point or a mark",
				"/tasks/0/script/4: no action: key: needs keys"}},
		{"mounts from elsewhere", `{"version": 1, "site": {"dir": "d", "mounts": [{"path": "lib/", "dir": "../x"}, {}]}, "tasks": [{` +
			fine + `"success": {"text": "x"}}]}`,
			[]string{`/site/mounts/0/path: "lib/" must be a slash and one name`, `/site/mounts/0/dir: "../x" is not inside of the libraries`,
				"/site/mounts/1/path: it is missing", "/site/mounts/1/dir: it is missing"}},
		{"too deep", strings.Repeat("[", 50), []string{"no JSON: values lie more than 32 deep"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, err := Parse("m.json", []byte(row.text))
			var faults Faults
			if m != nil || !errors.As(err, &faults) || len(faults) != len(row.want) {
				t.Fatalf("%+v, %v; want %d faults", m, err, len(row.want))
			}
			for i, f := range faults {
				if !strings.Contains(f.Error(), row.want[i]) {
					t.Errorf("fault %d: %s; want %s", i, f, row.want[i])
				}
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(task(fine + `"ready": "a\u2028)", "success": {"predicate": "\u00e9 ` + "`${" + `"}`)))
	f.Add([]byte(task(fine + `"success": {"text": "x", "url": "y"}`)))
	f.Add([]byte(`{"version": 1, "tasks": [null, 1, "a", [[[]]]]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Parse("m.json", text)
		var faults Faults
		if err != nil {
			if !errors.As(err, &faults) || len(faults) == 0 || faults.Error() == "" {
				t.Fatalf("no fault: %v", err)
			}
			for _, fault := range faults {
				if fault.Line < 1 || fault.Line > 1+strings.Count(string(text), "\n") {
					t.Errorf("%s: there is no such line", fault)
				}
			}
			return
		}
		again, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse("again", again)
		if err != nil {
			t.Fatalf("what was read is no manifest when written: %v\n%s", err, again)
		}
		if rewritten, err := json.Marshal(back); err != nil || string(rewritten) != string(again) {
			t.Errorf("written %s\nand again %s, %v", again, rewritten, err)
		}
		if err := m.Validate(); err != nil {
			t.Error(err)
		}
	})
}

func FuzzLists(f *testing.F) {
	for _, name := range []string{"testdata/webgames/tasks.jsonl",
		"testdata/componentbench/tasks/buttons.yaml", "testdata/uicube/deterministic_bench.json"} {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		said := func(tasks []Task, skipped int, err error) {
			var faults Faults
			switch {
			case err != nil && (!errors.As(err, &faults) || len(faults) == 0 || tasks != nil):
				t.Errorf("%d tasks, %v", len(tasks), err)
			case err == nil && len(tasks)+skipped == 0:
				t.Error("neither tasks nor faults")
			}
		}
		tasks, skipped, err := webGames("f", text)
		said(tasks, len(skipped), err)
		tasks, skipped, err = uiCube("f", text)
		said(tasks, len(skipped), err)
		tasks, faults := componentBench("http://h", "f", text, map[string]string{})
		if (&Manifest{Version: Version, Tasks: tasks}).Validate() != nil && len(tasks) > 0 &&
			len(faults) == 0 {
			for _, task := range tasks {
				if len(task.Goal) <= maxText && len(task.Tags) == 0 {
					t.Errorf("%+v is no task", task)
				}
			}
		}
	})
}
