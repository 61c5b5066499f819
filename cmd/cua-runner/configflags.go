package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/runner"
)

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
	cmd.Flags().StringVar(&f.arm, "arm", arm, "named configuration: "+strings.Join(armNames(),
		", ")+", with -MECHANISM and +MECHANISM after it")
	complete(cmd, "arm", armNames)
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
	complete(cmd, "ablate", mechanismNames)
	complete(cmd, "only", mechanismNames)
}

// What keeps no checkpoint state; resume has it too.
const (
	noStateFlag = "no-checkpoint-state"
	noStateHelp = "keep nothing of the session (cookies, storage, form values) in the run folder; no " +
		"rewind is possible then"
)

// changed says whether any of the flags was given.
func (f *configFlags) changed(fl *pflag.FlagSet) bool {
	for _, n := range []string{"config", "arm", "set", "ablate", "only", "shadow", noStateFlag,
		"allow-crossing", "on-spiral"} {
		if fl.Lookup(n) != nil && fl.Changed(n) {
			return true
		}
	}
	return false
}

// renames says whether the flags change what an arm's name says.
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

func armNames() []string {
	var out []string
	for _, a := range runner.Arms() {
		out = append(out, a.Name)
	}
	return out
}

func onSpirals() []string {
	var out []string
	for _, p := range recovery.OnSpirals() {
		out = append(out, string(p))
	}
	return out
}

func mechanismNames() []string {
	var out []string
	for _, m := range cua.Mechanisms() {
		out = append(out, m.Name)
	}
	return out
}
