package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

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
