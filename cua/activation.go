package cua

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Activation is the rule that allows a replacement to press a control that the brain did not press itself
// (docs/recovery.md#safe-activation).
type Activation string

// The rules. The zero Activation allows nothing.
const (
	// ActivateInput: the control changes local state only.
	ActivateInput Activation = "input"
	// ActivateAsked: the brain proposed to press this control in this step.
	ActivateAsked Activation = "asked_for"
	// ActivateHarmless: its visible text and its accessible name are both on the list of harmless names.
	ActivateHarmless Activation = "harmless"
)

// MayPress is the rule by which a replacement of p may press c; "" if it may not. It does not consider the
// brain's words: only retargeting does, by NamedAlone.
func MayPress(p Proposal, c Control) Activation {
	switch {
	case c.ID == "" || c.Disabled:
		return ""
	case c.ID == p.Target.ID && (p.Action.Kind.Pressing() || p.Action.PressesReturn()):
		return ActivateAsked
	case c.Input && (c.takesText() || !riskyName(c.Name) && !riskyName(c.Text)):
		return ActivateInput // any element can claim an input's role, so its name must be safe too
	case HarmlessName(c.Text) && HarmlessName(c.Name) && !(c.Submit && (Refusal(c.Text) || Refusal(c.Name))):
		return ActivateHarmless // a submit control named "close" is not harmless
	}
	return ""
}

// takesText reports whether a press of c only places the caret or opens a list.
func (c Control) takesText() bool {
	switch c.Tag {
	case "textarea", "select":
		return true
	case "input":
		return c.Type != "checkbox" && c.Type != "radio"
	}
	return c.Type == "contenteditable"
}

// MayReturn is the rule by which a replacement of p may press Return in the field f; "" if it may not. Return
// activates the default button of the form, in view or not, so that button must be allowed. A form without
// one is sent only if p presses a submit control of that form; a field in no form is never sent. Return is
// not allowed in a multi-line field, in another dialog than the target of p, or while another modal dialog is
// open.
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

// NamedAlone reports whether the brain's words contain the whole name of c, in no sentence with a negation,
// and the name of no other control in reach. A control whose text and name differ, or whose name is risky,
// does not qualify.
func NamedAlone(p Proposal, c Control, reach []Mark) bool {
	name := FoldName(c.Name)
	if c.Disabled || name == "" || FoldName(c.Text) != name || riskyName(c.Name) {
		return false
	}
	words := wordsOf(p)
	return says(words, name, true) && !slices.ContainsFunc(reach, func(o Mark) bool {
		other := FoldName(o.Name)
		return o.ID != c.ID && other != "" && !strings.Contains(name, other) && says(words, other, false)
	})
}

// Names reports whether the brain's words contain the whole name of c, in any sentence.
func Names(p Proposal, c Control) bool {
	name := FoldName(c.Name)
	return name != "" && says(wordsOf(p), name, false)
}

// Affirms reports whether the brain's words contain the whole name, and in no sentence with a negation.
func Affirms(p Proposal, name string) bool {
	folded := FoldName(name)
	return folded != "" && says(wordsOf(p), folded, true)
}

// wordsOf are the brain's words in this step.
func wordsOf(p Proposal) string { return p.Thought + ".\n" + p.Action.Why }

// sentenceEnd ends a sentence: the unit in which a negation counts. A colon or a line end does not end one,
// because a list may follow "I must not press:".
var sentenceEnd = regexp.MustCompile(`[.!?]+(?:[\s"')]|$)|[。！？]+`)

// sentences splits text into sentences, with their punctuation. A full stop after one or two letters may mark
// an abbreviation and ends none.
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

// abbreviated reports whether text ends with one or two letters.
func abbreviated(text string) bool {
	last := strings.TrimRightFunc(text, unicode.IsLetter)
	n := utf8.RuneCountInString(text[len(last):])
	return n == 1 || n == 2
}

// says reports whether a sentence of text contains the folded name as whole words. With affirmed, no such
// sentence may be negated, be a question, or be in a language that we have no negations for.
func says(text, name string, affirmed bool) bool {
	found := false
	for _, sentence := range sentences(text) {
		if !HoldsWords(sentence, name) {
			continue
		}
		if affirmed && (negated(sentence) || strings.ContainsAny(sentence, "?？") || foreign(sentence)) {
			return false
		}
		found = true
	}
	return found
}

// foreign reports whether a sentence has a letter outside the languages that we have negations for.
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
