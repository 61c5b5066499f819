// Command cua-runner-temporal plays the cells of studies on the workers of a Temporal server.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/contrib/envconfig"
	"go.temporal.io/sdk/log"
)

// Exit codes, as those of cua-runner.
const (
	exitUsage = 2
	exitInfra = 3
	exitInt   = 130
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := &cobra.Command{Use: "cua-runner-temporal", SilenceUsage: true, SilenceErrors: true,
		Short: "Play the cells of cua-runner's studies on the workers of a Temporal server"}
	root.AddCommand(newWorker(), newPlay(), newSchedule(), newFetch())
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var broken *infra
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled):
		return exitInt
	}
	fmt.Fprintln(os.Stderr, "cua-runner-temporal:", err)
	if errors.As(err, &broken) {
		return exitInfra
	}
	return exitUsage
}

// infra is an error of the server or of a machine.
type infra struct{ error }

func (e *infra) Unwrap() error { return e.error }

// server are the flags of a command that talks to one.
type server struct{ address, namespace string }

func (s *server) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.address, "address", "",
		"`host:port` of the Temporal server (default TEMPORAL_ADDRESS, else "+client.DefaultHostPort+")")
	cmd.Flags().StringVar(&s.namespace, "namespace", "",
		"`namespace` on it (default TEMPORAL_NAMESPACE, else "+client.DefaultNamespace+")")
}

// dial connects. Keys and certificates are those of the environment and of Temporal's own configuration file.
func (s *server) dial(ctx context.Context) (client.Client, error) {
	o, err := envconfig.LoadDefaultClientOptions()
	if err != nil {
		return nil, err
	}
	o.HostPort = cmp.Or(s.address, o.HostPort, client.DefaultHostPort)
	o.Namespace = cmp.Or(s.namespace, o.Namespace)
	o.Logger = log.NewStructuredLogger(slog.New(slog.NewTextHandler(os.Stderr,
		&slog.HandlerOptions{Level: slog.LevelError})))
	c, err := client.DialContext(ctx, o)
	if err != nil {
		return nil, &infra{fmt.Errorf("no Temporal server at %s: %w", o.HostPort, err)}
	}
	return c, nil
}

// with calls do with a connection.
func (s *server) with(ctx context.Context, do func(client.Client) error) error {
	c, err := s.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := do(c); err != nil && !errors.Is(err, context.Canceled) {
		return &infra{err}
	} else if err != nil {
		return err
	}
	return nil
}

// findProgram finds cua-runner where none is named: beside this program, or on PATH.
func findProgram(named string) (string, error) {
	if named == "" {
		named = "cua-runner"
		if self, err := os.Executable(); err == nil {
			beside := filepath.Join(filepath.Dir(self), named)
			if _, err := exec.LookPath(beside); err == nil {
				return beside, nil
			}
		}
	}
	path, err := exec.LookPath(named)
	if err != nil {
		return "", fmt.Errorf("no cua-runner beside this program or on PATH; --cua-runner names it: %w", err)
	}
	return filepath.Abs(path)
}
