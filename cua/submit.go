package cua

import (
	"regexp"
	"strings"
)

// PressesReturn says whether a is a press of Return or Enter, with or without modifiers.
func (a Action) PressesReturn() bool {
	if a.Kind != Key {
		return false
	}
	key := a.Keys[strings.LastIndexByte(a.Keys, '+')+1:]
	return strings.EqualFold(key, "Return") || strings.EqualFold(key, "Enter") || strings.EqualFold(key, "KP_Enter")
}

// SingleLine says whether Return in f sends its form: it takes text and has one line.
func (f Field) SingleLine() bool {
	return f.Editable && !f.Disabled && !f.ReadOnly && f.Tag == "input"
}

// FormKey names the state that a form is in: the page and the digest over its fields.
func (o Observation) FormKey() string { return PageURL(o.URL) + "|" + o.FormDigest }

// ReturnField is the ID of the field from which Return would send the form: its last field of
// one line. "" when it has none.
func (o Observation) ReturnField(form string) string {
	id := ""
	for _, f := range o.Fields {
		if f.Form == form && f.SingleLine() {
			id = f.ID
		}
	}
	return id
}

// ReturnTried says whether Return was dispatched, by whomever, while the form was in the state
// that it is in now. All steps count, also those that a rewind undid.
func (h History) ReturnTried() bool {
	now := h.Now().FormKey()
	for i := range h.Steps {
		if a := h.Steps[i].Action; a != nil && a.PressesReturn() && h.Before(i).FormKey() == now {
			return true
		}
	}
	return false
}

var secretWords = regexp.MustCompile(`(?i)\b(pass ?words?|pass ?codes?|pass ?phrases?|pin|pwd|passwd|passwort|secret|otp|cvv|cvc|csc|security code|one[- ]time (?:code|password)|verification code|card number)\b`)

// SaysSecret says whether whole words of a label name something that must not be shown.
func SaysSecret(label string) bool { return secretWords.MatchString(label) }
