package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/table"
)

// fullArm is the built-in arm in which everything is on.
const fullArm = "default"

// MechanismReport says what one mechanism is worth: the arm default against the same without it, on the same
// cells. A value that is larger with the mechanism is positive; the p values are corrected over all
// mechanisms.
type MechanismReport struct {
	Mechanism string `json:"mechanism"`
	Pairs     int    `json:"pairs"`
	// Differ are the cells whose success, end or number of steps is another one; Ends and Steps those with
	// another end and another number of steps.
	Differ int `json:"cells_that_differ"`
	Ends   int `json:"ends_that_differ"`
	Steps  int `json:"steps_that_differ"`
	// Strict and Lenient compare what is solved with the mechanism and without it: better is only with it.
	Strict  Paired `json:"strict"`
	Lenient Paired `json:"lenient"`
	// More is how many steps a cell takes more with it, Wrong how many more wrong interventions it has.
	More  Shift `json:"steps_more"`
	Wrong Shift `json:"wrong_interventions"`
}

// Share is how many of the cells differ, 0 to 1.
func (m MechanismReport) Share() float64 { return float64(m.Differ) / float64(max(m.Pairs, 1)) }

// mechanismReports are those of the arms -MECHANISM, in their order; nil where the study lacks them or the
// arm default.
func (rep Report) mechanismReports(by map[benchmarks.Cell]benchmarks.Result) []MechanismReport {
	if !slices.ContainsFunc(rep.Plan.Arms, func(a benchmarks.Arm) bool { return a.Name == fullArm }) {
		return nil
	}
	full := rep.of(fullArm)
	var out []MechanismReport
	for _, a := range rep.Plan.Arms {
		name, ok := strings.CutPrefix(a.Name, "-")
		if !ok {
			continue
		}
		ps := pairs(full, a.Name, by)
		m := MechanismReport{Mechanism: name, Pairs: len(ps), Strict: compared(ps, succeeded),
			Lenient: compared(ps, solved), More: shifted(ps, func(r benchmarks.Result) (int, bool) {
				return r.Steps,
					true
			}), Wrong: shifted(ps, wrongs)}
		for _, p := range ps {
			m.add(p)
		}
		out = append(out, m)
	}
	for _, of := range []func(*MechanismReport) *Test{
		func(m *MechanismReport) *Test { return &m.Strict.Test },
		func(m *MechanismReport) *Test { return &m.Lenient.Test },
		func(m *MechanismReport) *Test { return &m.More.Test },
		func(m *MechanismReport) *Test { return &m.Wrong.Test },
	} {
		var tests []*Test
		for i := range out {
			tests = append(tests, of(&out[i]))
		}
		adjust(tests)
	}
	return out
}

// add takes in one cell with the mechanism (mine) and without it (base).
func (m *MechanismReport) add(p pair) {
	with, without := p.mine, p.base
	differs := succeeded(with) != succeeded(without) || solved(with) != solved(without)
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

// worthNote says how the columns of mechanismTable are made.
const worthNote = "Differences are of the arm default minus the same without the mechanism: strict and " +
	"solved in points, steps a cell, wrong " +
	"interventions a hundred cells; intervals at 95 %, p by McNemar's exact test and by a sign-flip test " +
	"over whole tasks, with Holm's correction over the mechanisms; ~ may be chance. "

// mechanismTable has a row a mechanism; false where there is none.
func (rep Report) mechanismTable() (table.Table, bool) {
	t := table.Table{
		Title: "What each mechanism is worth (default with it against default without it, on the " +
			"same cells)", Note: worthNote + rep.MechanismWords(),
		Head: []string{"mechanism", "cells that differ", "strict", "only with/without", "solved",
			"only with/without", "steps", "wrong"}}
	for _, m := range rep.Mechanisms {
		t.Rows = append(t.Rows, []string{m.Mechanism, fmt.Sprintf("%d of %d", m.Differ, m.Pairs),
			m.Strict.Words(), m.Strict.tally(), m.Lenient.Words(), m.Lenient.tally(),
			m.More.Each(), m.Wrong.Words()})
	}
	return t, len(t.Rows) > 0
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
	Arm     string          `json:"arm"`
	Cells   int             `json:"cells"`
	Success benchmarks.Rate `json:"success"`
	Lenient benchmarks.Rate `json:"lenient"`
	Suites  []NamedRate     `json:"suites"`
	Wrong   WrongReport     `json:"wrong_interventions"`
	// Versus is nil for the base arm. Its p values are corrected over all arms and faults.
	Versus *Versus `json:"versus_base,omitzero"`
}

// faultReports are those of each fault in the plan's order; nil where the study has one brain.
func (rep Report) faultReports(by map[benchmarks.Cell]benchmarks.Result) []FaultReport {
	var out []FaultReport
	var strict, lenient, wrong []*Test
	for _, fault := range rep.Plan.EachFault {
		f := FaultReport{Fault: fault}
		for _, arm := range rep.Plan.Arms {
			mine := slices.DeleteFunc(rep.of(arm.Name),
				func(r benchmarks.Result) bool { return r.Fault != fault })
			a := FaultArm{Arm: arm.Name, Cells: len(mine), Success: rate(mine, succeeded),
				Lenient: rate(mine, solved), Suites: grouped(mine,
					func(r benchmarks.Result) string { return r.Suite }),
				Wrong: wrongReport(mine)}
			if arm.Name != rep.Plan.Base {
				ps := pairs(mine, rep.Plan.Base, by)
				v := rep.versus(ps)
				a.Versus = v
				strict, lenient, wrong = append(strict, &v.Test), append(lenient, &v.Lenient.Test),
					append(wrong, &v.Wrong.Test)
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
func (rep Report) faultTable() (table.Table, bool) {
	t := table.Table{Title: "By fault: solved (strict) by suite", Head: []string{"fault", "arm"},
		Note: "Differences are of solved in points and of wrong interventions a hundred cells, as above, " +
			"with Holm's correction over all rows."}
	t.Head = append(t.Head, rep.Plan.SuiteNames()...)
	t.Head = append(t.Head, "all", "solved vs "+rep.Plan.Base, "wrong", "wrong vs "+rep.Plan.Base)
	for _, f := range rep.Faults {
		name := rep.Plan.FaultName(f.Fault)
		for _, a := range f.Arms {
			row := []string{name, a.Arm}
			name = "" // said once
			for _, s := range rep.Plan.SuiteNames() {
				row = append(row, find(a.Suites, s).both())
			}
			solved, wrong := "base", "base"
			if a.Versus != nil {
				solved, wrong = a.Versus.Lenient.Words(), a.Versus.Wrong.Words()
			}
			t.Rows = append(t.Rows, append(row, NamedRate{"", a.Success, a.Lenient}.both(), solved,
				strconv.Itoa(a.Wrong.Total), wrong))
		}
	}
	return t, len(t.Rows) > 0
}

// both are the solved cells, in brackets those that are strictly so: "18 (16) of 20".
func (n NamedRate) both() string {
	return fmt.Sprintf("%d (%d) of %d", n.Lenient.Yes, n.Yes, n.Of)
}
