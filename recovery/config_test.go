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
		"limits.max_steps":   func(c *Config) { c.Limits.MaxSteps = -1 },
		"breaker.grace":      func(c *Config) { c.Breaker.Grace = 2 },
		"rescue.early":       func(c *Config) { c.Rescue.Early = 0 },
		"rescue.near_px":     func(c *Config) { c.Rescue.NearPx = -1 },
		"rescue.stale_ms":    func(c *Config) { c.Rescue.StaleMS = 0 },
		"policy.credentials": func(c *Config) { c.Policy.Credentials = 0 },
		"director.every":     func(c *Config) { c.Director.Every = 0 },
		"director.budget":    func(c *Config) { c.Director.Budget = -1 },
		"nudge.warn":         func(c *Config) { c.Nudge.Warn = 4 },
		"on_spiral":          func(c *Config) { c.OnSpiral = "" },
		"policy.allow":       func(c *Config) { c.Policy.Allow = []string{"https://x"} },
	} {
		c := DefaultConfig()
		spoil(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
