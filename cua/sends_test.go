package cua

import (
	"slices"
	"testing"
)

// sendsOf are the sends that were made or interrupted, in order. Steps that a rewind undid count too: the
// server does not know of rewinds.
func sendsOf(h History) []*Send {
	var s sends
	s.read(h, 0)
	all, _ := s.judged(&h)
	return all
}

// TestRejected: what was sent to sign in counts as rejected when it is asked for again, whatever the page
// calls its form or its button.
func TestRejected(t *testing.T) {
	password := func(form, label, typ string) Field {
		return Field{ID: "p " + form, Tag: "input", Type: typ, Label: label, Form: form, Editable: true,
			ValueDigest: "x"}
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
			h := History{Start: Observation{Document: "1", Fields: []Field{password("a", "Password",
				"password")}}}
			h.Steps = []Step{{N: 1, Action: &Action{Kind: Click}, Target: c.at,
				After: Observation{Document: c.document, Fields: c.after, Writes: c.writes}}}
			got := 0
			for _, s := range sendsOf(h) {
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

// TestRejectedInSteps: a sign-in in steps was rejected when it begins anew from the page that answered it.
func TestRejectedInSteps(t *testing.T) {
	field := func(label, typ, value string) Field {
		return Field{ID: label, Tag: "input", Type: typ, Label: label, Form: "f " + label, Editable: true,
			Empty: value == "", ValueDigest: value}
	}
	user, password, pin := field("User", "text", "ada"), field("Password", "password", "x"),
		field("PIN", "password", "y")
	empty := func(f Field) Field { f.Empty, f.ValueDigest = true, ""; return f }
	send := func(f Field) (Action, Target) {
		return Action{Kind: Click}, Target{ID: "b", Role: "button", Name: "Next", Tag: "button", Form: f.Form,
			Submit: true}
	}
	at := func(url string, fields ...Field) Observation {
		return Observation{URL: "https://a.test" + url, Document: url, Fields: fields}
	}
	// begin shows the first page; on fills f in and sends it; what answers is the page after.
	type tale struct{ h History }
	begin := func(o Observation) *tale { return &tale{History{Start: o}} }
	step := func(s *tale, a Action, to Target, after Observation) *tale {
		s.h.Steps = append(s.h.Steps, Step{N: len(s.h.Steps) + 1, Action: &a, Target: to, After: after})
		return s
	}
	on := func(s *tale, f Field, after Observation) *tale {
		now := s.h.Now()
		step(s, Action{Kind: Type, Text: "x", Into: f.ID}, Target{ID: f.ID},
			at(now.URL[len("https://a.test"):], f))
		a, to := send(f)
		after.Writes = []Write{{Method: "POST", Status: 303}}
		return step(s, a, to, after)
	}
	wait := func(s *tale, after Observation) *tale {
		return step(s, Action{Kind: Wait, MS: 1000},
			Target{}, after)
	}
	press := func(s *tale, after Observation) *tale {
		return step(s, Action{Kind: Click},
			Target{ID: "link"}, after)
	}
	first, second, third, in := at("/", empty(user)), at("/2", empty(password)),
		at("/3", empty(pin)), at("/in")
	twice := func() *tale { return on(on(begin(first), user, second), password, first) }
	newsletter := at("/in", empty(user))
	for _, c := range []struct {
		name string
		s    *tale
		want []int
	}{
		{"back at the first step, which nobody has filled in", twice(), nil},
		{"and filled in again", on(twice(), user, second), []int{4}},
		{"twice", on(on(on(twice(), user, second), password, first), user, second), []int{4, 8}},
		{"begun at the second step", on(on(begin(second), password, first), user, second), []int{2}},
		{"let in", on(on(begin(first), user, second), password, in), nil},
		{"let in, out and in again", on(press(press(on(on(begin(first), user, second), password, in), in), first), user, second), nil},
		{"what is filled in next leads elsewhere", on(twice(), user, in), nil},
		{"what asks the same inside is filled in elsewhere", on(press(on(on(begin(first), user, second), password, newsletter), first), user, second), nil},
		{"the answer took a while", on(wait(on(on(begin(first), user, second), password, in), first), user, second), []int{4}},
		{"it took a while to ask for the same again", wait(on(begin(second), password, in), second), []int{2}},
		{"somebody went back to it", press(on(begin(second), password, in), second), nil},
		{"a PIN after the password", on(on(begin(second), password, third), pin, in), nil},
		{"a wrong PIN begins anew", on(on(on(begin(second), password, third), pin, second), password, third), []int{4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []int
			for _, s := range sendsOf(c.s.h) {
				if s.Rejected {
					got = append(got, s.Step+1)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("rejected at steps %v, want %v", got, c.want)
			}
		})
	}
}
