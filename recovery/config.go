package recovery

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Config holds what all gates and the advisor can be told. Start from DefaultConfig; the zero
// Config does not validate.
type Config struct {
	Limits        LimitsConfig       `json:"limits"`
	Mistakes      MistakesConfig     `json:"mistakes"`
	Breaker       BreakerConfig      `json:"breaker"`
	Policy        PolicyConfig       `json:"policy"`
	Done          DoneConfig         `json:"done"`
	TopClickGuard TopClickConfig     `json:"top_click_guard"`
	LoopRecovery  LoopRecoveryConfig `json:"loop_recovery"`
	Ladder        LadderConfig       `json:"ladder"`
	Director      DirectorConfig     `json:"director"`
	Nudge         NudgeConfig        `json:"nudge"`
	// Attended says that a person can be asked: an episode that is stuck for good then pauses;
	// otherwise it halts with a coded outcome.
	Attended bool `json:"attended"`
	// OnSpiral is what is done where nobody can be asked.
	OnSpiral OnSpiral `json:"on_spiral"`
}

// DefaultConfig is that of the arm default.
func DefaultConfig() Config {
	return Config{
		Limits:        LimitsConfig{MaxSteps: 50, MaxWallMS: 30 * 60 * 1000, MaxTokens: 2_000_000, MaxCostUSD: 5},
		Mistakes:      MistakesConfig{Run: 3},
		Breaker:       BreakerConfig{Grace: 3, MaxRefusals: 2, Looks: 8},
		Policy:        PolicyConfig{Open: true, Rewinds: 10},
		Done:          DoneConfig{Waits: 3, Window: 5, MaxRefusals: 2},
		TopClickGuard: TopClickConfig{Clicks: 2, MaxY: 100, WidthPx: 80, HeightPx: 40, ScrollPx: 400},
		LoopRecovery: LoopRecoveryConfig{Rules: []int{1, 2, 3, 4}, Value: ValueMatching, Submit: SubmitTarget,
			Frozen: FrozenEffect, PlacePx: 8},
		Ladder:   LadderConfig{RetargetPx: 40, Misses: 2, StaleMS: 30_000, Rewinds: 2, Tries: 3},
		Director: DirectorConfig{Every: 3, Budget: 5},
		Nudge:    NudgeConfig{Instruct: 5, Warn: 7, Looks: 4},
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
		{"breaker.looks", float64(c.Breaker.Looks), 0, 1000},
		{"done.waits", float64(c.Done.Waits), 1, 100},
		{"done.window", float64(c.Done.Window), 1, 100},
		{"done.max_refusals", float64(c.Done.MaxRefusals), 1, 100},
		{"top_click_guard.clicks", float64(c.TopClickGuard.Clicks), 1, 100},
		{"top_click_guard.max_y", c.TopClickGuard.MaxY, 0, 8192},
		{"top_click_guard.width_px", c.TopClickGuard.WidthPx, 1, 8192},
		{"top_click_guard.height_px", c.TopClickGuard.HeightPx, 1, 8192},
		{"top_click_guard.scroll_px", c.TopClickGuard.ScrollPx, 1, 8192},
		{"loop_recovery.place_px", c.LoopRecovery.PlacePx, 0, 1000},
		{"ladder.retarget_px", c.Ladder.RetargetPx, 0, 1000},
		{"ladder.misses", float64(c.Ladder.Misses), 0, 100},
		{"ladder.stale_ms", float64(c.Ladder.StaleMS), 1000, 1e9},
		{"ladder.rewinds", float64(c.Ladder.Rewinds), 0, 100},
		{"ladder.tries", float64(c.Ladder.Tries), 1, 100},
		{"policy.rewinds", float64(c.Policy.Rewinds), 1, 1000},
		{"director.every", float64(c.Director.Every), 1, 1000},
		{"director.budget", float64(c.Director.Budget), 0, 1000},
		{"nudge.instruct", float64(c.Nudge.Instruct), 1, 1000},
		{"nudge.warn", float64(c.Nudge.Warn), 1, 1000},
		{"nudge.looks", float64(c.Nudge.Looks), 0, 1000},
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
	return c.LoopRecovery.validate()
}

func (c LoopRecoveryConfig) validate() error {
	for i, r := range c.Rules {
		if r < 1 || r > 4 || slices.Contains(c.Rules[:i], r) {
			return fmt.Errorf("recovery: config: loop_recovery.rules: each of 1 to 4 at most once, not %v", c.Rules)
		}
	}
	for _, w := range []struct {
		name, value string
		known       []string
	}{
		{"value", string(c.Value), []string{string(ValueMatching), string(ValueFirst)}},
		{"submit", string(c.Submit), []string{string(SubmitTarget), string(SubmitReasoning)}},
		{"frozen", string(c.Frozen), []string{string(FrozenEffect), string(FrozenSignal)}},
	} {
		if !slices.Contains(w.known, w.value) {
			return fmt.Errorf("recovery: config: loop_recovery.%s must be one of %v, not %q", w.name, w.known, w.value)
		}
	}
	return nil
}
