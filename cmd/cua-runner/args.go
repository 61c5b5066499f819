package main

import "github.com/spf13/cobra"

// exactArgs wants n arguments; what says in words what is missing.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%s; got %d arguments (see %s --help)", what, len(args), cmd.CommandPath())
		}
		return nil
	}
}

// minimumArgs wants at least n arguments.
func minimumArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usage("%s (see %s --help)", what, cmd.CommandPath())
		}
		return nil
	}
}
