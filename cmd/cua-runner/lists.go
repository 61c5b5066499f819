package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func suiteNames() []string {
	var out []string
	for _, s := range tuned.Suites() {
		out = append(out, s.Name)
	}
	return out
}

func newSuites(a *app) *cobra.Command {
	var format string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "suites",
		Short: "List the embedded suites and their tasks",
		Example: "  cua-runner suites\n  cua-runner suites --json | jq -r '.[].tasks[].name'\n  cua-runner " +
			"suites --format md",
		Args: exactArgs(0, "suites takes no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := jsonIs(cmd, asJSON, &format); err != nil {
				return err
			}
			switch format {
			case "table":
				return writeSuites(a.out)
			case "md":
				return writeSuitesMarkdown(a.out)
			case "json":
				return printJSON(a, listedSuites())
			}
			return usage("unknown format %q; known: %s", format, strings.Join(suiteFormats(), ", "))
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", strings.Join(suiteFormats(), ", "))
	asJSONFlag(cmd, &asJSON)
	complete(cmd, "format", suiteFormats)
	return cmd
}

func suiteFormats() []string { return []string{"table", "md", "json"} }

func writeSuites(w io.Writer) error {
	var b strings.Builder
	for _, s := range tuned.Suites() {
		about := s.About
		if s.Named {
			about += " (run only where it is named)"
		}
		fmt.Fprintf(&b, "%s: %s\n", s.Name, about)
		for _, t := range s.Tasks {
			fmt.Fprintf(&b, "  %-24s %s\n", t.Name, t.About)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeSuitesMarkdown writes a table a suite.
func writeSuitesMarkdown(w io.Writer) error {
	var b strings.Builder
	for i, s := range tuned.Suites() {
		if i > 0 {
			b.WriteByte('\n')
		}
		about := s.About
		if s.Named {
			about += "; run only where it is named"
		}
		fmt.Fprintf(&b, "**%s** (%d): %s.\n\n| task | what is hard about it | steps |\n|---|---|---|\n",
			s.Name, len(s.Tasks), about)
		for _, t := range s.Tasks {
			fmt.Fprintf(&b, "| `%s` | %s | %d |\n", t.Name, strings.ReplaceAll(t.About, "|", `\|`), t.MaxSteps)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// listedSuite is a suite as `suites --json` prints it.
type listedSuite struct {
	Name  string `json:"name"`
	About string `json:"about"`
	// Named says that bench runs it only where it is asked for by name.
	Named bool         `json:"named"`
	Tasks []listedTask `json:"tasks"`
}

type listedTask struct {
	Name     string `json:"name"`
	About    string `json:"about"`
	Solvable bool   `json:"solvable"`
	MaxSteps int    `json:"max_steps"`
}

func listedSuites() []listedSuite {
	var out []listedSuite
	for _, s := range tuned.Suites() {
		l := listedSuite{Name: s.Name, About: s.About, Named: s.Named}
		for _, t := range s.Tasks {
			l.Tasks = append(l.Tasks, listedTask{t.Name, t.About, t.Solvable, t.MaxSteps})
		}
		out = append(out, l)
	}
	return out
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
