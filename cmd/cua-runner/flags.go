package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/runner"
)

// complete offers words for a flag in the shell. For a flag that takes a list the words go on after the last
// comma.
func complete(cmd *cobra.Command, flag string, words func() []string) {
	completeFor(cmd, flag, func([]string) []string { return words() })
}

// completeFor is complete with words that depend on the command's arguments.
func completeFor(cmd *cobra.Command, flag string, words func(args []string) []string) {
	takes := cmd.Flags().Lookup(flag).Value.Type()
	list := takes == "stringSlice" || takes == armsType
	err := cmd.RegisterFlagCompletionFunc(flag,
		func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return completions(words(args), typed, list)
		})
	if err != nil {
		panic("cua-runner: completion of --" + flag + ": " + err.Error())
	}
}

// completions are the words that go on from what was typed. A word that ends in = or : wants something behind
// it, and so no space.
func completions(words []string, typed string, list bool) ([]string, cobra.ShellCompDirective) {
	before := ""
	if list {
		before = typed[:strings.LastIndex(typed, ",")+1]
	}
	given := strings.Split(before, ",")
	directive := cobra.ShellCompDirectiveNoFileComp
	var out []string
	for _, w := range words {
		open := strings.HasSuffix(w, "=") || strings.HasSuffix(w, ":")
		again := slices.ContainsFunc(given, func(g string) bool {
			return g == w || open &&
				strings.HasPrefix(g, w)
		})
		if again || !strings.HasPrefix(before+w, typed) {
			continue
		}
		out = append(out, before+w)
		if open {
			directive |= cobra.ShellCompDirectiveNoSpace
		}
	}
	return out, directive
}

// completeFolder offers folders for flags.
func completeFolder(cmd *cobra.Command, flags ...string) {
	for _, flag := range flags {
		if err := cmd.MarkFlagDirname(flag); err != nil {
			panic("cua-runner: completion of --" + flag + ": " + err.Error())
		}
	}
}

// folders offers folders for up to n arguments.
func folders(n int) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= n {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveFilterDirs
	}
}

// studyArms are those of the study in the first argument; all there are where it cannot be read.
func studyArms(args []string) []string {
	if len(args) == 0 {
		return runner.ArmNames()
	}
	s, err := benchmarks.Open(args[0])
	if err != nil {
		return runner.ArmNames()
	}
	var out []string
	for _, a := range s.Plan.Arms {
		out = append(out, a.Name)
	}
	return out
}

// taskNames are those of embedded suites.
func taskNames(suites []string) []string {
	var out []string
	for _, s := range tuned.Suites() {
		if !slices.Contains(suites, s.Name) {
			continue
		}
		for _, t := range s.Tasks {
			out = append(out, t.Name)
		}
	}
	return out
}

// exactArgs wants n arguments; what says in words what is missing.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%s; got %d arguments (see %s --help)", what, len(args), cmd.CommandPath())
		}
		return nil
	}
}

// minimumArgs wants at least n arguments.
func minimumArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usage("%s (see %s --help)", what, cmd.CommandPath())
		}
		return nil
	}
}

// armsFlag is a list of arms by name. A comma between settings is part of a name:
// default{detector.soft=5,frames=2} is one arm.
type armsFlag struct {
	into *[]string
	set  bool
}

// addArms puts a list of arms on a command; the list holds what there is without the flag.
func addArms(fl *pflag.FlagSet, into *[]string, name, usage string) {
	fl.Var(&armsFlag{into: into}, name, usage)
}

// Set adds names; the first replace what there is without the flag.
func (f *armsFlag) Set(text string) error {
	if !f.set {
		*f.into, f.set = nil, true
	}
	for _, name := range runner.SplitArms(text, ',') {
		*f.into = append(*f.into, strings.TrimSpace(name))
	}
	return nil
}

// armsType is what the help calls the value.
const armsType = "arms"

// Type is armsType.
func (*armsFlag) Type() string { return armsType }

func (f *armsFlag) String() string {
	if f.into == nil || len(*f.into) == 0 {
		return ""
	}
	return strings.Join(*f.into, ",")
}

// asJSONFlag adds --json, which other commands have, to one with --format.
func asJSONFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "the same as --format json")
}

// jsonIs makes --json a format; beside another one it is an error.
func jsonIs(cmd *cobra.Command, asJSON bool, format *string) error {
	if !asJSON {
		return nil
	}
	if cmd.Flags().Changed("format") && *format != "json" {
		return usage("--json is --format json, and not %s", *format)
	}
	*format = "json"
	return nil
}

// configFlags are the five surfaces of the configuration, the same on every command that
// assembles a run. Lowest first: defaults, --config, --arm, --only, --ablate, --shadow, --set.
type configFlags struct {
	file   string
	arm    string
	set    []string
	ablate []string
	only   []string
	shadow []string

	noState  bool
	crossing bool
	onSpiral string
}

