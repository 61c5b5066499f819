package detection

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// readRun is one trajectory in the neutral form.
func readRun(t *testing.T, text string) *formats.Run {
	t.Helper()
	for run, err := range formats.Runs("-", formats.Neutral, strings.NewReader(text), nil) {
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	t.Fatal("no trajectory was read")
	return nil
}

// presses is a run of n presses of one dead button; its steps are called 10, 11, ….
func presses(t *testing.T, n int) *formats.Run {
	t.Helper()
	steps := make([]string, n)
	for i := range steps {
		steps[i] = fmt.Sprintf(`{"index":%d,"action_type":"click","target":"role=button name=Go","observation_hash":"a","tokens":100}`, 10+i)
	}
	return readRun(t, `{"id":"dead","source":"s","benchmark":"b","label_quality":"ok","looping":true,"success":false,"final_observation_hash":"a","steps":[`+strings.Join(steps, ",")+`]}`)
}

// repeatOnly has one detector, with a window of three and fixed thresholds.
func repeatOnly(t *testing.T) runner.Assembly {
	t.Helper()
	c, err := runner.DefaultConfig().Only("shape_repeat", "effect_conditioning")
	if err != nil {
		t.Fatal(err)
	}
	return runner.Assemble(c)
}

func TestDetectCountsStepsAsTheInputDoes(t *testing.T) {
	d := Detect(presses(t, 9), repeatOnly(t), nil)
	if *d.FirstSoft != 12 || d.SoftAt != 3 || *d.FirstHard != 17 || d.HardAt != 8 || d.Steps != 9 {
		t.Errorf("soft after %v (%d), hard after %v (%d)", *d.FirstSoft, d.SoftAt, *d.FirstHard, d.HardAt)
	}
	if len(d.Incidents) != 1 || d.Incidents[0].ID != "i13" || d.Incidents[0].First != 13 ||
		d.Incidents[0].Last != 18 || d.Incidents[0].Tokens != 600 {
		t.Errorf("incidents %+v", d.Incidents)
	}
	if d.Stuck != 6 || d.Wasted != 6 || d.Source != "s" || d.Benchmark != "b" || d.Quality != "ok" ||
		!*d.Looping || *d.Success {
		t.Errorf("%+v", d)
	}
	if calm := Detect(presses(t, 2), repeatOnly(t), nil); calm.FirstSoft != nil || calm.FirstHard != nil ||
		calm.Signals == nil || calm.Incidents == nil {
		t.Errorf("two presses: %+v; lists are empty and not null", calm)
	}
}

// A window knows nothing of what came before it: an alarm in it rests on its own steps.
func TestWindowsAreScoredAlone(t *testing.T) {
	window := func(from, to int) Window {
		return Window{ID: "dead", Steps: [2]int{from, to}, Loop: loopYes,
			Stretches: []Stretch{{from, from + 1, to - 1, "identical"}}}
	}
	for _, row := range []struct {
		name     string
		from, to int
		first    int // 0 is none
	}{
		{"the whole run", 10, 19, 12},
		{"its middle", 14, 19, 16},
		{"too short for three presses", 14, 16, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := window(row.from, row.to)
			d := Detect(presses(t, 9), repeatOnly(t), &Labels{Windows: []Window{w}})
			if len(d.Windows) != 1 {
				t.Fatalf("%d windows", len(d.Windows))
			}
			got := d.Windows[0]
			if row.first == 0 {
				if got.First != nil || got.found() {
					t.Errorf("alarm at %d", *got.First)
				}
				return
			}
			if got.First == nil || *got.First != row.first || got.Found[0].Delay != row.first-row.from-1 ||
				len(got.Shapes) != 1 {
				t.Errorf("%+v, want the first alarm at %d", got, row.first)
			}
		})
	}
	past := &Labels{Windows: []Window{window(10, 40), window(2, 12)}}
	if d := Detect(presses(t, 9), repeatOnly(t), past); len(d.Windows) != 0 {
		t.Errorf("windows past the run were judged: %+v", d.Windows)
	}
}

func TestPartOfAHistory(t *testing.T) {
	page := func(s string) cua.Observation { return cua.Observation{DOMDigest: s} }
	h := cua.History{Start: page("0"), Resumed: []cua.Resumption{{At: 1, Page: page("r")},
		{At: 3, Page: page("s")}}}
	for i := range 5 {
		h.Steps = append(h.Steps, cua.Step{N: i + 1, After: page(fmt.Sprint(i + 1))})
	}
	h.Steps[4].RewoundTo = 4
	p := part(h, 2, 5)
	if p.Start.DOMDigest != "2" || len(p.Steps) != 3 || p.Steps[0].N != 1 || p.Steps[2].RewoundTo != 2 ||
		len(p.Resumed) != 1 || p.Resumed[0].At != 1 {
		t.Errorf("%+v", p)
	}
	if h.Steps[2].N != 3 || h.Steps[4].RewoundTo != 4 || h.Resumed[1].At != 3 {
		t.Error("the whole history was changed")
	}
}

func TestInsideIncidents(t *testing.T) {
	stuck, wasted := insideIncidents(10, []cua.Incident{
		{First: 2, Last: 4, Outcome: cua.OutcomeSelfRecovered}, {First: 4, Last: 6, Outcome: cua.OutcomeEnded}, {First: 10, Last: 11}})
	if stuck != 6 || wasted != 4 {
		t.Errorf("%d and %d, want 6 and 4: each step counts once", stuck, wasted)
	}
}

func FuzzReadLabels(f *testing.F) {
	f.Add(`{"id":"a","window":[0,10],"loop":"yes","stretches":[{"onset":2,"start":3,"end":9}]}`)
	f.Add("{\"id\":\"a\",\"window\":[0,1],\"loop\":\"no\"}\n\nnonsense")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ReadLabels(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, w := range l.Windows {
			if w.ID == "" || w.Steps[0] >= w.Steps[1] || (w.Loop == loopYes) != (len(w.Stretches) > 0) &&
				w.Loop != loopUnclear {
				t.Fatalf("accepted %+v", w)
			}
			w.judge(nil, nil)
		}
	})
}
