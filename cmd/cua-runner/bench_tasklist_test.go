package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// studyOf is a study of one task that is judged by predicate, in which there is then another.
func studyOf(t *testing.T, predicate, other string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "study")
	task := manifest.Task{ID: "a", Goal: "g", URL: "http://127.0.0.1:1/",
		Success: manifest.Success{Predicate: predicate}}
	_, err := study.Create(dir, benchmarks.Plan{Version: 1, Suites: []string{manifest.Own},
		Seeds: []int64{1}, Base: "default", Brain: trajectories.BrainInfo{Name: "heuristic"},
		Arms: []benchmarks.Arm{{Name: "default", Config: runner.DefaultConfig()}},
		Tasklist: &benchmarks.Tasklist{Suite: manifest.Own, Manifest: manifest.Manifest{Version: 1,
			Tasks: []manifest.Task{task}}}})
	if err != nil {
		t.Fatal(err)
	}
	plan := filepath.Join(dir, "study.json")
	text, err := os.ReadFile(plan)
	if err == nil {
		err = os.WriteFile(plan, bytes.Replace(text, []byte(`"`+predicate+`"`), []byte(`"`+other+`"`), 1), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// A study that an older program played with a predicate that is no JavaScript has its report.
func TestAStudyIsReportedWhateverItsJavaScript(t *testing.T) {
	if code, out, said := command(t, "report", studyOf(t, "document.title", "if (")); code != exitOK ||
		said != "" || out == "" {
		t.Errorf("exit code %d: %s%s", code, out, said)
	}
}

func TestTasklistsOnTheCommandLine(t *testing.T) {
	const fixtures = "../../benchmarks/manifest/testdata/"
	dir := t.TempDir()
	write := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	bad := write("bad.json",
		"{\"version\": 1, \"tasks\": [\n {\"id\": \"a b\", \"url\": \"x\",\n  \"success\": {}}]}")
	broken := write("broken.json",
		"{\"version\": 1, \"tasks\": [{\"id\": \"a\", \"goal\": \"g\", \"url\": \"http://127.0.0.1:1/\", "+
			"\"ready\": \"a)\",\n \"success\": {\"predicate\": \"document.title = = 'x'\"}}]}")
	siteless := write("site.json", `{"version": 1, "site": {"dir": "nowhere"}, "tasks": [{"id": "a", "goal": "g", "url": "/", "success": {"text": "x"}}]}`)
	if err := os.Mkdir(filepath.Join(dir, "app"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("app/index.html", "<!doctype html><title>App</title>")
	mounting := write("mounting.json", `{"version": 1, "site": {"dir": "app", "mounts": [{"path": "/lib", "dir": "node_modules"}], "install": "lib/install.sh"},
 "tasks": [{"id": "a", "goal": "g", "url": "/", "success": {"text": "x"}}]}`)
	pageless := write("pageless.json", `{"version": 1, "tasks": [{"id": "a", "goal": "g", "url": "http://127.0.0.1:1/", "success": {"text": "x"}}]}`)
	t.Setenv(librariesVariable, "")
	old := studyOf(t, "document.title", "if (")
	lines := write("bad.jsonl", "{\"id\": \"a\"}\nno\n")
	for _, row := range []struct {
		name, args string
		wrong      []string
	}{
		{"every fault of a manifest", "--manifest " + bad, []string{"cua-runner: 4 faults, nothing was run:\n  " + bad + ":2: /tasks/0/goal: it is missing\n", bad + `:2: /tasks/0/id: "a b" must be`,
			bad + `:2: /tasks/0/url: "x" is no address`, bad + ":3: /tasks/0/success: exactly one of predicate"}},
		{"JavaScript that is none", "--manifest " + broken, []string{"cua-runner: 2 faults, nothing was run:\n  " + broken + ":1: /tasks/0/ready: no JavaScript expression: it ends too early, or a bracket",
			broken +
				":2: /tasks/0/success/predicate: no JavaScript expression: character 18: Unexpected \"=\""}},
		{"JavaScript that is none, of an older program's study", "--resume " + old, []string{"/tasks/0/success/predicate: no JavaScript expression: character 1"}},
		{"no such file", "--manifest " + filepath.Join(dir, "none.json"), []string{"no such file"}},
		{"a site that is not there", "--manifest " + siteless, []string{"nowhere is no built site"}},
		{"libraries that are not given", "--manifest " + mounting, []string{"the pages load what is not part of them: install it with lib/install.sh DIR, then give it with --libraries DIR"}},
		{"libraries that are not there", "--libraries " + dir + "/none --manifest " + mounting, []string{dir + "/none/node_modules, which does not exist: install it with lib/install.sh DIR"}},
		{"libraries for no pages", "--libraries x --manifest " + pageless, []string{"--libraries is for a manifest with a site"}},
		{"libraries for no manifest", "--libraries x --suite forms", []string{"--libraries is for --manifest"}},
		{"a suite without its list", "--suite manifest", []string{"the suite manifest needs --manifest"}},
		{"tasks of nothing", "--tasks x", []string{"--tasks is for --webgames, --componentbench or --uicube"}},
		{"tasks of a manifest", "--tasks x --manifest x", []string{"a manifest has its tasks in itself"}},
		{"two lists", "--manifest x --uicube y", []string{"--manifest and --uicube: one list of tasks a study"}},
		{"a list for an old study", "--manifest x --resume y", []string{"has its tasks in itself"}},
		{"games without tasks", "--webgames " + fixtures + "webgames/dist", []string{"--webgames needs --tasks"}},
		{"a folder that is no build", "--webgames " + dir + " --tasks " + lines, []string{"is no built site: there is no index.html"}},
		{"tasks that are none", "--webgames " + fixtures + "webgames/dist --tasks " + lines, []string{lines + ":1: /description: it is missing or empty", lines + ":2: no JSON of a task"}},
		{"components at no address", "--componentbench localhost:3002 --tasks " + fixtures + "componentbench/tasks", []string{"begins with neither http:// nor https://"}},
		{"components without a task", "--componentbench http://127.0.0.1:1 --tasks " + dir, []string{"there is no *.yaml in"}},
		{"a build without a list", "--uicube " + fixtures + "webgames/dist", []string{"there is no deterministic_bench.json in"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "study")
			args := append([]string{"bench"}, strings.Fields(row.args)...)
			if !slices.Contains(args, "--resume") { // it has its folder in itself
				args = append(args, "--out", out)
			}
			code, _, said := command(t, args...)
			for _, wrong := range row.wrong {
				if code != exitUsage || !strings.Contains(said, wrong) {
					t.Errorf("exit code %d: %s; want %d: %s", code, said, exitUsage, wrong)
				}
			}
			if _, err := os.Stat(out); err == nil {
				t.Error("a study was begun")
			}
		})
	}
}
