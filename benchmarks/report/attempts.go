package report

import (
	"slices"
	"strconv"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/table"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Attempts are those at the cells of one arm. An attempt that an infrastructure fault ended, or that was not
// finished, is not the agent's failure and was tried again; a cell that came to nothing else is an error,
// earns 0 and stays in the denominator.
type Attempts struct {
	// Made are all of them; Faulted those that an infrastructure fault ended, Interrupted those that never
	// ended.
	Made        int `json:"attempts"`
	Faulted     int `json:"infrastructure_faults"`
	Interrupted int `json:"interrupted"`
	// Cut are the actions whose outcome nobody saw, PossiblySent those of them that may have sent a form.
	Cut          int `json:"interrupted_intents,omitzero"`
	PossiblySent int `json:"possibly_sent,omitzero"`
	// SharedDeaths and Overloads were set aside: see Result. Slow are the cells that were slow even alone.
	SharedDeaths int `json:"shared_deaths,omitzero"`
	Overloads    int `json:"overloads,omitzero"`
	Slow         int `json:"cells_slow,omitzero"`
	// Retried are the cells that took more than one, Errors those whose result is an infrastructure fault.
	Retried int `json:"cells_retried"`
	Errors  int `json:"cells_in_error"`
	// Beside is what the attempts used that no result is of, by their journals; its USD is nil where the cost
	// of any is unknown.
	Beside cua.Usage `json:"beside,omitzero"`
}

func attemptsAt(mine []benchmarks.Result) Attempts {
	var a Attempts
	for _, r := range mine {
		a.Made += r.AttemptsMade()
		a.Faulted += r.Faulted
		a.Interrupted += r.Interrupted
		a.Cut, a.PossiblySent = a.Cut+r.Cut, a.PossiblySent+r.PossiblySent
		a.SharedDeaths += r.SharedDeaths
		a.Overloads += r.Overloads
		if r.Slow {
			a.Slow++
		}
		if r.AttemptsMade() > 1 {
			a.Retried++
		}
		if r.End.Infrastructure() {
			a.Errors++
		}
	}
	return a
}

// attemptsNote says how the columns are to be read.
const attemptsNote = "Apart from the agent's failures: an attempt that ended by an infrastructure fault is " +
	"made once more, and so is one that was interrupted. " +
	"An attempt that ended with the browser that it shared with other cells, or on a machine that was " +
	"too busy, " +
	"is set aside, and its cell is played again alone. " +
	"A cell whose result is an infrastructure fault is an error: it earns 0 and stays in the denominator."

func attemptsHead() []string {
	return []string{"cells", "attempts", "by a fault", "interrupted", "set aside", "cells retried",
		"cells in error"}
}

// attemptsRow are the cells under attemptsHead.
func (a ArmReport) attemptsRow() []string {
	var row []string
	aside := a.SharedDeaths + a.Overloads
	for _, n := range []int{a.Cells, a.Made, a.Faulted, a.Interrupted, aside, a.Retried, a.Errors} {
		row = append(row, strconv.Itoa(n))
	}
	return row
}

// besideNote says what the columns are that the table has where anything was used so.
const besideNote = " Tokens and USD beside were used by attempts that no result is of; all other sums are " +
	"over results and without them."

// attemptsTable has a row an arm.
func (rep Report) attemptsTable() table.Table {
	t := table.Table{Title: "Attempts", Note: attemptsNote, Head: append([]string{"arm"}, attemptsHead()...)}
	beside := slices.ContainsFunc(rep.Arms, func(a ArmReport) bool { return a.Beside != cua.Usage{} })
	if beside {
		t.Head, t.Note = append(t.Head, "tokens beside", "USD beside"), t.Note+besideNote
	}
	for _, a := range rep.Arms {
		row := append([]string{a.Arm}, a.attemptsRow()...)
		if beside {
			row = append(row, trajectories.Grouped(a.Beside.Tokens()), trajectories.Dollars(a.Beside.USD))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
