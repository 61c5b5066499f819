package invariants

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/cua-runner/cua-runner/cua"
)

// receiver is the field of o that what s dispatched goes into: the one it names, the one at its place, else
// the focused one; nil when that is no visible field.
func receiver(o *cua.Observation, s *cua.Step) *cua.Field {
	a := s.Action
	placed := a.Point != nil || a.Mark > 0
	switch {
	case !placed && a.Into != "":
		return o.FieldByID(a.Into)
	case !placed:
		if o.Focus == nil {
			return nil
		}
		return cmp.Or(o.FieldByID(o.Focus.ID), o.Focus)
	case s.Substituted(): // the target is that of what was proposed
		for i := range o.Fields {
			if a.Point != nil && o.Fields[i].Box.Contains(*a.Point) {
				return &o.Fields[i]
			}
		}
		return nil
	}
	return cmp.Or(o.FieldByID(s.Target.Field), o.FieldByID(s.Target.ID))
}

// sheetOf is a URL without query and fragment: a form that comes back with an error is the same page.
func sheetOf(url string) string {
	url, _, _ = strings.Cut(url, "#")
	url, _, _ = strings.Cut(url, "?")
	return url
}

// contents is what a field holds, as far as a record tells.
type contents struct {
	digest, secret, selected string
	checked                  bool
}

func contentsOf(f *cua.Field) contents {
	return contents{f.ValueDigest, f.Secret, f.Selected, f.Checked}
}

// blank reports whether nothing is in it; a list may still name the option that stands for that.
func (c contents) blank() bool { return c.digest == "" && c.secret == "" && !c.checked }

// shows reports whether f reads back text.
func shows(f *cua.Field, text string) bool {
	if name := cua.SecretName(text); name != "" {
		return f.Secret == name
	}
	if f.Selected != "" && folded(f.Selected) == folded(text) {
		return true
	}
	trimmed := cua.Digest(strings.TrimSpace(text))
	return f.ValueDigest != "" && (f.ValueDigest == cua.Digest(text) || f.ValueDigest == trimmed)
}

// folded is text as people compare it: without case and with single spaces.
func folded(text string) string { return strings.ToLower(cua.Flat(text)) }

// labelWords are the lower-case words of a label or an attribute: "userName:" is user, name.
func labelWords(label string) []string {
	var b strings.Builder
	var before rune
	for _, r := range label {
		word := unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
		if !word || unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		if word {
			b.WriteRune(unicode.ToLower(r))
		}
		before = r
	}
	return strings.Fields(b.String())
}

// Labelled reports whether what a person reads at f is that very label: equality, and no matching of words
// that mean the same, so that it takes no part in what it judges. The label of a radio button names its
// option.
func Labelled(f *cua.Field, label string) bool {
	if f.Type == "radio" {
		return false
	}
	want := labelWords(label)
	is := func(text string) bool { return len(want) > 0 && slices.Equal(labelWords(text), want) }
	return is(f.Label) || is(f.Name)
}

// textsOf are the words of all that f says of itself.
func textsOf(f *cua.Field) (out [][]string) {
	for _, text := range []string{f.Label, f.Name, f.Placeholder, f.NameAttr, f.IDAttr} {
		if words := labelWords(text); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// mentions reports whether one of f's texts holds all words of label, or is made of such words alone.
func mentions(f *cua.Field, label string) bool {
	want := labelWords(label)
	return len(want) > 0 && slices.ContainsFunc(textsOf(f), func(have []string) bool {
		return among(want, have) || among(have, want)
	})
}

// among reports whether each of a is among b.
func among(a, b []string) bool {
	return !slices.ContainsFunc(a, func(w string) bool { return !slices.Contains(b, w) })
}

// takesSecrets reports whether f's type, or what it says of itself, is about a secret.
func takesSecrets(f *cua.Field) bool {
	says := func(words []string) bool { return cua.SaysSecret(strings.Join(words, " ")) }
	return f.Sensitive() || slices.ContainsFunc(textsOf(f), says)
}

// planned are the values of the plan that text is.
func planned(t cua.Task, text string) (out []cua.PlanValue) {
	for _, v := range t.Fields {
		clear := cua.SecretName(text) == "" && cua.SecretName(v.Value) == ""
		if v.Value == text || clear && folded(v.Value) == folded(text) {
			out = append(out, v)
		}
	}
	return out
}

// owned reports whether f is labelled as one of values is.
func owned(f *cua.Field, values []cua.PlanValue) bool {
	return slices.ContainsFunc(values, func(v cua.PlanValue) bool { return Labelled(f, v.Label) })
}

// claimed is the plan value other than text whose very label f has; false when there is none, or when it has
// that of text too. Nothing is known of a text that is no planned value as it stands, such as a day in other
// words.
func claimed(t cua.Task, f *cua.Field, text string) (cua.PlanValue, bool) {
	own := planned(t, text)
	if owned(f, own) || len(own) == 0 && cua.SecretName(text) == "" {
		return cua.PlanValue{}, false
	}
	for _, v := range t.Fields {
		if Labelled(f, v.Label) && !slices.Contains(own, v) {
			return v, true
		}
	}
	return cua.PlanValue{}, false
}

// calls is a field as details name it.
func calls(f *cua.Field) string {
	name := cmp.Or(f.Label, f.Name, f.Placeholder, f.NameAttr, f.IDAttr, f.ID, "without a name")
	return cua.Flat(name)
}

// nudgeLevel is the highest level of the nudges that the step's turn carried; 0 is none.
func nudgeLevel(s *cua.Step) int {
	level := 0
	for _, n := range s.Notes {
		if n.From == "nudge" {
			level = max(level, n.Level)
		}
	}
	return level
}
