package heuristic

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// names are the names of the field, the most informative first.
func names(f cua.Field) []string {
	return []string{f.Label, f.Name, f.Placeholder, f.NameAttr, f.IDAttr, f.Autocomplete, f.Group}
}

// synonyms are pairs of labels with the same meaning.
var synonyms = [][]string{
	{"user", "username", "userid", "login", "user name", "user id"}, {"email", "e mail", "email address", "e mail address", "mail"},
	{"phone", "telephone", "tel", "mobile", "phone number", "telephone number"}, {"zip", "postcode", "postal code", "zip code", "post code"},
	{"first name", "given name", "forename"}, {"last name", "surname", "family name"}, {"street", "street address", "address", "address line 1"},
}

func known(label []string) []string {
	s := strings.Join(label, " ")
	for _, g := range synonyms {
		if slices.Contains(g, s) {
			return Words(g[0])
		}
	}
	return label
}

// fits is how well value belongs into f by its names, 0 to 1.
func fits(p cua.PlanValue, f cua.Field) float64 {
	if !takes(f, p.Value) || confirms(names(f)...) != confirms(p.Label) {
		return 0
	}
	best := 0.0
	label := known(Words(p.Label))
	for i, n := range append(names(f), f.Type) {
		s := alike(label, known(Words(n)))
		if confirms(p.Label) {
			s = max(s, alike(bare(p.Label), bare(n)))
		}
		best = max(best, s*(1-0.03*float64(i))) // an earlier name is more informative
	}
	if (f.Type == "radio" || f.Type == "checkbox") && alike(Words(p.Value),
		Words(cmp.Or(f.Label, f.Name))) == 1 {
		best = max(best, 0.95) // a control of a group is named after its value
	}
	return best
}

// bare is a label without the words that ask for a confirmation. "confirm" alone means a password.
func bare(label string) []string {
	w := slices.DeleteFunc(Words(label), func(x string) bool { return slices.Contains(confirmWords, x) })
	if len(w) == 0 && label != "" {
		return []string{"password"}
	}
	return known(w)
}

// takes reports whether f can hold value at all.
func takes(f cua.Field, value string) bool {
	if f.Type == "select" {
		return !f.Disabled && option(f, value) != ""
	}
	if f.Type == "radio" {
		return !f.Disabled
	}
	if cua.SecretName(value) != "" {
		return f.TakesText()
	}
	if f.Type == "time" {
		_, ok := valueClock(value)
		return ok && !f.Disabled && !f.ReadOnly
	}
	return f.Accepts(put(f, value))
}

// option is the label of the option that value means; "" if there is none.
func option(f cua.Field, value string) string {
	for _, o := range f.Options {
		if strings.EqualFold(strings.TrimSpace(o), strings.TrimSpace(value)) {
			return o
		}
	}
	for _, o := range f.Options {
		if within(Words(value), Words(o)) {
			return o
		}
	}
	return ""
}

// genericWords are words of a name that do not say what belongs in the field.
var genericWords = []string{"enter", "type", "text", "here", "value", "input", "your", "something", "field",
	"required", "please", "answer", "write", "fill", "in", "this", "the", "a", "form", "control", "textbox"}

// generic reports whether no name of f says what belongs in it.
func generic(f cua.Field) bool {
	for _, n := range []string{f.Label, f.Name, f.Placeholder} {
		for _, w := range Words(n) {
			if !slices.Contains(genericWords, w) && count(w) == 0 && w != "0" {
				return false
			}
		}
	}
	return true
}
