package main

import (
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
