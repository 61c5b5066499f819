package recovery

import (
	"strings"
	"testing"
)

func TestConfig(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	if err := (Config{}).Validate(); err == nil {
		t.Error("the zero config is none")
	}
	for name, spoil := range map[string]func(*Config){
		"limits.max_steps":     func(c *Config) { c.Limits.MaxSteps = -1 },
		"breaker.grace":        func(c *Config) { c.Breaker.Grace = 2 },
		"loop_recovery.rules":  func(c *Config) { c.LoopRecovery.Rules = []int{1, 1} },
		"loop_recovery.value":  func(c *Config) { c.LoopRecovery.Value = "last" },
		"loop_recovery.submit": func(c *Config) { c.LoopRecovery.Submit = "" },
		"ladder.retarget_px":   func(c *Config) { c.Ladder.RetargetPx = -1 },
		"ladder.stale_ms":      func(c *Config) { c.Ladder.StaleMS = 0 },
		"ladder.rewinds":       func(c *Config) { c.Ladder.Rewinds = -1 },
		"ladder.tries":         func(c *Config) { c.Ladder.Tries = 0 },
		"director.every":       func(c *Config) { c.Director.Every = 0 },
		"director.budget":      func(c *Config) { c.Director.Budget = -1 },
		"nudge.warn":           func(c *Config) { c.Nudge.Warn = 4 },
		"policy.rewinds":       func(c *Config) { c.Policy.Rewinds = 0 },
		"on_spiral":            func(c *Config) { c.OnSpiral = "" },
		"policy.allow":         func(c *Config) { c.Policy.Allow = []string{"https://x"} },
	} {
		c := DefaultConfig()
		spoil(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := DefaultConfig()
	c.LoopRecovery = ClassicLoopRecovery()
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}
