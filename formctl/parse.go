package formctl

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
)

// maxField is the most bytes of a label and a value.
const maxField = 64 << 10

// ParseField parses "Label=value", the argument of --field. Spaces around the label are dropped. The value is
// kept as it is and may contain equals signs; <secret:NAME> refers to a secret. Errors never repeat the
// value.
func ParseField(s string) (cua.PlanValue, error) {
	bad := func(err error) (cua.PlanValue, error) {
		return cua.PlanValue{}, fmt.Errorf("formctl: parsing a field: %w", err)
	}
	label, value, ok := strings.Cut(s, "=")
	label = strings.TrimSpace(label)
	switch {
	case !utf8.ValidString(s):
		return bad(errors.New("it is not valid UTF-8"))
	case len(s) > maxField:
		return bad(fmt.Errorf("it is longer than %d bytes", maxField))
	case !ok:
		return bad(fmt.Errorf("label=value is wanted, and there is no = after the label"))
	case label == "":
		return bad(errors.New("label=value is wanted, and there is no label before the ="))
	case strings.TrimSpace(value) == "":
		return bad(fmt.Errorf("label %q has no value", label))
	case len(cua.LabelWords(label)) == 0:
		return bad(fmt.Errorf("label %q has no letter and no digit", label))
	case strings.Contains(strings.ToLower(value), "<secret:") && cua.SecretName(value) == "":
		return bad(fmt.Errorf("label %q: a secret is written <secret:NAME>, NAME of letters, digits, "+
			"_ . and -, and nothing else beside it", label))
	}
	return cua.PlanValue{Label: label, Value: value}, nil
}
