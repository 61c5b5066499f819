package trajectories

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestSummarize(t *testing.T) {
	tr := goldenEpisode(t)
	got, err := json.MarshalIndent(Summarize(tr, tr.Incidents), "", "  ")
	must(t, err)
	compare(t, filepath.Join("testdata", "result.json"), got)

	none, err := json.Marshal(Summarize(&Trajectory{}, nil))
	must(t, err)
	for _, part := range []string{`"loop_recoveries_by_reason":{}`, `"done_rejections_by_reason":{}`, `"perceptual_summary":{}`, `"termination_reason":""`} {
		if !strings.Contains(string(none), part) {
			t.Errorf("%s lacks %s", none, part)
		}
	}
	var back RunResult
	must(t, json.Unmarshal(got, &back))
	if back.Perceptual != (Perceptual{2, 1}) {
		t.Errorf("%+v", back.Perceptual)
	}
}

func TestWastedStepsAndFaults(t *testing.T) {
	steps := make([]cua.Step, 10)
	for i := range steps {
		steps[i].N = i + 1
	}
	in := func(first, last int, o cua.IncidentOutcome) cua.Incident {
		return cua.Incident{First: first, Last: last, Outcome: o}
	}
	for name, c := range map[string]struct {
		incidents []cua.Incident
		want      int
	}{
		"none":                  {nil, 0},
		"recovered":             {[]cua.Incident{in(1, 5, cua.OutcomeRecovered), in(6, 8, cua.OutcomeSelfRecovered)}, 0},
		"halted":                {[]cua.Incident{in(2, 5, cua.OutcomeHalted)}, 4},
		"overlapping count one": {[]cua.Incident{in(2, 5, cua.OutcomeEnded), in(4, 6, cua.OutcomeEnded)}, 5},
		"open":                  {[]cua.Incident{in(9, 10, "")}, 2},
	} {
		if got := Summarize(&Trajectory{Steps: steps}, c.incidents).WastedSteps; got != c.want {
			t.Errorf("%s: %d wasted, want %d", name, got, c.want)
		}
	}
	for name, c := range map[string]struct {
		t    Trajectory
		want int
	}{
		"announced end":   {Trajectory{Steps: steps, Events: []Event{{Kind: FaultEvent, Step: 10}}, Ends: []End{{Reason: cua.EndEnvError, Totals: Totals{Steps: 10}}}}, 1},
		"unannounced end": {Trajectory{Steps: steps, Ends: []End{{Reason: cua.EndBrainError, Totals: Totals{Steps: 10}}}}, 1},
		"two sittings":    {Trajectory{Steps: steps, Events: []Event{{Kind: FaultEvent, Step: 3}}, Ends: []End{{Reason: cua.EndEnvError, Totals: Totals{Steps: 10}}}}, 2},
		"agent's own":     {Trajectory{Steps: steps, Ends: []End{{Reason: cua.EndLoop}}}, 0},
	} {
		if got := Summarize(&c.t, nil).InfrastructureFaults; got != c.want {
			t.Errorf("%s: %d faults, want %d", name, got, c.want)
		}
	}
	unknown := []cua.Step{{Usage: cua.Usage{USD: new(0.5)}}, {Usage: cua.Usage{InputTokens: 5}}}
	if Sum(unknown).USD != nil || *Sum(unknown[:1]).USD != 0.5 || Sum(nil).USD != nil {
		t.Error("an unknown cost became a known one")
	}
}
