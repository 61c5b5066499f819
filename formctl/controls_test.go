package formctl

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// spelledAs is whether a text field that shows text holds value.
func spelledAs(value, text string, change ...func(*cua.Field)) bool {
	f := in("a", "x")
	for _, c := range change {
		c(&f)
	}
	return shows(holding(f, text), value)
}

func TestSpellings(t *testing.T) {
	of := func(kind string) func(*cua.Field) { return func(f *cua.Field) { f.Type = kind } }
	auto := func(a string) func(*cua.Field) { return func(f *cua.Field) { f.Autocomplete = a } }
	says := func(p string) func(*cua.Field) { return func(f *cua.Field) { f.Placeholder = p } }
	for _, c := range []struct {
		name, value, text string
		field             func(*cua.Field)
		want              bool
	}{
		{"spaces in a row", "12  Mill Lane", "12 Mill Lane", nil, true},
		{"capitals", "sw1a 1aa", "SW1A 1AA", nil, true},
		{"capitals without spaces", "no93 8601 1117 947", "NO9386011117947", nil, true},
		{"small letters are another value", "Ada", "ada", nil, false},
		{"an e-mail address in small letters", "Ada@X.example", "ada@x.example", of("email"), true},
		{"a telephone mask", "5551234567", "(555) 123-4567", of("tel"), true},
		{"with the country's code", "555-123-4567", "+1 (555) 123-4567", of("tel"), true},
		{"digits alone", "+47 22 33 44 55", "4722334455", of("tel"), true},
		{"in pairs", "+4722334455", "+47 22 33 44 55", of("tel"), true},
		{"one digit less", "5551234567", "(555) 123-456", of("tel"), false},
		{"another digit", "5551234567", "(555) 123-4568", of("tel"), false},
		{"a card in fours", "4111111111111111", "4111 1111 1111 1111", auto("cc-number"), true},
		{"thousands", "12500", "12,500", nil, true},
		{"thousands with decimals", "12500", "12,500.00", nil, true},
		{"thousands as in Germany", "12500", "12.500", nil, true},
		{"without thousands", "12,500", "12500", of("number"), true},
		{"leading zeros of a number", "007", "7", of("number"), true},
		{"decimals", "3.5", "3.50", nil, true},
		{"ten times as much", "12500", "125,000", nil, false},
		{"a date as the field names it", "2026-02-01", "01/02/2026", says("DD/MM/YYYY"), true},
		{"a date that could be another", "2026-02-01", "01/02/2026", nil, false},
		{"a date that could not", "2026-02-21", "21/02/2026", nil, true},
		{"a date in American writing", "2026-02-01", "2/1/2026", nil, true},
		{"a date with dots", "February 1, 2026", "01.02.2026", nil, true},
		{"a date in words", "02/01/2026", "Feb 1, 2026", nil, true},
		{"a time", "14:30", "2:30 PM", nil, true},
		{"a time that is another", "14:30", "2:30 AM", nil, false},
		{"a password has one spelling", "secret", "SECRET", of("password"), false},
		{"so has a code", "123456", "123 456", auto("one-time-code"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			change := []func(*cua.Field){}
			if c.field != nil {
				change = append(change, c.field)
			}
			if got := spelledAs(c.value, c.text, change...); got != c.want {
				t.Errorf("a field that shows %q holds %q: %v", c.text, c.value, got)
			}
		})
	}
}

