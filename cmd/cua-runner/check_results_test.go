package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// studyWithJournals is a study of the stepper in two arms under two seeds, each cell with its result and the
// journal of an episode that solved it.
func studyWithJournals(t *testing.T) string {
	t.Helper()
	p := benchmarks.Plan{Version: 1, Suites: []string{"controls"}, Tasks: []string{"stepper"}, Base: "off",
		Seeds: benchmarks.SeedsUpTo(2), Arms: []benchmarks.Arm{{Name: "default",
			Config: runner.DefaultConfig()}, {Name: "off", Config: runner.DefaultConfig()}},
		Brain: trajectories.BrainInfo{Name: "heuristic"}}
	s, err := study.Create(filepath.Join(t.TempDir(), "study"), p)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := s.Plan.Cells()
	if err != nil {
		t.Fatal(err)
	}
	var lines bytes.Buffer
	for _, c := range cells {
		id := trajectories.EpisodeID(c.Task, c.Arm, c.Seed, 1)
		w, err := trajectories.Create(s.EpisodeDir(id), trajectories.Header{Episode: id, Arm: c.Arm,
			Attempt: 1, Gates: []string{"limits", "policy"}, Task: cua.Task{ID: c.Task, Seed: c.Seed,
				URL: "https://shop.example/", Goal: "Count."}})
		one := 1.0
		for _, err := range []error{err, w.Start(cua.Observation{URL: "https://shop.example/"}),
			w.End(trajectories.End{Reason: cua.EndCancelled, Success: true, Reward: &one}), w.Close()} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := json.NewEncoder(&lines).Encode(benchmarks.Result{Cell: c, Episode: id, Solvable: true,
			Lenient: true, Reward: 1, End: cua.EndCancelled}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(s.Dir, "results.jsonl"), lines.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return s.Dir
}

func TestCheckHoldsResultsAgainstTheJournals(t *testing.T) {
	const first, other = "stepper@default.1-1", "stepper@off.1-1"
	for _, row := range []struct {
		name string
		// from is replaced by to in the first line of results.jsonl that has it.
		from, to string
		gone     string // an episode whose folder is removed
		args     func(dir string) []string
		code     int
		says     []string
		not      []string
	}{
		{name: "as it was played", code: exitOK, says: []string{"4 journals, 26 invariants, 0 broken", "4 results compared with the journals, 0 differ"}},
		{name: "a success taken away", from: `"lenient":true,"reward":1`, to: `"lenient":false,"reward":0`, code: exitFailed,
			says: []string{"4 results compared with the journals, 1 differ", "result", first,
				"reward is 0, by the journal 1", "lenient is false, by the journal true"}, not: []string{other}},
		{name: "steps", from: `"steps":0`, to: `"steps":3`, code: exitFailed, says: []string{"steps is 3, by the journal 0"}},
		{name: "a result without an episode", gone: first, code: exitFailed, says: []string{"3 journals", "4 results compared with the journals, 1 differ", "by the journal not there"}},
		{name: "the runs alone", from: `"steps":0`, to: `"steps":3`, args: func(d string) []string { return []string{filepath.Join(d, "runs")} }, code: exitFailed, says: []string{"4 results", "steps is 3"}},
		{name: "a folder of studies", gone: first, args: func(d string) []string { return []string{filepath.Dir(d)} }, code: exitFailed, says: []string{"not there"}},
		{name: "by a pattern", gone: first, args: func(d string) []string { return []string{d + "*"} }, code: exitFailed, says: []string{"not there"}},
		{name: "one run of it", gone: first, args: func(d string) []string { return []string{filepath.Join(d, "runs", other)} }, code: exitOK, says: []string{"1 journal, ", "1 result compared with the journals, 0 differ"}},
		{name: "one journal of it", from: `"steps":0`, to: `"steps":3`, args: func(d string) []string { return []string{filepath.Join(d, "runs", first, "journal.jsonl")} }, code: exitFailed, says: []string{"1 result compared", "steps is 3"}},
		{name: "another arm", from: `"steps":0`, to: `"steps":3`, args: func(d string) []string { return []string{d, "--arm", "off"} }, code: exitOK, says: []string{"2 results compared with the journals, 0 differ"}},
		{name: "a lost one of another arm", gone: first, args: func(d string) []string { return []string{d, "--arm", "off"} }, code: exitOK, says: []string{"2 results compared with the journals, 0 differ"}},
		{name: "other invariants", from: `"steps":0`, to: `"steps":3`, args: func(d string) []string { return []string{d, "--invariant", "fence"} }, code: exitOK, says: []string{"4 journals, 1 invariant, 0 broken"}, not: []string{"results held"}},
		{name: "this alone", from: `"steps":0`, to: `"steps":3`, args: func(d string) []string { return []string{d, "--invariant", "result"} }, code: exitFailed, says: []string{"4 results compared with the journals, 1 differ"}},
		{name: "one episode for two results", from: `"episode":"` + first + `"`, to: `"episode":"` + other + `"`, code: exitFailed, says: []string{"arm is default, by the journal off"}},
		{name: "results that do not go together", from: `"reward":1`, to: `"reward":7`, code: exitUsage, says: []string{"4 journals, 26 invariants, 0 broken"}, not: []string{"results held"}},
		{name: "as JSON", from: `"steps":0`, to: `"steps":3`, args: func(d string) []string { return []string{d, "--json"} }, code: exitFailed,
			says: []string{`"arm":"default","invariant":"result","detail":"steps is 3, by the journal 0"`, `"results":4,"results_that_differ":1`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := studyWithJournals(t)
			path := filepath.Join(dir, "results.jsonl")
			text, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(text, []byte(row.from)) {
				t.Fatalf("no %s (%v)", row.from, err)
			}
			if err := os.WriteFile(path, bytes.Replace(text, []byte(row.from), []byte(row.to), 1),
				0o644); err != nil {
				t.Fatal(err)
			}
			if row.gone != "" {
				if err := os.RemoveAll(filepath.Join(dir, "runs", row.gone)); err != nil {
					t.Fatal(err)
				}
			}
			args := []string{dir}
			if row.args != nil {
				args = row.args(dir)
			}
			code, out, stderr := command(t, append([]string{"check"}, args...)...)
			if code != row.code || (stderr != "") != (row.code == exitUsage) {
				t.Errorf("exit code %d, want %d: %q", code, row.code, stderr)
			}
			tells(t, out, row.says, row.not)
		})
	}
}
