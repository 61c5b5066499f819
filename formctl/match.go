package formctl

import (
	"math"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// The weights of the kinds of evidence: what a person can read counts more than what only a program reads.
const (
	byLabel        = 1.0
	byName         = 0.96
	byNameAttr     = 0.92
	byID           = 0.88
	byPlaceholder  = 0.84
	byAutocomplete = 0.8
	byType         = 0.6
	byOption       = 0.56 // the value is the text of a radio button or checkbox
)

// akin is the similarity of the concepts among logins: many pages ask for an e-mail address as the user name.
const akin = 0.75

var logins = set("username email")

// contradicted is the factor for hidden attributes if the visible label has another known meaning.
const contradicted = 0.5

// candidate is what identifies a field: its texts, not its content.
type candidate struct {
	texts []reading
	sides sides // of the first text with a side
}

type reading struct {
	meaning meaning // empty if all words are noise: only equal words match then
	plain   string  // lower-case words in order, for equality
	worth   float64
	visible bool // a person can read it
}

func read(f *cua.Field) *candidate {
	c := &candidate{}
	add := func(text string, worth float64, visible bool) {
		t := cua.LabelWords(text)
		if len(t) == 0 {
			return
		}
		m, side := mean(text), sidesOf(t)
		if f.Type == "password" && m.has("confirm") && !m.has("password") { // "Repeat it"
			m = slices.Sorted(slices.Values(append(m, "password")))
		}
		if !visible { // for programs parent and child are parts of a page
			side &= ^sideOthers | sideNewsletter
		}
		c.sides = c.sides.and(side)
		c.texts = append(c.texts, reading{m, strings.Join(t, " "), worth, visible})
	}
	if f.Type == "radio" { // its label is that of the option, not of the question
		add(f.Group, byLabel, true)
	} else {
		add(f.Label, byLabel, true)
		if n := nameOf(f); n != f.Label { // the same words again would add nothing
			add(n, byName, true)
		}
	}
	add(f.Placeholder, byPlaceholder, true)
	add(f.NameAttr, byNameAttr, false)
	if f.IDAttr != f.NameAttr {
		add(f.IDAttr, byID, false)
	}
	// in "section-a shipping postal-code" the last word is the field
	add(f.Autocomplete[strings.LastIndexByte(f.Autocomplete, ' ')+1:], byAutocomplete, false)
	if speaking[f.Type] {
		add(f.Type, byType, false)
	}
	return c
}

// nameOf is the accessible name of f; "" if that is also its shown value: the name of a button that opens a
// list is often the selected option.
func nameOf(f *cua.Field) string {
	if !f.Typable() && f.Type != "checkbox" && f.Type != "radio" && (f.Name == f.Selected ||
		slices.Contains(f.Options, f.Name) || cua.Digest(f.Name) == f.ValueDigest) {
		return ""
	}
	return f.Name
}

// nameless reports whether f takes typed text and nothing says which.
func (c *candidate) nameless(f *cua.Field) bool {
	if !f.TakesText() || !f.Typable() || f.Sensitive() || speaking[f.Type] {
		return false
	}
	return !slices.ContainsFunc(c.texts, func(r reading) bool {
		return r.visible && len(r.meaning) > 0 || r.meaning.any(known)
	})
}

// speaking are the input types that say something about the value.
var speaking = set("email password tel url search date time month")

// wanted is a plan value, prepared for matching.
type wanted struct {
	value   cua.PlanValue
	meaning meaning
	plain   string
	sides   sides
	// secret is the name of a secret, "" for a literal; digest and trimmed are the digests of a literal.
	secret, digest, trimmed string
	spelled                 map[string]bool // nil until it is needed
	day                     string          // the value as an ISO day, computed with spelled; "" is none
}

func want(v cua.PlanValue) wanted {
	w := wanted{value: v, meaning: mean(v.Label), plain: strings.Join(cua.LabelWords(v.Label), " "),
		sides: sidesOf(cua.LabelWords(v.Label)), secret: cua.SecretName(v.Value)}
	if w.secret == "" {
		w.digest, w.trimmed = cua.Digest(v.Value), cua.Digest(strings.TrimSpace(v.Value))
	}
	return w
}

// wantFor is want for a value of the task. If the goal is about a newsletter, so is the value.
func wantFor(task cua.Task, v cua.PlanValue) wanted {
	w := want(v)
	w.sides |= sidesOf(cua.LabelWords(task.Goal)) & sideNewsletter
	return w
}

// score is how well w matches f by their words, 0 to 1; 0 is not at all.
func score(w *wanted, f *cua.Field, c *candidate) float64 {
	option := (f.Type == "radio" || f.Type == "checkbox") && named(f, w.value.Value)
	foreign := c.sides&^w.sides&sideOthers != 0 // it is about another person or another use
	if opposed(w.sides, c.sides) || foreign && !option ||
		f.Type == "password" && !sameLock(w, c) {
		return 0
	}
	best := c.best(w)
	switch {
	case option && !isTruth(w.value.Value):
		best = max(best, byOption)
	case f.Type == "radio" && !picks(f, w.value.Value):
		best = overlap(w.meaning, mean(f.Label)) // the option itself is to be ticked
		if best < 1 {
			return 0
		}
	}
	means := func(t reading) bool { return slices.Equal(t.meaning, w.meaning) }
	shown := w.meaning.has("password") && f.Type != "password" && !slices.ContainsFunc(c.texts, means)
	if shown || f.Sensitive() && !sensitiveMatch(w, c) {
		return 0
	}
	return best
}

// best is the best score of the texts of c for w.
func (c *candidate) best(w *wanted) float64 {
	best, factor := 0.0, 1.0
	for _, t := range c.texts {
		s := 0.98 * overlap(w.meaning, t.meaning)
		if w.plain == t.plain {
			s = 1
		}
		if t.visible && s == 0 && best == 0 && t.worth >= byName && t.meaning.any(known) {
			factor = contradicted
		}
		if !t.visible || t.worth < byName {
			s *= factor
		}
		best = max(best, s*t.worth)
	}
	return best
}

// takes reports whether f can take w's value, or is closed with the value in it.
func takes(w *wanted, f *cua.Field) bool {
	_, dated := parseDate(w.value.Value)
	picked := dated && f.ReadOnly && !f.Disabled && f.Tag == "input" && f.Type == "text" // by a calendar
	picked = picked || f.Type == "file" && !f.Disabled
	return picked || accepts(f, w.value.Value) || (f.Disabled || f.ReadOnly) && w.holds(f)
}

// sensitiveMatch reports whether the value's label names the purpose of a password, one-time code or payment
// field: its words say secret, or they are the field's own label.
func sensitiveMatch(w *wanted, c *candidate) bool {
	return slices.ContainsFunc(c.texts, func(t reading) bool { return t.plain == w.plain }) ||
		slices.ContainsFunc(w.meaning, func(m string) bool {
			return m == "password" || m == "otp" || m == "pin" || strings.HasPrefix(m, "card_")
		})
}

// overlap is the square root of the share of words that a and b have in common. It is 0 if they share only
// generic words, or if only one of them is a confirmation or a secret.
func overlap(a, b meaning) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	if a.has("confirm") != b.has("confirm") || a.has("password") != b.has("password") {
		return 0
	}
	common, telling := 0, false
	for _, w := range a {
		if b.has(w) {
			common++
			telling = telling || !generic[w]
		}
	}
	if common == len(a) && common == len(b) {
		return 1
	}
	if len(a) == 1 && len(b) == 1 && logins[a[0]] && logins[b[0]] {
		return akin
	}
	if !telling {
		return 0
	}
	return math.Sqrt(float64(common) / float64(len(a)+len(b)-common))
}
