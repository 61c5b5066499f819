package study

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// model is the arm that a is the placebo of: the same but that its nudges follow the signals. "" where a is
// none, or the study has no such arm.
func model(p benchmarks.Plan, a benchmarks.Arm) string {
	nudged, ok := a.Config.Nudged()
	if !ok {
		return ""
	}
	for _, b := range p.Arms {
		if reflect.DeepEqual(nudged, b.Config) {
			return b.Name
		}
	}
	return ""
}

// units are the cells in their order, a placebo's right after the cell that says how many nudges it gets: one
// worker plays both.
func units(p benchmarks.Plan, cells []benchmarks.Cell) [][]benchmarks.Cell {
	models := map[string]string{}
	for _, a := range p.Arms {
		models[a.Name] = model(p, a)
	}
	missing := map[benchmarks.Cell]bool{}
	for _, c := range cells {
		missing[c] = true
	}
	after := map[benchmarks.Cell][]benchmarks.Cell{}
	var out [][]benchmarks.Cell
	for _, c := range cells {
		if of := c.In(models[c.Arm]); missing[of] {
			after[of] = append(after[of], c)
		} else {
			out = append(out, []benchmarks.Cell{c})
		}
	}
	for i, unit := range out {
		out[i] = append(unit, after[unit[0]]...)
	}
	return out
}

// nudgedAs is the config of the arm for the cell: a placebo's with as many nudges, of the same levels, as the
// arm that it is the placebo of has had in the same cell, over as many steps. Where that has no episode it
// stays as it is.
func (p *play) nudgedAs(arm benchmarks.Arm, c benchmarks.Cell) (runner.Config, error) {
	model := c.In(model(p.Plan, arm))
	if model.Arm == "" {
		return arm.Config, nil
	}
	p.mu.Lock()
	i := slices.IndexFunc(p.Results, func(r benchmarks.Result) bool { return r.Cell == model && r.Steps > 0 })
	var episode string
	if i >= 0 {
		episode = p.Results[i].Episode
	}
	p.mu.Unlock()
	if i < 0 {
		return arm.Config, nil
	}
	t, err := trajectories.Read(p.EpisodeDir(episode))
	if err != nil {
		return arm.Config, fmt.Errorf("study: counting the nudges of %s: %w", episode, err)
	}
	seed := fnv.New64a()
	fmt.Fprintf(seed, "%s %d", c.Task, c.Seed)
	return arm.Config.AsNudged(t.Steps, seed.Sum64()), nil
}

// Units are the cells of the plan in their order, those together that one process has to play one after the
// other: a cell, and the placebo's that gets as many nudges.
func Units(p benchmarks.Plan) ([][]benchmarks.Cell, error) {
	cells, err := p.Cells()
	if err != nil {
		return nil, err
	}
	return units(p, cells), nil
}
