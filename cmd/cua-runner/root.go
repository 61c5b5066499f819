package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// newRoot is the whole command line.
func newRoot(a *app, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "cua-runner",
		Short: "Run web tasks with a browser agent, and get it unstuck",
		Long: `cua-runner drives Chromium with a brain that looks at screenshots and page evidence.
It detects when the brain is stuck, replaces its action by one of a table of ways out where that helps,
stops where nothing does, and records why each step was done.`,
		Example: `  cua-runner bench                       watch the embedded benchmark, recovery on and off
  cua-runner run https://example.com --goal "open the More information link"
  cua-runner show runs/<episode-id>      read what happened, and why`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(flagError)
	root.SetArgs(args)
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.AddCommand(
		newRun(a), newResume(a), newBench(a), newReport(a), newCompare(a),
		newShow(a), newCheck(a), newReplay(a), newExport(a), newDetect(a),
		newSuites(a), newBrains(a), newLessons(a), newMechanisms(a), newSchema(a), newVersion(a),
	)
	return root
}

// flagError says which flags an unknown one is close to, by the rules by which cobra finds commands.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || len(unknown.GetSpecifiedName()) < 2 {
		return err
	}
	near := &cobra.Command{SuggestionsMinimumDistance: 2}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		near.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	if names := near.SuggestionsFor(unknown.GetSpecifiedName()); len(names) > 0 {
		return fmt.Errorf("%w; did you mean --%s?", err, strings.Join(names, " or --"))
	}
	return fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
}

func newMechanisms(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "mechanisms",
		Short:   "List the mechanisms that --ablate, --only and arms switch",
		Example: "  cua-runner mechanisms\n  cua-runner mechanisms --json | jq -r '.[].name'",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return printJSON(a, cua.Mechanisms())
			}
			for _, m := range cua.Mechanisms() {
				fmt.Fprintf(a.out, "%-20s %s\n", m.Name, m.Help)
				if r := cua.Requires(m.Name); len(r) > 0 {
					fmt.Fprintf(a.out, "%-20s   requires %s\n", "", strings.Join(r, ", "))
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newSchema(a *app) *cobra.Command {
	of := "record"
	cmd := &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of a journal record, a result or an export",
		Example: "  cua-runner schema > record.schema.json\n  cua-runner schema --of run_result",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text := trajectories.SchemaOf(of)
			if text == nil {
				return usage("--of must be one of %s, not %q", strings.Join(trajectories.SchemaNames(), ", "),
					of)
			}
			_, err := a.out.Write(text)
			return err
		},
	}
	cmd.Flags().StringVar(&of, "of", of,
		"`what`: a journal line (record), what run --json prints (run_result), or what export writes with "+
			"--format json (export) or jsonl (export_line)")
	complete(cmd, "of", trajectories.SchemaNames)
	return cmd
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  cua-runner version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.out, versionLine())
			return err
		},
	}
}

// printJSON writes v as one indented document.
func printJSON(a *app, v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// oneLine makes text safe for a terminal: no control characters, one line.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		// Cf turns the direction of writing
		case r < ' ' || r >= 0x7f && r < 0xa0 || unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, strings.TrimSpace(text))
}
