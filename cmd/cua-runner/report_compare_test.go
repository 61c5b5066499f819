package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// playedStudy is a folder with a finished study of controls, in which an arm did the first so many cells.
func playedStudy(t *testing.T, arm string, did int) string {
	t.Helper()
	p := benchmarks.Plan{Version: 1, Suites: []string{"controls"},
		Tasks: []string{"stepper", "pagination", "slow-save", "date-picker", "twelve-fields"},
		Arms:  []benchmarks.Arm{{Name: arm, Config: runner.DefaultConfig()}}, Base: arm,
		Seeds: benchmarks.SeedsUpTo(4), Brain: trajectories.BrainInfo{Name: "heuristic"}}
	s, err := study.Create(filepath.Join(t.TempDir(), arm), p)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := s.Plan.Cells()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for i, c := range cells {
		r := benchmarks.Result{Cell: c, Episode: fmt.Sprintf("e-%d", i), Solvable: true, Success: i < did,
			Lenient: i < did, End: "done", Steps: 5}
		if r.Lenient {
			r.Reward = 1
		}
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "results.jsonl"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return s.Dir
}

func TestCompareCommand(t *testing.T) {
	much, little := playedStudy(t, "default", 18), playedStudy(t, "off", 4)
	for _, row := range []struct {
		name string
		args []string
		code int
		says []string
	}{
		{"no arm in common", []string{much, little}, exitUsage, []string{"no arm in common (default; off)", "default:off"}},
		{"better", []string{much, little, "--arms", "default:off", "--fail-if-worse"}, exitOK, []string{"18 (18) of 20", "A is worse in 0 of 20 cells", "A is better in 14 of 20"}},
		{"worse", []string{little, much, "--arms", "off:default"}, exitOK, []string{"A is worse in 14 of 20 cells", "pagination"}},
		{"worse, and that fails", []string{little, much, "--arms", "off:default", "--fail-if-worse"}, exitFailed, []string{"off of " + little + " did less than default of " + much}},
		{"as good", []string{much, much, "--fail-if-worse"}, exitOK, []string{"same study"}},
		{"another format", []string{much, much, "--format", "html"}, exitUsage, []string{`"html"`, "table, md, csv, json"}},
		{"Markdown", []string{much, little, "--arms", "default:off", "--format", "md"}, exitOK, []string{"| default : off | 20 |"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, out, errOut := command(t, append([]string{"compare"}, row.args...)...)
			if code != row.code {
				t.Errorf("exit code %d, want %d: %s", code, row.code, errOut)
			}
			for _, want := range row.says {
				if !strings.Contains(out+errOut, want) {
					t.Errorf("it does not say %q:\n%s%s", want, out, errOut)
				}
			}
		})
	}
	_, out, _ := command(t, "__complete", "compare", much, little, "--arms", "")
	if !strings.Contains(out, "default:off\n") {
		t.Errorf("completion of --arms gives %q", out)
	}
}

// A study that an older program played lacks what configurations have got since: it can be read, not played
// on.
func TestAnOlderStudyCanBeRead(t *testing.T) {
	dir := playedStudy(t, "default", 18)
	path := filepath.Join(dir, "study.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(string(text), `"on_spiral": "`+string(runner.DefaultConfig().Recovery.OnSpiral)+`"`, `"once": ""`, 1)
	if old == string(text) {
		t.Fatal("the configuration has no on_spiral")
	}
	if err := os.WriteFile(path, []byte(old), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"report", dir}, {"compare", dir, dir}} {
		if code, out, errOut := command(t, args...); code != exitOK || !strings.Contains(out, "default") {
			t.Errorf("%v: exit code %d: %s", args, code, errOut)
		}
	}
	s, err := benchmarks.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.Play(t.Context(), s, study.Options{}); err == nil ||
		!strings.Contains(err.Error(), "on_spiral") {
		t.Errorf("playing on: %v", err)
	}
}
