package formctl

import (
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// wire is value in the format of the field: an option as the field lists it, a time or day of a native
// control as browsers write it, a day in the format that a text field asks for, anything else unchanged.
func wire(f *cua.Field, value string) string {
	if cua.SecretName(value) != "" {
		return value
	}
	trimmed := strings.TrimSpace(value)
	if parse := parsers[f.Type]; parse != nil {
		if s, ok := parse(value); ok {
			return s
		}
	}
	switch f.Type {
	case "number", "range", "week", "email", "url", "color":
		if amount.MatchString(trimmed) {
			return strings.ReplaceAll(trimmed, ",", "")
		}
		return trimmed
	case "select":
		if o, ok := optionOf(f, value); ok {
			return o
		}
	case "text":
		if day, ok := parseDate(value); ok {
			if pattern := dateFormat(f); pattern != "" {
				return inFormat(day, pattern)
			}
		}
	}
	return value
}

// parsers convert a value to the format of browsers, by the type of the native control.
var parsers = map[string]func(string) (string, bool){"date": parseDate, "month": parseMonth,
	"time": parseTime, "datetime-local": parseMoment}

// truncated is the most options that the probe lists. A list of that length may be incomplete.
const truncated = 100

// optionOf is the option of f that value means: the one with the same text or words, or the only one with
// that prefix.
func optionOf(f *cua.Field, value string) (string, bool) {
	for _, same := range []func(o string) bool{
		func(o string) bool { return o == value },
		func(o string) bool { return sameText(o, value) },
		func(o string) bool {
			t := cua.LabelWords(o)
			return len(t) > 0 && slices.Equal(t, cua.LabelWords(value))
		},
	} {
		if i := slices.IndexFunc(f.Options, same); i >= 0 {
			return f.Options[i], true
		}
	}
	found, want := "", cua.LabelWords(value)
	for _, o := range f.Options {
		if t := cua.LabelWords(o); len(want) > 0 && begins(t, want) {
			if found != "" {
				return "", false
			}
			found = o
		}
	}
	return found, found != ""
}

// chooser reports whether f is a combobox without typing: a list that a press opens.
func chooser(f *cua.Field) bool {
	return f.Role == "combobox" && f.Type != "select" && (!f.Editable || f.ReadOnly)
}

// accepts reports whether the field's type takes value.
func accepts(f *cua.Field, value string) bool {
	if f.Disabled || f.ReadOnly && !chooser(f) || f.Type == "file" {
		return false
	}
	secret := cua.SecretName(value) != ""
	switch {
	case chooser(f):
		return !secret
	case parsers[f.Type] != nil:
		_, ok := parsers[f.Type](value)
		return secret || ok
	case f.Type == "select":
		_, ok := optionOf(f, value)
		return !secret && (ok || len(f.Options) == 0 || len(f.Options) >= truncated)
	case f.Type == "checkbox":
		_, ok := truth(value)
		return ok || named(f, value)
	case f.Type == "radio":
		return picks(f, value) || len(f.Options) < 2 && isTruth(value)
	}
	return f.Accepts(wire(f, value))
}

// named reports whether value is the name of the control, that of an option.
func named(f *cua.Field, value string) bool {
	return sameText(value, f.Label) || sameText(value, f.Name)
}

// picks reports whether value selects the radio button f, by its name or by yes and no.
func picks(f *cua.Field, value string) bool {
	if named(f, value) {
		return true
	}
	if o, ok := optionOf(f, value); ok && (o == f.Name || o == f.Label) {
		return true
	}
	want, ok := truth(value)
	says, clear := truth(f.Name)
	if !clear {
		says, clear = truth(f.Label)
	}
	return ok && clear && want == says
}

// holds reports whether the field shows the value.
func (w *wanted) holds(f *cua.Field) bool {
	if w.secret != "" {
		return f.Secret == w.secret
	}
	value := w.value.Value
	switch f.Type {
	case "checkbox", "radio":
		if want, ok := truth(value); ok && len(f.Options) < 2 {
			return f.Checked == want
		}
		return f.Checked && (f.Type == "radio" && picks(f, value) || named(f, value))
	}
	if f.Selected != "" {
		if o, ok := optionOf(f, value); sameText(value, f.Selected) || ok && o == f.Selected {
			return true
		}
	}
	switch {
	case f.ValueDigest == "":
		return false
	case f.ValueDigest == w.digest || f.ValueDigest == w.trimmed:
		return true
	case f.Sensitive() && f.Autocomplete != "cc-number" || f.Type == "select":
		return false
	}
	if w.spelled == nil {
		w.spelled = spellings(value)
		w.day, _ = parseDate(value)
	}
	if w.spelled[f.ValueDigest] {
		return true
	}
	return w.day != "" && f.Type == "text" && f.ValueDigest == cua.Digest(wire(f, value))
}

// blank reports whether the field is empty.
func blank(f *cua.Field) bool {
	return f.ValueDigest == "" && f.Secret == "" && !f.Checked
}

// sameText compares texts of a page, ignoring case and spaces.
func sameText(a, b string) bool {
	flat := cua.Flat(a)
	return flat != "" && strings.EqualFold(flat, cua.Flat(b))
}

// truths are the words for ticked and not ticked.
var truths = map[string]bool{"true": true, "yes": true, "on": true, "checked": true, "ticked": true,
	"x": true, "1": true, "false": false, "no": false, "off": false, "unchecked": false, "unticked": false,
	"0": false}

func truth(value string) (on, ok bool) {
	on, ok = truths[strings.ToLower(strings.TrimSpace(value))]
	return on, ok
}

func isTruth(value string) bool { _, ok := truth(value); return ok }
