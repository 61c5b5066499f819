package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	pace "golang.org/x/time/rate"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/brain/remote"
	"github.com/cua-runner/cua-runner/brain/vendors"
	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/runner"
)

// brainFlags are those of every command that opens a brain.
type brainFlags struct {
	prices    string
	onSafety  string
	rpm       float64
	maxTokens int
	maxCost   float64
	noPrompts bool
	// recorded says that a brain that is not ours may be gone on with because a record names it.
	recorded bool
}

// defaultRPM is how many requests a minute one key may send: well below what the vendors' first paid tiers
// allow.
const defaultRPM = 60

// add puts the flags on a command; whole is what the caps are caps of.
func (f *brainFlags) add(cmd *cobra.Command, whole string) {
	fl := cmd.Flags()
	fl.StringVar(&f.prices, "prices", "",
		"JSON `file` of prices laid over the built-in ones (docs/brains.md); a model without a price has "+
			"no cost")
	fl.Float64Var(&f.rpm, "rpm", defaultRPM, "requests a minute that may be sent with one key (0: no limit)")
	fl.BoolVar(&f.noPrompts, "no-prompts", false,
		"do not keep the text that a model or a program was sent for each step")
	if whole == "" {
		return
	}
	f.addSafety(cmd)
	fl.IntVar(&f.maxTokens, "max-tokens", 0, "tokens that "+whole+" may use (0: the config's)")
	fl.Float64Var(&f.maxCost, "max-cost-usd", 0, "US dollars that "+whole+" may cost (0: the config's)")
}

// addSafety puts --on-safety on a command.
func (f *brainFlags) addSafety(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.onSafety, "on-safety", safetyAsk,
		"what answers a model's safety check: ask (a person on the terminal; nobody there ends the run as "+
			"asked), halt (ends it), or hook:PROGRAM (gets the check as JSON on standard input; exit 0 "+
			"agrees, "+
			"1 does not)")
	complete(cmd, "on-safety", func() []string { return []string{safetyAsk, safetyHalt, safetyHook} })
}

// addRecorded puts --recorded-brain on a command that continues with what a folder says.
func (f *brainFlags) addRecorded(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.recorded, "recorded-brain", false,
		"go on also where the record's brain is a program (exec:) that is run as you, or a server (http:, "+
			"base_url) that gets the page and your token or key")
}

// trusts reports whether the brains that a record names may be opened. A folder may come from anybody, and so
// would the command that is run, the address that is sent a token, or the one that is sent a vendor's key.
// A brain that the user names in this very command is trusted.
func (o *opener) trusts(recorded []string, named ...string) error {
	for _, s := range recorded {
		if to := o.foreign(s, named); to != "" && !o.flags.recorded {
			return usage("its brain is %s, so %s: give --recorded-brain if that is yours", tty.Safe(s),
				tty.Safe(to))
		}
	}
	return nil
}

// consent is what a command that continues with these brains has to say beside the folder; "" is nothing.
func (o *opener) consent(recorded ...string) string {
	if slices.ContainsFunc(recorded, func(s string) bool { return o.foreign(s, nil) != "" }) {
		return " --recorded-brain"
	}
	return ""
}

// foreign is what a recorded brain would do that only its owner may want; "" is nothing.
func (o *opener) foreign(recorded string, named []string) string {
	if slices.Contains(named, recorded) {
		return ""
	}
	s, err := brain.ParseSpec(recorded)
	if err != nil {
		return "" // it cannot be opened
	}
	switch s.Name {
	case "exec":
		return "a program is run as you"
	case "http":
		return "a server gets the page and your token"
	}
	to := base(s)
	for _, p := range o.options.Providers {
		if p.Name() == s.Name && to == strings.TrimSuffix(p.Address, "/") {
			return ""
		}
	}
	for _, n := range named {
		if mine, err := brain.ParseSpec(n); err == nil && mine.Name == s.Name && base(mine) == to {
			return ""
		}
	}
	if to == "" {
		return ""
	}
	return to + " gets the page and your key"
}

// base is the address that a spec names, "" where it leaves that to the provider.
func base(s brain.Spec) string { return strings.TrimSuffix(s.Get("base_url", ""), "/") }

// opener opens brains with what this program gives them, the same limiters for all.
type opener struct {
	app     *app
	flags   *brainFlags
	options brain.Options
	warned  sync.Map // by spec
}

