package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"

	"github.com/cua-runner/cua-runner/engine/temporal"
)

func newSchedule() *cobra.Command {
	var at server
	var id, cron string
	var in temporal.ScheduledInput
	cmd := &cobra.Command{
		Use:   "schedule --id NAME --cron SPEC --out FOLDER [-- FLAGS]",
		Short: "Begin a study again and again, as every night",
		Long: `Make a schedule on the server: at each of its times a worker with --schedules runs cua-runner bench with
FLAGS and this engine, into a folder in FOLDER that is named after the time. A study that still runs is not overtaken.
The program temporal shows, pauses and deletes schedules.`,
		Example: `  cua-runner-temporal schedule --id nightly --cron '0 2 * * *' --out /shared/nightly -- --seeds 20 --suite traps`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if id == "" || cron == "" || !filepath.IsAbs(in.Out) {
				return errors.New("schedule needs --id, --cron and an absolute --out")
			}
			in.Flags = args
			return at.with(cmd.Context(), func(c client.Client) error {
				if err := temporal.Schedule(cmd.Context(), c, id, cron, in); err != nil {
					return err
				}
				_, err := fmt.Fprintf(os.Stdout, "schedule %s: %s\n", id, cron)
				return err
			})
		},
	}
	at.add(cmd)
	fl := cmd.Flags()
	fl.StringVar(&id, "id", "", "`name` of the schedule")
	fl.StringVar(&cron, "cron", "", "when, as cron says it, in UTC")
	fl.StringVar(&in.Out, "out", "", "`folder` of the studies, in the shared folder of the workers")
	return cmd
}
