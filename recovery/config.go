package recovery

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Config holds what all gates and the advisor can be told. Start from DefaultConfig; the zero
// Config does not validate.
type Config struct {
	Limits   LimitsConfig   `json:"limits"`
	Mistakes MistakesConfig `json:"mistakes"`
	Policy   PolicyConfig   `json:"policy"`
	Done     DoneConfig     `json:"done"`
	Director DirectorConfig `json:"director"`
	Rescue   RescueConfig   `json:"rescue"`
	Breaker  BreakerConfig  `json:"breaker"`
	Nudge    NudgeConfig    `json:"nudge"`
	// Attended says that a person can be asked: an episode that is stuck for good then pauses;
	// otherwise it halts with a coded outcome.
	Attended bool `json:"attended"`
	// OnSpiral is what is done where nobody can be asked.
	OnSpiral OnSpiral `json:"on_spiral"`
}

// DefaultConfig is that of the arm default.
func DefaultConfig() Config {
	return Config{
		Limits:   LimitsConfig{MaxSteps: 50, MaxWallMS: 30 * 60 * 1000, MaxTokens: 2_000_000, MaxCostUSD: 5},
		Mistakes: MistakesConfig{Run: 3},
		Policy:   PolicyConfig{Open: true, Rewinds: 10, Credentials: 2},
		Done:     DoneConfig{Waits: 3, Window: 5, MaxRefusals: 2},
		Director: DirectorConfig{Every: 3, Budget: 5},
		Rescue:   RescueConfig{Table: DefaultRows, Early: 2, PlacePx: 8, NearPx: 40, StaleMS: 30_000, Rewinds: 2},
		Breaker:  BreakerConfig{Grace: 3, MaxRefusals: 2},
		Nudge:    NudgeConfig{Instruct: 5, Warn: 7},
		OnSpiral: SpiralRewind,
	}
}

// Validate says what is out of range; the first fault is the error.
func (c Config) Validate() error {
	for _, p := range []struct {
		name          string
		value, lo, hi float64
	}{
		{"limits.max_steps", float64(c.Limits.MaxSteps), 0, 100_000},
		{"limits.max_wall_ms", c.Limits.MaxWallMS, 0, 1e10},
		{"limits.max_tokens", float64(c.Limits.MaxTokens), 0, 1e12},
		{"limits.max_cost_usd", c.Limits.MaxCostUSD, 0, 1e6},
		{"mistakes.run", float64(c.Mistakes.Run), 2, 1000},
		{"breaker.grace", float64(c.Breaker.Grace), 3, 1000},
		{"breaker.max_refusals", float64(c.Breaker.MaxRefusals), 1, 100},
		{"done.waits", float64(c.Done.Waits), 1, 100},
		{"done.window", float64(c.Done.Window), 1, 100},
		{"done.max_refusals", float64(c.Done.MaxRefusals), 1, 100},
		{"rescue.early", float64(c.Rescue.Early), 1, 100},
		{"rescue.place_px", c.Rescue.PlacePx, 0, 1000},
		{"rescue.near_px", c.Rescue.NearPx, 0, 1000},
		{"rescue.stale_ms", float64(c.Rescue.StaleMS), 1000, 1e9},
		{"rescue.rewinds", float64(c.Rescue.Rewinds), 0, 100},
		{"policy.credentials", float64(c.Policy.Credentials), 1, 100},
		{"policy.rewinds", float64(c.Policy.Rewinds), 1, 1000},
		{"director.every", float64(c.Director.Every), 1, 1000},
		{"director.budget", float64(c.Director.Budget), 0, 1000},
		{"nudge.instruct", float64(c.Nudge.Instruct), 1, 1000},
		{"nudge.warn", float64(c.Nudge.Warn), 1, 1000},
	} {
		if !(p.value >= p.lo && p.value <= p.hi) { // NaN is out of every range
			return fmt.Errorf("recovery: config: %s must be %g to %g, not %g", p.name, p.lo, p.hi, p.value)
		}
	}
	if c.Nudge.Warn < c.Nudge.Instruct {
		return fmt.Errorf("recovery: config: nudge.warn must not be below nudge.instruct (%d), not %d", c.Nudge.Instruct, c.Nudge.Warn)
	}
	if err := c.Nudge.Placebo.validate(); err != nil {
		return err
	}
	if !slices.Contains(OnSpirals(), c.OnSpiral) {
		return fmt.Errorf("recovery: config: on_spiral must be one of %v, not %q", OnSpirals(), c.OnSpiral)
	}
	for _, e := range c.Policy.Allow {
		if _, err := cua.ParseHost(e); err != nil {
			return fmt.Errorf("recovery: config: policy.allow: %w", err)
		}
	}
	if known := []TableName{DefaultRows, ClassicRows}; !slices.Contains(known, c.Rescue.Table) {
		return fmt.Errorf("recovery: config: rescue.table must be one of %v, not %q", known, c.Rescue.Table)
	}
	return nil
}
