package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/trajectories"
)

func newSchema(a *app) *cobra.Command {
	of := "record"
	cmd := &cobra.Command{
		Use:     "schema",
		Short:   "Print the JSON Schema of a journal record, a result or an export",
		Example: "  cua-runner schema > record.schema.json\n  cua-runner schema --of run_result",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			text := trajectories.SchemaOf(of)
			if text == nil {
				return usage("--of must be one of %s, not %q", strings.Join(trajectories.SchemaNames(), ", "),
					of)
			}
			_, err := a.out.Write(text)
			return err
		},
	}
	cmd.Flags().StringVar(&of, "of", of,
		"`what`: a journal line (record), what run --json prints (run_result), or what export writes with "+
			"--format json (export) or jsonl (export_line)")
	complete(cmd, "of", trajectories.SchemaNames)
	return cmd
}
