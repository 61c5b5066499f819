package benchmarks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// fullArm is the built-in arm in which everything is on.
const fullArm = "default"

// MechanismReport says what one mechanism changes: the arm default against the same without it, on the same cells.
type MechanismReport struct {
	Mechanism string `json:"mechanism"`
	Pairs     int    `json:"pairs"`
	// Differ are the cells whose success, end or number of steps is another one; Ends and Steps those with another
	// end and another number of steps.
	Differ int `json:"cells_that_differ"`
	Ends   int `json:"ends_that_differ"`
	Steps  int `json:"steps_that_differ"`
	// Strict and Lenient compare what is solved with the mechanism and without it: better is only with it.
	Strict  With `json:"strict"`
	Lenient With `json:"lenient"`
	// Wrong are the wrong interventions of all cells.
	Wrong With `json:"wrong_interventions"`
	// StepsMean is how many steps a cell takes more with it.
	StepsMean float64 `json:"steps_more"`
}

// Share is how many of the cells differ, 0 to 1.
func (m MechanismReport) Share() float64 { return float64(m.Differ) / float64(max(m.Pairs, 1)) }

// With is a number with a mechanism, and without it. Of what is solved it counts the cells in which only the one
// of them did.
type With struct {
	With    int `json:"with"`
	Without int `json:"without"`
}

func (w With) words() string { return fmt.Sprintf("%d/%d", w.With, w.Without) }

// mechanismReports are those of the arms -MECHANISM, in their order; nil where the study lacks them or the arm default.
func (rep Report) mechanismReports(by map[Cell]Result) []MechanismReport {
	var out []MechanismReport
	if !slices.ContainsFunc(rep.Plan.Arms, func(a Arm) bool { return a.Name == fullArm }) {
		return nil
	}
	full := rep.of(fullArm)
	for _, a := range rep.Plan.Arms {
		name, ok := strings.CutPrefix(a.Name, "-")
		if !ok {
			continue
		}
		m := MechanismReport{Mechanism: name}
		for _, p := range pairs(full, a.Name, by) {
			m.add(p)
		}
		if m.Pairs > 0 {
			m.StepsMean /= float64(m.Pairs)
		}
		out = append(out, m)
	}
	return out
}

// add takes in one cell with the mechanism (mine) and without it (base).
func (m *MechanismReport) add(p pair) {
	with, without := p.mine, p.base
	m.Pairs++
	m.StepsMean += float64(with.Steps - without.Steps)
	m.Wrong.With += with.wrong()
	m.Wrong.Without += without.wrong()
	only := func(w *With, is func(Result) bool) bool {
		switch {
		case is(with) && !is(without):
			w.With++
		case !is(with) && is(without):
			w.Without++
		}
		return is(with) != is(without)
	}
	differs := only(&m.Strict, succeeded)
	differs = only(&m.Lenient, solved) || differs
	if with.End != without.End {
		m.Ends++
		differs = true
	}
	if with.Steps != without.Steps {
		m.Steps++
		differs = true
	}
	if differs {
		m.Differ++
	}
}

// mechanismTable has a row a mechanism; false where there is none.
func (rep Report) mechanismTable() (table, bool) {
	t := table{title: "What each mechanism changes (default with it/without it, on the same cells)", note: rep.MechanismWords(),
		head: []string{"mechanism", "cells that differ", "strict only", "solved only", "other end", "other steps", "steps more", "wrong"}}
	for _, m := range rep.Mechanisms {
		t.rows = append(t.rows, []string{m.Mechanism, fmt.Sprintf("%d of %d", m.Differ, m.Pairs), m.Strict.words(), m.Lenient.words(),
			strconv.Itoa(m.Ends), strconv.Itoa(m.Steps), fmt.Sprintf("%+.1f", m.StepsMean+0), m.Wrong.words()})
	}
	return t, len(t.rows) > 0
}

// MechanismWords names the mechanisms that change no cell.
func (rep Report) MechanismWords() string {
	var idle []string
	for _, m := range rep.Mechanisms {
		if m.Differ == 0 {
			idle = append(idle, m.Mechanism)
		}
	}
	if len(idle) == 0 {
		return "Each of them changes at least one cell."
	}
	return "No cell is another one without: " + strings.Join(idle, ", ") + "."
}

// FaultReport is what the arms came to under one fault.
type FaultReport struct {
	Fault string     `json:"fault"`
	Arms  []FaultArm `json:"arms"`
}

// FaultArm is one arm under one fault.
type FaultArm struct {
	Arm     string      `json:"arm"`
	Cells   int         `json:"cells"`
	Success Rate        `json:"success"`
	Lenient Rate        `json:"lenient"`
	Suites  []NamedRate `json:"suites"`
	Wrong   WrongReport `json:"wrong_interventions"`
	// Versus is nil for the base arm. Its p values are corrected over all arms and faults.
	Versus *Versus `json:"versus_base,omitzero"`
}

// faultReports are those of each fault in the plan's order; nil where the study has one brain.
func (rep Report) faultReports(by map[Cell]Result) []FaultReport {
	var out []FaultReport
	var strict, lenient, wrong []*Test
	for _, fault := range rep.Plan.EachFault {
		f := FaultReport{Fault: fault}
		for _, arm := range rep.Plan.Arms {
			mine := slices.DeleteFunc(rep.of(arm.Name), func(r Result) bool { return r.Fault != fault })
			a := FaultArm{Arm: arm.Name, Cells: len(mine), Success: rate(mine, succeeded), Lenient: rate(mine, solved),
				Suites: grouped(mine, func(r Result) string { return r.Suite }), Wrong: wrongReport(mine)}
			if arm.Name != rep.Plan.Base {
				ps := pairs(mine, rep.Plan.Base, by)
				v := rep.versus(ps)
				a.Versus = v
				strict, lenient, wrong = append(strict, &v.Test), append(lenient, &v.Lenient.Test), append(wrong, &v.Wrong.Test)
			}
			f.Arms = append(f.Arms, a)
		}
		out = append(out, f)
	}
	adjust(strict)
	adjust(lenient)
	adjust(wrong)
	return out
}

// faultTable has a row a fault and arm; false where the study has one brain.
func (rep Report) faultTable() (table, bool) {
	t := table{title: "By fault: solved (strict) by suite", head: []string{"fault", "arm"},
		note: "Differences are of solved in points and of wrong interventions a hundred cells, as above, with Holm's correction over all rows."}
	t.head = append(t.head, rep.Plan.Suites...)
	t.head = append(t.head, "all", "solved vs "+rep.Plan.Base, "wrong", "wrong vs "+rep.Plan.Base)
	for _, f := range rep.Faults {
		name := f.Fault
		for _, a := range f.Arms {
			row := []string{name, a.Arm}
			name = "" // said once
			for _, s := range rep.Plan.Suites {
				row = append(row, find(a.Suites, s).both())
			}
			solved, wrong := "base", "base"
			if a.Versus != nil {
				solved, wrong = a.Versus.Lenient.Words(), a.Versus.Wrong.Words()
			}
			t.rows = append(t.rows, append(row, NamedRate{"", a.Success, a.Lenient}.both(), solved, strconv.Itoa(a.Wrong.Total), wrong))
		}
	}
	return t, len(t.rows) > 0
}

// both are the solved cells, in brackets those that are strictly so: "18 (16) of 20".
func (n NamedRate) both() string {
	return fmt.Sprintf("%d (%d) of %d", n.Lenient.Yes, n.Yes, n.Of)
}
