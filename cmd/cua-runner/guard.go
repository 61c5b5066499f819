package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/guard"
	"github.com/cua-runner/cua-runner/runner"
)

func newGuard(a *app) *cobra.Command {
	var config configFlags
	var hook hookFlags
	cmd := &cobra.Command{
		Use:   "guard",
		Short: "Detect loops inside the loop of another agent: JSON lines in, advice out",
		Long: `Read JSON lines on standard input and answer them on standard output (docs/guard.md). An agent sends each
step before it is done, in the neutral form, and is told whether it repeats itself without effect:

  pass      nothing to say
  note      tell the model the notes
  suggest   another action is likely to help
  stop      warnings did not help: end the run or ask a person

The guard acts on nothing and needs no browser. Lines: start (optional), propose, amend, end. A line that
cannot be used is answered with an error, and the run continues. An agent whose guard is gone continues without
advice.

--hook claude is a hook of Claude Code for PreToolUse, PostToolUse and PostToolUseFailure on the tools of a
browser MCP server. It never stops a call unless --deny is given and the verdict is stop.`,
		Example: `  cua-runner guard < steps.jsonl
  echo '{"type":"propose","action_type":"click","target":"role=button name=Save"}' | cua-runner guard
  cua-runner guard --set detector.soft=4
  cua-runner guard --hook claude --deny`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := config.over(runner.DefaultConfig())
			if err != nil {
				return err
			}
			if hook.client != "" {
				return hook.serve(a, c)
			}
			if cmd.Flags().Changed("deny") || cmd.Flags().Changed("history") {
				return usage("--deny and --history belong to --hook")
			}
			a.waitsFor("steps as lines of JSON")
			served := make(chan error, 1) // a read of standard input does not end with the context
			go func() { served <- guard.New(c).Serve(a.in, a.out) }()
			select {
			case err = <-served:
			case <-cmd.Context().Done():
				return cmd.Context().Err()
			}
			if errors.Is(err, io.ErrClosedPipe) {
				return nil // nobody listens any more
			}
			return infra(err)
		},
	}
	hook.add(cmd)
	config.addArm(cmd, "default")
	return cmd
}

// guardLines is the guard for one request of a server.
func guardLines(_ context.Context, in io.Reader, line func(any) error) error {
	return guard.New(runner.DefaultConfig()).Serve(in, lineWriter(line))
}

// lineWriter calls itself with each line of JSON that is written.
type lineWriter func(any) error

func (w lineWriter) Write(line []byte) (int, error) { return len(line), w(json.RawMessage(line)) }

// closeAfter closes in, if it is a file, when the command is interrupted.
func closeAfter(cmd *cobra.Command, in io.Reader) (stop func()) {
	done := make(chan struct{})
	go func() {
		select {
		case <-cmd.Context().Done():
			if f, ok := in.(*os.File); ok {
				f.Close()
			}
		case <-done:
		}
	}()
	return func() { close(done) }
}

// hookFlags are those of guard as a hook.
type hookFlags struct {
	client  string
	history string
	deny    bool
}

// hookClients are the clients whose hooks are served.
func hookClients() []string { return []string{"claude"} }

func (f *hookFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&f.client, "hook", "", "serve one call of this client's hook instead of lines: claude")
	fl.StringVar(&f.history, "history", "",
		"`folder` of the sessions' histories (default: cua-runner/guard in the user's cache folder)")
	fl.BoolVar(&f.deny, "deny", false, "with --hook: refuse a call whose verdict is stop")
	complete(cmd, "hook", hookClients)
}

// hooked reports whether args are those of a hook. Its client takes the exit code 2 for a refusal of the
// call, so a hook never ends with it, also when its flags are wrong.
func hooked(args []string) bool {
	return slices.Contains(args, "guard") && slices.ContainsFunc(args, func(a string) bool {
		name, _, _ := strings.Cut(a, "=")
		return name == "--hook" || name == "--deny" || name == "--history"
	})
}

// serve answers one call of a hook. A fault of ours is said on standard error, and the call continues.
func (f *hookFlags) serve(a *app, c runner.Config) (err error) {
	defer func() {
		if p := recover(); p != nil { // a panic ends a program with the exit code 2
			err = infra(fmt.Errorf("the hook failed: %v", p))
		}
	}()
	if f.client != hookClients()[0] {
		return usage("--hook: unknown client %q; known: %s", f.client, hookClients()[0])
	}
	dir := f.history
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return usage("--history is needed: %w", err)
		}
		dir = filepath.Join(cache, "cua-runner", "guard")
	}
	input, err := io.ReadAll(io.LimitReader(a.in, 64<<20))
	if err != nil {
		return infra(fmt.Errorf("reading the hook's input: %w", err))
	}
	out, err := guard.Hook{Config: c, Dir: dir, Deny: f.deny}.Serve(input)
	if err != nil {
		fmt.Fprintln(a.err, "cua-runner: "+tty.Safe(err.Error()))
		return nil
	}
	_, err = a.out.Write(out)
	return err
}