func TestWire(t *testing.T) {
	options := func(o ...string) cua.Field {
		return with(typed(in("a", "x"), "select"), func(f *cua.Field) { f.Options = o })
	}
	for _, c := range []struct {
		name, value string
		f           cua.Field
		want        string
		takes       bool
	}{
		{"a time", "2:30 p.m.", typed(in("a", "x"), "time"), "14:30", true},
		{"no time", "soon", typed(in("a", "x"), "time"), "soon", false},
		{"midnight", "12 am", typed(in("a", "x"), "time"), "00:00", true},
		{"a month", "January 2026", typed(in("a", "x"), "month"), "2026-01", true},
		{"a moment", "31 Jan 2026, 9:05 pm", typed(in("a", "x"), "datetime-local"), "2026-01-31T21:05", true},
		{"a moment as browsers write it", "2026-01-31T21:05", typed(in("a", "x"), "datetime-local"), "2026-01-31T21:05", true},
		{"a number with commas", "1,250", typed(in("a", "x"), "number"), "1250", true},
		{"an ISO date", "2026-01-31", typed(in("a", "x"), "date"), "2026-01-31", true},
		{"a date for a text field", "Jan 31, 2026", with(in("a", "Day"), func(f *cua.Field) { f.Placeholder = "TT.MM.JJJJ" }), "31.01.2026", true},
		{"the label names the format", "2026-01-31", in("a", "Date of birth (MM/DD/YYYY)"), "01/31/2026", true},
		{"a text field that names none", "Jan 31, 2026", in("a", "Day"), "Jan 31, 2026", true},
		{"an option in other case", "norway", options("Chile", "Norway"), "Norway", true},
		{"an option with a mark", "Norway", options("Chile", "Norway (NO)"), "Norway (NO)", true},
		{"two options begin so", "United", options("United Kingdom", "United States"), "United", false},
		{"part of a word is no beginning", "Nor", options("Norway"), "Nor", false},
		{"a list that is longer than the probe's", "Zambia", options(make([]string, truncated)...), "Zambia", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := wire(&c.f, c.value); got != c.want || accepts(&c.f, c.value) != c.takes {
				t.Errorf("%q becomes %q and is taken: %v; want %q, %v", c.value, got, accepts(&c.f, c.value),
					c.want, c.takes)
			}
		})
	}
}

func mark(id, role, name string) cua.Mark {
	return cua.Mark{ID: id, Role: role, Name: name, Input: true, Box: cua.Box{X: 1, Y: 1, W: 9, H: 9}}
}

