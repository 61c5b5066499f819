package study

import (
	"fmt"
	"math"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Disagreement is a field of a result in which it is not what its episode's journal comes to.
type Disagreement struct {
	// Field is its name in results.jsonl.
	Field string `json:"field"`
	// Result and Journal are what the two say.
	Result  string `json:"result"`
	Journal string `json:"journal"`
}

// String is the disagreement in a line.
func (d Disagreement) String() string {
	return fmt.Sprintf("%s is %s, by the journal %s", d.Field, d.Result, d.Journal)
}

// Disagreements hold a result of the study against its episode's journal: whose it is, reward, end and both
// successes, steps, tokens, cost and duration, and whether what a page or an oracle is noted to have said
// goes with the reward. Judgements of steps (wasted ones, wrong interventions, signals) are left out, because
// programs of other versions judge them otherwise. A nil t is a journal that is not there, which only a cell
// that was never played may lack. An error is a cell that the plan has not.
func Disagreements(s *benchmarks.Study, r benchmarks.Result, t *trajectories.Trajectory) ([]Disagreement,
	error) {
	task, err := s.Plan.FindTask(r.Task)
	if err != nil {
		return nil, err
	}
	unplayed := r.End == cua.EndEnvError && r.Steps == 0
	switch {
	// failed names the last attempt that died, if there was one
	case t == nil && unplayed, t != nil && t.End == nil && unplayed:
		return nil, nil
	case t == nil:
		return []Disagreement{{"episode", r.Episode, "not there"}}, nil
	}
	var out []Disagreement
	compare := func(field string, result, journal any) {
		if result != journal {
			out = append(out, Disagreement{field, fmt.Sprint(result), fmt.Sprint(journal)})
		}
	}
	h, by := t.Header, outcome(r.Cell, task, trajectories.Summarize(t, nil))
	compare("task", r.Task, h.Task.ID)
	compare("seed", r.Seed, h.Task.Seed)
	compare("arm", r.Arm, h.Arm)
	compare("episode", r.Episode, h.Episode)
	if h.Attempt > 0 && len(out) == 0 { // repeat and fault are known by the name alone
		compare("episode", r.Episode, r.Cell.Episode(h.Attempt))
	}
	compare("solvable", r.Solvable, by.Solvable)
	compare("end", r.End, by.End)
	compare("reward", r.Reward, by.Reward)
	compare("lenient", r.Lenient, by.Lenient)
	compare("success", r.Success, by.Success)
	compare("steps", r.Steps, by.Steps)
	compare("tokens", r.Tokens, by.Tokens)
	compare("duration_ms", r.DurationMS, by.DurationMS)
	if a, b := dollars(r.USD), dollars(by.USD); !(math.Abs(a-b) <= 1e-9 || math.IsNaN(a) && math.IsNaN(b)) {
		out = append(out, Disagreement{"cost_usd", trajectories.Dollars(r.USD), trajectories.Dollars(by.USD)})
	}
	if said, ok := rewardOf(s.Plan, r); ok && !by.End.Infrastructure() {
		compare("reward of the verdict", said, by.Reward)
	}
	return out, nil
}

// dollars are NaN where they are not known.
func dollars(usd *float64) float64 {
	if usd == nil {
		return math.NaN()
	}
	return *usd
}

// rewardOf is what follows from the verdict that the result holds; false where it holds none.
func rewardOf(p benchmarks.Plan, r benchmarks.Result) (reward float64, ok bool) {
	switch {
	case r.MiniWoB != nil && p.MiniWoB != nil:
		return p.MiniWoB.Profile.Reward(*r.MiniWoB), true
	case r.Judged != nil:
		return r.Judged.Reward, true
	}
	return 0, false
}
