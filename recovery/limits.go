package recovery

import (
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// LimitsConfig caps an episode; 0 is no cap.
type LimitsConfig struct {
	// MaxSteps is how many steps may be made. A task's own MaxSteps comes before it.
	MaxSteps int `json:"max_steps"`
	// MaxWallMS caps the sum of the recorded timings of all stages, ms. Time between an
	// interruption and its resumption is in no record and does not count.
	MaxWallMS float64 `json:"max_wall_ms"`
	// MaxTokens caps input and output tokens together.
	MaxTokens int `json:"max_tokens"`
	// MaxCostUSD caps the known cost, US dollars. A decision of unknown cost adds nothing.
	MaxCostUSD float64 `json:"max_cost_usd"`
}

// Limits halts an episode that has used up what it may use. It reads all steps, also those that
// a rewind undid, and counts what is on record: the decision under review is not yet.
type Limits struct{ Config LimitsConfig }

// Name is "limits".
func (Limits) Name() string { return "limits" }

// Review halts with the end reason of the first cap that is reached: steps, wall, tokens, cost.
func (g Limits) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	var wall, usd float64
	tokens := 0
	for i := range t.History.Steps {
		s := &t.History.Steps[i]
		wall += s.Timing.Total()
		tokens += s.Usage.Tokens()
		if s.Usage.USD != nil {
			usd += *s.Usage.USD
		}
	}
	steps := g.Config.MaxSteps
	if t.Task.MaxSteps > 0 {
		steps = t.Task.MaxSteps
	}
	halt := func(end cua.EndReason, format string, args ...any) cua.Ruling {
		return cua.Ruling{Gate: g.Name(), Verdict: cua.Halt, End: end, Reason: string(end), Detail: fmt.Sprintf(format, args...)}
	}
	switch c := g.Config; {
	case steps > 0 && len(t.History.Steps) >= steps:
		return halt(cua.EndMaxSteps, "%d steps were made, the cap is %d", len(t.History.Steps), steps)
	case c.MaxWallMS > 0 && wall >= c.MaxWallMS:
		return halt(cua.EndMaxWall, "%.0f ms were spent, the cap is %.0f ms", wall, c.MaxWallMS)
	case c.MaxTokens > 0 && tokens >= c.MaxTokens:
		return halt(cua.EndMaxTokens, "%d tokens were used, the cap is %d", tokens, c.MaxTokens)
	case c.MaxCostUSD > 0 && usd >= c.MaxCostUSD:
		return halt(cua.EndMaxCost, "%.4f USD were spent, the cap is %.4f USD", usd, c.MaxCostUSD)
	}
	return pass(g.Name())
}
