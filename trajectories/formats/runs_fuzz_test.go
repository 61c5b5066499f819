package formats

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// sound fails unless run is one that detectors can read.
func sound(t *testing.T, run *Run) {
	t.Helper()
	h := run.History
	if len(run.Index) != len(h.Steps) || len(h.Steps) > maxSteps {
		t.Fatalf("%d indexes, %d steps", len(run.Index), len(h.Steps))
	}
	finite := func(p *cua.Point) bool {
		return p == nil || math.Abs(p.X) <= maxPlace && math.Abs(p.Y) <= maxPlace
	}
	for i := range h.Steps {
		s := &h.Steps[i]
		if run.Format != CUA && (s.N != i+1 || s.Decision < 1 || len(s.Thought) > maxThought ||
			!finite(s.Target.Point) || s.Action != nil && (!finite(s.Action.Point) || !finite(s.Action.To) ||
			s.Action.MS < 0)) {
			t.Fatalf("step %d: %+v", i, s)
		}
		if s.Action == nil && s.Effect != nil && run.Format != CUA {
			t.Fatalf("step %d has an effect and did nothing", i)
		}
		if f := s.Failure; f != nil && run.Format != CUA && (f.Kind == "" ||
			len(f.Detail) > maxDetail) {
			t.Fatalf("step %d: %+v", i, f)
		}
	}
	if got := h.Samples(); len(got) != len(h.Steps) {
		t.Fatalf("%d samples", len(got))
	}
}

// readAll reads text in each format twice: what comes must be sound, named, and the same again.
func readAll(t *testing.T, text []byte) {
	t.Helper()
	for _, f := range Formats() {
		var first []string
		for round := range 2 {
			var got []string
			for run, err := range Runs("-", f, bytes.NewReader(text), nil) {
				var where *trajectories.SyntaxError
				switch {
				case err == nil:
					sound(t, run)
					got = append(got, run.ID)
				case !errors.As(err, &where) || where.Line < 1 || where.Path != "-":
					t.Fatalf("%s: an error without a place: %v", f, err)
				default:
					got = append(got, err.Error())
				}
			}
			if len(got) == 0 {
				t.Fatalf("%s: neither a run nor an error", f)
			}
			if round == 0 {
				first = got
			} else if strings.Join(first, "\n") != strings.Join(got, "\n") {
				t.Fatalf("%s: %q, then %q", f, first, got)
			}
		}
	}
}

// FuzzRuns feeds the reader of files anything.
func FuzzRuns(f *testing.F) {
	f.Add([]byte(one("a") + "\n{\n\n{}\n" + one("b")))
	f.Add([]byte(packed(f, one("a"))))
	f.Add([]byte(oneUse))
	f.Add(goldenJournal(f)[:2000])
	f.Add([]byte("[\n" + one("a") + "\n]"))
	f.Add([]byte("\uFEFF\r\n{\"steps\":[\n{\"index\":0}]}"))
	f.Fuzz(readAll)
}

// FuzzNeutral feeds anything as the steps of a trajectory in the neutral form. A trajectory that is read is
// written as it came.
func FuzzNeutral(f *testing.F) {
	f.Add(`{"index":0,"decision":0,"action_type":"click","target":"role=button name=Next","x":400,"y":300,"observation_hash":"1","dom_hash":"2","form_hash":"3","focus":"f","effect":null,"error":"","usd":0.01,"tokens":9,"seconds":4}`)
	f.Add(`{"index":0,"action_type":"drag","text":"to [1, 2]"},{"index":1,"action_type":"done"},{"index":9,"action_type":"fail","error":"timeout: x"}`)
	f.Add(`{"index":1e3,"action_type":"none","error":"é"},{"index":2000,"action_type":"key","text":"'ctrl', 'v'"},{"index":2001,"action_type":"wait","wait_ms":1e11}`)
	f.Fuzz(func(t *testing.T, steps string) {
		readAll(t, []byte(`{"id":"a","steps":[`+steps+`]}`))
	})
}

// FuzzBrowserUse feeds anything as an entry of a history.
func FuzzBrowserUse(f *testing.F) {
	for entry := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(oldUse, `{"history":[`), `]}`), "\n {") {
		f.Add(strings.TrimSuffix("{"+strings.TrimPrefix(entry, "\n {"), ","))
	}
	f.Add(`{"model_output":{"action":[{"click":{"coordinate_x":"1e5","coordinate_y":-0.5}},{"wait":{"seconds":1e5}}]}},null`)
	f.Fuzz(func(t *testing.T, entry string) {
		readAll(t, []byte(`{"history":[`+entry+`]}`))
	})
}
