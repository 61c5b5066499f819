package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/engine/temporal"
)

func newFetch() *cobra.Command {
	return &cobra.Command{
		Use:   "fetch STUDY",
		Short: "Bring the blobs of a study back from the bucket of its workers",
		Long: `Bring the frames and prompts of a study's episodes back from the bucket into which workers moved them
(worker --blobs). The episodes say where that is; the server and the keys are those of the environment, as for
a worker. What is there already is not brought again.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := study.Free(args[0]); err != nil {
				return err
			}
			n, err := temporal.FetchBlobs(cmd.Context(), args[0], os.Getenv)
			if err != nil {
				return &infra{err}
			}
			fmt.Fprintf(os.Stderr, "cua-runner-temporal: %d blobs were brought\n", n)
			return nil
		},
	}
}
