package study

import (
	"context"
	"errors"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestBudgetStopsAtItsCaps(t *testing.T) {
	usd := func(x float64) *float64 { return &x }
	for _, row := range []struct {
		name   string
		tokens int
		usd    float64
		before cua.Usage
		used   []cua.Usage
		stops  bool
	}{
		{"no cap", 0, 0, cua.Usage{InputTokens: 1e6, USD: usd(1e6)}, []cua.Usage{{InputTokens: 1e6}}, false},
		{"below both", 10, 1, cua.Usage{}, []cua.Usage{{InputTokens: 9, USD: usd(0.5)}}, false},
		{"tokens of two decisions", 10, 0, cua.Usage{}, []cua.Usage{{InputTokens: 5}, {OutputTokens: 5}}, true},
		{"dollars of two decisions", 0, 1, cua.Usage{}, []cua.Usage{{USD: usd(0.5)}, {USD: usd(0.5)}}, true},
		{"an unknown cost", 0, 1, cua.Usage{}, []cua.Usage{{InputTokens: 1e6}}, false},
		{"used up before it continues", 10, 0, cua.Usage{InputTokens: 10}, nil, true},
		{"used in part before it continues", 0, 1, cua.Usage{USD: usd(0.75)}, []cua.Usage{{USD: usd(0.25)}}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			b := NewBudget(row.tokens, row.usd, row.before, stop)
			for _, u := range row.used {
				b.Add(u)
			}
			if why := context.Cause(ctx); errors.Is(why, ErrBudget) != row.stops {
				t.Errorf("stopped by %v, want it stopped: %v", why, row.stops)
			}
		})
	}
}
