package study

import (
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
)

const (
	// overMS is by how many ms the harness must be slower a step than the base, beside benchmarks.OverPace.
	overMS = 50
	// leastCalm is how many episodes make a base.
	leastCalm = 3
)

// pace is what the harness takes for a step on a machine that is not busy: the base that episodes are held
// against. It is measured on the study's own episodes that ran beside no more others than there are cores.
type pace struct {
	cores int // 0 measures nothing
	all   []float64
	tasks map[string][]float64
}

// learn takes in an episode of task that ran beside most-1 others.
func (p *pace) learn(task string, stepMS float64, most int) {
	if p.cores == 0 || stepMS <= 0 || most < 1 || most > p.cores {
		return
	}
	if p.tasks == nil {
		p.tasks = map[string][]float64{}
	}
	p.all = append(p.all, stepMS)
	p.tasks[task] = append(p.tasks[task], stepMS)
}

// base is the median of the task's own episodes, or of all where it has too few; 0 is not known yet.
func (p *pace) base(task string) float64 {
	for _, of := range [][]float64{p.tasks[task], p.all} {
		if len(of) >= leastCalm {
			sorted := slices.Sorted(slices.Values(of))
			return sorted[len(sorted)/2]
		}
	}
	return 0
}

// overloaded reports whether the harness of an episode was far slower than the base; a base that is not
// known is none.
func overloaded(stepMS, base float64) bool {
	return base > 0 && stepMS > benchmarks.OverPace*base && stepMS > base+overMS
}

// harnessStepMS is the mean time of a step beside its brain, its dispatch and the settling of the page, which
// take as long as the task wants: what is left depends on the machine. 0: no step.
func harnessStepMS(steps []cua.Step) float64 {
	if len(steps) == 0 {
		return 0
	}
	sum := 0.0
	for i := range steps {
		t := steps[i].Timing
		sum += t.Turn + t.Locate + t.Review + t.Intent + t.Observe + t.Verify + t.Record
	}
	return sum / float64(len(steps))
}