// TestForceFillControls: which action each control gets for a click on it.
func TestForceFillControls(t *testing.T) {
	small, large := radio("s", "Small", "size"), radio("l", "Large", "size")
	terms := with(typed(in("t", "Terms"), "checkbox"), func(f *cua.Field) { f.Editable = false })
	list := with(in("c", "Class"), func(f *cua.Field) {
		f.Role, f.Tag, f.Type, f.Editable = "combobox",
			"button", "submit", false
	})
	day := with(in("d", "Day"), func(f *cua.Field) { f.ReadOnly, f.Editable = true, false })
	double := onto(terms)
	double.Action.Kind = cua.DoubleClick
	idle := func(o cua.Observation, f cua.Field) cua.History {
		h := steps(o, o)
		h.Steps[0].Target = cua.Target{ID: f.ID, Field: f.ID}
		return h
	}
	airport := with(in("a", "Airport"), func(f *cua.Field) { f.Role = "combobox" })
	suggested := marked(page(holding(airport, "Oslo"), in("z", "Zip")), mark("o1", "option", "Oslo"),
		mark("o2", "option", "Bergen"))
	suggested.Focus = &suggested.Fields[0]
	toAirport := doing(steps(page(airport, in("z", "Zip")), suggested), typing("Oslo", "a"))
	actors := suggested
	actors.Marks = []cua.Mark{with2(mark("o1", "option", "Oslo"), func(m *cua.Mark) { m.Input = false })}
	toActors := doing(steps(page(airport, in("z", "Zip")), actors), typing("Oslo", "a"))
	for _, c := range []struct {
		name string
		task cua.Task
		h    cua.History
		p    cua.Proposal
		want cua.Action // zero: left as proposed
	}{
		{"the right radio button", plan("Size", "Large"), steps(page(small, large)), onto(large), cua.Action{}},
		{"the wrong radio button", plan("Size", "Large"), steps(page(small, large)), onto(small), cua.Action{Kind: cua.Click, Into: "l"}},
		{"any of a group that is right", plan("Size", "Large"), steps(page(small, with(large, func(f *cua.Field) { f.Checked = true }))), onto(small), cua.Action{}},
		{"yes and no as radio buttons", plan("News", "true"), steps(page(radio("n", "No", "news"), radio("y", "Yes", "news"))), onto(radio("n", "No", "news")), cua.Action{Kind: cua.Click, Into: "y"}},
		{"a box", plan("Terms", "yes"), steps(page(terms)), onto(terms), cua.Action{}},
		{"a box that a click did not change", plan("Terms", "yes"), idle(page(terms), terms), onto(terms), cua.Action{Kind: cua.Click, Into: "t"}},
		{"a double click on a box", plan("Terms", "yes"), steps(page(terms)), double, cua.Action{Kind: cua.Click, Into: "t"}},
		{"a box that is as wanted", plan("Terms", "no"), idle(page(terms), terms), onto(terms), cua.Action{}},
		{"a list that is closed", plan("Class", "First"), steps(page(list)), onto(list), cua.Action{}},
		{"a list that is open", plan("Class", "first"), steps(marked(page(list), mark("o1", "option", "Economy"), mark("o2", "option", "First"))), onto(list), cua.Action{Kind: cua.Click, Into: "o2"}},
		{"a list that has it not", plan("Class", "First"), steps(marked(page(list), mark("o1", "option", "Economy"))), onto(list), cua.Action{}},
		{"an option that is covered", plan("Class", "First"), steps(marked(page(list), with2(mark("o2", "option", "First"), func(m *cua.Mark) { m.Covered = true }))), onto(list), cua.Action{}},
		{"a calendar that names days in full", plan("Day", "2026-01-31"), steps(marked(page(day), mark("x", "button", "Friday, January 30, 2026"), mark("y", "button", "Saturday, January 31, 2026"))), onto(day), cua.Action{Kind: cua.Click, Into: "y"}},
		{"a calendar that does not", plan("Day", "2026-01-31"), steps(marked(page(day), mark("y", "button", "31"))), onto(day), cua.Action{}},
		{"a suggestion before the click elsewhere", plan("Airport", "Oslo"), toAirport, onto(in("z", "Zip")), cua.Action{Kind: cua.Click, Into: "o1"}},
		{"a click on the suggestion itself", plan("Airport", "Oslo"), toAirport, cua.Proposal{Action: cua.Action{Kind: cua.Click}, Target: cua.Target{ID: "o1"}}, cua.Action{}},
		{"a suggestion that may do more than choose", plan("Airport", "Oslo"), toActors, onto(in("z", "Zip")), cua.Action{}},
		{"the editor", plan("Message", "Hi"), steps(page(with(in("m", "Message"), func(f *cua.Field) { f.Tag, f.Type = "div", "contenteditable" }))), onto(in("m", "Message")), cua.Action{Kind: cua.Type, Into: "m", Text: "Hi", Clear: true}},
		{"a slider", plan("Volume", "30"), steps(page(with(in("v", "Volume"), func(f *cua.Field) { f.Type, f.Editable = "range", false }))), onto(in("v", "Volume")), cua.Action{Kind: cua.Type, Into: "v", Text: "30", Clear: true}},
		{"a secret", plan("Password", "<secret:P>"), steps(page(typed(in("p", "Password"), "password"))), onto(in("p", "Password")), cua.Action{Kind: cua.Type, Into: "p", Text: "<secret:P>", Clear: true}},
		{"the other one of two that fit", plan("Name", "Ada"), steps(page(in("a", "Name"), with(in("b", "Name"), func(f *cua.Field) { f.Form = "g" }))), onto(in("b", "Name")), cua.Action{Kind: cua.Type, Into: "b", Text: "Ada", Clear: true}},
		{"not where it fits less", plan("City", "Oslo"), steps(page(in("a", "City"), in("b", "Home city"))), onto(in("b", "Home city")), cua.Action{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := review(t, ForceFill{DefaultConfig()}, turn(c.task, c.h), c.p)
			var got cua.Action
			if r.Verdict == cua.Replace {
				got = *r.Action
			}
			if got.Kind != c.want.Kind || got.Into != c.want.Into || got.Text != c.want.Text ||
				got.Clear != c.want.Clear {
				t.Errorf("%+v, want %+v", r, c.want)
			}
		})
	}
}

func with2(m cua.Mark, change func(*cua.Mark)) cua.Mark { change(&m); return m }

