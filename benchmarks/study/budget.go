package study

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/cua-runner/cua-runner/cua"
)

// ErrBudget is why a study was stopped that has used what it may use.
var ErrBudget = errors.New("the study has used what it may use")

// Budget counts what the brains of a study use together, and stops the study at its caps. Results that the
// study already has count too.
type Budget struct {
	tokens int     // the cap; 0 is none
	usd    float64 // the cap; 0 is none
	stop   context.CancelCauseFunc

	mu   sync.Mutex
	used cua.Usage
	cost float64
}

// NewBudget is the budget of a study whose brains have used so much; tokens and usd are its caps, 0 is none.
// Stop is called with an error that wraps ErrBudget when a cap is reached.
func NewBudget(tokens int, usd float64, used cua.Usage, stop context.CancelCauseFunc) *Budget {
	b := &Budget{tokens: tokens, usd: usd, stop: stop}
	b.Add(used)
	return b
}

// Add counts one decision.
func (b *Budget) Add(u cua.Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used.InputTokens += u.Tokens()
	if u.USD != nil {
		b.cost += *u.USD
	}
	switch {
	case b.tokens > 0 && b.used.Tokens() >= b.tokens:
		b.stop(fmt.Errorf("%w: %d tokens, the cap is %d", ErrBudget, b.used.Tokens(), b.tokens))
	case b.usd > 0 && b.cost >= b.usd:
		b.stop(fmt.Errorf("%w: %.4f USD, the cap is %.4f USD", ErrBudget, b.cost, b.usd))
	}
}
