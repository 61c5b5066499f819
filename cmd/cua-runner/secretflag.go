package main

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/cua"
)

// secretFlags are the values of --secret.
type secretFlags []string

func (f *secretFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar((*[]string)(f), "secret", nil,
		"a secret as `NAME=env:VARIABLE@ORIGIN` (repeatable): its value is in that variable, and it is typed on that origin alone (https://shop.test). Without @ORIGIN: on the start page's host and on those of --allow")
}

// secretName is what a secret may be called.
var secretName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// read are the values and, where they have one, the origins of the secrets, by name. A value in clear is refused: a command line
// is there for all to see.
func (f secretFlags) read(env func(string) string) (values, origins map[string]string, err error) {
	values = map[string]string{}
	for _, raw := range f {
		name, from, _ := strings.Cut(raw, "=")
		if !secretName.MatchString(name) {
			return nil, nil, usage("--secret: want NAME=env:VARIABLE or NAME=env:VARIABLE@ORIGIN")
		}
		if values[name] != "" {
			return nil, nil, usage("--secret: %s is there twice", name)
		}
		variable, ok := strings.CutPrefix(from, "env:")
		if !ok {
			return nil, nil, usage("--secret: the value of %s comes from the environment, as %s=env:VARIABLE", name, name)
		}
		variable, origin, bound := strings.Cut(variable, "@")
		if values[name] = env(variable); values[name] == "" {
			return nil, nil, usage("--secret: %s is empty or not set", variable)
		}
		if !bound {
			continue
		}
		own := cua.Origin(origin)
		if u, err := url.Parse(origin); err != nil || own == "" || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			return nil, nil, usage("--secret: %q is no origin for %s: want scheme and host, as https://shop.test", origin, name)
		}
		if origins == nil {
			origins = map[string]string{}
		}
		origins[name] = own
	}
	return values, origins, nil
}

// again are the values for a run on record, whose origins stay as they were.
func (f secretFlags) again(t cua.Task, env func(string) string) (map[string]string, error) {
	values, origins, err := f.read(env)
	for name, own := range origins {
		if t.SecretOrigins[name] != own {
			return nil, usage("--secret: the run does not bind %s to %s", name, own)
		}
	}
	return values, err
}
