package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/cua"
)

func newMechanisms(a *app) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "mechanisms",
		Short:   "List the mechanisms that --ablate, --only and arms switch",
		Example: "  cua-runner mechanisms\n  cua-runner mechanisms --json | jq -r '.[].name'",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return printJSON(a, cua.Mechanisms())
			}
			for _, m := range cua.Mechanisms() {
				fmt.Fprintf(a.out, "%-20s %s\n", m.Name, m.Help)
				if r := cua.Requires(m.Name); len(r) > 0 {
					fmt.Fprintf(a.out, "%-20s   requires %s\n", "", strings.Join(r, ", "))
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