// addArm puts the flags on a command; arm is the arm where none is asked for.
func (f *configFlags) addArm(cmd *cobra.Command, arm string) {
	cmd.Flags().StringVar(&f.arm, "arm", arm, "named configuration: "+strings.Join(runner.ArmNames(),
		", ")+", with -MECHANISM and +MECHANISM after it")
	complete(cmd, "arm", runner.ArmNames)
	f.add(cmd)
}

// add puts the flags on a command on which arms come as a list.
func (f *configFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.file, "config", "", "JSON `file` laid over the defaults")
	fl.StringArrayVar(&f.set, "set", nil, "change one field, as detector.soft=4 (repeatable)")
	fl.StringSliceVar(&f.ablate, "ablate", nil,
		"switch off `mechanisms` (comma-separated; see cua-runner mechanisms)")
	fl.StringSliceVar(&f.only, "only", nil,
		"switch on these `mechanisms` and what they require, everything else off")
	fl.StringSliceVar(&f.shadow, "shadow", nil,
		"let these `gates` rule without force: what they would have done is recorded, nothing is replaced "+
			"or stopped")
	fl.BoolVar(&f.noState, noStateFlag, false, noStateHelp)
	fl.BoolVar(&f.crossing, "allow-crossing", false,
		"let a rewind go back past a step that sent something: the server keeps what was sent")
	fl.StringVar(&f.onSpiral, "on-spiral", "",
		"what is done when a run is stuck for good and nobody can be asked: halt, `rewind` (once, then "+
			"halt; the default) or continue")
	complete(cmd, "on-spiral", onSpirals)
	complete(cmd, "ablate", cua.MechanismNames)
	complete(cmd, "only", cua.MechanismNames)
}

// The flag that keeps no checkpoint state; resume has it too.
const (
	noStateFlag = "no-checkpoint-state"
	noStateHelp = "keep nothing of the session (cookies, storage, form values) in the run folder; no " +
		"rewind is possible then"
)

// changed reports whether any of the flags was given.
func (f *configFlags) changed(fl *pflag.FlagSet) bool {
	for _, n := range []string{"config", "arm", "set", "ablate", "only", "shadow", noStateFlag,
		"allow-crossing", "on-spiral"} {
		if fl.Lookup(n) != nil && fl.Changed(n) {
			return true
		}
	}
	return false
}

// renames reports whether the flags change what an arm's name says.
func (f *configFlags) renames() bool {
	return f.file != "" || f.noState || f.crossing || f.onSpiral != "" ||
		len(f.set)+len(f.ablate)+len(f.only)+len(f.shadow) > 0
}

// over lays the flags over base.
func (f *configFlags) over(base runner.Config) (runner.Config, error) {
	c, err := f.named(base)
	if err != nil {
		return c, err
	}
	if len(f.only) > 0 {
		if c, err = c.Only(f.only...); err != nil {
			return c, usage("--only: %w", err)
		}
	}
	if c, err = c.Ablate(f.ablate...); err != nil {
		return c, usage("--ablate: %w", err)
	}
	if len(f.shadow) > 0 {
		c.Shadow = f.shadow
	}
	c.Checkpoints.State = c.Checkpoints.State && !f.noState
	c.Recovery.Policy.AllowCrossing = c.Recovery.Policy.AllowCrossing || f.crossing
	if f.onSpiral != "" {
		if c.Recovery.OnSpiral = recovery.OnSpiral(f.onSpiral); !slices.Contains(recovery.OnSpirals(),
			c.Recovery.OnSpiral) {
			return c, usage("--on-spiral must be one of %s, not %q", strings.Join(onSpirals(), ", "),
				f.onSpiral)
		}
	}
	for _, s := range f.set {
		if c, err = c.Set(s); err != nil {
			return c, usage("--set: %w", err)
		}
	}
	if err := c.Validate(); err != nil {
		return c, usage("%w", err)
	}
	return c, nil
}

// named lays the file and the arm that the flags name over base.
func (f *configFlags) named(base runner.Config) (c runner.Config, err error) {
	c = base
	if f.file != "" {
		doc, err := readConfig(f.file)
		if err != nil {
			return c, usage("reading --config: %w", err)
		}
		if c, err = c.Overlay(doc); err != nil {
			return c, usage("%s: %w", f.file, err)
		}
	}
	if f.arm != "" {
		if c, err = c.Arm(f.arm); err != nil {
			return c, usage("--arm: %w", err)
		}
	}
	return c, nil
}

// maxConfig bounds a config file, bytes: the whole document is below 4 KiB.
const maxConfig = 1 << 20

func readConfig(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(doc) > maxConfig {
		err = fmt.Errorf("%s is longer than %d bytes", path, maxConfig)
	}
	return doc, err
}

func onSpirals() []string {
	var out []string
	for _, p := range recovery.OnSpirals() {
		out = append(out, string(p))
	}
	return out
}
