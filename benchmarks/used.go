package benchmarks

import (
	"iter"
	"os"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Used are the tokens, as InputTokens, and the known cost of all attempts: also of those that came to no
// result, which were paid for too. An attempt that cannot be read counts for nothing, and so does a decision
// that was given up before its step was recorded.
func (s *Study) Used() cua.Usage {
	var tokens int
	var usd float64
	add := func(n int, cost *float64) {
		tokens += n
		if cost != nil {
			usd += *cost
		}
	}
	for _, r := range s.Results {
		add(r.Tokens, r.USD)
	}
	for t := range s.beside() {
		for _, step := range t.Steps {
			add(step.Usage.Tokens(), step.Usage.USD)
		}
	}
	return cua.Usage{InputTokens: tokens, USD: &usd}
}

// beside are the attempts that no result is of: one that was interrupted or made once more after a fault, or
// whose cell has no result yet. Those that cannot be read are left out.
func (s *Study) beside() iter.Seq[*trajectories.Trajectory] {
	return func(yield func(*trajectories.Trajectory) bool) {
		have := map[string]bool{}
		for _, r := range s.Results {
			// without: of a cell that was not played, which names an attempt that died
			have[r.Episode] = r.Steps > 0
		}
		runs, _ := os.ReadDir(s.Path(RunsName)) // none: nothing was tried
		for _, run := range runs {
			if have[run.Name()] {
				continue
			}
			if t, err := trajectories.Read(s.EpisodeDir(run.Name())); err == nil && !yield(t) {
				return
			}
		}
	}
}

// UsedBeside is what these attempts used, by arm.
func (s *Study) UsedBeside() map[string]cua.Usage {
	by := map[string]cua.Usage{}
	for t := range s.beside() {
		sum := by[t.Header.Arm]
		for i := range t.Steps {
			sum = sum.Plus(t.Steps[i].Usage)
		}
		by[t.Header.Arm] = sum
	}
	return by
}
