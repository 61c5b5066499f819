package runner_test

import (
	"maps"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// In every golden episode people are told of as many things of each kind as the result counts, and as the
// records hold.
func TestSentinelsOfTheGoldens(t *testing.T) {
	seen := map[trajectories.SentinelKind]int{}
	for _, e := range episodes(t) {
		t.Run(e.name, func(t *testing.T) {
			dir, result := e.run(t)
			tr, err := trajectories.Read(dir)
			check(t, err)
			got := map[trajectories.SentinelKind]int{}
			for _, s := range result.Sentinels {
				got[s.Kind]++
				seen[s.Kind]++
			}
			want := map[trajectories.SentinelKind]int{trajectories.LoopNudge: result.Nudges,
				trajectories.ActionSubstituted: sum(result.Substitutions),
				trajectories.DoneRejected:      sum(result.DoneRejections)}
			for i := range tr.Steps {
				s := &tr.Steps[i]
				if r, ok := s.Ruled(); ok && r.Verdict == cua.Refuse && s.DoneRejected == "" {
					want[trajectories.ActionRefused]++
				}
				if s.RewoundTo > 0 {
					want[trajectories.RewindSentinel]++
				}
				for _, n := range s.Notes {
					if n.From == recovery.MistakesName {
						want[trajectories.MistakeRecovery]++
					}
				}
			}
			switch result.TerminationReason {
			case cua.EndLoop:
				want[trajectories.DoomLoop]++
			case cua.EndMistakes:
				want[trajectories.MistakeRecovery]++
			case cua.EndSpiral, cua.EndPaused, cua.EndAsked:
				want[trajectories.SpiralPause]++
			case cua.EndMaxSteps:
				want[trajectories.CapHit]++
			}
			maps.DeleteFunc(want, func(_ trajectories.SentinelKind, n int) bool { return n == 0 })
			if !maps.Equal(got, want) {
				t.Errorf("told %v, and there were %v", got, want)
			}
			if again := trajectories.Sentinels(tr, runner.Incidents(tr,
				runner.DefaultConfig())); len(again) != len(result.Sentinels) {
				t.Errorf("%d from the journal, %d in the result", len(again), len(result.Sentinels))
			}
		})
	}
	for _, k := range []trajectories.SentinelKind{trajectories.LoopNudge, trajectories.ActionSubstituted,
		trajectories.DoneRejected, trajectories.RewindSentinel,
		trajectories.MistakeRecovery} {
		if seen[k] == 0 {
			t.Errorf("no golden episode has a %s", k)
		}
	}
}

// A mistake_recovery says how many steps failed and how, at the note and at the end.
func TestAMistakeRecoverySaysWhatFailed(t *testing.T) {
	e := readEpisode(t, "testdata/six_mistakes_end_it.txtar")
	_, result := e.run(t)
	n := 0
	for _, s := range result.Sentinels {
		if s.Kind != trajectories.MistakeRecovery {
			continue
		}
		n++
		if s.Count != 3 || len(s.Evidence) != 3 || len(s.FailureKinds) == 0 || s.FailureKinds[0] == "" {
			t.Errorf("after step %d: %d steps, %v, steps %v", s.Step, s.Count, s.FailureKinds, s.Evidence)
		}
	}
	if n != 2 {
		t.Errorf("%d of them, want a note and an end", n)
	}
}

func sum[K comparable](counts map[K]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}
