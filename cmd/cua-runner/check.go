package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// checkFlags are those of check.
type checkFlags struct {
	invariants []string
	arms       []string
	secrets    []string
	list       bool
	json       bool
}

func newCheck(a *app) *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check RUN…",
		Short: "Check journals against the invariants of every run, and name each step that breaks one",
		Long: `Read journals and check the invariants that hold for every run, whatever the page and the brain did: no value typed
twice, no secret outside its field or its site, no second submit in one state of a form, one outcome for each incident,
and so on (--list). The check reads only the journal and shares no rule with the gates. RUN is the folder of a run, a
journal, a folder of runs or studies at any depth, or a pattern. The results of a study are compared with its journals
too: reward, end, successes, steps, tokens, cost and time of each line of results.jsonl.

What the brain itself does is its own business, but for secrets: the rest is about what gates did.
Arms are checked alike; the arm classic is known to break some, which is why wrong interventions are counted by arm.

secret_in_clear needs the values: those of the secrets that a journal names are taken from CUA_SECRET_NAME, and --secret
gives one more to look for.

Exit codes: 0 all hold, 1 one is broken or a result differs, 2 bad input (what could be read is checked all the same).`,
		Example: `  cua-runner check runs/*
  cua-runner check studies/demo
  cua-runner check studies/ --arm default --invariant activation,typed_twice
  CUA_SECRET_PASSWORD=opensesame cua-runner check runs/localhost-login-sign-in@default.1-1
  cua-runner check studies/demo --json | jq -c 'select(.invariant)'
  cua-runner check --list`,
		Args: func(cmd *cobra.Command, args []string) error {
			if f.list {
				return nil
			}
			return minimumArgs(1, "check needs the folder of a run or a study, or a journal")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.list {
				return a.listInvariants(f.json)
			}
			return a.check(cmd.Context(), f, args)
		},
	}
	fl := cmd.Flags()
	fl.StringSliceVar(&f.invariants, "invariant", nil,
		"check these `invariants` alone (comma-separated; see --list)")
	addArms(fl, &f.arms, "arm", "check the journals of these `arms` alone")
	fl.StringArrayVar(&f.secrets, "secret", nil,
		"look for this value in every journal, as `NAME=VALUE` or NAME=env:VARIABLE (repeatable)")
	fl.BoolVar(&f.list, "list", false, "list the invariants")
	fl.BoolVar(&f.json, "json", false,
		"print one JSON line for each violation, and a summary as the last line")
	complete(cmd, "invariant", invariantNames)
	complete(cmd, "arm", runner.ArmNames)
	return cmd
}

func invariantNames() []string {
	var out []string
	for _, in := range listedInvariants() {
		out = append(out, in.Name)
	}
	return out
}

// listedInvariants are those of journals, and the check of results.
func listedInvariants() []invariants.Invariant {
	return append(invariants.All(), resultsCheck)
}

func (a *app) listInvariants(asJSON bool) error {
	if asJSON {
		return printJSON(a, listedInvariants())
	}
	for _, in := range listedInvariants() {
		if _, err := fmt.Fprintf(a.out, "%-19s %s\n%-19s   see %s\n", in.Name, in.Help, "",
			in.Source); err != nil {
			return err
		}
	}
	return nil
}

// checking is one call of check.
type checking struct {
	app        *app
	flags      *checkFlags
	invariants []invariants.Invariant
	secrets    map[string]string
	results    bool                  // of studies are compared with the journals
	studies    map[string]*heldStudy // by folder; nil is none
	sum        checkSummary
	list       *checkList
	bad        bool // something could not be read, and was told
}

func (a *app) check(ctx context.Context, f *checkFlags, args []string) error {
	c := &checking{app: a, flags: f, list: newCheckList(a, f.json), studies: map[string]*heldStudy{},
		results: len(f.invariants) == 0 || slices.Contains(f.invariants, resultsCheck.Name)}
	var err error
	if c.invariants, err = f.chosen(); err != nil {
		return err
	}
	if c.secrets, err = f.values(os.Getenv); err != nil {
		return err
	}
	a.onSignal("stopping: printing what was found so far (again: stop at once)")
	seen := map[string]bool{}
	for _, arg := range args {
		for _, path := range journals(arg, func(err error) { c.bad = true; c.list.fault(err) }) {
			if ctx.Err() != nil {
				break
			}
			if seen[filepath.Clean(path)] {
				continue
			}
			seen[filepath.Clean(path)] = true
			if err := c.one(path); err != nil {
				c.bad = true
				c.list.fault(err)
			}
		}
	}
	if ctx.Err() == nil {
		if err := c.withoutJournal(args); err != nil {
			return err
		}
	}
	if err := c.list.foot(c.sum.done(c.invariants, ctx.Err() != nil)); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case c.bad:
		return &exitError{code: exitUsage} // each fault has been printed where it was met
	case c.sum.Journals == 0:
		return usage("--arm: no journal of %s among those named", strings.Join(f.arms, ", "))
	case c.sum.Violations+c.sum.Differing > 0:
		return &exitError{code: exitFailed}
	}
	return nil
}

// chosen are the invariants to check.
func (f *checkFlags) chosen() ([]invariants.Invariant, error) {
	all := invariants.All()
	for _, name := range f.invariants {
		if !slices.Contains(invariantNames(), name) {
			return nil, usage("--invariant: unknown invariant %q; known: %s", name,
				strings.Join(invariantNames(), ", "))
		}
	}
	if len(f.invariants) > 0 {
		all = slices.DeleteFunc(all,
			func(in invariants.Invariant) bool { return !slices.Contains(f.invariants, in.Name) })
	}
	return all, nil
}

// values are those that --secret gives, by name.
func (f *checkFlags) values(env func(string) string) (map[string]string, error) {
	out := map[string]string{}
	for _, s := range f.secrets {
		name, value, ok := strings.Cut(s, "=")
		if variable, from := strings.CutPrefix(value, "env:"); from {
			value = env(variable)
		}
		switch {
		case !ok || name == "":
			return nil, usage("--secret: want NAME=VALUE or NAME=env:VARIABLE")
		case len(value) < 4:
			return nil, usage("--secret %s: a value of fewer than 4 bytes is found everywhere", name)
		}
		out[name] = value
	}
	return out, nil
}

// one checks the journal at path, of which its error is that it cannot be read.
func (c *checking) one(path string) error {
	j, err := invariants.Read(path)
	if err != nil {
		return err
	}
	if !c.ofArm(j.Header.Arm) {
		return nil
	}
	j.Incidents = runner.Incidents(j.Trajectory, runner.DefaultConfig())
	j.Secrets = map[string]string{}
	for _, name := range trajectories.SecretNames(j.Trajectory) {
		if v := os.Getenv(secretVariable(name)); v != "" {
			j.Secrets[name] = v
		}
	}
	for name, v := range c.secrets {
		j.Secrets[name] = v
	}
	c.sum.add(j.Trajectory)
	whole := true
	for _, in := range c.invariants {
		broken, unchecked := in.Check(j)
		c.sum.unchecked(in.Name, unchecked)
		for _, v := range broken {
			c.sum.violation(v)
			whole = false
			if err := c.list.add(checked{Run: path, Arm: j.Header.Arm, Violation: v}); err != nil {
				return err
			}
		}
	}
	if !whole {
		c.sum.Broken++
	}
	return c.result(path, j.Trajectory)
}

// ofArm reports whether journals of that arm are checked.
func (c *checking) ofArm(arm string) bool {
	return len(c.flags.arms) == 0 || slices.Contains(c.flags.arms, arm)
}
