package study

import (
	"errors"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/miniwob"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// An edit of a result that goes together in itself is seen by the journal of its episode, and named by its
// field.
func TestResultsAreHeldAgainstTheJournals(t *testing.T) {
	s := create(t, 1)
	if err := Play(t.Context(), s, Options{Factory: &studytest.Pressings{T: t,
		Broken: map[string]int{"stepper": 1}}}); err != nil {
		t.Fatal(err)
	}
	journal := func(r benchmarks.Result) *trajectories.Trajectory {
		read, err := trajectories.Read(s.EpisodeDir(r.Episode))
		if err != nil {
			t.Fatal(err)
		}
		return read
	}
	won := -1
	for i, r := range s.Results {
		if d, err := Disagreements(s, r, journal(r)); err != nil || len(d) > 0 {
			t.Errorf("%s as it was played: %v, %v", r.Episode, d, err)
		}
		if r.Success && r.End == cua.EndEnvEnded || r.Success && r.End == cua.EndDone {
			won = i
		}
	}
	if won < 0 {
		t.Fatal("no cell succeeded")
	}
	of := journal(s.Results[won])
	usd := 7.0
	for _, row := range []struct {
		name   string
		change func(*benchmarks.Result)
		says   string // the fields
	}{
		{"a success taken away", func(r *benchmarks.Result) { r.Reward, r.Success, r.Lenient = 0, false, false }, "reward lenient success"},
		{"a smaller reward", func(r *benchmarks.Result) { r.Reward, r.Success, r.Lenient = 0.5, false, false }, "reward lenient success"},
		{"at the cap", func(r *benchmarks.Result) { r.End, r.Success = cua.EndMaxSteps, false }, "end success"},
		{"called unsolvable", func(r *benchmarks.Result) { r.Solvable = !r.Solvable }, "solvable"},
		{"fewer steps", func(r *benchmarks.Result) { r.Steps-- }, "steps"},
		{"cheaper", func(r *benchmarks.Result) { r.Tokens /= 2 }, "tokens"},
		{"another cost", func(r *benchmarks.Result) { r.USD = &usd }, "cost_usd"},
		{"an unknown cost", func(r *benchmarks.Result) { r.USD = nil }, "cost_usd"},
		{"faster", func(r *benchmarks.Result) { r.DurationMS -= 5 }, "duration_ms"},
		{"another arm's", func(r *benchmarks.Result) { r.Arm = map[string]string{"default": "off", "off": "default"}[r.Arm] }, "arm"},
		{"another seed's", func(r *benchmarks.Result) { r.Seed = 9 }, "seed"},
		{"another repeat's", func(r *benchmarks.Result) { r.Repeat = 1 }, "episode"},
		{"another episode's", func(r *benchmarks.Result) { r.Episode = "stepper@off.7-1" }, "episode"},
		{"an oracle that gave less", func(r *benchmarks.Result) { r.Judged = &manifest.Verdict{Judged: true, Reward: 0.25} }, "reward of the verdict"},
		{"an oracle that gave as much", func(r *benchmarks.Result) { r.Judged = &manifest.Verdict{Judged: true, Reward: 1} }, ""},
		{"what is judged otherwise by other versions", func(r *benchmarks.Result) { r.Wasted, r.Nudges, r.FirstSoft = 5, 5, 5 }, ""},
	} {
		r := s.Results[won]
		row.change(&r)
		d, err := Disagreements(s, r, of)
		var fields []string
		for _, x := range d {
			fields = append(fields, x.Field)
		}
		if got := strings.Join(fields, " "); err != nil || got != row.says {
			t.Errorf("%s: %q (%v), want %q", row.name, got, err, row.says)
		}
	}
	d, err := Disagreements(s, s.Results[won], nil)
	if err != nil || len(d) != 1 ||
		d[0].String() != "episode is "+s.Results[won].Episode+", by the journal not there" {
		t.Errorf("without a journal: %v, %v", d, err)
	}
	if _, err := Disagreements(s, benchmarks.Result{Cell: benchmarks.Cell{Task: "login"}}, of); err == nil {
		t.Error("a task that the study has not")
	}
}

// A cell that was not played has no journal, or one that ends in the middle; one that was must have its own.
func TestACellThatWasNotPlayedNeedsNoJournal(t *testing.T) {
	s := &benchmarks.Study{Plan: studytest.Plan(1)}
	c := benchmarks.Cell{Suite: "controls", Task: "stepper", Seed: 1, Arm: "off"}
	r := failed(c, suites.Task{Solvable: true}, attempted{n: 8, interrupted: 8}, errors.New("died"))
	died := &trajectories.Trajectory{Header: trajectories.Header{Episode: r.Episode, Arm: "off",
		Task: cua.Task{ID: "stepper", Seed: 1}}}
	for name, of := range map[string]*trajectories.Trajectory{"none": nil, "one that died": died} {
		if d, err := Disagreements(s, r, of); err != nil || len(d) > 0 {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
	ended := *died
	one := 1.0
	ended.End = &trajectories.End{Reason: cua.EndDone, Success: true, Reward: &one}
	if d, err := Disagreements(s, r, &ended); err != nil || len(d) != 4 { // end, reward and both successes
		t.Errorf("one that was played: %v, %v", d, err)
	}
}

// What the page of MiniWoB++ said is in the result alone; the reward that follows from it is in the journal
// too.
func TestTheVerdictGoesWithTheReward(t *testing.T) {
	for _, row := range []struct {
		profile string
		said    miniwob.Verdict
		reward  float64
	}{
		{"browsergym", miniwob.Verdict{Ended: true, Raw: 0.5}, 1},
		{"browsergym", miniwob.Verdict{Ended: true, Raw: -1}, 0},
		{"farama-binary", miniwob.Verdict{Ended: true, Raw: 0.5}, 0},
		{"farama-binary", miniwob.Verdict{Ended: true, Raw: 1}, 1},
		{"browsergym", miniwob.Verdict{Raw: 1}, 0},
	} {
		p, err := miniwob.FindProfile(row.profile)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := rewardOf((benchmarks.Plan{MiniWoB: &benchmarks.MiniWoB{Profile: p}}),
			benchmarks.Result{MiniWoB: &row.said}); !ok ||
			got != row.reward {
			t.Errorf("%s, %+v: %v, want %v", row.profile, row.said, got, row.reward)
		}
	}
	if _, ok := rewardOf((benchmarks.Plan{}), benchmarks.Result{}); ok {
		t.Error("a task of the program itself has a verdict")
	}
}
