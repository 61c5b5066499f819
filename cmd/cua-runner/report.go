package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/report"
)

// report prints a study in one form; withPage writes report.html and the CSV beside it and names them.
func (a *app) report(s *benchmarks.Study, format, out string, single, withPage bool) error {
	rep, err := report.Of(s)
	if err != nil {
		return usage("%w", err)
	}
	var form func(io.Writer) error
	switch format {
	case "table":
		form = rep.WriteText
	case "md":
		form = rep.WriteMarkdown
	case "csv":
		form = rep.WriteCSV
	case "json":
		form = rep.WriteJSON
	case "html":
		// A page on standard output has no place that its frames could lie beside.
		o := report.PageOptions{SingleFile: single || out == "", Folder: filepath.Dir(out)}
		form = func(w io.Writer) error { return report.WritePage(w, s, o) }
	default:
		return usage("unknown format %q; known: %s", format, strings.Join(reportFormats(), ", "))
	}
	if err := a.write(out, form); err != nil {
		return err
	}
	if !withPage {
		return nil
	}
	page, err := report.WriteAll(s)
	if err != nil {
		return infra(err)
	}
	_, err = fmt.Fprintf(a.err, "report: %s (open it in a browser)\n", page)
	return err
}

func newReport(a *app) *cobra.Command {
	var format, out, base string
	var asJSON, single bool
	cmd := &cobra.Command{
		Use:   "report STUDY",
		Short: "Print a study's results, as text, Markdown, CSV, JSON or a page",
		Example: `  cua-runner report studies/bench-1
  cua-runner report studies/bench-1 --base classic
  cua-runner report studies/bench-1 --format csv > cells.csv
  cua-runner report studies/bench-1 --format html --out report.html --single-file`,
		Args:              exactArgs(1, "report needs the folder of a study"),
		ValidArgsFunction: folders(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := jsonIs(cmd, asJSON, &format); err != nil {
				return err
			}
			s, err := benchmarks.Open(args[0])
			if err != nil {
				return usage("%w", err)
			}
			if err := against(s, base); err != nil {
				return err
			}
			if single && format != "html" {
				return usage("--single-file is for --format html")
			}
			return a.report(s, format, out, single, false)
		},
	}
	cmd.Flags().StringVar(&format, "format", "table", strings.Join(reportFormats(), ", "))
	cmd.Flags().StringVar(&out, "out", "", "`file` to write (default: standard output)")
	cmd.Flags().StringVar(&base, "base", "",
		"`arm` that the others are compared with (default: that of the study)")
	cmd.Flags().BoolVar(&single, "single-file", false,
		"put the frames into the page, so that it can be sent; without it, it shows them from the "+
			"study's folder")
	asJSONFlag(cmd, &asJSON)
	completeFor(cmd, "base", studyArms)
	complete(cmd, "format", reportFormats)
	return cmd
}

func reportFormats() []string { return []string{"table", "md", "csv", "json", "html"} }

// compareFlags are those of compare.
type compareFlags struct {
	arms   []string
	format string
	out    string
	list   string
	fail   bool
	json   bool
}

func newCompare(a *app) *cobra.Command {
	f := &compareFlags{}
	cmd := &cobra.Command{
		Use:   "compare STUDY_A STUDY_B",
		Short: "Compare two studies on the cells that both have",
		Long: `Compare arms of two studies on the same cells: the same task, fault, seed and repeat. Differences are A minus B; cells that
only one study has count for nothing. Successes are compared by McNemar's exact test, numbers a cell by a sign-flip test over whole
tasks; "~" may be chance. Each cell that A does worse is named (--list).

Exit code 0: compared; 1: with --fail-if-worse, A did significantly less than B; 2: no study, or nothing to compare.`,
		Example: `  cua-runner compare studies/new studies/old
  cua-runner compare studies/new studies/old --arms default
  cua-runner compare studies/new studies/old --arms default:off,default:classic --list both
  cua-runner compare studies/new studies/old --fail-if-worse --format md > compared.md
  cua-runner compare studies/new studies/old --format json | jq -r '.pairs[].worse[].episode_a'`,
		Args:              exactArgs(2, "compare needs the folders of two studies"),
		ValidArgsFunction: folders(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := jsonIs(cmd, f.json, &f.format); err != nil {
				return err
			}
			return a.compare(args[0], args[1], f)
		},
	}
	fl := cmd.Flags()
	addArms(fl, &f.arms, "arms",
		"`arms` to compare, each as ARM or ARM_OF_A:ARM_OF_B (default: those that both studies have)")
	fl.StringVar(&f.format, "format", "table", strings.Join(compareFormats(), ", "))
	fl.StringVar(&f.out, "out", "", "`file` to write (default: standard output)")
	fl.BoolVar(&f.fail, "fail-if-worse", false,
		"exit with 1 where A did less than B significantly in any pair of arms")
	fl.StringVar(&f.list, "list", "worse",
		"name the cells in which A is worse, better, both or none, in the forms table and md; csv and json "+
			"have all")
	asJSONFlag(cmd, &f.json)
	complete(cmd, "format", compareFormats)
	complete(cmd, "list", func() []string { return []string{"worse", "better", "both", "none"} })
	completeFor(cmd, "arms", pairsOfArms)
	return cmd
}

func compareFormats() []string { return []string{"table", "md", "csv", "json"} }

// pairsOfArms are the arms that can be compared.
func pairsOfArms(dirs []string) []string {
	if len(dirs) != 2 {
		return nil
	}
	a, err := benchmarks.Open(dirs[0])
	if err != nil {
		return nil
	}
	b, err := benchmarks.Open(dirs[1])
	if err != nil {
		return nil
	}
	var out []string
	for _, x := range a.Plan.Arms {
		for _, y := range b.Plan.Arms {
			out = append(out, report.ArmNames{A: x.Name, B: y.Name}.String())
		}
	}
	return out
}

func (a *app) compare(first, second string, f *compareFlags) error {
	var names []report.ArmNames
	for _, s := range f.arms {
		n, err := report.ParseArmNames(s)
		if err != nil {
			return usage("--arms: %w", err)
		}
		names = append(names, n)
	}
	listed, ok := map[string]report.Listed{"worse": {Worse: true}, "better": {Better: true},
		"both": {Worse: true, Better: true}, "none": {}}[f.list]
	if !ok {
		return usage("--list must be worse, better, both or none, not %q", f.list)
	}
	one, err := benchmarks.Open(first)
	if err != nil {
		return usage("%w", err)
	}
	other, err := benchmarks.Open(second)
	if err != nil {
		return usage("%w", err)
	}
	c, err := report.Compare(one, other, names...)
	if err != nil {
		return usage("%w", err)
	}
	var form func(io.Writer) error
	switch f.format {
	case "table":
		form = func(w io.Writer) error { return c.WriteText(w, listed) }
	case "md":
		form = func(w io.Writer) error { return c.WriteMarkdown(w, listed) }
	case "csv":
		form = c.WriteCSV
	case "json":
		form = c.WriteJSON
	default:
		return usage("unknown format %q; known: %s", f.format, strings.Join(compareFormats(), ", "))
	}
	if err := a.write(f.out, form); err != nil {
		return err
	}
	if worse := c.Worse(); f.fail && len(worse) > 0 {
		var says []string
		for _, n := range worse {
			says = append(says, fmt.Sprintf("%s of %s did less than %s of %s", n.A, first, n.B, second))
		}
		return &exitError{exitFailed, errors.New(strings.Join(says, "; "))}
	}
	return nil
}
