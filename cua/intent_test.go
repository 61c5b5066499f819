package cua

import (
	"slices"
	"testing"
)

// orderPage is a page with one form that holds value, and beside it a form for another thing.
func orderPage(value, other string) Observation {
	field := func(id, form, holds string) Field {
		return Field{ID: id, Tag: "input", Type: "text", Form: form, Editable: true, ValueDigest: Digest(holds), Empty: holds == ""}
	}
	return Observation{URL: "https://shop.test/order?step=6", FormDigest: Digest(value + "|" + other),
		Fields: []Field{field("city", "f", value), field("letter", "g", other)}, Forms: []Form{{ID: "f"}, {ID: "g"}}}
}

var (
	orderButton  = Target{ID: "send", Role: "button", Name: "Send", Submit: true, Form: "f"}
	letterButton = Target{ID: "subscribe", Role: "button", Name: "Subscribe", Submit: true, Form: "g"}
)

// interrupted is a history of one step, on a page that shows before, after which a was interrupted that is
// aimed at at. The next session was shown page.
func interrupted(before Observation, a Action, at Target, page Observation) History {
	h := History{Start: before, Steps: []Step{{N: 1, Action: &Action{Kind: Type, Into: "city"}, After: before}}}
	in := IntentOf(&before, &Step{N: 2, Action: &a, Target: at})
	h.Resumed = []Resumption{{At: 1, Page: page, Interrupted: &in}}
	return h
}

func TestUncertainSends(t *testing.T) {
	press, tab := Action{Kind: Click}, Action{Kind: Key, Keys: "Tab"}
	inCity := Action{Kind: Key, Keys: "Return", Into: "city"}
	form := orderPage("Rome", "")
	sent := func() History { return interrupted(form, press, orderButton, form) }
	with := func(h History, edit func(h *History)) History { edit(&h); return h }
	then := func(h History, s Step) History {
		s.N = len(h.Steps) + 1
		h.Steps = append(slices.Clone(h.Steps), s)
		return h
	}
	shows := func(o Observation) Step { return Step{Action: &tab, After: o} }
	asked := Step{After: form, Rulings: []Ruling{{Gate: "policy", Verdict: Halt, Reason: UncertainSend, End: EndAsked}}}
	goesOn := func(h History, fresh bool) History {
		h.Resumed = append(slices.Clone(h.Resumed), Resumption{At: len(h.Steps), Page: h.Now(), Fresh: fresh})
		return h
	}
	thanks := Observation{URL: "https://shop.test/thanks", Status: 200}
	signIn := Observation{URL: "https://shop.test/login", Fields: []Field{{ID: "mail", Tag: "input", Editable: true}}}
	other := form
	other.URL = "https://shop.test/another?step=6"
	later := form
	later.URL = "https://shop.test/order?step=1"
	waiting, answered := form, form
	waiting.Writes, answered.Writes = []Write{{Method: "POST"}}, []Write{{Method: "POST", Status: 200}}
	buy, plus := Target{ID: "buy", Role: "button", Name: "Buy now"}, Target{ID: "plus", Role: "button", Name: "More"}
	open := Step{Action: &press, Target: orderButton, After: waiting}
	for _, c := range []struct {
		name string
		h    History
		a    Action
		at   Target
		want bool
	}{
		{"the same press", sent(), press, orderButton, true},
		{"Return in a field of the form", sent(), inCity, Target{}, true},
		{"after Return, a press", interrupted(form, inCity, Target{}, form), press, orderButton, true},
		{"another query of the same page", interrupted(form, press, orderButton, later), press, orderButton, true},
		{"the new session shows the form as it is restored", interrupted(form, press, orderButton, orderPage("", "")), press, orderButton, true},
		{"filled in again as it was", then(interrupted(form, press, orderButton, orderPage("", "")), shows(form)), press, orderButton, true},
		{"another form was filled in since", then(sent(), shows(orderPage("Rome", "me@x.test"))), press, orderButton, true},
		{"a session later", goesOn(then(sent(), shows(form)), false), press, orderButton, true},
		{"somebody goes on for another reason", goesOn(then(sent(), shows(form)), true), press, orderButton, true},
		{"asked, and nobody has gone on", then(sent(), asked), press, orderButton, true},
		{"asked, and the process was killed", goesOn(then(sent(), asked), false), press, orderButton, true},
		{"the browser was lost while it sent", goesOn(then(History{Start: form}, Step{Action: &press, Target: orderButton, After: form,
			Failure: &Failure{Kind: FailEnv}}), false), press, orderButton, true},
		{"the session ended before the answer", goesOn(then(History{Start: form}, Step{Action: &press, Target: orderButton,
			After: with(History{Start: form}, func(h *History) { h.Start.Writes = []Write{{Method: "POST"}} }).Start}), false), press, orderButton, true},
		{"and there was a wait before that", goesOn(then(then(History{Start: form}, open), Step{Action: &Action{Kind: Wait, MS: 1500}, After: form}), false), press, orderButton, true},
		{"the tab crashed under it", then(History{Start: form}, Step{Action: &press, Target: orderButton, After: form,
			Failure: &Failure{Kind: FailExec}, Settle: &Settle{Faults: []string{"tab_crash"}}}), press, orderButton, true},
		{"a done while the form is there", sent(), Action{Kind: Done, Success: true}, Target{}, true},

		{"it was answered in a wait after it", goesOn(then(then(History{Start: form}, open), Step{Action: &Action{Kind: Wait, MS: 1500}, After: answered}), false), press, orderButton, false},
		{"a button with a risky name", interrupted(form, press, buy, form), press, buy, true},
		{"another one", interrupted(form, press, buy, form), press, Target{ID: "gift", Role: "button", Name: "Buy a gift"}, false},
		{"a button without", interrupted(form, press, plus, form), press, plus, false},
		{"other values", then(sent(), shows(orderPage("Oslo", ""))), press, orderButton, false},
		{"another form", sent(), press, letterButton, false},
		{"the same form on another page", then(sent(), shows(other)), press, orderButton, false},
		{"a press that sends nothing", sent(), press, Target{ID: "city", Role: "textbox", Form: "f"}, false},
		{"a done that gives up", sent(), Action{Kind: Done}, Target{}, false},
		{"a done on another page", then(sent(), shows(thanks)), Action{Kind: Done, Success: true}, Target{}, false},
		{"asked, and somebody has gone on", goesOn(then(sent(), asked), true), press, orderButton, false},
		{"and was killed after that", goesOn(goesOn(then(sent(), asked), true), false), press, orderButton, false},
		{"what was interrupted sends nothing", interrupted(form, tab, Target{ID: "city"}, form), press, orderButton, false},
		{"what was interrupted goes on in a list", interrupted(form, press, Target{ID: "n", Role: "button", Name: "Next"}, form),
			press, Target{ID: "n", Role: "button", Name: "Next"}, false},
		{"nothing was interrupted", goesOn(then(History{Start: form}, shows(form)), false), press, orderButton, false},
		{"a new page answers it", then(interrupted(form, press, orderButton, thanks), shows(form)), press, orderButton, false},
		{"a new page asks to sign in", then(interrupted(form, press, orderButton, signIn), shows(form)), press, orderButton, true},
		{"a page that is known", then(interrupted(form, press, orderButton, Observation{URL: form.URL}), shows(form)), press, orderButton, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := &Turn{History: c.h, Now: c.h.Now(), Evidence: EvidenceOf(c.h, nil)}
			if got := turn.Uncertain(Proposal{Action: c.a, Target: c.at}); (got != nil) != c.want {
				t.Errorf("uncertain: %+v, want %v", got, c.want)
			}
			turn.Task.Idempotent = true
			if got := turn.Uncertain(Proposal{Action: c.a, Target: c.at}); got != nil {
				t.Errorf("sending twice is harmless, and it is asked about: %+v", got)
			}
		})
	}
}

