package main

import (
	"io"
	"os"
	"os/exec"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/server/mcp"
)

func newMCP(a *app) *cobra.Command {
	var config configFlags
	var wrap bool
	cmd := &cobra.Command{
		Use:   "mcp --wrap -- COMMAND…",
		Short: "Add loop detection to a browser MCP server",
		Long: `Start COMMAND, a browser MCP server such as playwright-mcp, and serve its tools on standard input and
output. Names, schemas and answers stay as they are. A call that repeats itself without effect gets a section
"### Notes" in its answer; one that warnings did not help is refused (docs/mcp.md).

The page is observed by the server's tool browser_snapshot right before and right after each acting call. The
client never sees these answers.`,
		Example: `  cua-runner mcp --wrap -- npx @playwright/mcp@latest
  cua-runner mcp --wrap --set detector.soft=4 -- npx @playwright/mcp@latest --headless`,
		Args: minimumArgs(1, "mcp --wrap needs the command of a browser MCP server, after --"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !wrap {
				return usage("mcp serves a wrapped server only: mcp --wrap -- COMMAND…")
			}
			c, err := config.over(runner.DefaultConfig())
			if err != nil {
				return err
			}
			inner := exec.Command(args[0], args[1:]...)
			inner.Stderr = os.Stderr
			outer := &sdk.IOTransport{Reader: io.NopCloser(a.in), Writer: nopCloser{a.out}}
			err = mcp.Wrap(cmd.Context(), c, build().Version, outer, &sdk.CommandTransport{Command: inner})
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			return infra(err)
		},
	}
	cmd.Flags().BoolVar(&wrap, "wrap", false, "serve the tools of another server, with loop detection")
	config.addArm(cmd, "default")
	return cmd
}

// nopCloser is a writer that others close.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
