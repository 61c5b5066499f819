package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/guard"
	"github.com/cua-runner/cua-runner/runner"
)

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
		fmt.Fprintln(a.err, "cua-runner: "+oneLine(err.Error()))
		return nil
	}
	_, err = a.out.Write(out)
	return err
}
