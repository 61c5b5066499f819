package recovery

import (
	"cmp"

	"github.com/cua-runner/cua-runner/cua"
)

// Limits halts an episode that has reached a cap. Steps that a rewind undid count too.
type Limits struct{ Config LimitsConfig }

// Name is "limits".
func (Limits) Name() string { return "limits" }

// Review halts with the end reason of the first cap that is reached: steps, wall, tokens, cost.
func (g Limits) Review(t *cua.Turn, _ cua.Proposal) cua.Ruling {
	e, steps := t.Evidence, float64(len(t.History.Steps))
	most := float64(cmp.Or(max(t.Task.MaxSteps, 0), g.Config.MaxSteps))
	for _, r := range t.History.Resumed {
		most = cmp.Or(float64(r.MaxSteps), most)
	}
	for _, c := range []struct {
		end       cua.EndReason
		used, cap float64
		format    string
	}{
		{cua.EndMaxSteps, steps, most, "%.0f steps were made, the cap is %.0f"},
		{cua.EndMaxWall, e.WallMS, g.Config.MaxWallMS, "%.0f ms were spent, the cap is %.0f ms"},
		{cua.EndMaxTokens, float64(e.Tokens), float64(g.Config.MaxTokens),
			"%.0f tokens were used, the cap is %.0f"},
		{cua.EndMaxCost, e.USD, g.Config.MaxCostUSD, "%.4f USD were spent, the cap is %.4f USD"},
	} {
		if c.cap > 0 && c.used >= c.cap {
			r := rule(g.Name(), cua.Halt, string(c.end), nil, c.format, c.used, c.cap)
			r.End = c.end
			return r
		}
	}
	return pass(g.Name())
}
