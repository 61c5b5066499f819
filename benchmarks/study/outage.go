package study

import (
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
)

// OutageError is why a study was stopped whose brain could not be asked: the cells that ended by that have no
// result and are played again by a later Play.
type OutageError struct {
	// Cells is how many ended so in a row, Last what the last of them ended by.
	Cells int
	Last  string
}

func (e *OutageError) Error() string {
	return fmt.Sprintf("the brain could not be asked in %d cells in a row: %s", e.Cells, e.Last)
}

// outageBeyond is how many cells, beside one for each worker, must end without one decision of their brain
// before that is no longer taken for theirs. One hiccup of a provider can end what all workers play just
// then; three cells that were begun after it, each of them tried twice and each request as often as the brain
// does, met what lasts.
const outageBeyond = 3

// unasked reports whether the brain gave no decision at all; answered whether it gave one. An episode whose
// page could not be opened says neither.
func unasked(r benchmarks.Result) bool  { return r.End == cua.EndBrainError && r.Steps == 0 }
func answered(r benchmarks.Result) bool { return r.Steps > 0 || !r.End.Infrastructure() }

// settle commits r and tells of it. A cell whose brain could not be asked waits for what comes next: one that
// could shows that it stays a result like any other, too many in a row are an *OutageError and no results.
func (p *play) settle(r benchmarks.Result, total int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if unasked(r) {
		p.row = append(p.row, r)
		return p.outage()
	}
	if answered(r) {
		if err := p.release(total); err != nil {
			return err
		}
	}
	return p.commitAndTell(r, total)
}

// release commits the cells that wait; p.mu is held, or nobody else works any more.
func (p *play) release(total int) error {
	for len(p.row) > 0 {
		if err := p.commitAndTell(p.row[0], total); err != nil {
			return err
		}
		p.row = p.row[1:]
	}
	return nil
}

// outage is the error of a row that is too long. A row of one task alone may be that task's, whose first
// picture the provider will not take, in each of many arms: it is too long once another task is in it, where
// there is another to be played.
func (p *play) outage() error {
	first, last := p.row[0], p.row[len(p.row)-1]
	same := true
	for _, r := range p.row {
		same = same && r.Task == first.Task
	}
	if len(p.row) < outageBeyond+max(p.Workers, 1) || same && p.several {
		return nil
	}
	n := len(p.row)
	p.row = nil // none of them is committed, whatever the other workers come to
	return &OutageError{Cells: n, Last: strings.TrimPrefix(last.Detail, "asking the brain: ")}
}
