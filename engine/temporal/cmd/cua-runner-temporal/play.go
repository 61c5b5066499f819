package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/cua-runner/cua-runner/engine/temporal"
)

func newPlay() *cobra.Command {
	var at server
	var heartbeat time.Duration
	cmd := &cobra.Command{
		Use:   "play STUDY",
		Short: "Have the cells of a study played that have no result, and wait for that",
		Long: `Have the cells of a study played that have no result, and wait for that. cua-runner bench --engine temporal
calls this, and adds the results to the study. An interrupt cancels the workflow.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return at.with(cmd.Context(), func(c client.Client) error {
				return temporal.Play(cmd.Context(), c, args[0], heartbeat, os.Stderr)
			})
		},
	}
	at.add(cmd)
	cmd.Flags().DurationVar(&heartbeat, "heartbeat", temporal.HeartbeatTimeout,
		"`time` after which the cells of a worker that says nothing are given to others")
	return cmd
}
