package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
)

// report prints a study in one form; withPage writes report.html and the CSV beside it and names them.
func (a *app) report(s *benchmarks.Study, format, out string, withPage bool) error {
	rep, err := s.Report()
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
		form = func(w io.Writer) error { return s.WriteHTML(w, rep) }
	default:
		return usage("unknown format %q; known: %s", format, strings.Join(reportFormats(), ", "))
	}
	if err := a.write(out, form); err != nil {
		return err
	}
	if !withPage {
		return nil
	}
	page := filepath.Join(s.Dir, "report.html")
	if err := a.write(page, func(w io.Writer) error { return s.WriteHTML(w, rep) }); err != nil {
		return err
	}
	if err := a.write(filepath.Join(s.Dir, "report.csv"), rep.WriteCSV); err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.err, "report: %s (open it in a browser); cells: %s\n", page, filepath.Join(s.Dir, "report.csv"))
	return err
}
