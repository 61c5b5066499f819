package main

import (
	"fmt"
	"io"
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
		form = s.WriteHTML
	default:
		return usage("unknown format %q; known: %s", format, strings.Join(reportFormats(), ", "))
	}
	if err := a.write(out, form); err != nil {
		return err
	}
	if !withPage {
		return nil
	}
	page, err := s.WriteAll()
	if err != nil {
		return infra(err)
	}
	_, err = fmt.Fprintf(a.err, "report: %s (open it in a browser)\n", page)
	return err
}
