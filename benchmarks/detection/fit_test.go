package detection

import (
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/studytest"
)

// Three sources: what is best on two of them is judged on the third.
func TestFitLeavesOneSourceOut(t *testing.T) {
	yes, no := true, false
	e := NewEvaluation(nil, nil)
	e.Fit([]Candidate{{Name: "this config"}, {Name: "eager"}, {Name: "late"}})
	add := func(n int, benchmark, quality string, looping *bool, alarms ...bool) {
		for range n {
			e.Add(Detected{Source: "s", Benchmark: benchmark, Quality: quality, Looping: looping, Steps: 1,
				Fitted: alarms})
		}
	}
	for _, b := range []string{"a", "b"} { // eager finds more than this config, and alarms in 5 of 100
		add(10, b, "ok", &yes, false, true, false)
		add(10, b, "ok", &yes, true, true, false)
		add(5, b, "ok", &no, false, true, false)
		add(95, b, "ok", &no, false, false, false)
	}
	// and in half of c, so that it may not be chosen where c is known
	add(10, "c", "ok", &yes, true, true, false)
	add(10, "c", "ok", &no, false, true, false)
	add(10, "c", "ok", &no, false, false, false)
	add(50, "d", "suspect", &no, false, true, true) // not to be trusted
	rep := e.Report()
	chosen := map[string]string{}
	for _, r := range rep.Fit {
		chosen[r.Left] = r.Chosen
	}
	for left, want := range map[string]string{"s a": "this config", "s b": "this config",
		"s c": "eager", "": ""} {
		if got, ok := chosen[left]; got != want || !ok {
			t.Errorf("without %q: %q, want %q", left, got, want)
		}
	}
	all := rep.Fit[len(rep.Fit)-1]
	if len(rep.Fit) != 4 || all.Runs != 270 {
		t.Fatalf("%+v", rep.Fit)
	}
	// Left out: 10 of 20 in a and in b, 10 of 10 in c with 10 wrong; here: none wrong.
	studytest.Near(t, "F1 left out", all.Out.F1.Value, 2*30/(2*30+10+20.0), 1e-9)
	studytest.Near(t, "false alarms left out", all.Out.False.Share, 10/220.0, 1e-9)
	studytest.Near(t, "F1 here", all.Here.F1.Value, 2*30/(2*30+20.0), 1e-9)
}

// People who are presumed not to loop bound what may be chosen.
func TestFitRefusesWhatAlarmsPeople(t *testing.T) {
	yes, no := true, false
	e := NewEvaluation(nil, nil)
	e.Fit([]Candidate{{Name: "this config"}, {Name: "eager"}})
	for _, source := range []string{"a", "b"} {
		e.Add(Detected{Source: source, Quality: "ok", Looping: &yes, Fitted: []bool{false, true}})
	}
	for i := range 10 {
		e.Add(Detected{Source: "people", Quality: "strict", Looping: &no, Fitted: []bool{false, i == 0}})
	}
	for _, r := range e.Report().Fit {
		if want := map[string]string{"a": "this config", "b": "this config",
			"people": "eager"}[r.Left]; r.Chosen != want {
			t.Errorf("without %s: %q, want %q", r.Left, r.Chosen, want)
		}
	}
}
