// Package faulttable gives the tests of the fault table one form, so that make faults can print what all of
// them measured as one table. The rows are in the tests called TestFaultTable.
package faulttable

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Row is one fault and what must come of it.
type Row struct {
	// N is the number of its row, from 1, over the tests of all packages. Several cases may have one number.
	N int
	// Fault is what is done, Want what must come of it.
	Fault, Want string
	// After and Within bound how long that may take. 0 is no bound.
	After, Within time.Duration
	// Open is why the row does not hold yet; "" when it holds. A test of an open row fails once it holds.
	Open string
}

// Run plays the fault as a test of its own. play returns the outcome, and how long that took;
// 0 is not measured. The row is printed with what was measured, also when play does not return.
func (r Row) Run(t *testing.T, play func(t *testing.T) (got string, took time.Duration)) {
	t.Helper()
	t.Run(r.Fault, func(t *testing.T) {
		verdict, got, took := "FAILS", "the test did not come to its end", time.Duration(0)
		defer func() {
			if t.Skipped() {
				got, verdict = "not played here", "SKIPPED"
			}
			t.Attr("fault", r.line(got, took, verdict))
		}()
		got, took = play(t)
		holds := got == r.Want && took >= r.After && (r.Within == 0 || took <= r.Within)
		switch {
		case r.Open != "" && holds:
			t.Errorf("it holds now and is no open row any more")
		case r.Open != "":
			verdict = "OPEN: " + r.Open
		case !holds:
			t.Errorf("got %q after %v, want %q within %v (and not before %v)", got, took, r.Want,
				r.Within, r.After)
		case !t.Failed():
			verdict = "holds"
		}
	})
}

// line is the row as make faults prints it.
func (r Row) line(got string, took time.Duration, verdict string) string {
	bound, measured := "", ""
	if r.Within > 0 {
		bound = r.Within.String()
	}
	if took > 0 {
		measured = took.Round(10 * time.Microsecond).String()
		if took > time.Second {
			measured = took.Round(10 * time.Millisecond).String()
		}
	}
	if got == r.Want {
		got = "the same"
	}
	cells := []string{fmt.Sprintf("%2d", r.N), r.Fault, r.Want, got, bound, measured, verdict}
	for i, c := range cells {
		cells[i] = strings.NewReplacer("|", "/", "\n", " ").Replace(c)
	}
	return strings.Join(cells, " | ")
}
