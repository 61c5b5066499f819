package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/cua-runner/cua-runner/engine/temporal"
)

func newWorker() *cobra.Command {
	var at server
	var blobs string
	w := &temporal.Worker{}
	cmd := &cobra.Command{
		Use:   "worker --shared FOLDER [-- FLAGS]",
		Short: "Play cells on this machine until it is interrupted",
		Long: `Play cells on this machine until it is interrupted. Each cell is played by a process of cua-runner bench, to
which FLAGS are given too: those of its browser, and the consent to brains that studies name.`,
		Example: `  cua-runner-temporal worker --shared /shared --address 10.0.0.5:7233
  cua-runner-temporal worker --shared /shared --cells 4 -- --no-sandbox --recorded-brain`,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if w.Shared == "" || w.Cells < 1 {
				return errors.New("worker needs --shared, the folder below which all machines have the " +
					"studies, and --cells of 1 or more")
			}
			if w.Program, err = findProgram(w.Program); err != nil {
				return err
			}
			if blobs != "" {
				if w.Blobs, err = temporal.OpenBucket(blobs, os.Getenv); err != nil {
					return fmt.Errorf("--blobs: %w", err)
				}
				if err := w.Blobs.Check(cmd.Context()); err != nil {
					return &infra{fmt.Errorf("--blobs: %w", err)}
				}
			}
			w.Flags, w.Address, w.Namespace = args, at.address, at.namespace
			return at.with(cmd.Context(), func(c client.Client) error {
				const says = "cua-runner-temporal: %d cells at once of studies in %s, played by %s\n"
				fmt.Fprintf(os.Stderr, says, w.Cells, w.Shared, w.Program)
				return w.Run(c, worker.InterruptCh())
			})
		},
	}
	at.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&w.Shared, "shared", "",
		"`folder` that all machines share under this path; only studies in it are played")
	fl.StringVar(&blobs, "blobs", "",
		"move frames and prompts of each cell to this `address`, s3://BUCKET/PREFIX; the server is "+
			"AWS_ENDPOINT_URL_S3 (default Amazon), the keys are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	fl.IntVar(&w.Cells, "cells", runtime.NumCPU(), "most cells at once")
	fl.Float64Var(&w.PerSecond, "per-second", 0,
		"most cells that all workers together begin in a second (0: no limit)")
	fl.DurationVar(&w.StepTimeout, "step-timeout", 10*time.Minute,
		"`time` after which an episode that records nothing is stopped, and its cell played again")
	fl.BoolVar(&w.Schedules, "schedules", false,
		"also run the studies of schedules: who may write to the namespace then chooses flags of cua-runner bench, "+
			"with which programs can be run")
	fl.StringVar(&w.Program, "cua-runner", "",
		"the `program` that plays a cell (default: beside this one, else on PATH)")
	return cmd
}
