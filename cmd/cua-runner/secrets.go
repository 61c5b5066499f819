package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/formctl"
)

// secretRefs are the secrets that a text names.
var secretRefs = regexp.MustCompile(`<secret:([A-Za-z0-9_.-]+)>`)

// secretVariable is the environment variable that holds the secret of that name.
func secretVariable(name string) string {
	return "CUA_SECRET_" + strings.Map(func(r rune) rune {
		if r == '.' || r == '-' {
			return '_'
		}
		return r
	}, name)
}

// knownSecrets adds to secrets what the environment has of the secrets that t names. One that is
// nowhere is bad input, told with its field's label before anything is started.
func knownSecrets(t cua.Task, secrets map[string]string, env func(string) string) error {
	label := map[string]string{}
	var names []string
	for _, v := range t.Fields {
		if n := cua.SecretName(v.Value); n != "" {
			label[n] = v.Label
			names = append(names, n)
		}
	}
	for _, m := range secretRefs.FindAllStringSubmatch(t.Goal, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		if secrets[n] != "" {
			continue
		}
		if v := env(secretVariable(n)); v != "" {
			secrets[n] = v
			continue
		}
		if label[n] == "" {
			return usage("the value of <secret:%s> is not known: set %s", n, secretVariable(n))
		}
		return usage("the value of %q is a secret and is nowhere recorded: set %s, or give --field '%s=…'",
			label[n], secretVariable(n), label[n])
	}
	return nil
}

// redacted is t with its secrets kept in memory alone: those that it names come from the environment,
// those that are given in clear get a name.
func redacted(t cua.Task, secrets map[string]string, env func(string) string) (cua.Task, error) {
	if err := knownSecrets(t, secrets, env); err != nil {
		return t, err
	}
	return formctl.Redact(t, secrets), nil
}

// given are the secrets of a recorded task that --field gives again, by name.
func given(t cua.Task, fields []string) (map[string]string, error) {
	out := map[string]string{}
	for _, raw := range fields {
		v, err := formctl.ParseField(raw)
		if err != nil {
			return nil, usage("--field: %w", err)
		}
		i := slices.IndexFunc(t.Fields, func(f cua.PlanValue) bool {
			return strings.EqualFold(strings.TrimSpace(f.Label), v.Label) && cua.SecretName(f.Value) != ""
		})
		if i < 0 {
			return nil,
				usage("--field: the run has no secret with the label %q; a run's other values are recorded",
					v.Label)
		}
		if cua.SecretName(v.Value) != "" {
			return nil, usage("--field: the value of %q itself is wanted, not its name", v.Label)
		}
		out[cua.SecretName(t.Fields[i].Value)] = v.Value
	}
	return out, nil
}
