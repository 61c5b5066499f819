package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// addAuth is for commands that are given secrets.
func (f *browserFlags) addAuth(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.auth, "http-auth", nil,
		"answer HTTP authentication with the secret of this `NAME` (repeatable): its value is user:password, and "+
			"it is sent to its own origin alone (--secret NAME=env:VARIABLE@ORIGIN --http-auth NAME)")
}

// credentials are the names of --http-auth. Each is that of a secret that is bound to an origin.
func (f *browserFlags) credentials(secrets, origins map[string]string) ([]string, error) {
	for _, name := range f.auth {
		switch value, known := secrets[name]; {
		case !known:
			return nil, usage("--http-auth: there is no --secret of that name: %q", name)
		case origins[name] == "":
			return nil, usage("--http-auth: the secret %s has no origin: want NAME=env:VARIABLE@ORIGIN", name)
		case !strings.Contains(value, ":"):
			return nil, usage("--http-auth: the value of %s is not user:password", name)
		}
	}
	return f.auth, nil
}
