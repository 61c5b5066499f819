package main

import "github.com/spf13/cobra"

// exactArgs wants n arguments; what says in words what is missing.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usage("%s; got %d arguments (see cua-runner %s --help)", what, len(args), cmd.Name())
		}
		return nil
	}
}

// minimumArgs wants at least n arguments.
func minimumArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usage("%s (see cua-runner %s --help)", what, cmd.Name())
		}
		return nil
	}
}
