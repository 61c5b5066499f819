package recovery

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Config configures gates and advisors; the zero Config does not validate. The tag range of a number has its
// smallest and largest value.
type Config struct {
	Limits   LimitsConfig   `json:"limits"`
	Mistakes MistakesConfig `json:"mistakes"`
	Policy   PolicyConfig   `json:"policy"`
	Done     DoneConfig     `json:"done"`
	Director DirectorConfig `json:"director"`
	Rescue   RescueConfig   `json:"rescue"`
	Breaker  BreakerConfig  `json:"breaker"`
	Nudge    NudgeConfig    `json:"nudge"`
	// Attended says that a person can be asked: an episode that is stuck for good then pauses.
	Attended bool `json:"attended"`
	// Offered says that the brain is offered the substitutions that rule in shadow. A step that follows such
	// an offer is no mistake.
	Offered bool `json:"offered,omitzero"`
	// OnSpiral is what is done if nobody can be asked.
	OnSpiral OnSpiral `json:"on_spiral"`
}

// LimitsConfig caps an episode; 0 is no cap.
type LimitsConfig struct {
	// MaxSteps caps the steps. A task's own MaxSteps takes precedence.
	MaxSteps int `json:"max_steps" range:"0 100000"`
	// MaxWallMS caps the recorded time of all stages, ms. Time between sessions is not recorded. The time of
	// each process is capped too, from the load of its first page on.
	MaxWallMS float64 `json:"max_wall_ms" range:"0 1e10"`
	// MaxTokens caps input and output tokens together.
	MaxTokens int `json:"max_tokens" range:"0 1e12"`
	// MaxCostUSD caps the known cost, US dollars. A decision of unknown cost adds nothing.
	MaxCostUSD float64 `json:"max_cost_usd" range:"0 1e6"`
}

// MistakesConfig says how many consecutive failures are too many.
type MistakesConfig struct {
	// Run is how many consecutive steps must fail for the note, and again for the end; 3.
	Run int `json:"run" range:"2 1000"`
}

// PolicyConfig says what an episode may do besides what its task allows.
type PolicyConfig struct {
	// Allow are hosts (host or host:port) that every task may visit.
	Allow []string `json:"allow,omitzero"`
	// Open admits every public host while none is listed. Otherwise only that of the start page is admitted
	// then.
	Open bool `json:"open"`
	// AllowCrossing consents to rewinds past a send that the server accepted. The rescue table makes no such
	// rewind.
	AllowCrossing bool `json:"allow_crossing"`
	// Credentials is how many sends with a secret may be rejected: one may be a slip, and accounts lock.
	Credentials int `json:"credentials" range:"1 100"`
}

// DoneConfig holds the windows of the done gate, in steps (docs/recovery.md#the-done-gate).
type DoneConfig struct {
	// Waits is how many waits without change before a done make it premature.
	Waits int `json:"waits" range:"1 100"`
	// Window is the number of last acting steps of which one must have an effect.
	Window int `json:"window" range:"1 100"`
	// MaxRefusals is how many dones are refused; the next ends the episode as done_unverified.
	MaxRefusals int `json:"max_refusals" range:"1 100"`
}

// DirectorConfig says how often the director, a stronger brain, may be asked.
type DirectorConfig struct {
	// Every is the minimum number of steps between two attempts to ask.
	Every int `json:"every" range:"1 1000"`
	// Budget is how often it may be asked in an episode; 0 is never.
	Budget int `json:"budget" range:"0 1000"`
}

// RescueConfig configures the rescue table.
type RescueConfig struct {
	// Classic restricts the table to the policy that the project started from, which does not remember what
	// it tried.
	Classic bool `json:"classic"`
	// Early is how many clicks without effect must come before a row that needs no signal: the effect of one
	// may be late.
	Early int `json:"early" range:"1 100"`
	// PlacePx is the largest distance of two clicks on no element that are one place, CSS px: the bucket of a
	// place.
	PlacePx float64 `json:"place_px" range:"0 1000"`
	// NearPx is the largest distance from which a click is retargeted to an element, CSS px: a fingertip.
	NearPx float64 `json:"near_px" range:"0 1000"`
	// StaleMS is how much waiting without anything new makes a page stale, ms.
	StaleMS int `json:"stale_ms" range:"1000 1e9"`
	// Rewinds is the most rewinds in one incident, by brain and gates together.
	Rewinds int `json:"rewinds" range:"0 100"`
}

// BreakerConfig configures the breaker.
type BreakerConfig struct {
	// Grace is how many steps a hard stop is delayed after a replacement, so that the brain can use it.
	Grace int `json:"grace" range:"3 1000"`
	// MaxRefusals is the most consecutive refusals in one state; the next is a stop.
	MaxRefusals int `json:"max_refusals" range:"1 100"`
}

// NudgeConfig says how long a signal must have held for the higher levels, in steps.
type NudgeConfig struct {
	// Instruct is the run from which the nudge is an instruction.
	Instruct int `json:"instruct" range:"1 1000"`
	// Warn is the run from which it is the last warning. It is below the hard window, so that the brain can
	// react.
	Warn int `json:"warn" range:"1 1000"`
}

// OnSpiral is what is done if an episode is stuck for good and nobody can be asked.
type OnSpiral string

// The policies for unattended runs (docs/memory.md#stuck-for-good).
const (
	// SpiralHalt ends the episode.
	SpiralHalt OnSpiral = "halt"
	// SpiralRewind rewinds once to before the page was changed, and ends the episode the next time.
	SpiralRewind OnSpiral = "rewind"
	// SpiralContinue continues with fresh counters until a cap ends the episode.
	SpiralContinue OnSpiral = "continue"
)

// OnSpirals lists the policies.
func OnSpirals() []OnSpiral { return []OnSpiral{SpiralHalt, SpiralRewind, SpiralContinue} }

// DefaultConfig is that of the arm default.
func DefaultConfig() Config {
	return Config{
		Limits:   LimitsConfig{MaxSteps: 50, MaxWallMS: 30 * 60 * 1000, MaxTokens: 2_000_000, MaxCostUSD: 5},
		Mistakes: MistakesConfig{Run: 3},
		Policy:   PolicyConfig{Open: true, Credentials: 2},
		Done:     DoneConfig{Waits: 3, Window: 5, MaxRefusals: 2},
		Director: DirectorConfig{Every: 3, Budget: 5},
		Rescue: RescueConfig{Early: 2, PlacePx: 8, NearPx: 40,
			StaleMS: 30_000, Rewinds: 2},
		Breaker:  BreakerConfig{Grace: 3, MaxRefusals: 2},
		Nudge:    NudgeConfig{Instruct: 5, Warn: 7},
		OnSpiral: SpiralRewind,
	}
}

// Validate reports the first value that is out of range.
func (c Config) Validate() error {
	if err := cua.CheckRanges(c); err != nil {
		return invalid("%w", err)
	}
	switch {
	case c.Nudge.Warn < c.Nudge.Instruct:
		return invalid("nudge.warn must not be below nudge.instruct: %d, %d", c.Nudge.Warn, c.Nudge.Instruct)
	case !slices.Contains(OnSpirals(), c.OnSpiral):
		return invalid("on_spiral must be one of %v, not %q", OnSpirals(), c.OnSpiral)
	}
	for _, e := range c.Policy.Allow {
		if _, err := cua.ParseHost(e); err != nil {
			return invalid("policy.allow: %w", err)
		}
	}
	return nil
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("recovery: config: "+format, args...)
}