// opener is made once for a command. Keys stay in the environment until a brain asks for one.
func (f *brainFlags) opener(a *app, env func(string) string) (*opener, error) {
	if f.maxTokens < 0 || !(f.maxCost >= 0) || !(f.rpm >= 0) {
		return nil, usage("--max-tokens, --max-cost-usd and --rpm must be 0 or more")
	}
	prices, err := f.read()
	if err != nil {
		return nil, err
	}
	confirm, err := f.consent(a)
	if err != nil {
		return nil, err
	}
	return &opener{app: a, flags: f, options: brain.Options{Steps: journalSteps, Providers: vendors.All(),
		Key: env, Limit: f.limits(), Confirm: confirm, Cost: prices.Cost, NoPrompts: f.noPrompts,
		Log: func(line string) { fmt.Fprintln(a.err, "cua-runner: "+tty.Safe(line)) }}}, nil
}

// open opens the brain of spec. A cap on the cost of a brain whose price nobody knows is bad input; where
// only the config has one, that it cannot hold is said once.
func (o *opener) open(spec string) (brain.Brain, error) {
	b, err := brain.Open(spec, o.options)
	if err != nil {
		return nil, err
	}
	if p, ok := b.(interface{ Priced() bool }); !ok || p.Priced() {
		return b, nil
	}
	if o.flags.maxCost > 0 {
		return nil,
			fmt.Errorf("--max-cost-usd cannot hold: the price of %s is not known, or not all of it; give "+
				"it with --prices FILE", spec)
	}
	if _, said := o.warned.LoadOrStore(spec, true); !said {
		fmt.Fprintf(o.app.err,
			"cua-runner: warning: the price of %s is not known, or not all of it, so no cap on the cost "+
				"holds; --prices FILE gives it\n", tty.Safe(spec))
	}
	return b, nil
}

// read are the prices: the built-in ones under those of --prices.
func (f *brainFlags) read() (model.Prices, error) {
	known := model.KnownPrices()
	if f.prices == "" {
		return known, nil
	}
	doc, err := readConfig(f.prices)
	if err != nil {
		return known, usage("reading --prices: %w", err)
	}
	own, err := model.ReadPrices(doc)
	if err != nil {
		return known, usage("%s: %w", f.prices, err)
	}
	return own.Over(known), nil
}

// limits gives every brain that uses one key the same limiter.
func (f *brainFlags) limits() func(key string) brain.Limiter {
	var mu sync.Mutex
	of := map[string]*pace.Limiter{}
	return func(key string) brain.Limiter {
		if f.rpm == 0 {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		if of[key] == nil {
			// evenly spread: a burst would be more than a minute's share
			of[key] = pace.NewLimiter(pace.Limit(f.rpm/60), 1)
		}
		return of[key]
	}
}

// cap lays the caps of one run over its config, and reports whether there are any.
func (f *brainFlags) cap(c *runner.Config) bool {
	if f.maxTokens > 0 {
		c.Recovery.Limits.MaxTokens = f.maxTokens
	}
	if f.maxCost > 0 {
		c.Recovery.Limits.MaxCostUSD = f.maxCost
	}
	return f.maxTokens > 0 || f.maxCost > 0
}

// The ways to answer safety checks.
const (
	safetyAsk  = "ask"
	safetyHalt = "halt"
	safetyHook = "hook:"
)

// consent is what answers safety checks; nil is nobody, which ends the episode as asked.
func (f *brainFlags) consent(a *app) (func(context.Context, brain.SafetyCheck) (brain.Consent,
	error), error) {
	switch program, hook := cutHook(f.onSafety); {
	case hook && program == "":
		return nil, usage("--on-safety %sPROGRAM: the program is missing", safetyHook)
	case hook:
		return remote.Consent(program), nil
	case f.onSafety == safetyAsk && a.atTerminal():
		return a.seat().Consent, nil
	case f.onSafety == safetyAsk || f.onSafety == safetyHalt || f.onSafety == "":
		return nil, nil
	}
	return nil, usage("--on-safety must be %s, %s or %sPROGRAM, not %q", safetyAsk, safetyHalt, safetyHook,
		f.onSafety)
}

// unattended is confirm where several episodes run side by side: no person is asked there, only a hook.
func (f *brainFlags) unattended(confirm func(context.Context, brain.SafetyCheck) (brain.Consent,
	error)) func(context.Context, brain.SafetyCheck) (brain.Consent, error) {
	if _, hook := cutHook(f.onSafety); hook {
		return confirm
	}
	return nil
}

// cutHook is the program of hook:PROGRAM.
func cutHook(policy string) (program string, ok bool) { return strings.CutPrefix(policy, safetyHook) }
