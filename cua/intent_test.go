package cua

import (
	"slices"
	"testing"
)

// orderPage is a page with one form that holds value, and beside it a form for another thing.
func orderPage(value, other string) Observation {
	field := func(id, form, holds string) Field {
		return Field{ID: id, Tag: "input", Type: "text", Form: form, Editable: true,
			ValueDigest: Digest(holds), Empty: holds == ""}
	}
	return Observation{URL: "https://shop.test/order?step=6", FormDigest: Digest(value + "|" + other),
		Fields: []Field{field("city", "f", value), field("letter", "g", other)},
		Forms:  []Form{{ID: "f"}, {ID: "g"}}}
}

var (
	orderButton  = Target{ID: "send", Role: "button", Name: "Send", Submit: true, Form: "f"}
	letterButton = Target{ID: "subscribe", Role: "button", Name: "Subscribe", Submit: true, Form: "g"}
)

// interrupted is a history of one step, on a page that shows before, after which a was interrupted that is
// aimed at at. The next session was shown page.
func interrupted(before Observation, a Action, at Target, page Observation) History {
	h := History{Start: before, Steps: []Step{{N: 1, Action: &Action{Kind: Type, Into: "city"},
		After: before}}}
	in := IntentOf(&h, &Step{N: 2, Action: &a, Target: at})
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
	asked := Step{After: form, Rulings: []Ruling{{Gate: "policy", Verdict: Halt, Reason: UncertainSend,
		End: EndAsked, Evidence: []int{1}}}}
	askedOther := asked
	askedOther.Rulings = []Ruling{{Gate: "policy", Verdict: Halt, Reason: UncertainSend, End: EndAsked,
		Evidence: []int{9}}}
	goesOn := func(h History, fresh bool) History {
		h.Resumed = append(slices.Clone(h.Resumed), Resumption{At: len(h.Steps), Page: h.Now(), Fresh: fresh})
		return h
	}
	thanks := Observation{URL: "https://shop.test/thanks", Status: 200}
	signIn := Observation{URL: "https://shop.test/login", Fields: []Field{{ID: "mail", Tag: "input",
		Editable: true}}}
	other := form
	other.URL = "https://shop.test/another?step=6"
	later := form
	later.URL = "https://shop.test/order?step=1"
	waiting, answered := form, form
	waiting.Writes, answered.Writes = []Write{{Method: "POST"}}, []Write{{Method: "POST", Status: 200}}
	buy, plus := Target{ID: "buy", Role: "button", Name: "Buy now"},
		Target{ID: "plus", Role: "button", Name: "More"}
	space, line := Action{Kind: Key, Keys: "space", Into: "send"},
		Action{Kind: Type, Into: "city", Text: "Rome\n"}
	tidy := Target{ID: "tidy", Role: "button", Name: "Tidy up"}
	ok := Target{ID: "ok", Role: "button", Name: "OK", Form: "f"}
	yes, no := Action{Kind: AnswerDlg, Accept: true}, Action{Kind: AnswerDlg}
	answering := func(kind string, a Action) History {
		asks := form
		asks.Dialog = &Dialog{Type: kind}
		h := then(History{Start: form}, Step{Action: &press, Target: tidy, After: asks})
		in := IntentOf(&h, &Step{N: 2, Action: &a})
		h.Resumed = []Resumption{{At: 1, Page: form, Interrupted: &in}}
		return h
	}
	link := Target{ID: "save", Role: "link", Name: "Save it", Form: "f"}
	letter, chosen := orderPage("Rome", ""), orderPage("", "")
	letter.Fields[0].Tag, letter.Fields[0].Type = "textarea", "text"
	chosen.Fields[0].Tag, chosen.Fields[0].Type, chosen.Fields[0].Checked = "input", "checkbox", true
	ctrlReturn := Action{Kind: Key, Keys: "Control+Return", Into: "city"}
	late := then(History{Start: form}, Step{Action: &press, Target: tidy, After: form})
	late = then(late, Step{Action: &Action{Kind: Wait, MS: 4000},
		After: func() Observation { o := form; o.Dialog = &Dialog{Type: "confirm"}; return o }()})
	lateIn := IntentOf(&late, &Step{N: 3, Action: &yes})
	late.Resumed = []Resumption{{At: 2, Page: form, Interrupted: &lateIn}}
	anew, both := orderPage("Rome", ""), orderPage("Rome", "")
	for i, id := range []string{"f2", "g2"} {
		form.Fields[i].NameAttr, anew.Fields[i].NameAttr, both.Fields[i].NameAttr = form.Fields[i].ID,
			form.Fields[i].ID, "city"
		anew.Fields[i].Form, anew.Forms[i].ID = id, id
	}
	sendAnew, letterAnew := orderButton, letterButton
	sendAnew.ID, sendAnew.Form, letterAnew.ID, letterAnew.Form = "send2", "f2", "subscribe2", "g2"
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
		{"somebody continues for another reason", goesOn(then(sent(), shows(form)), true), press, orderButton, true},
		{"asked, and nobody has gone on", then(sent(), asked), press, orderButton, true},
		{"asked, and the process was killed", goesOn(then(sent(), asked), false), press, orderButton, true},
		{"the browser was lost while it sent", goesOn(then(History{Start: form}, Step{Action: &press, Target: orderButton, After: form,
			Failure: &Failure{Kind: FailEnv}}), false), press, orderButton, true},
		{"the session ended before the answer", goesOn(then(History{Start: form}, Step{Action: &press, Target: orderButton,
			After: with(History{Start: form},
				func(h *History) { h.Start.Writes = []Write{{Method: "POST"}} }).Start}), false), press,
			orderButton, true},
		{"and there was a wait before that", goesOn(then(then(History{Start: form}, open), Step{Action: &Action{Kind: Wait, MS: 1500}, After: form}), false), press, orderButton, true},
		{"the tab crashed under it", then(History{Start: form}, Step{Action: &press, Target: orderButton, After: form,
			Failure: &Failure{Kind: FailExec}, Settle: &Settle{Faults: []string{"tab_crash"}}}), press,
			orderButton, true},
		{"a done while the form is there", sent(), Action{Kind: Done, Success: true}, Target{}, true},

		{"Space on the button", interrupted(form, space, orderButton, form), press, orderButton, true},
		{"a line end that is typed", interrupted(form, line, Target{}, form), press, orderButton, true},
		{"after a press, a line end", sent(), line, Target{}, true},
		{"a button that the markup does not show to send", interrupted(form, press, ok, form), press, ok, true},
		{"a link that is named like one", interrupted(form, press, link, form), press, link, true},
		{"Control and Return in a text of many lines", interrupted(letter, ctrlReturn, Target{}, letter), ctrlReturn, Target{}, true},
		{"a button of a form in which something is chosen", interrupted(chosen, press, ok, chosen), press, ok, true},
		{"the yes to a question that comes after a wait", late, press, tidy, true},
		{"the yes to a question that a press asks", answering("confirm", yes), press, tidy, true},
		{"the end of an alert, after which a press goes on", answering("alert", no), press, tidy, true},
		{"the form has another identity in each document", interrupted(form, press, orderButton, anew), press, sendAnew, true},

		{"another form, where each has another identity", interrupted(form, press, orderButton, anew), press, letterAnew, false},
		{"a form beside it with the same fields", interrupted(both, press, orderButton, both), press, letterButton, false},
		{"the no to a question", answering("confirm", no), press, tidy, false},
		{"Space in a text field", interrupted(form, Action{Kind: Key, Keys: "space", Into: "city"}, Target{}, form), press, orderButton, false},
		{"Space on a box to tick", interrupted(chosen, Action{Kind: Key, Keys: "space", Into: "city"}, Target{}, chosen), press, orderButton, false},
		{"a line end in a text of many lines", interrupted(letter, line, Target{}, letter), press, orderButton, false},
		{"text without a line end", interrupted(form, Action{Kind: Type, Into: "city", Text: "Rome"}, Target{}, form), press, orderButton, false},
		{"a button of an empty form", interrupted(orderPage("", ""), press, ok, orderPage("", "")), press, ok, false},
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
		{"somebody has gone on after another question", goesOn(then(sent(), askedOther), true), press, orderButton, true},
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
	o := Observation{URL: "https://shop.test/", Fields: []Field{{ID: "message", Tag: "input",
		Editable: true}}}
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
	if len(sends) != 1 || !sends[0].OK || !sends[0].Interrupted || sends[0].Uncertain ||
		sends[0].FormKey != form.FormKey() {
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
		{"no to a dialog that is not open", Step{Action: &Action{Kind: AnswerDlg}}, "", "", false},
		{"yes to a dialog that is not open", Step{Action: &Action{Kind: AnswerDlg, Accept: true}}, "", "", false},
	} {
		in := IntentOf(&History{Start: form}, &c.s)
		if in.Target != c.target || in.Form != c.form || in.Submit != c.submit || in.Document != "d" ||
			in.FormDigest != form.FormDigest {
			t.Errorf("%s: %+v", c.name, in)
		}
	}
}

