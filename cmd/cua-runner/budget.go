package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// errBudget is why a study was stopped that has used what it may use.
var errBudget = errors.New("the study has used what it may use")

// budget counts what the brains of a study use together, and stops the study at its caps. What is in the
// study already counts.
type budget struct {
	tokens int     // the cap; 0 is none
	usd    float64 // the cap; 0 is none
	stop   context.CancelCauseFunc

	mu   sync.Mutex
	used cua.Usage
	cost float64
}

// newBudget is the budget, under the caps of f, of a study whose brains have used so much.
func newBudget(f *brainFlags, used cua.Usage, stop context.CancelCauseFunc) *budget {
	b := &budget{tokens: f.maxTokens, usd: f.maxCost, stop: stop}
	b.add(used)
	return b
}

// add counts one decision.
func (b *budget) add(u cua.Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used.InputTokens += u.Tokens()
	if u.USD != nil {
		b.cost += *u.USD
	}
	switch {
	case b.tokens > 0 && b.used.Tokens() >= b.tokens:
		b.stop(fmt.Errorf("%w: %d tokens, the cap is %d", errBudget, b.used.Tokens(), b.tokens))
	case b.usd > 0 && b.cost >= b.usd:
		b.stop(fmt.Errorf("%w: %.4f USD, the cap is %.4f USD", errBudget, b.cost, b.usd))
	}
}

// metered is a brain whose use is counted.
type metered struct {
	runner.Brain
	budget *budget
}

// Decide is the brain's.
func (m metered) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	d, err := m.Brain.Decide(ctx, t)
	m.budget.add(d.Usage)
	return d, err
}

// KeepIn tells the brain its folder, where it keeps anything there.
func (m metered) KeepIn(dir string) { brain.KeepIn(m.Brain, dir) }

// Close closes the brain, where it holds something.
func (m metered) Close() error { return brain.Close(m.Brain) }

// Extract is the brain's, where it can read plan values out of a text; else an error, as of a brain that
// cannot.
func (m metered) Extract(ctx context.Context, goal string) ([]cua.PlanValue, error) {
	if x, ok := m.Brain.(runner.Extractor); ok {
		return x.Extract(ctx, goal)
	}
	return nil, errors.New("the brain cannot read plan values out of a text")
}
