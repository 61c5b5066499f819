package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// shortRun is a run that ended, in a folder.
func shortRun(t *testing.T, dir, goal string) {
	t.Helper()
	w, err := trajectories.Create(dir, trajectories.Header{Episode: filepath.Base(dir),
		Task: cua.Task{ID: "task", Goal: goal}, Config: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.End(trajectories.End{Reason: cua.EndMaxSteps}); err != nil {
		t.Fatal(err)
	}
}

// Many runs as html are a folder: a page each, and one that lists them. A broken one is a warning.
func TestExportOfManyPages(t *testing.T) {
	root := t.TempDir()
	shortRun(t, filepath.Join(root, "runs", "one"), "Buy a lamp")
	shortRun(t, filepath.Join(root, "studies", "x", "runs", "one"), "Sell a lamp")
	shortRun(t, filepath.Join(root, "broken", "a"), "Keep it")
	if err := os.MkdirAll(filepath.Join(root, "broken", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	torn := filepath.Join(root, "broken", "b", trajectories.JournalName)
	if err := os.WriteFile(torn, []byte("{no journal}\n{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name  string
		from  []string
		code  int
		files []string
		lists []string
		says  string
	}{
		{"a folder of runs", []string{"runs"}, exitOK, []string{"index.html", "one.html"},
			[]string{"Buy a lamp", `href="./one.html"`}, "index.html"},
		{"runs of one name", []string{"runs/one", "studies"}, exitOK, []string{"index.html", "one-2.html", "one.html"},
			[]string{"Buy a lamp", "Sell a lamp", "./one-2.html"}, "index.html"},
		{"a broken one among them", []string{"broken"}, exitFailed, []string{"a.html", "index.html"},
			[]string{"Keep it"}, "1 run could not be read"},
		{"a pattern", []string{"runs/*"}, exitOK, []string{"index.html", "one.html"}, []string{"Buy a lamp"}, "index.html"},
		{"no run", []string{"empty"}, exitUsage, nil, nil, "holds no run"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "pages")
			args := []string{"export", "--format", "html", "--out", out}
			for _, from := range row.from {
				args = append(args, filepath.Join(root, from))
			}
			code, _, errs := command(t, args...)
			if code != row.code || !strings.Contains(errs, row.says) {
				t.Errorf("exit code %d, want %d: %s", code, row.code, errs)
			}
			var names []string
			entries, _ := os.ReadDir(out)
			for _, e := range entries {
				names = append(names, e.Name())
			}
			if !slices.Equal(names, row.files) {
				t.Errorf("files %q, want %q", names, row.files)
			}
			list, _ := os.ReadFile(filepath.Join(out, indexName))
			for _, want := range row.lists {
				if !strings.Contains(string(list), want) {
					t.Errorf("the list lacks %q", want)
				}
			}
		})
	}
	code, _, errs := command(t, "export", filepath.Join(root, "runs"), "--format", "html")
	if code != exitUsage || !strings.Contains(errs, "--out") {
		t.Errorf("without --out: exit code %d, %s", code, errs)
	}
}