// TestForceFillBeforeSending: a form is not sent while a visible field of it waits.
func TestForceFillBeforeSending(t *testing.T) {
	name, city := holding(in("a", "Name"), "Ada"), in("b", "City")
	focused := func(o cua.Observation, i int) cua.Observation { o.Focus = &o.Fields[i]; return o }
	enter := cua.Proposal{Action: cua.Action{Kind: cua.Key, Keys: "Return"}, By: "heuristic"}
	send := cua.Proposal{Action: cua.Action{Kind: cua.Click}, Target: cua.Target{ID: "s", Role: "button",
		Name: "Send", Submit: true, Form: "f"}, By: "heuristic"}
	by := func(p cua.Proposal, who string) cua.Proposal { p.By = who; return p }
	called := func(p cua.Proposal, name string) cua.Proposal { p.Target.Name = name; return p }
	other := with(city, func(f *cua.Field) { f.Form = "g" })
	task := plan("Name", "Ada", "City", "Oslo")
	for _, c := range []struct {
		name string
		task cua.Task
		o    cua.Observation
		p    cua.Proposal
		want bool
	}{
		{"Return with a value pending", task, focused(page(name, city), 0), enter, true},
		{"a click on the submit control", task, page(name, city), send, true},
		{"a click on what leaves the form", task, page(name, city), called(send, "Go back"), false},
		{"a director knows", task, focused(page(name, city), 0), by(enter, cua.DirectorPrefix+"x"), false},
		{"all is in", task, focused(page(name, holding(city, "Oslo")), 0), enter, false},
		{"the value belongs in another form", task, focused(page(name, other), 0), enter, false},
		{"nothing has the focus", task, page(name, city), enter, false},
		{"Return in a text of many lines", task, focused(page(with(name, func(f *cua.Field) { f.Tag = "textarea" }), city), 0), enter, false},
		{"Return in a list of suggestions", task, focused(page(with(name, func(f *cua.Field) { f.Role = "combobox" }), city), 0), enter, false},
		{"a mere guess", plan("Name", "Ada", "Town of birth", "Oslo"), focused(page(name, city), 0), enter, false},
		{"Tab", task, focused(page(name, city), 0), cua.Proposal{Action: cua.Action{Kind: cua.Key, Keys: "Tab"}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := review(t, ForceFill{DefaultConfig()}, turn(c.task, steps(c.o)), c.p)
			if (r.Verdict == cua.Replace) != c.want || c.want && (r.Action.Into != "b" ||
				r.Action.Text != "Oslo") {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestForceFillLeavesWhatWasEntered: what was typed and is shown otherwise is not typed once more before
// the form is sent.
func TestForceFillLeavesWhatWasEntered(t *testing.T) {
	city := in("b", "City")
	send := cua.Proposal{Action: cua.Action{Kind: cua.Click}, Target: cua.Target{ID: "s", Name: "Send",
		Submit: true, Form: "f"}}
	for shown, want := range map[string]cua.Verdict{"OSLO (NO)": cua.Pass, "": cua.Replace} {
		h := doing(steps(page(city), page(holding(city, shown))), typing("Oslo", "b"))
		if r := review(t, ForceFill{DefaultConfig()}, turn(plan("City", "Oslo"), h),
			send); r.Verdict != want {
			t.Errorf("shown as %q: %+v", shown, r)
		}
	}
}

// TestForceSubmitNamesTheBox: a disabled submit is not pressed.
func TestForceSubmitNamesTheBox(t *testing.T) {
	name := holding(in("a", "Name"), "Ada")
	terms := with(typed(in("t", "I accept the terms"), "checkbox"),
		func(f *cua.Field) { f.Editable, f.Required = false, true })
	send := cua.Target{ID: "s", Role: "button", Name: "Send", Submit: true, Form: "f", Disabled: true,
		Point: &cua.Point{X: 9, Y: 9}}
	off := cua.Mark{N: 1, ID: "s", Role: "button", Submit: true, Form: "f", Disabled: true,
		Box: cua.Box{X: 1, Y: 1, W: 9, H: 9}}
	for _, c := range []struct {
		name   string
		fields []cua.Field
		marks  []cua.Mark
		before bool
		want   string
	}{
		{"named", []cua.Field{name, terms}, []cua.Mark{off}, false, `"I accept the terms" must be ticked`},
		{"once for a state", []cua.Field{name, terms}, []cua.Mark{off}, true, ""},
		{"ticked", []cua.Field{name, with(terms, func(f *cua.Field) { f.Checked = true })}, []cua.Mark{off}, false, ""},
		{"not required", []cua.Field{name, with(terms, func(f *cua.Field) { f.Required = false })}, []cua.Mark{off}, false, ""},
		{"the submit is enabled", []cua.Field{name, terms}, []cua.Mark{with2(off, func(m *cua.Mark) { m.Disabled = false })}, false, ""},
		{"of another form", []cua.Field{name, with(terms, func(f *cua.Field) { f.Form = "g" })}, []cua.Mark{off}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := marked(page(c.fields...), c.marks...)
			h := steps(o, o)
			h.Steps[0].Target = send
			if c.before {
				h.Steps = append(h.Steps, cua.Step{N: 2, Rulings: []cua.Ruling{{Gate: "force_submit",
					Verdict: cua.Refuse}}, After: o})
			}
			r := review(t, ForceSubmit{DefaultConfig()}, turn(plan("Name", "Ada"), h),
				cua.Proposal{Action: cua.Action{Kind: cua.Click, Point: send.Point}, Target: send})
			if (r.Verdict == cua.Refuse) != (c.want != "") || !strings.Contains(r.Detail, c.want) {
				t.Errorf("%+v, want %q", r, c.want)
			}
		})
	}
}
