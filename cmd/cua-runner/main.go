// Command cua-runner runs web tasks with a browser agent, gets it unstuck when it
// loops, and writes down why each step was done.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/runner"
)

func main() { os.Exit(mainCode()) }

// mainCode is main for tests that run the command in process.
func mainCode() int {
	s := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	return execute(s, os.Args[1:], signals)
}

// app is what a command reads, writes and leaves open.
type app struct {
	in  io.Reader
	out io.Writer
	err io.Writer

	// overseen is put around every brain that is to decide; nil is nothing. Tests read all requests through
	// it.
	overseen func(runner.Brain) runner.Brain
	// terminal reports whether somebody can be asked; nil looks at in and err.
	terminal func() bool
	person   *tty.Person // see seat
	// redact has the values of secrets that the command knows; what is printed passes it.
	redact *redact.Set

	closing  sync.Mutex // held while browsers end
	mu       sync.Mutex
	browsers []*browser.Browser
	endpoint *browser.Endpoint // of a remote browser, once it is known
	// stopping is said at the first signal; "" says what holds for an episode.
	stopping string
}

// atTerminal reports whether somebody can be asked: lines come from a terminal and what is said goes to one.
func (a *app) atTerminal() bool {
	if a.terminal != nil {
		return a.terminal()
	}
	return tty.Is(a.in) && tty.Is(a.err)
}

// attend lets whoever sits at the terminal take part in r; nobody does where there is none, or where the
// answer is to be JSON.
func (a *app) attend(ctx context.Context, r *runner.Runner, asJSON bool) {
	if asJSON || !a.atTerminal() {
		return
	}
	a.seat().Attend(ctx, r)
}

// seat is the person at the terminal, one for all who ask.
func (a *app) seat() *tty.Person {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.person == nil {
		a.person = tty.New(a.in, a.err)
	}
	return a.person
}

// asking is b as it is asked.
func (s *app) asking(b runner.Brain) runner.Brain {
	if s.overseen == nil {
		return b
	}
	return s.overseen(b)
}

// onSignal sets what is said at the first signal.
func (s *app) onSignal(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = text
}

// farewell is what is said at the first signal.
func (s *app) farewell() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.stopping,
		"stopping: finishing the current step and sealing the journal (again: stop at once)")
}

// Exit codes (design, errors).
const (
	exitOK     = 0
	exitFailed = 1 // the agent did not succeed, or a comparison differs
	exitUsage  = 2
	exitInfra  = 3
	exitHup    = 129
	exitInt    = 130
	exitTerm   = 143
)

// exitError carries an exit code with a message; an empty message prints nothing.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks bad input: exit code 2.
func usage(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// infra marks a fault that is not the agent's: exit code 3. Nil stays nil.
func infra(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitInfra, err}
}

// execute runs one command line to its exit code. The first signal cancels, and the command
// seals what it has open; the second ends at once, with the browsers' process groups.
func execute(s *app, args []string, signals <-chan os.Signal) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	done := make(chan struct{})
	defer close(done)
	go watchSignals(s, signals, cancel, done)

	out := &output{Writer: s.out}
	s.out, s.redact = out, redact.New(nil)
	said := &cleaned{redact.NewWriter(s.err, s.redact), s.err}
	s.err = said
	defer said.Flush() //nolint:errcheck // nobody is left to be told
	err := newRoot(s, args).ExecuteContext(ctx)
	if out.err != nil {
		err = infra(fmt.Errorf("writing standard output: %w", out.err))
	}
	var sig *interrupted
	if errors.As(context.Cause(ctx), &sig) {
		return sig.code
	}
	if code := s.exitCode(err); code != exitUsage || !hooked(args) {
		return code
	}
	return exitFailed
}

// exitCode is that of a command that ended with err, which it says on standard error.
func (s *app) exitCode(err error) int {
	var disk *fs.PathError
	if errors.As(err, &disk) && disk.Op == "write" {
		err = infra(err)
	}
	var coded *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &coded):
		if coded.Error() != "" {
			fmt.Fprintln(s.err, "cua-runner: "+plainly(faultLines(coded)))
		}
		return coded.code
	}
	fmt.Fprintln(s.err, "cua-runner: "+plainly(tty.Safe(err.Error())))
	return exitUsage
}

// packages are what errors begin with inside the program, but for those that are sections of the config too.
var packages = regexp.MustCompile(`(^|: )(?:cua|egress|runner|trajectories|invariants|benchmarks|manifest|miniwob|suites|brain|browser|json): `)

// plainly is an error as people read it: which part of the program met it is no news to them.
func plainly(text string) string { return packages.ReplaceAllString(text, "$1") }

// interrupted is the cause of a context that a signal cancelled.
type interrupted struct{ code int }

func (i *interrupted) Error() string { return "interrupted" }

func watchSignals(s *app, signals <-chan os.Signal, cancel context.CancelCauseFunc, done <-chan struct{}) {
	for n := 0; ; n++ {
		select {
		case <-done:
			return
		case sig := <-signals:
			code := exitInt
			switch sig {
			case syscall.SIGTERM:
				code = exitTerm
			case syscall.SIGHUP:
				code = exitHup
			}
			if n > 0 {
				s.closeBrowsers()
				os.Exit(code)
			}
			fmt.Fprintln(s.err, "cua-runner: "+s.farewell())
			cancel(&interrupted{code})
		}
	}
}

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
		newRun(a), newResume(a), newServe(a), newBench(a), newReport(a), newCompare(a),
		newShow(a), newCheck(a), newReplay(a), newExport(a), newDetect(a), newGuard(a), newMCP(a),
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
	if others := commandsWith(cmd.Root(), unknown.GetSpecifiedName()); len(others) > 0 {
		return fmt.Errorf("%w of %s; it is one of %s", err, cmd.Name(), strings.Join(others, " and "))
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

// commandsWith are the names of the commands below root that have a flag of that name.
func commandsWith(root *cobra.Command, flag string) (names []string) {
	for _, c := range root.Commands() {
		if !c.Hidden && c.Flags().Lookup(flag) != nil {
			names = append(names, c.Name())
		}
	}
	return names
}

// faultLines is an error on one line, or the faults of a file on one line each.
func faultLines(err error) string {
	var faults manifest.Faults
	if !errors.As(err, &faults) || len(faults) < 2 {
		return tty.Safe(err.Error())
	}
	lines := []string{strconv.Itoa(len(faults)) + " faults, nothing was run:"}
	for _, f := range faults {
		lines = append(lines, "  "+tty.Safe(f.Error()))
	}
	return strings.Join(lines, "\n")
}
