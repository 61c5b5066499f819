package report

import (
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
)

// FalseInterventions are interventions where none was needed: on controls and forms that the
// bare loop solved under the same seed.
type FalseInterventions struct {
	// Cells are those with at least one, among those that the bare loop solved.
	Cells benchmarks.Rate `json:"cells"`
	// Harmed counts those of them that then failed or took more steps than the bare loop: an
	// intervention that only shortens the way is not needed, but does no harm.
	Harmed int `json:"harmed"`
	// Gates counts the interventions.
	Gates map[string]int `json:"gates"`
}

// loopless reports whether a cell has a page without a loop, however often something is repeated there.
func loopless(c benchmarks.Cell) bool {
	return (c.Suite == "controls" || c.Suite == "healthy" ||
		c.Suite == benchmarks.MiniWoBSuite+"-controls") &&
		!ambiguous(c.Task)
}

func ambiguous(task string) bool {
	t, err := tuned.FindTask(task)
	return err == nil && t.Ambiguous
}

// sound reports whether nothing is wrong with a cell's page: what fails there is the brain's fault or an
// intervention's.
func sound(c benchmarks.Cell) bool {
	return loopless(c) || c.Suite == "forms" || c.Suite == benchmarks.MiniWoBSuite+"-forms"
}

// falseInterventions looks at the cells of controls, healthy and forms that the bare loop solved; nil
// when the study has no such cell.
func falseInterventions(mine []benchmarks.Result,
	by map[benchmarks.Cell]benchmarks.Result) *FalseInterventions {
	f := FalseInterventions{Gates: map[string]int{}}
	yes, n := 0, 0
	for _, r := range mine {
		bare := r.Cell
		bare.Arm = benchmarks.BareArm
		if !sound(r.Cell) || !by[bare].Success {
			continue
		}
		n++
		if len(r.Interventions) > 0 {
			yes++
			if !r.Success || r.Steps > by[bare].Steps {
				f.Harmed++
			}
		}
		add(f.Gates, r.Interventions)
	}
	if n == 0 {
		return nil
	}
	f.Cells = benchmarks.Wilson(yes, n)
	return &f
}

// signalled is the rate of signals on controls.
func signalled(mine []benchmarks.Result, by map[benchmarks.Cell]benchmarks.Result) benchmarks.Rate {
	return rate(slices.DeleteFunc(slices.Clone(mine), func(r benchmarks.Result) bool {
		c := r.Cell
		c.Arm = benchmarks.BareArm
		bare, ok := by[c]
		return !loopless(r.Cell) || ok && !bare.Success
	}), benchmarks.Result.Signalled)
}
