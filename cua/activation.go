package cua

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Activation is the case by which a replacement may activate a control on our own account (spec: recovery,
// safe activation).
type Activation string

// The cases. The zero Activation allows nothing.
const (
	// ActivateInput: the control changes local state only.
	ActivateInput Activation = "input"
	// ActivateAsked: it is the control that the brain proposed to press in this step.
	ActivateAsked Activation = "asked_for"
	// ActivateHarmless: its visible text and its accessible name are both on the list of harmless names.
	ActivateHarmless Activation = "harmless"
)

// MayPress says by which case a replacement of p may press c; "" when it may not. A control that the
// brain names is not among them: only retargeting may use NamedAlone.
func MayPress(p Proposal, c Control) Activation {
	switch {
	case c.ID == "" || c.Disabled:
		return ""
	case c.ID == p.Target.ID && (p.Action.Kind.Pressing() || p.Action.PressesReturn()):
		return ActivateAsked
	case c.Input && (c.takesText() || !RiskyName(c.Name) && !RiskyName(c.Text)):
		return ActivateInput // a role is easily given: what is called Buy is no mere tick
	case HarmlessName(c.Text) && HarmlessName(c.Name) && !(c.Submit && (Refusal(c.Text) || Refusal(c.Name))):
		return ActivateHarmless // what sends a form is no closer, whatever its name
	}
	return ""
}

// takesText says whether a press of c only sets a caret in it, or opens its list.
func (c Control) takesText() bool {
	switch c.Tag {
	case "textarea", "select":
		return true
	case "input":
		return c.Type != "checkbox" && c.Type != "radio"
	}
	return c.Type == "contenteditable"
}

// MayReturn says by which case a replacement of p may press Return in the field f; "" when it may not. What
// counts is the control that Return activates there, in view or not. A form without one is sent only where p
// presses a submit control inside that form, and fields in no form are never sent. Return in a field of many
// lines, of another dialog than the one that p is aimed at, or beside an open modal dialog sends nothing that
// was asked for.
func MayReturn(o *Observation, p Proposal, f *Field) Activation {
	elsewhere := p.Target.Identified() && p.Target.Dialog != f.Dialog
	if !f.SingleLine() || f.Form == "" || f.Covered || elsewhere || !o.Reachable(f.Dialog) {
		return ""
	}
	form := o.FormOf(f.Form, f.Frame)
	if form == nil {
		return ""
	}
	if form.Default != nil {
		return MayPress(p, *form.Default)
	}
	within := p.Target.Form == f.Form && p.Target.Frame == f.Frame
	if p.Action.Kind.Pressing() && within && p.Target.SubmitShaped() {
		return ActivateAsked
	}
	return ""
}

// NamedAlone says whether the brain's words name c by its whole name, in a sentence without a negation, and
// none of the other controls in reach. A control whose text and name disagree, or say something risky, is
// never named.
func NamedAlone(p Proposal, c Control, reach []Mark) bool {
	name := FoldName(c.Name)
	if c.Disabled || name == "" || FoldName(c.Text) != name || RiskyName(c.Name) {
		return false
	}
	words := wordsOf(p)
	return says(words, name, true) && !slices.ContainsFunc(reach, func(o Mark) bool {
		other := FoldName(o.Name)
		return o.ID != c.ID && other != "" && !strings.Contains(name, other) && says(words, other, false)
	})
}

// Names says whether the brain's words hold c's whole name, whatever they say of it.
func Names(p Proposal, c Control) bool {
	name := FoldName(c.Name)
	return name != "" && says(wordsOf(p), name, false)
}

// Affirms says whether the brain's words hold name as a whole, and in no sentence with a negation.
func Affirms(p Proposal, name string) bool {
	folded := FoldName(name)
	return folded != "" && says(wordsOf(p), folded, true)
}

// wordsOf are the brain's words in this step.
func wordsOf(p Proposal) string { return p.Thought + ".\n" + p.Action.Why }

// sentenceEnd parts what is read together when a negation is looked for. What a colon or a line end parts
// belongs together: a list may follow on "I must not press:".
var sentenceEnd = regexp.MustCompile(`[.!?]+(?:[\s"')]|$)|[。！？]+`)

// sentences are those of text, with the signs that end them. A full stop after one or two letters may be that
// of an abbreviation and ends none.
func sentences(text string) (out []string) {
	from := 0
	for _, at := range sentenceEnd.FindAllStringIndex(text, -1) {
		if text[at[0]] == '.' && abbreviated(text[from:at[0]]) {
			continue
		}
		out = append(out, text[from:at[1]])
		from = at[1]
	}
	return append(out, text[from:])
}

// abbreviated says whether text ends with one or two letters.
func abbreviated(text string) bool {
	last := strings.TrimRightFunc(text, unicode.IsLetter)
	n := utf8.RuneCountInString(text[len(last):])
	return n == 1 || n == 2
}

// says whether a sentence of text holds the folded name as whole words; affirmed asks for a sentence that
// does and for none that does with a negation, asks, or is in a language that we do not carry.
func says(text, name string, affirmed bool) bool {
	found := false
	for _, sentence := range sentences(text) {
		if !HoldsWords(sentence, name) {
			continue
		}
		if affirmed && (Negated(sentence) || strings.ContainsAny(sentence, "?？") || foreign(sentence)) {
			return false
		}
		found = true
	}
	return found
}

// foreign says whether a sentence holds a letter that none of the languages that we carry has: whether it
// holds a negation is not known then.
func foreign(sentence string) bool {
	return strings.ContainsFunc(strings.ToLower(sentence), func(r rune) bool {
		switch {
		case !unicode.IsLetter(r) || r >= 'a' && r <= 'z':
			return false
		case unicode.Is(unicode.Latin, r):
			return !strings.ContainsRune("äöüßàâæçéèêëîïôœùûÿñáíóúìòãõąćęłńśźżĳªº", r)
		}
		carried := unicode.In(r, unicode.Cyrillic, unicode.Han, unicode.Hiragana, unicode.Katakana,
			unicode.Hangul)
		return !carried && r != 'ー'
	})
}