// TestControlsInNoForm: what is in no form is told apart by the control, and Return sends with all of them.
func TestControlsInNoForm(t *testing.T) {
	o := Observation{URL: "https://shop.test/", Fields: []Field{{ID: "message", Tag: "input", Editable: true}}}
	button := func(id string) Target { return Target{ID: id, Role: "button", Name: "Send"} }
	press, enter := Action{Kind: Click}, Action{Kind: Key, Keys: "Return", Into: "message"}
	for _, c := range []struct {
		name   string
		a      Action
		at     Target
		b      Action
		before Target
		want   bool
	}{
		{"the same button", press, button("1"), press, button("1"), true},
		{"the button of another row", press, button("2"), press, button("1"), false},
		{"Return after the button", enter, Target{}, press, button("1"), true},
		{"the button after Return", press, button("1"), enter, Target{}, true},
	} {
		h := interrupted(o, c.b, c.before, o)
		turn := &Turn{History: h, Now: o, Evidence: EvidenceOf(h, nil)}
		if got := turn.Uncertain(Proposal{Action: c.a, Target: c.at}); (got != nil) != c.want {
			t.Errorf("%s: %+v, want %v", c.name, got, c.want)
		}
	}
}

// TestProvenSend: a send that a page proves is one that was answered well, for the fence too.
func TestProvenSend(t *testing.T) {
	form := orderPage("Rome", "")
	h := interrupted(form, Action{Kind: Click}, orderButton, Observation{URL: "https://shop.test/thanks"})
	sends := sendsOf(h)
	if len(sends) != 1 || !sends[0].OK || !sends[0].Interrupted || sends[0].Uncertain || sends[0].FormKey != form.FormKey() {
		t.Errorf("%+v", sends)
	}
}

func TestIntentOf(t *testing.T) {
	form := orderPage("Rome", "")
	form.Document = "d"
	form.Marks = []Mark{{N: 1, ID: "send", Role: "button", Name: "Send", Submit: true, Form: "f"}}
	form.Focus = &form.Fields[0]
	press, enter := Action{Kind: Click, Into: "send"}, Action{Kind: Key, Keys: "Return"}
	other := Target{ID: "city", Role: "textbox", Form: "f"}
	replaced := []Ruling{{Gate: "rescue", Verdict: Replace}}
	for _, c := range []struct {
		name   string
		s      Step
		target string
		form   string
		submit bool
	}{
		{"a press", Step{Action: &press, Target: orderButton}, "send", "f", true},
		{"a press in place of another", Step{Action: &press, Target: other, Rulings: replaced}, "send", "f", true},
		{"Return where the focus is", Step{Action: &enter}, "city", "f", true},
		{"a press of a field", Step{Action: &Action{Kind: Click}, Target: other}, "city", "", false},
	} {
		in := IntentOf(&form, &c.s)
		if in.Target != c.target || in.Form != c.form || in.Submit != c.submit || in.Document != "d" || in.FormDigest != form.FormDigest {
			t.Errorf("%s: %+v", c.name, in)
		}
	}
}
