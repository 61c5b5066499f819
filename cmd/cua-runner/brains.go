package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/vendors"
	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// checkTime bounds the call that --check makes.
const checkTime = time.Minute

func newBrains(a *app) *cobra.Command {
	var asJSON, check bool
	f := &brainFlags{}
	cmd := &cobra.Command{
		Use:   "brains [SPEC...]",
		Short: "List the brains and their faults, and what key each needs",
		Long: `List the brains, what key each needs and whether it is set, and the faults that a brain can be given. With --check each brain that is
named, or without names each whose key is set, is sent one small request, which costs a few tokens.

Exit codes: 0 all answered, 2 bad input, 3 one did not answer.`,
		Example: "  cua-runner brains\n  cua-runner brains --check\n  cua-runner brains --check " +
			"'gemini:gemini-3.5-flash?base_url=http://127.0.0.1:8080'\n" +
			"  cua-runner run URL --goal TEXT --brain scripted:steps.jsonl --fault click_fixation=0.5 " +
			"--fault off_target=1@20",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return vendorNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, specs []string) error {
			if check {
				return a.checkBrains(cmd.Context(), f, specs, asJSON)
			}
			if len(specs) > 0 {
				return usage("brains takes names only with --check")
			}
			return a.listBrains(asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&check, "check", false,
		"send one small request to each brain that is named, or whose key is set")
	f.add(cmd, "")
	return cmd
}

// listedBrain is a brain as `brains --json` prints it.
type listedBrain struct {
	brain.Info
	// Set says that the variable of its key has a value; always true where it needs none.
	Set bool `json:"key_set"`
}

func listedBrains(env func(string) string) []listedBrain {
	var out []listedBrain
	for _, i := range brain.List(vendors.All()...) {
		out = append(out, listedBrain{i, i.Key == "none" || env(i.Key) != ""})
	}
	return out
}

func (a *app) listBrains(asJSON bool) error {
	brains := listedBrains(os.Getenv)
	if asJSON {
		return printJSON(a, struct {
			Brains []listedBrain      `json:"brains"`
			Faults []brain.FaultHelp  `json:"faults"`
			Net    []cua.NetFaultHelp `json:"network_faults"`
		}{brains, brain.FaultList(), cua.NetFaults()})
	}
	for _, b := range brains {
		key := "key: " + b.Key
		switch {
		case b.Key == "none":
		case b.Set:
			key += " (set)"
		case b.Optional:
			key += " (not set; optional)"
		default:
			key += " (not set)"
		}
		if b.Key == "none" {
			fmt.Fprintf(a.out, "%-16s %s   %s\n", b.Spec, key, b.Help)
			continue
		}
		fmt.Fprintf(a.out, "%s\n%16s %s\n%16s %s\n", b.Spec, "", key, "", b.Help)
	}
	fmt.Fprintln(a.out,
		"\nfaults (--fault NAME=RATE, 0 to 1; PX in CSS pixels, and @PX may be left out; of several, the "+
			"first that can strike")
	fmt.Fprintln(a.out,
		"is the only one of its step; nudge_obedience and words modify the others; a brain with faults "+
			"shows mechanisms,")
	fmt.Fprintln(a.out, "not benefits for a model):")
	for _, f := range brain.FaultList() {
		help := f.Help
		if f.Px > 0 {
			help += fmt.Sprintf(" (default %g px)", f.Px)
		}
		if f.Same != "" {
			help += " (the same as " + f.Same + ")"
		}
		fmt.Fprintf(a.out, "%-21s %s\n", f.Syntax(), help)
	}
	fmt.Fprintln(a.out, "\nfaults of the network (bench --fault NAME=RATE; each cell's proxy plays them "+
		"on what the browser asks\nfor, by seed and number of the request, but for the start page):")
	for _, f := range cua.NetFaults() {
		help := f.Help
		if f.Size > 0 {
			help += fmt.Sprintf(" (default %d)", f.Size)
		}
		fmt.Fprintf(a.out, "%-26s %s\n", f.Syntax(), help)
	}
	return nil
}

// checkedBrain is the outcome of one check.
type checkedBrain struct {
	Spec     string   `json:"spec"`
	OK       bool     `json:"ok"`
	Error    string   `json:"error,omitzero"`
	Tokens   int      `json:"tokens,omitzero"`
	USD      *float64 `json:"cost_usd,omitzero"`
	Attempts int      `json:"attempts,omitzero"`
	MS       int64    `json:"ms,omitzero"`
}

// checkBrains sends one small request to each brain.
func (a *app) checkBrains(ctx context.Context, f *brainFlags, specs []string, asJSON bool) error {
	o, err := f.opener(a, os.Getenv)
	if err != nil {
		return err
	}
	if len(specs) == 0 {
		for _, b := range listedBrains(os.Getenv) {
			if b.Set && b.Key != "none" && !b.Optional {
				specs = append(specs, brain.Provider{Info: b.Info}.Name())
			}
		}
	}
	if len(specs) == 0 {
		return usage("nothing to check: no key is set; name a brain, or set one of the keys that " +
			"cua-runner brains lists")
	}
	var all []checkedBrain
	for _, spec := range specs {
		b, err := brain.Open(spec, o.options)
		if err != nil {
			return usage("%w", err)
		}
		c, ok := b.(brain.Checker)
		if !ok {
			return usage("%s calls no model: there is nothing to check", spec)
		}
		all = append(all, a.checkBrain(ctx, spec, c, asJSON))
	}
	if asJSON {
		if err := printJSON(a, all); err != nil {
			return infra(err)
		}
	}
	if i := slices.IndexFunc(all, func(c checkedBrain) bool { return !c.OK }); i >= 0 {
		return infra(fmt.Errorf("%s does not answer: %s", all[i].Spec, all[i].Error))
	}
	return nil
}

func (a *app) checkBrain(ctx context.Context, spec string, c brain.Checker, quiet bool) checkedBrain {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	start := time.Now()
	u, err := c.Check(ctx)
	if held, ok := c.(io.Closer); ok {
		held.Close() //nolint:errcheck // what it answered is what counts
	}
	out := checkedBrain{Spec: spec, OK: err == nil, Tokens: u.Tokens(), USD: u.USD, Attempts: u.Attempts,
		MS: time.Since(start).Milliseconds()}
	if err != nil {
		out.Error = tty.Safe(err.Error())
	}
	if quiet {
		return out
	}
	if err != nil {
		fmt.Fprintf(a.out, "%s: no answer: %s\n", tty.Safe(spec), out.Error)
		return out
	}
	cost := "cost not known"
	if u.USD != nil {
		cost = fmt.Sprintf("%.6f USD", *u.USD)
	}
	fmt.Fprintf(a.out, "%s: ok, %d tokens, %s, %d ms, attempts: %d\n", tty.Safe(spec), u.Tokens(), cost,
		out.MS, u.Attempts)
	return out
}

// openBrain opens the brain of spec with faults as ParseFault reads them, and returns what headers say of it.
// of holds the brains that a task brings along; nil is none.
func openBrain(o *opener, spec string, faults []string, seed int64,
	of ofTask) (runner.Brain, trajectories.BrainInfo, error) {
	rates := brain.Faults{Seed: seed}
	for _, f := range faults {
		if cua.IsNetFault(f) {
			return nil, trajectories.BrainInfo{},
				usage("--fault: %s is a fault of the network: bench plays it", f)
		}
		r, err := brain.ParseFault(f)
		if err != nil {
			return nil, trajectories.BrainInfo{}, usage("--fault: %w", err)
		}
		rates.Add(r)
	}
	if b, ok := of[spec]; ok {
		return withFaults(b, spec, rates)
	}
	b, err := o.open(spec)
	if err != nil {
		return nil, trajectories.BrainInfo{}, usage("--brain: %w", err)
	}
	return withFaults(b, spec, rates)
}

// The brains that play what each task brings along; bench only.
const (
	oracleBrain = "oracle" // the script that solves it
	playerBrain = "player" // its script as a case of the detectors, elsewhere the oracle
)

// ofTask are the brains that one task brings along, by name.
type ofTask map[string]brain.Brain

// anyTask knows their names and not yet the task.
var anyTask = broughtBrains(benchmarks.Scripts{})

func broughtBrains(s benchmarks.Scripts) ofTask {
	of := ofTask{oracleBrain: brain.Scripted{Script: s.Oracle}, playerBrain: brain.Scripted{Script: s.Player}}
	if s.Solver != nil {
		of[oracleBrain] = s.Solver
	}
	return of
}

// reopenBrain is the brain that a header describes.
func reopenBrain(o *opener, info trajectories.BrainInfo) (runner.Brain, error) {
	if err := o.trusts([]string{info.Name, info.Director}); err != nil {
		return nil, err
	}
	var rates brain.Faults
	if len(info.Settings) > 0 {
		if err := json.Unmarshal(info.Settings, &rates); err != nil {
			return nil, usage("reading the brain's settings: %w", err)
		}
	}
	b, err := o.open(info.Name)
	if err != nil {
		return nil, usage("%w", err)
	}
	wrapped, _, err := withFaults(b, info.Name, rates)
	if err != nil {
		return nil, err
	}
	return withDirector(o, wrapped, info.Director)
}

// withDirector gives b the director of spec; "" is none.
func withDirector(o *opener, b runner.Brain, spec string) (runner.Brain, error) {
	if spec == "" {
		return b, nil
	}
	d, err := o.open(spec)
	if err != nil {
		return nil, usage("--director: %w", err)
	}
	return brain.Directed{Brain: b, Director: d, Name: spec}, nil
}

// withFaults wraps b where there are faults. Its chance, and that of one that plays by chance itself, is f's.
func withFaults(b brain.Brain, name string, f brain.Faults) (runner.Brain, trajectories.BrainInfo, error) {
	info := trajectories.BrainInfo{Name: name}
	d, draws := b.(brain.Drawing)
	if draws {
		b = d.WithSeed(f.Seed)
	}
	if f.None() && !draws {
		return b, info, nil
	}
	settings, err := json.Marshal(f)
	if err != nil {
		return nil, info, err
	}
	info.Settings = settings
	if f.None() {
		return b, info, nil
	}
	faulty, err := brain.WithFaults(b, f)
	if err != nil {
		return nil, info, usage("--fault: %w", err)
	}
	return faulty, info, nil
}

func journalSteps(run string) ([]cua.Step, error) {
	t, err := trajectories.Read(run)
	if err != nil {
		return nil, err
	}
	return t.Steps, nil
}

// brainNames are what --brain may begin with.
func brainNames() []string {
	var out []string
	for _, b := range brain.List() {
		out = append(out, strings.SplitAfter(b.Spec, ":")[0])
	}
	return append(out, vendorNames()...)
}

func vendorNames() []string {
	var out []string
	for _, p := range vendors.All() {
		out = append(out, p.Name())
	}
	return out
}

func faultNames() []string {
	var out []string
	for _, f := range brain.FaultList() {
		switch {
		case f.Same != "":
			out = append(out, f.Name)
		case len(f.Values) > 0:
			for _, v := range f.Values {
				out = append(out, f.Name+"="+v)
			}
		default:
			out = append(out, f.Name+"=")
		}
	}
	return out
}

func netFaultNames() []string {
	var out []string
	for _, f := range cua.NetFaults() {
		out = append(out, f.Name+"=")
	}
	return out
}
