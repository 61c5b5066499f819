package study

import (
	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
	"github.com/cua-runner/cua-runner/trajectories/lessons"
)

// score computes a cell's result from its journal and from what judged it.
func score(c benchmarks.Cell, task suites.Task, j *invariants.Journal, v verdicts) benchmarks.Result {
	t := j.Trajectory
	t.Incidents = runner.Incidents(t, runner.DefaultConfig())
	sum := trajectories.Summarize(t, t.Incidents)
	r := outcome(c, task, sum)
	r.Wasted, r.Incidents, r.Substitutions, r.DoneRejections = sum.WastedSteps, sum.Incidents,
		sum.Substitutions, sum.DoneRejections
	r.Nudges, r.Shadow, r.Recoveries, r.Interventions = sum.Nudges, sum.Shadow, recoveries(t),
		interventions(t.Steps)
	r.MiniWoB, r.Judged = v.miniwob, v.listed
	r.Harm = harmDone(task, r, t.Steps)
	r.Signals = map[cua.Shape]map[string]int{}
	r.Wrong = map[benchmarks.WrongKind]int{}
	for _, w := range WrongInterventions(t) {
		r.Wrong[w.Kind]++
	}
	check(&r, j)
	if cfg, err := runner.Recorded(t.Header); err == nil { // it was written by this program
		s := runner.Assemble(cfg).Detectors.Score(t.History(), r.End)
		r.FirstSoft, r.FirstHard = s.FirstSoft, s.FirstHard
	}
	for shape, levels := range sum.Signals {
		r.Signals[shape] = map[string]int{}
		for level, n := range levels {
			r.Signals[shape][string(level)] = n
		}
	}
	return r
}

// outcome is what a journal says of the cell however its steps are judged: programs of all versions agree on
// it.
func outcome(c benchmarks.Cell, task suites.Task, sum trajectories.RunResult) benchmarks.Result {
	r := benchmarks.Result{Cell: c, Episode: sum.Episode, Solvable: task.Solvable, End: sum.TerminationReason,
		Detail: sum.Detail, Steps: sum.Steps, DurationMS: sum.DurationMS, Tokens: sum.Tokens, USD: sum.USD}
	if sum.Reward != nil {
		r.Reward = *sum.Reward
	}
	r.Success, r.Lenient = r.Successes()
	return r
}

// given notes which lessons the cell could be given.
func given(r *benchmarks.Result, t *trajectories.Trajectory) {
	if p, ok := lessons.PlayedOf(t); ok {
		r.Lessons, r.Likeness = p.Lessons, p.Likeness
	}
}

// check holds the journal against every invariant: what the command check does, on the journal as it is.
func check(r *benchmarks.Result, j *invariants.Journal) {
	for _, in := range invariants.All() {
		broken, _ := in.Check(j) // the embedded tasks have no secrets, which is all that can go unchecked
		r.Checked++
		r.Broken = append(r.Broken, broken...)
	}
}

// recoveries counts by reason, and those with an effect as incidents do.
func recoveries(t *trajectories.Trajectory) map[cua.Reason]benchmarks.Tried {
	out := map[cua.Reason]benchmarks.Tried{}
	samples := t.History().Samples()
	for i := range t.Steps {
		a, ok := cua.AttemptAt(samples, i)
		if !ok || t.Steps[i].RecoveryReason == "" {
			continue
		}
		n := out[a.Reason]
		n.Count++
		if a.Effect {
			n.Effect++
		}
		out[a.Reason] = n
	}
	return out
}

func interventions(steps []cua.Step) map[string]int {
	out := map[string]int{}
	for i := range steps {
		if r, ok := intervened(&steps[i]); ok {
			out[r.Gate]++
		}
	}
	return out
}

// intervened is the ruling by which a gate changed what the brain proposed; limits and policy are left out:
// every arm has them.
func intervened(s *cua.Step) (cua.Ruling, bool) {
	r, ok := s.Ruled()
	return r, ok && r.Verdict != cua.Accept && r.Gate != "limits" && r.Gate != "policy"
}
