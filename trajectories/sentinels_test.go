package trajectories

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

func TestSentinels(t *testing.T) {
	cost := 0.02
	refuse := func(reason string) []cua.Ruling {
		return []cua.Ruling{{Gate: "policy", Verdict: cua.Refuse, Reason: reason, Evidence: []int{1}}}
	}
	click := cua.Action{Kind: cua.Click}
	key := cua.Action{Kind: cua.Key, Keys: "Tab"}
	j := &Trajectory{
		Steps: []cua.Step{
			{N: 1, Action: &click},
			{N: 2, Action: &click, Usage: cua.Usage{InputTokens: 10, USD: &cost}, Timing: cua.Timing{Act: 100},
				Signals: []cua.Signal{{Shape: cua.ShapeRepeat, Level: cua.Soft, Evidence: []int{1, 2}}},
				Notes:   []cua.Note{{From: "nudge", Level: 1}, {From: "runner"}}},
			{N: 3, Proposed: click, Action: &key, Usage: cua.Usage{InputTokens: 5, USD: &cost}, Timing: cua.Timing{Act: 50},
				Rulings: []cua.Ruling{{Gate: "rescue", Verdict: cua.Replace, Reason: "tab_to_next_field",
					Evidence: []int{1, 2}}}},
			{N: 4, Rulings: refuse("host_not_allowed")},
			{N: 5, Rulings: refuse("empty_summary"), DoneRejected: cua.EmptySummary},
			{N: 6, Action: &cua.Action{Kind: cua.Rewind, Step: 2}, RewoundTo: 2},
			{N: 7, Notes: []cua.Note{{From: "mistakes"}}},
			{N: 8, Rulings: []cua.Ruling{{Gate: "breaker", Verdict: cua.Halt, Reason: "repeat", Evidence: []int{7, 8}}}},
		},
		Events: []Event{{Kind: TakeoverEvent, Step: 6}, {Kind: ContinueEvent, Step: 6},
			{Kind: FaultEvent, Step: 8}},
	}
	end := End{Reason: cua.EndLoop, Totals: Totals{Steps: 8}}
	j.Ends, j.End = []End{end}, &end
	incidents := []cua.Incident{{ID: "i2", First: 2, Last: 3, Outcome: cua.OutcomeRecovered}}
	both := 0.04
	want := []Sentinel{
		{Kind: LoopNudge, Step: 2, Reason: "level_1", Evidence: []int{1, 2}, Incident: "i2", Steps: 1, Tokens: 10, USD: &cost, Seconds: .1, Outcome: cua.OutcomeRecovered, CanContinue: true},
		{Kind: ActionSubstituted, Step: 3, Reason: "tab_to_next_field", Evidence: []int{1, 2}, Incident: "i2", Steps: 2, Tokens: 15, USD: &both, Seconds: .15, Outcome: cua.OutcomeRecovered, CanContinue: true},
		{Kind: ActionRefused, Step: 4, Reason: "host_not_allowed", Evidence: []int{1}, CanContinue: true},
		{Kind: DoneRejected, Step: 5, Reason: "empty_summary", Evidence: []int{1}, CanContinue: true},
		{Kind: RewindSentinel, Step: 6, Reason: "to_step_2", CanContinue: true},
		{Kind: Takeover, Step: 6, CanContinue: true},
		{Kind: MistakeRecovery, Step: 7, CanContinue: true},
		{Kind: DoomLoop, Step: 8, Reason: "loop", Evidence: []int{7, 8}, CanContinue: true},
	}
	got := Sentinels(j, incidents)
	if len(got) != len(want) {
		t.Fatalf("%d sentinels, want %d: %+v", len(got), len(want), got)
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("%d: %+v\nwant %+v", i, got[i], want[i])
		}
	}
}

func TestSentinelsOfEnds(t *testing.T) {
	for _, c := range []struct {
		reason    cua.EndReason
		want      SentinelKind
		escalated bool
		goesOn    bool
	}{
		{cua.EndDone, "", false, false}, {cua.EndDoneUnverified, "", false, false}, {cua.EndEnvError, "", false, false},
		{cua.EndLoop, DoomLoop, false, true}, {cua.EndSpiral, SpiralPause, false, true}, {cua.EndPaused, SpiralPause, false, true},
		{cua.EndMistakes, MistakeRecovery, true, true}, {cua.EndMaxSteps, CapHit, false, false}, {cua.EndMaxCost, CapHit, false, false},
	} {
		end := End{Reason: c.reason, Totals: Totals{Steps: 1}}
		tr := &Trajectory{Steps: []cua.Step{{N: 1}}, End: &end, Ends: []End{end}}
		got := Sentinels(tr, []cua.Incident{{ID: "i1", First: 1, Last: 1}})
		if c.want == "" {
			if len(got) != 0 {
				t.Errorf("%s: %+v", c.reason, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Kind != c.want || got[0].Escalated != c.escalated ||
			got[0].CanContinue != c.goesOn || got[0].Incident != "i1" {
			t.Errorf("%s: %+v", c.reason, got)
		}
	}
}

// TestSentinelsCountAsTheResult says that what people are told adds up to what the result counts.
func TestSentinelsCountAsTheResult(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tr := &Trajectory{}
		for n := range rapid.IntRange(0, 20).Draw(rt, "steps") {
			s := cua.Step{N: n + 1}
			if rapid.Bool().Draw(rt, "nudged") {
				s.Notes = []cua.Note{{From: "nudge", Level: 1}}
			}
			a := cua.Action{Kind: cua.Key, Keys: "Tab"}
			switch rapid.IntRange(0, 3).Draw(rt, "ruled") {
			case 1:
				s.Action, s.Rulings, s.RecoveryReason = &a, []cua.Ruling{{Gate: "rescue",
					Verdict: cua.Replace}}, cua.TabToNextField
			case 2:
				s.Rulings, s.DoneRejected = []cua.Ruling{{Gate: "done", Verdict: cua.Refuse}},
					cua.EmptySummary
			case 3:
				s.Rulings = []cua.Ruling{{Gate: "policy", Verdict: cua.Refuse}}
			}
			tr.Steps = append(tr.Steps, s)
		}
		r := Summarize(tr, nil)
		counts := map[SentinelKind]int{}
		for _, s := range Sentinels(tr, nil) {
			counts[s.Kind]++
		}
		substituted := 0
		for _, n := range r.Substitutions {
			substituted += n
		}
		if counts[LoopNudge] != r.Nudges || counts[ActionSubstituted] != substituted ||
			counts[DoneRejected] != r.DoneRejections[cua.EmptySummary] {
			rt.Fatalf("%v beside %+v", counts, r)
		}
	})
}
