package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// A task is named by page and goal, and never by a secret.
func TestTaskID(t *testing.T) {
	secrets := map[string]string{"PIN": "Tr0ub4dor"}
	for _, row := range []struct{ name, url, goal, want string }{
		{"host, path and goal", "http://localhost:8080/login", "Sign in as ada", "localhost-login-sign-in-as-ada"},
		{"a site's root", "https://example.com/", "press Save!", "example.com-press-save"},
		{"another goal is another task", "https://example.com/", "press Cancel", "example.com-press-cancel"},
		{"the query is left out", "https://example.com/a?token=abc#key=v", "go", "example.com-a-go"},
		{"a password that the goal gives", "https://example.com/", `sign in with password "hunter2!x"`, "example.com-sign-in-with-password"},
		{"a secret by its name", "https://example.com/", "type <secret:PIN> here", "example.com-type-here"},
		{"a secret in clear", "https://example.com/", "type Tr0ub4dor here", "example.com-type-here"},
		{"no letter of the alphabet", "https://example.com/", "日本", "example.com"},
		{"a long goal is cut", "https://example.com/", strings.Repeat("word ", 30), "example.com-word-word-word-word-word-word-word-word-word-wor"},
	} {
		if got := taskID(cua.Task{URL: row.url, Goal: row.goal}, secrets); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
	if len(secrets) != 1 {
		t.Errorf("the secrets have changed: %v", secrets)
	}
}

// The id of an episode names its run, below runs/ and in a study, and each form that leaves carries it.
func TestRunNamedByID(t *testing.T) {
	journal := read(t, filepath.Join(root, "trajectories", "testdata", "episode.jsonl"))
	const id, other = "0dt46sua8k0000000000000000", "0dt46sua8k0000000000000001"
	placed(t, map[string]string{"runs/a": journal, "studies/s/runs/b": strings.Replace(journal, id, other, 1),
		"runs/old": strings.Replace(journal, `"id":"`+id+`",`, "", 1), "runs/0-broken": "{\n"})
	for _, row := range []struct{ name, id, dir string }{{"a run", id, "runs/a"},
		{"of a study", other, "studies/s/runs/b"}} {
		if got := runNamed(row.id); got != filepath.FromSlash(row.dir) {
			t.Errorf("%s: %q, want %q", row.name, got, row.dir)
		}
		for _, args := range [][]string{{"show", row.id}, {"export", row.id, "--format", "csv"},
			{"export", row.id, "--format", "jsonl"},
			{"export", row.id, "--format", "html"}, {"show", row.id, "--json"}} {
			if code, out, errs := command(t, args...); code != exitOK || !strings.Contains(out, row.id) {
				t.Errorf("%s: %v: exit code %d, %s", row.name, args, code, errs)
			}
		}
	}
	if code, _, errs := command(t, "export", id, "--format", "dataset", "--out", "data"); code != exitOK ||
		!strings.Contains(read(t, "data/runs.csv"), id) {
		t.Errorf("dataset: exit code %d, %s", code, errs)
	}
	if code, out, _ := command(t, "show", "runs"); code != exitFailed || !strings.Contains(out, id) || !regexp.MustCompile(`(?m) - +old `).MatchString(out) {
		t.Errorf("show runs: exit code %d\n%s", code, out)
	}
	if code, out, errs := command(t, "show", "runs/old"); code != exitOK || strings.Contains(out, "  id ") {
		t.Errorf("a journal without an id: exit code %d, %s%s", code, errs, out)
	}
	if code, _, errs := command(t, "show", "0dt46sua8k0000000000000009"); code != exitUsage ||
		!strings.Contains(errs, "no such file") {
		t.Errorf("no such id: exit code %d, %s", code, errs)
	}
	if err := os.Mkdir(id, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := runNamed(id); got != id {
		t.Errorf("a folder of that name comes first: %q", got)
	}
	if h, err := trajectories.ReadHeader("runs/a"); err != nil || h.ID != id {
		t.Errorf("%q, %v", h.ID, err)
	}
}
