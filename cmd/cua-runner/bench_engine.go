package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua"
)

// engines are those that --engine knows. The engine NAME is the program cua-runner-NAME, built from the Go
// module engine/NAME: so its SDK is no dependency of this one.
var engines = []string{"temporal"}

// engineFlags say who plays the cells of a study.
type engineFlags struct {
	name    string
	address string
	cells   []string
}

func (f *engineFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.name, "engine", "",
		"have the cells played by the workers of an `engine`, temporal, which find --out under the same "+
			"path (see docs/temporal.md)")
	fl.StringVar(&f.address, "address", "", "`host:port` of the engine's server")
	fl.StringArrayVar(&f.cells, "cell", nil,
		"with --resume: play only the `cell` that is called so, as --merge names those that are missing "+
			"(repeatable)")
	complete(cmd, "engine", func() []string { return engines })
}

// byWorkers are the flags of what the engine's workers decide.
var byWorkers = []string{"serve", "workers", "episode-mb", "shard", "cell", "cdp-url", "cdp-command"}

// settle reports flags that do not go together.
func (f *engineFlags) settle(cmd *cobra.Command, resume string) error {
	switch {
	case f.name == "" && f.address != "":
		return usage("--address is for --engine")
	case len(f.cells) > 0 && resume == "":
		return usage("--cell is for a study that was begun: --resume STUDY --cell CELL")
	case f.name == "":
		return nil
	case !slices.Contains(engines, f.name):
		return usage("--engine: no engine %q; known: %s", f.name, strings.Join(engines, ", "))
	}
	for _, name := range byWorkers {
		if cmd.Flags().Changed(name) {
			return usage("--%s does not go with --engine: its workers play the cells", name)
		}
	}
	_, err := f.program()
	return err
}

// program is the engine's.
func (f *engineFlags) program() (string, error) {
	name := "cua-runner-" + f.name
	if self, err := os.Executable(); err == nil {
		if beside, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", usage("--engine: the program %s is neither beside this one nor on PATH; in a clone of "+
			"the repository, make %s builds it: %w", name, f.name, err)
	}
	return path, nil
}

// collect has the cells of s played by the engine, and adds their results to it.
func (f *engineFlags) collect(ctx context.Context, a *app, s *benchmarks.Study,
	display *progress, spent *study.Budget) error {
	program, err := f.program()
	if err != nil {
		return err
	}
	dir, err := filepath.Abs(s.Dir)
	if err != nil {
		return err
	}
	if err := a.closeBrowsers(); err != nil { // it was there to be named in the plan
		return err
	}
	show := func(p study.Progress) {
		display.show(p)
		if p.Last != nil {
			spent.Add(cua.Usage{InputTokens: p.Last.Tokens, USD: p.Last.USD})
		}
	}
	return study.Collect(ctx, s, study.Options{Progress: show}, func(ctx context.Context) error {
		cmd := exec.CommandContext(ctx, program, "play", "--address", f.address, dir)
		cmd.Stdout, cmd.Stderr = a.err, a.err
		// A terminal's Ctrl-C reaches it from here alone.
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.WaitDelay = engineGrace
		err := cmd.Run()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w; go on with: cua-runner bench --resume %s%s", program, err, s.Dir,
				f.goesOn())
		}
		return nil
	})
}

// engineGrace is how long an engine may take to stop: workers seal the journals of what they play.
const engineGrace = 2 * time.Minute

// only are the cells that --cell names; nil is all. They are played as the study says: by this build and
// browser.
func (f *engineFlags) only(s *benchmarks.Study, chromium *browser.Browser) ([]benchmarks.Cell, error) {
	if len(f.cells) == 0 {
		return nil, nil
	}
	s.Plan.Host = host()
	here := s.Plan
	here.Browser, here.Build = browserInfo(chromium), build()
	if name := study.Differs(s.Plan, here); name != "" {
		return nil, usage("--cell: this machine differs from the one on which the study began in %s: %+v is "+
			"expected, and this is %+v", name, []any{s.Plan.Browser, s.Plan.Build},
			[]any{here.Browser, here.Build})
	}
	cells, err := s.Plan.Cells()
	if err != nil {
		return nil, err
	}
	var out []benchmarks.Cell
	for _, name := range f.cells {
		i := slices.IndexFunc(cells, func(c benchmarks.Cell) bool { return c.Episode(1) == name })
		if i < 0 {
			return nil, usage("--cell: the study has no cell %s", name)
		}
		out = append(out, cells[i])
	}
	return out, nil
}

// lacks says what an engine cannot play; nil is nothing.
func (f *engineFlags) lacks(p benchmarks.Plan) error {
	switch {
	case f.name == "":
		return nil
	case p.Shard != nil:
		return usage("--engine plays whole studies, and this one is a shard")
	}
	return nil
}

// goesOn is what a command that goes on with the study has to say of its engine.
func (f *engineFlags) goesOn() string {
	if f.name == "" {
		return ""
	}
	out := " --engine " + f.name
	if f.address != "" {
		out += " --address " + f.address
	}
	return out
}
