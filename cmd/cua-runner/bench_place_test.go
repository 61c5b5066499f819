package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/study"
)

// oneCell is a study of one cell that nobody played, in a folder of its own.
func oneCell(t *testing.T) string {
	t.Helper()
	f := &benchFlags{suites: []string{"forms"}, tasks: []string{"login"}, arms: []string{"off"},
		brain: "heuristic", seeds: 1}
	o, err := f.model.opener(&app{}, os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.plan(o)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "study")
	if _, err := study.Create(dir, p); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What is wrong with where a study is to be, or with what it is gone on with, is said before a browser is
// opened, with exit code 2.
func TestBenchSaysWhatIsWrongWithItsFolder(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	begun, damaged, finished, changed, lost := oneCell(t), oneCell(t), oneCell(t), oneCell(t), oneCell(t)
	rewrite := func(dir, name string, change func([]byte) []byte) {
		path := filepath.Join(dir, name)
		text, _ := os.ReadFile(path) // none: it is made
		if err := os.WriteFile(path, change(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(finished, "results.jsonl", func([]byte) []byte {
		return []byte(`{"suite":"forms","task":"login","seed":1,"arm":"off","end":"env_error"}` + "\n")
	})
	rewrite(changed, "study.json", func(text []byte) []byte {
		return bytes.Replace(text, []byte(`"heuristic"`), []byte(`"oracle"`), 1)
	})
	rewrite(lost, "results.jsonl", func([]byte) []byte { return nil })
	if err := os.Remove(filepath.Join(lost, "study.json")); err != nil {
		t.Fatal(err)
	}
	plan, err := os.ReadFile(filepath.Join(damaged, "study.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(damaged, "study.json"), plan[:len(plan)/2], 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"a file", []string{"--out", file}, "a study is a folder, and " + file + " is none"},
		{"below a file", []string{"--out", filepath.Join(file, "a", "b")}, "a study is a folder, and " + file + " is none"},
		{"a file is not replaced", []string{"--out", file, "--overwrite"}, "a study is a folder"},
		{"a study", []string{"--out", begun}, "--resume " + begun + " continues with it"},
		{"a damaged study is not replaced", []string{"--out", damaged, "--overwrite"},
			"neither gone on with nor replaced: choose another --out, or remove the folder"},
		{"a damaged study", []string{"--out", damaged},
			"neither gone on with nor replaced: choose another --out, or remove the folder"},
		{"a finished study", []string{"--out", finished},
			"a finished study: cua-runner report " + finished + " shows it, --overwrite replaces it"},
		{"a study that was changed", []string{"--out", changed}, "cannot be gone on with; --overwrite replaces it"},
		{"episodes without a study", []string{"--out", lost}, "holds the episodes of a study"},
		{"the same to be replaced", []string{"--out", lost, "--overwrite"},
			"no study.json to go on with: choose another --out"},
		{"nothing to be replaced", []string{"--overwrite"}, "--out, which is not given"},
		{"errors of a new study", []string{"--retry-errors"}, "--resume STUDY --retry-errors"},
		{"no study to go on with", []string{"--resume", dir}, "no such file"},
		{"a damaged plan", []string{"--resume", damaged}, fmt.Sprintf("study.json: byte %d", len(plan)/2)},
		{"a file in place of a study", []string{"--resume", file}, "not a directory"},
		{"another plan for a begun", []string{"--resume", begun, "--seeds", "7", "--arms", "naive"}, "which --arms, --seeds cannot change"},
		{"another configuration for it", []string{"--resume", begun, "--ablate", "nudge"}, "which --ablate cannot change"},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, out, errs := command(t, append([]string{"bench"}, row.args...)...)
			if code != exitUsage || !strings.Contains(errs, row.says) || out != "" {
				t.Errorf("exit code %d: %s%s", code, out, errs)
			}
		})
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "kept" {
		t.Errorf("the file: %q, %v", text, err)
	}
	if info, err := os.Stat(damaged); err != nil || !info.IsDir() {
		t.Errorf("the damaged study is gone: %v", err)
	}
}

// A study that is not begun has a report and can be compared with itself; --json is one way to ask for JSON.
func TestReportTakesJSON(t *testing.T) {
	study := oneCell(t)
	for _, row := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"a report", []string{"report", study, "--json"}, exitOK, `"total": 1`},
		{"a report in two formats", []string{"report", study, "--json", "--format", "csv"}, exitUsage, "--json is --format json, and not csv"},
		{"a comparison of nothing", []string{"compare", study, study, "--json"}, exitUsage, "have no cell"},
		{"an arm that it does not have", []string{"report", study, "--base", "naive"}, exitUsage, `base arm "naive" is not one of off`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if code, out, errs := command(t, row.args...); code != row.code ||
				!strings.Contains(out+errs, row.says) {
				t.Errorf("exit code %d: %s%s", code, out, errs)
			}
		})
	}
	if _, out, _ := command(t, "__complete", "report", study, "--base", ""); !strings.HasPrefix(out,
		"off\n:") {
		t.Errorf("the arms of the study are not offered: %q", out)
	}
}