// TestSendsByScript: what nothing in the markup shows to send is a send once it caused a request, or once
// nobody saw what it caused. Only another session takes it for the same act: an ordinary run is left alone.
func TestSendsByScript(t *testing.T) {
	form := orderPage("Rome", "")
	form.Marks = []Mark{{N: 1, ID: "reserve", Role: "button", Name: "Reserve", Form: "f"}}
	press, space := Action{Kind: Click}, Action{Kind: Key, Keys: "space", Into: "reserve"}
	reserve := Target{ID: "reserve", Role: "button", Name: "Reserve", Form: "f"}
	outside := Target{ID: "book", Role: "button", Name: "Buy now"}
	yes := Action{Kind: AnswerDlg, Accept: true}
	asks, open, answered, lost := form, form, form, form
	asks.Dialog = &Dialog{Type: "confirm"}
	open.Writes = []Write{{Method: "POST"}}
	answered.Writes = []Write{{Method: "POST", Status: 200}}
	step := func(a Action, at Target, after Observation) Step {
		return Step{Action: &a, Target: at,
			After: after}
	}
	gone := step(press, reserve, lost)
	gone.Failure = &Failure{Kind: FailEnv}
	const uncertain, refused, passes = "uncertain", "refused", "passes"
	for _, c := range []struct {
		name    string
		steps   []Step
		a       Action
		at      Target
		resumed bool
		want    string
	}{
		{"answered, and pressed again in another session", []Step{step(press, reserve, answered)}, press, reserve, true, refused},
		{"by Space", []Step{step(space, Target{}, answered)}, press, reserve, true, refused},
		{"by the yes to a question", []Step{step(press, outside, asks), step(yes, Target{}, answered)}, press, outside, true, refused},
		{"in no form", []Step{step(press, outside, answered)}, press, outside, true, refused},
		{"the answer was under way", []Step{step(press, reserve, open)}, press, reserve, true, uncertain},
		{"the browser was lost", []Step{gone}, press, reserve, true, uncertain},
		{"under way behind a question", []Step{step(press, outside, asks), step(yes, Target{}, open)}, press, outside, true, uncertain},
		{"another control", []Step{step(press, outside, answered)}, press, Target{ID: "gift", Role: "button", Name: "Buy a gift"}, true, passes},
		{"it caused no request", []Step{step(press, reserve, form)}, press, reserve, true, passes},
		{"the same session", []Step{step(press, reserve, answered)}, press, reserve, false, passes},
		{"what continues in a list", []Step{step(press, Target{ID: "n", Role: "button", Name: "Add", Form: "f"}, answered)}, press,
			Target{ID: "n", Role: "button", Name: "Add", Form: "f"}, true, passes},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := History{Start: form, Steps: c.steps}
			for i := range h.Steps {
				h.Steps[i].N = i + 1
			}
			if c.resumed {
				h.Resumed = []Resumption{{At: len(h.Steps), Page: form}}
			}
			turn, got := &Turn{History: h, Now: h.Now(), Evidence: EvidenceOf(h, nil)}, passes
			p := Proposal{Action: c.a, Target: c.at}
			if turn.Uncertain(p) != nil {
				got = uncertain
			} else if turn.SentBefore(p) != nil {
				got = refused
			}
			if got != c.want {
				t.Errorf("it is %s, want %s", got, c.want)
			}
		})
	}
}
