package cua

import "testing"

// TestRejected: what was sent to sign in counts as rejected when it is asked for again, whatever the page calls its form or
// its button.
func TestRejected(t *testing.T) {
	password := func(form, label, typ string) Field {
		return Field{ID: "p " + form, Tag: "input", Type: typ, Label: label, Form: form, Editable: true, ValueDigest: "x"}
	}
	button := func(role, name string, submit bool) Target {
		return Target{ID: "b", Role: role, Name: name, Tag: "button", Form: "a", Submit: submit}
	}
	ok, unauthorized := []Write{{Method: "POST", Status: 200}}, []Write{{Method: "POST", Status: 401}}
	for _, c := range []struct {
		name     string
		at       Target
		after    []Field
		document string
		writes   []Write
		want     int
	}{
		{"the same form again", button("button", "Sign in", true), []Field{password("a", "Password", "password")}, "2", ok, 1},
		{"under another name", button("button", "Sign in", true), []Field{password("b", "Password", "password")}, "2", ok, 1},
		{"with the password as text", button("button", "Sign in", true), []Field{password("b", "Password", "text")}, "2", ok, 1},
		{"another secret is asked for next", button("button", "Sign in", true), []Field{password("b", "PIN", "password")}, "2", ok, 0},
		{"nothing is asked any more", button("button", "Sign in", true), nil, "2", ok, 0},
		{"the page sent nothing", button("button", "Sign in", true), []Field{password("a", "Password", "password")}, "1", nil, 0},
		{"by a script, in another language", button("button", "Anmelden", false), []Field{password("a", "Password", "password")}, "1", unauthorized, 1},
		{"no send: the password is shown", button("button", "Passwort zeigen", false), []Field{password("a", "Password", "text")}, "1", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := History{Start: Observation{Document: "1", Fields: []Field{password("a", "Password", "password")}}}
			h.Steps = []Step{{N: 1, Action: &Action{Kind: Click}, Target: c.at,
				After: Observation{Document: c.document, Fields: c.after, Writes: c.writes}}}
			got := 0
			for _, s := range sendsFrom(h, 0) {
				if s.Rejected {
					got++
				}
			}
			if got != c.want {
				t.Errorf("%d rejected, want %d", got, c.want)
			}
		})
	}
}
