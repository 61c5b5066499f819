package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/runner"
)

// FuzzLine feeds lines to one guard: each answer is one line of JSON, and a run continues after all of them.
func FuzzLine(f *testing.F) {
	for _, text := range []string{
		press(0, "a0", "3f", ""),
		press(0, "a0", "3f", "") + "\n" + press(1, "a0", "3f", `,"focus":"Name"`) + "\n" + `{"type":"end"}`,
		`{"type":"start","v":1,"task":"t","fields":[{"label":"a","value":"b"}],"config":{"detector":{"soft":4}}}`,
		`{"type":"propose","action_type":"click","decision":1}` + "\n" + `{"type":"propose","action_type":"done","decision":1}` +
			"\n" + `{"type":"propose","action_type":"click","decision":2,"dom_hash":"x"}`,
		`{"type":"propose","action_type":"click"}` + "\n" + `{"type":"amend","skipped":true}` + "\n" + `{"type":"amend"}`,
		`{"type":"propose","action_type":"none","error":"x"}` + "\n" + `{"type":"amend","did":{}}`,
		`{"type":"propose","index":1e9,"action_type":"scroll","text":"0,500"}` + "\n" + `{"type":"propose","action_type":"x"}`,
		`{"type":"end","final_url":"http://a/","viewport":[1]}`,
		"null", "[]", "\x00", `{"type":`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		g := New(runner.DefaultConfig())
		for line := range bytes.Lines(text) {
			answer := g.Line(line)
			if answer == nil {
				continue
			}
			if !json.Valid(answer) || bytes.IndexByte(answer, '\n') != len(answer)-1 {
				t.Fatalf("%q is answered %q", line, answer)
			}
		}
		if b := g.Line([]byte(`{"type":"propose","run":"another","action_type":"click"}`)); !bytes.Contains(b,
			[]byte(`"verdict":"pass"`)) && len(g.runs) < MaxRuns {
			t.Fatalf("the guard is broken: %s", b)
		}
	})
}

// BenchmarkProposeAt200 is an answer at step 200, of a run that loops now and then. It prints the 99th
// percentile.
func BenchmarkProposeAt200(b *testing.B) {
	line := func(i int) []byte {
		return []byte(press(i, fmt.Sprint("page", i/5), "3f", `,"focus":"Name"`))
	}
	var took []time.Duration
	for b.Loop() {
		b.StopTimer()
		g := New(runner.DefaultConfig())
		for i := range 199 {
			g.Line(line(i))
		}
		last := line(199)
		b.StartTimer()
		at := time.Now()
		g.Line(last)
		took = append(took, time.Since(at))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
}
