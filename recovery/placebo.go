package recovery

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Placebo says at which steps nudges come that no signal is the reason for: a control for what nudges do by being said at
// all. Which steps is a function of the task's id and seed, so that a resume and a replay draw the same. They are worded as
// nudges about a page on which nothing changes, whatever it does.
type Placebo struct {
	// Rate is the share of all steps that carry one, where Of is 0; 0 to 1, and 0 is no placebo.
	Rate float64 `json:"rate,omitzero"`
	// Of is among how many steps, from the first, those of Levels are drawn; 0 leaves it to Rate.
	Of int `json:"of,omitzero"`
	// Levels are those of the nudges in their order, one a step, at most Of; none is an episode without nudges.
	Levels []int `json:"levels,omitzero"`
}

// maxPlacebo bounds Placebo.Of; an episode has far fewer steps.
const maxPlacebo = 100_000

func (p Placebo) on() bool { return p.Rate > 0 || p.Of > 0 }

func (p Placebo) validate() error {
	switch {
	case !(p.Rate >= 0 && p.Rate <= 1):
		return fmt.Errorf("recovery: config: nudge.placebo.rate must be 0 to 1, not %g", p.Rate)
	case p.Of < 0 || p.Of > maxPlacebo:
		return fmt.Errorf("recovery: config: nudge.placebo.of must be 0 to %d, not %d", maxPlacebo, p.Of)
	case len(p.Levels) > p.Of:
		return fmt.Errorf("recovery: config: nudge.placebo.levels: at most as many as nudge.placebo.of (%d), not %d", p.Of, len(p.Levels))
	case slices.ContainsFunc(p.Levels, func(l int) bool { return l < 1 || l > LastWarning }):
		return fmt.Errorf("recovery: config: nudge.placebo.levels: each must be 1 to %d, not %v", LastWarning, p.Levels)
	}
	return nil
}

// level is that of the nudge of step n, numbered from 1; 0 is none.
func (p Placebo) level(task cua.Task, n int) int {
	if p.Of == 0 {
		const whole = 1 << 53
		due := func(n int) bool { return float64(draw(task, n)>>11) < p.Rate*whole }
		if !due(n) {
			return 0
		}
		level := 1
		for i := 1; i < n && level < LastWarning; i++ {
			if due(i) {
				level++
			}
		}
		return level
	}
	steps := make([]int, p.Of)
	for i := range steps {
		steps[i] = i + 1
	}
	slices.SortFunc(steps, func(a, b int) int { return cmp.Or(cmp.Compare(draw(task, a), draw(task, b)), cmp.Compare(a, b)) })
	steps = steps[:len(p.Levels)]
	slices.Sort(steps)
	if i, ok := slices.BinarySearch(steps, n); ok {
		return p.Levels[i]
	}
	return 0
}

// draw is the chance of step n of the task, even over all values: a policy has no other. It is the finisher of SplitMix64 over
// a sum of FNV-1a's.
func draw(task cua.Task, n int) uint64 {
	x := uint64(14695981039346656037)
	for i := range len(task.ID) {
		x = (x ^ uint64(task.ID[i])) * 1099511628211
	}
	x += uint64(task.Seed)*0xD1342543DE82EF95 + uint64(n)*0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// hintRun is the run that a placebo's hint speaks of: the one at which loop shapes turn soft by the spec (loops).
const hintRun = 3

// byChance is the note of a placebo: what a nudge of that level says of a frozen page.
func (n Nudge) byChance(t *cua.Turn) []cua.Note {
	level := n.Config.Placebo.level(t.Task, t.Number)
	if level == 0 {
		return nil
	}
	run := [...]int{hintRun, n.Config.Instruct, n.Config.Warn}[level-1]
	sig := &cua.Signal{Shape: cua.ShapeFrozen, Level: cua.Soft, Run: max(1, min(run, len(t.History.Steps)))}
	return []cua.Note{n.say(t, sig, level)}
}
