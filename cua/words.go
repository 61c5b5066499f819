package cua

import (
	"regexp"
	"strings"
	"unicode"
)

// submitWords name a button that sends a form.
var submitWords = regexp.MustCompile(`(?i)\b(submit|sign in|log in|login|register|save|confirm|continue|send|next|search|apply|checkout|check out|place order)\b`)

// riskWords name an action whose effect the verifier checks.
var riskWords = regexp.MustCompile(`(?i)\b(submit|confirm|buy|purchase|send|delete|save|sign in|log in|login|register|checkout|check out|place order)\b`)

// SubmitShaped reports whether t submits a form by its own role and name: a submit control, or a button with
// such a name. The task's text does not count.
func (t Target) SubmitShaped() bool {
	if t.Submit {
		return true
	}
	return t.Role == "button" && SaysSubmit(t.Name)
}

// SaysSubmit reports whether text contains a word for submitting.
func SaysSubmit(text string) bool { return submitWords.MatchString(text) }

// SaysRisk reports whether text contains a word for an action that needs verification.
func SaysRisk(text string) bool { return riskWords.MatchString(text) }

// retreatWords name a control that does not send its form.
var retreatWords = regexp.MustCompile(`(?i)\b(cancel|back|previous|close|reset|clear|delete|remove|discard|skip)\b`)

// SaysRetreat reports whether a control's name says that it does not send its form, even if the markup
// makes it a submit control.
func SaysRetreat(name string) bool { return retreatWords.MatchString(name) }

// onwardWords match whole names of controls that page through a list or count: pressing them again is normal
// use.
var onwardWords = regexp.MustCompile(`(?i)^[^\p{L}\p{N}+-]*(next|prev|previous|back|forward|older|newer|first|last|up|down|plus|minus|increase|decrease|\+|-|\d+|` +
	`(load |show |view |see )?more|((next|previous|first|last|older|newer) )?(page|posts|results|entries|month|week|day|year)( \d+)?|add( (one|another|item|row|more))?|` +
	`refresh|filter|search|find|go|sort|update|retry|try again|check again)[^\p{L}\p{N}+-]*$`)

// SaysOnward reports whether name is that of a control that pages through a list, counts, or refreshes.
// Pressing it again is another act.
func SaysOnward(name string) bool { return onwardWords.MatchString(strings.TrimSpace(name)) }

var secretRef = regexp.MustCompile(`^<secret:([A-Za-z0-9_.-]+)>$`)

// SecretName is NAME if value is <secret:NAME>; "" if value is literal.
func SecretName(value string) string {
	value = strings.TrimSpace(value)
	if !strings.HasPrefix(value, "<secret:") {
		return ""
	}
	m := secretRef.FindStringSubmatch(value)
	if m == nil {
		return ""
	}
	return m[1]
}

// Sensitive reports whether f takes a password, a one-time code or payment data. Nothing is typed into such a
// field unless its label matches.
func (f Field) Sensitive() bool {
	return f.Type == "password" || strings.HasPrefix(f.Autocomplete, "cc-") ||
		f.Autocomplete == "one-time-code" ||
		strings.HasSuffix(f.Autocomplete, "-password")
}

var (
	numberValue = regexp.MustCompile(`^\s*[-+]?\d+([.,]\d+)?\s*$`)
	telValue    = regexp.MustCompile(`^[-+().\d\s/x]{3,}$`)
	dateValue   = regexp.MustCompile(`^\s*\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?\s*$`)
	emailValue  = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
)

// Accepts reports whether the type of f allows value: an email field needs an address, a number field a
// number. Text fields accept anything. A secret reference fits every field that takes text.
func (f Field) Accepts(value string) bool {
	if f.Disabled || f.ReadOnly {
		return false
	}
	if SecretName(value) != "" {
		return f.Editable || f.Type == "password"
	}
	switch f.Type {
	case "number", "range":
		return numberValue.MatchString(value)
	case "tel":
		return telValue.MatchString(value)
	case "date", "month":
		return dateValue.MatchString(value)
	case "email":
		return emailValue.MatchString(value)
	case "url":
		return strings.Contains(value, ".") && !strings.ContainsAny(value, " \t")
	case "select", "radio":
		return f.hasOption(value)
	case "file", "button", "submit", "reset", "image", "hidden":
		return false
	}
	return true
}

func (f Field) hasOption(value string) bool {
	for _, o := range f.Options {
		if strings.EqualFold(strings.TrimSpace(o), strings.TrimSpace(value)) {
			return true
		}
	}
	return len(f.Options) == 0 || len(f.Options) >= maxOptions
}

// maxOptions is the most options that a probe lists. A list of that length may be incomplete.
const maxOptions = 100

// LabelWords are the lower-case words of a label or an attribute. Punctuation, digits and camel case separate
// words: "new_userPassword2" is new, user, password, 2.
func LabelWords(label string) []string { return strings.Fields(spaced(label)) }

// spaced is LabelWords joined by single spaces.
func spaced(label string) string {
	var b strings.Builder
	var before rune
	open := false
	for _, r := range label {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r):
			open = false
			continue
		case open && (unicode.IsDigit(r) != unicode.IsDigit(before) || unicode.IsUpper(r) &&
			unicode.IsLower(before)):
			open = false
		}
		if !open && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before, open = r, true
	}
	return b.String()
}
