package guard

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/detection"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// corpus is the folder of the development trajectories; they are not part of the repository.
func corpus(t *testing.T) string {
	t.Helper()
	dir := cmp.Or(os.Getenv("LOOPS"), filepath.Join("..", "..", "shared", "data", "loops"))
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("SKIPPED: the trajectories are not there (LOOPS=FOLDER says where): %v", err)
	}
	return dir
}

// after are the fields of a step that nobody knows before it is done.
var after = []string{"error", "usd", "tokens", "tokens_in", "tokens_out", "seconds", "effect"}

// lines is a trajectory as the lines of an agent that asks before each step.
func lines(t *testing.T, whole []byte) [][]byte {
	t.Helper()
	var head map[string]json.RawMessage
	must(t, json.Unmarshal(whole, &head))
	var steps []map[string]json.RawMessage
	must(t, json.Unmarshal(head["steps"], &steps))
	delete(head, "steps")
	final := map[string]json.RawMessage{"type": json.RawMessage(`"end"`)}
	for k, v := range head {
		if strings.HasPrefix(k, "final_") {
			final[k] = v
			delete(head, k)
		}
	}
	head["type"] = json.RawMessage(`"start"`)
	out := [][]byte{encode(t, head)}
	for _, s := range steps {
		amend := map[string]json.RawMessage{"type": json.RawMessage(`"amend"`)}
		for _, k := range after {
			if v, ok := s[k]; ok && string(v) != "null" {
				amend[k] = v
			}
			delete(s, k)
		}
		s["type"] = json.RawMessage(`"propose"`)
		out = append(out, encode(t, s))
		if len(amend) > 1 {
			out = append(out, encode(t, amend))
		}
	}
	return append(out, encode(t, final))
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	must(t, err)
	return b
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tally counts what the comparison met.
type tally struct{ runs, steps, inside, later int }

func (s tally) String() string {
	return fmt.Sprintf("%d trajectories, %d steps compared; %d inside a decision, %d before a hash of "+
		"another kind", s.runs, s.steps, s.inside, s.later)
}

// A stream of lines has the signals that detect finds in the whole file, step by step, and ends with the line
// of detect --json. Two things can be known only from the whole file: the outcome of a decision of several
// actions while they are being done, and a kind of hash that the log has only from a later step on.
func TestStreamEqualsDetect(t *testing.T) {
	dir := corpus(t)
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	must(t, err)
	if len(files) == 0 {
		t.Fatalf("%s holds no trajectories", dir)
	}
	var all tally
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			var sum tally
			each(t, path, func(n int, line []byte) {
				compare(t, &sum, fmt.Sprintf("line %d", n), line)
			})
			all.runs, all.steps = all.runs+sum.runs, all.steps+sum.steps
			all.inside, all.later = all.inside+sum.inside, all.later+sum.later
			t.Log(sum)
		})
	}
	t.Log("all:", all)
}

func each(t *testing.T, path string, f func(n int, line []byte)) {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	z, err := gzip.NewReader(file)
	must(t, err)
	in := bufio.NewReader(z)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) > 0 {
			f(n, line)
		}
		if err != nil {
			return
		}
	}
}

// compare streams one trajectory.
func compare(t *testing.T, sum *tally, name string, whole []byte) {
	t.Helper()
	var run *formats.Run
	for r, err := range formats.Runs("-", formats.Neutral, bytes.NewReader(whole), nil) {
		if err != nil {
			return // detect cannot read it either
		}
		run = r
	}
	if run == nil {
		return
	}
	sum.runs++
	a := runner.Assemble(runner.DefaultConfig())
	want := detected(a.Detectors, run.History)
	firstDOM := firstStructured(whole)
	g, at := New(runner.DefaultConfig()), 0
	var last []byte
	for _, line := range lines(t, whole) {
		answer := g.Line(line)
		last = answer
		if answer == nil || bytes.Contains(line, []byte(`"type":"end"`)) {
			continue
		}
		var got Answer
		must(t, json.Unmarshal(answer, &got))
		steps := run.History.Steps
		switch {
		case got.Verdict == "":
			t.Fatalf("%s: %s", name, answer)
		case at > 0 && steps[at].Decision == steps[at-1].Decision:
			sum.inside++
		case at < firstDOM:
			sum.later++
		default:
			sum.steps++
			if w, h := signals(want[at], run.Index), fmt.Sprint(got.Signals); w != h {
				t.Errorf("%s: before step %d: %s, want %s", name, at+1, h, w)
			}
		}
		at++
	}
	if at != len(run.History.Steps) {
		t.Errorf("%s: %d answers, %d steps", name, at, len(run.History.Steps))
	}
	if w := encoded(detection.Detect(run, a, nil)); !bytes.Equal(last, w) {
		t.Errorf("%s: the end is %s, want %s", name, last, w)
	}
}

// detected are the signals that held before each step.
func detected(d detector.LoopDetector, h cua.History) [][]cua.Signal {
	var r cua.Sampler
	out := [][]cua.Signal{nil}
	for i := 1; i < len(h.Steps); i++ {
		then := cua.History{Start: h.Start, Steps: h.Steps[:i:i]}
		out = append(out, d.Over(then, r.Read(then)))
	}
	return out
}

func signals(ss []cua.Signal, index []int) string {
	var out []Signal
	for _, s := range ss {
		out = append(out, Signal{s.Shape, s.Level, index[s.Since-1]})
	}
	return fmt.Sprint(out)
}

// firstStructured is the place of the first step with a hash of the structure, 0 if there is none.
func firstStructured(whole []byte) int {
	var head struct {
		Steps []struct {
			DOM string `json:"dom_hash"`
		}
	}
	_ = json.Unmarshal(whole, &head) // it has been read
	return max(0, slices.IndexFunc(head.Steps, func(s struct {
		DOM string `json:"dom_hash"`
	}) bool {
		return s.DOM != ""
	}))
}
