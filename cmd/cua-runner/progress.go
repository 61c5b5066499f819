package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
)

// progress shows how far a study is: a bar on a terminal, plain lines elsewhere, JSON lines
// on request.
type progress struct {
	app  *app
	json bool
	bar  *progressbar.ProgressBar
}

func newProgress(a *app, asJSON bool) *progress { return &progress{app: a, json: asJSON} }

func (p *progress) show(e study.Progress) {
	switch {
	case p.json:
		if e.Last == nil {
			return
		}
		if line, err := json.Marshal(e); err == nil {
			fmt.Fprintln(p.app.err, string(line))
		}
	case terminal(p.app.err):
		if p.bar == nil {
			p.bar = progressbar.NewOptions(e.Total, progressbar.OptionSetWriter(p.app.err),
				progressbar.OptionFullWidth(), progressbar.OptionShowCount(),
				progressbar.OptionSetPredictTime(true), progressbar.OptionThrottle(100*time.Millisecond))
		}
		p.bar.Describe("strict " + e.Success.Percent() + spent(e))
		_ = p.bar.Set(e.Done) // a display that cannot be drawn is no reason to stop
	case e.Last != nil:
		word := "not solved"
		switch {
		case e.Last.Success:
			word = "strict"
		case e.Last.Lenient:
			word = "solved"
		}
		fmt.Fprintf(p.app.err,
			"%4d/%d  %-52s %-10s %-16s %3d steps  strict so far %s  %3.0f/min  left %s%s%s\n", e.Done,
			e.Total, e.Last.Episode, word, e.Last.End, e.Last.Steps, e.Success.Percent(), e.PerMinute,
			e.Left.Round(time.Second), spent(e), brokenBy(*e.Last))
	}
}

// brokenBy is what ended a cell that is in error, which is not the agent's failure; "" for any other.
func brokenBy(r benchmarks.Result) string {
	if !r.End.Infrastructure() || r.Detail == "" {
		return ""
	}
	return "  " + oneLine(r.Detail)
}

// spent is what the cells done have used, where that is anything.
func spent(e study.Progress) string {
	switch {
	case e.USD != nil:
		return fmt.Sprintf("  %.2f USD", *e.USD)
	case e.Tokens > 0:
		return fmt.Sprintf("  %d tokens", e.Tokens)
	}
	return ""
}

func (p *progress) close() {
	if p.bar != nil {
		fmt.Fprintln(p.app.err)
	}
}

// terminal says whether w is one.
func terminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is that of the terminal w in columns; 0 where w is none, and then nothing is cut.
func width(w any) int {
	if o, ok := w.(*output); ok {
		w = o.Writer
	}
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	cols, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return cols
}
