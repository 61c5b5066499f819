package cua

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// PressesReturn reports whether a is a press of Return or Enter, with or without modifiers.
func (a Action) PressesReturn() bool {
	if a.Kind != Key {
		return false
	}
	return slices.Contains([]string{"return", "enter", "kpenter"}, keyOf(a.Keys))
}

// keyOf is the key of a chord without its modifiers, in lower case and without underscores.
func keyOf(chord string) string {
	return strings.ToLower(strings.ReplaceAll(chord[strings.LastIndexByte(chord, '+')+1:], "_", ""))
}

// entersLine reports whether a presses Return or types a line end.
func (a Action) entersLine() bool {
	isReturn := func(chord string) bool { return Action{Kind: Key, Keys: chord}.PressesReturn() }
	return a.Kind == Key && slices.ContainsFunc(strings.Fields(a.Keys), isReturn) ||
		a.Kind == Type && strings.ContainsAny(a.Text, "\r\n")
}

// pressesSpace reports whether a presses Space, which activates the focused button.
func (a Action) pressesSpace() bool {
	isSpace := func(chord string) bool { return keyOf(chord) == "space" || keyOf(chord) == "spacebar" }
	return a.Kind == Key && (a.Keys == " " || slices.ContainsFunc(strings.Fields(a.Keys), isSpace))
}

// TakesText reports whether text can be typed into f now.
func (f Field) TakesText() bool { return f.Editable && !f.Disabled && !f.ReadOnly }

// Typable reports whether f is for typing and not for ticking or selecting.
func (f Field) Typable() bool {
	return f.Editable && f.Type != "select" && f.Type != "checkbox" && f.Type != "radio"
}

// SingleLine reports whether Return in f sends its form: it takes text and has a single line.
func (f Field) SingleLine() bool {
	return f.TakesText() && f.Tag == "input"
}

// FormKey identifies the state of a form: the page and the digest over its fields.
func (o Observation) FormKey() string { return PageURL(o.URL) + "|" + o.FormDigest }

// formState is the page (origin and path) and a digest over the content of the fields of one form, without
// what the page says about them.
func formState(o *Observation, form, frame string) string {
	var held []byte
	for _, f := range o.Fields {
		if f.Form == form && f.Frame == frame {
			held = fmt.Appendf(held, "%q %q %q %t\n", f.ID, f.ValueDigest, f.Selected, f.Checked)
		}
	}
	return path(o.URL) + "|" + Digest(string(held))
}

// ReturnField is the ID of the field from which Return would send the form: its last single-line field. "" is
// none.
func (o Observation) ReturnField(form string) string {
	id := ""
	for _, f := range o.Fields {
		if f.Form == form && f.SingleLine() {
			id = f.ID
		}
	}
	return id
}

// SameForm reports whether the form is now in the state that it had before step i (an index).
func (t *Turn) SameForm(i int) bool {
	was := t.History.before(i)
	page := was.URL == t.Now.URL || PageURL(was.URL) == PageURL(t.Now.URL)
	return page && was.FormDigest == t.Now.FormDigest
}

// ReturnTried reports whether Return was dispatched, by whomever, while the form was in its current state.
// Steps that a rewind undid count too.
func (t *Turn) ReturnTried() bool { return slices.ContainsFunc(t.Evidence.Returns, t.SameForm) }

// secretWords are matched against a label in the form of spaced. Some match inside a longer word too, because
// attributes contain words such as "userpassword".
var secretWords = regexp.MustCompile(`password|passwd|passwort|kennwort|passphrase|passcode|pwd|wachtwoord|contrase(?:ñ|n\x{303}?)a|парол|密码|密碼|パスワード|비밀번호|` +
	`(?:^| )(?:pass words?|pass codes?|pass phrases?|pin|secret|otp|totp|cvv|cvc|csc|cvn|iban|ssn|senha|lösenord|losenord|hasło|haslo|parola|salasana|geheimzahl|` +
	`mot de passe|mdp|security code|one time (?:pass)?code|verification code|recovery (?:code|key|phrase)|backup code|seed phrase|` +
	`(?:2 fa|mfa|tan|authenticat(?:or|ion)) code|social security (?:number|no|nr|num)|card ?(?:number|no|nr|num)|(?:credit|debit) ?card|` +
	`(?:api|private|access|secret) ?key|(?:api|access|auth|bearer|refresh|session) ?token)(?: |$)`)

// cardDetail matches details of a card that are no secret and are on every receipt.
var cardDetail = regexp.MustCompile(`(?:^| )(?:type|brand|name|holder|cardholder|owner|expir(?:y|es|ation|ing)|exp|valid|month|year|address|country|zip)(?: |$)`)

// SaysSecret reports whether words of a label or of an attribute name something that must not be shown.
func SaysSecret(label string) bool {
	words := spaced(label)
	hit := secretWords.FindString(words)
	if hit = strings.TrimSpace(hit); strings.HasSuffix(hit, "card") && cardDetail.MatchString(words) {
		return false
	}
	return hit != "" || words == "pass" || words == "user pass"
}
