package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/runner"
)

// complete offers words for a flag in the shell. Of a flag that takes a list they go on after the last comma.
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
		return armNames()
	}
	s, err := benchmarks.Open(args[0])
	if err != nil {
		return armNames()
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
