package cua_test

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestPressesReturn(t *testing.T) {
	for _, c := range []struct {
		name string
		a    cua.Action
		want bool
	}{
		{"return", cua.Action{Kind: cua.Key, Keys: "Return"}, true},
		{"enter with a modifier", cua.Action{Kind: cua.Key, Keys: "Control+Enter"}, true},
		{"the keypad's", cua.Action{Kind: cua.Key, Keys: "KP_Enter"}, true},
		{"another key", cua.Action{Kind: cua.Key, Keys: "Tab"}, false},
		{"a text that says return", cua.Action{Kind: cua.Type, Text: "Return", Keys: "Return"}, false},
	} {
		if got := c.a.PressesReturn(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

func TestReturnField(t *testing.T) {
	in := func(id, form, tag string) cua.Field {
		return cua.Field{ID: id, Form: form, Tag: tag, Editable: true}
	}
	o := cua.Observation{Fields: []cua.Field{in("a", "f", "input"), in("b", "f", "input"),
		in("c", "f", "textarea"), in("d", "g", "textarea"),
		{ID: "e", Form: "f", Tag: "input", Editable: true, Disabled: true}}}
	if got := o.ReturnField("f"); got != "b" {
		t.Errorf("the last field of one line that takes text: %q", got)
	}
	if got := o.ReturnField("g"); got != "" {
		t.Errorf("Return in a textarea sends nothing, yet %q", got)
	}
}

func TestReturnTried(t *testing.T) {
	turnOf := func(h cua.History) *cua.Turn {
		return &cua.Turn{History: h, Now: h.Now(), Evidence: cua.EvidenceOf(h, nil)}
	}
	at := func(digest string) cua.Observation {
		return cua.Observation{URL: "https://a.example/f", FormDigest: digest}
	}
	ret := &cua.Action{Kind: cua.Key, Keys: "Return"}
	h := cua.History{Start: at("1"), Steps: []cua.Step{{N: 1, Action: ret, After: at("1")}}}
	if !turnOf(h).ReturnTried() {
		t.Error("Return was pressed in this very state")
	}
	h.Steps = append(h.Steps, cua.Step{N: 2, Action: &cua.Action{Kind: cua.Type, Text: "x"}, After: at("2")})
	if turnOf(h).ReturnTried() {
		t.Error("the form has changed since")
	}
	h.Steps[0].Action = nil
	h.Steps[1].After = at("1")
	if turnOf(h).ReturnTried() {
		t.Error("what was never dispatched was not tried")
	}
}

func TestSaysSecret(t *testing.T) {
	for want, labels := range map[bool][]string{
		true: {"Password", "confirm password", "PIN", "pass code", "Security code", "One-time password",
			"Verification code", "user_password", "userPassword", "newpassword", "New_password", "Password2",
			"PASSWORD:", "pass", "user_pass", "Kennwort", "Passwort (wiederholen)", "Mot de passe",
			"Contraseña", "contrasen\u0303a", "contrasena", "Пароль", "パスワード", "CVC2", "cvv", "Card no",
			"Card no.", "cardNumber", "Credit card", "Credit card number", "API key", "apiKey",
			"Access token", "access_token", "private key", "client_secret", "SSN", "Social Security Number",
			"IBAN", "Recovery phrase", "one-time passcode", "2FA code", "Guest pass PIN"},
		false: {"", "Passenger", "Zip code", "Pinned note", "Bus pass", "Passport number", "Compass",
			"Card type", "Credit card type", "Name on credit card", "Credit card expiry", "Discard number",
			"Business card", "Key", "Keyword", "Token ring", "Spin", "Shopping", "Caribana", "Assign",
			"Secretary", "Code", "User name", "Gift card"},
	} {
		for _, label := range labels {
			if got := cua.SaysSecret(label); got != want {
				t.Errorf("%q: %v", label, got)
			}
		}
	}
}

func TestAcceptsSecretReference(t *testing.T) {
	const ref = "<secret:PIN>"
	for name, c := range map[string]struct {
		f    cua.Field
		want bool
	}{
		"a number field takes text":  {cua.Field{Type: "number", Editable: true}, true},
		"an e-mail field takes text": {cua.Field{Type: "email", Editable: true}, true},
		"a select does not":          {cua.Field{Type: "select", Options: []string{"a"}}, false},
		"a checkbox does not":        {cua.Field{Type: "checkbox"}, false},
		"a disabled field does not":  {cua.Field{Type: "password", Editable: true, Disabled: true}, false},
	} {
		if got := c.f.Accepts(ref); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSaysOnward(t *testing.T) {
	for name, want := range map[string]bool{"Next": true, "Next page": true, "› 2": true, "Load more": true,
		"Older posts": true, "+": true, "-": true, "Add": true, "Add one": true, "Try again": true,
		"Search": true, "Page 3": true, "Next month": true, "Place order": false, "Send": false, "Add to cart": false, "Apply": false, "Submit": false, "Next of kin": false, "": false} {
		if got := cua.SaysOnward(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
