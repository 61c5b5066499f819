package study

import (
	"fmt"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

// cellError is what is wrong with one cell and not with the machine: the rest of the study continues.
type cellError struct{ error }

func (e *cellError) Unwrap() error { return e.error }

// maxDeaths is how often the program may end in the middle of a cell before that is the cell's result. It is
// far more than a person interrupts and a machine restarts at one cell by chance; a page that crashes the
// program each time would hold up the study for ever.
const maxDeaths = 8

// failed is the result of a cell that could not be played: no reward, and in the denominator like any other.
func failed(c benchmarks.Cell, task suites.Task, a attempted, why error) benchmarks.Result {
	r := benchmarks.Result{Cell: c, Episode: c.Episode(max(a.n, 1)), Solvable: task.Solvable,
		End:    cua.EndEnvError,
		Detail: fmt.Sprintf("not played: %v", why), Wrong: map[benchmarks.WrongKind]int{}}
	tried(&r, a)
	return r
}

// tried notes the attempts before the one that the result is of.
func tried(r *benchmarks.Result, a attempted) {
	r.Faulted, r.Interrupted, r.SharedDeaths, r.Overloads = a.faulted, a.interrupted, a.deaths, a.overloads
	r.Cut, r.PossiblySent = a.cut, a.sent
}
