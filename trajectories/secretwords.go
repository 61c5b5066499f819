package trajectories

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua/redact"
)

var secretNamed = regexp.MustCompile(`<secret:([A-Za-z0-9_.-]+)>`)

// SecretNames are the names of the secrets that the task of t knows, sorted.
func SecretNames(t *Trajectory) []string {
	text := t.Header.Task.Goal
	for _, v := range t.Header.Task.Fields {
		text += "\n" + v.Value
	}
	var out []string
	for _, m := range secretNamed.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// WithoutSecretNames is text with each <secret:NAME> cut out.
func WithoutSecretNames(text string) string { return secretNamed.ReplaceAllString(text, "") }

// HoldsSecret says by an error which of the secrets, by name, a text holds in any spelling: in clear,
// escaped, encoded. Values below redact.MinLength are not looked for: they stand in ordinary words.
func HoldsSecret(text string, secrets map[string]string) error {
	folded := strings.ToLower(text)
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		for _, s := range redact.Spellings(secrets[name]) {
			if s.Text != "" && strings.Contains(folded, strings.ToLower(s.Text)) {
				return fmt.Errorf("it holds the value of <secret:%s> %s; say <secret:%s> (secret_value)",
					name, s.How, name)
			}
		}
	}
	return nil
}
