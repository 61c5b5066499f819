package recovery

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// whole is the gate with every row.
func whole() Rescue {
	c := DefaultConfig()
	return Rescue{Config: c.Rescue, Rows: cua.Reasons(), FrozenAfter: 3,
		Stop: StopRule{Grace: c.Breaker.Grace, Nudged: true}}
}

// only is the gate with those rows alone.
func only(codes ...cua.Reason) Rescue {
	g := whole()
	g.Rows = codes
	return g
}

// hopeless is the turn with a hard signal whose last warning was delivered.
func (s *story) hopeless() *cua.Turn {
	n := len(s.h.Steps)
	s.h.Steps[n-1].Notes = []cua.Note{{From: NudgeName, Level: LastWarning}}
	t := s.looping(cua.ShapeRepeat, cua.Hard, min(8, n))
	t.Incident.First = max(1, n-4)
	return t
}

func value(label, text, field string, landed bool) cua.FormValue {
	return cua.FormValue{PlanValue: cua.PlanValue{Label: label, Value: text}, Field: field, Text: text,
		Score: 1, Landed: landed}
}

// control is a mark that a press reaches.
func control(id, role, name string, x, y float64) cua.Mark {
	return cua.Mark{ID: id, Role: role, Name: name, Text: name, Box: cua.Box{X: x, Y: y, W: 80, H: 20}}
}

// formPage has a focused field in a form that the button of button() sends.
func formPage(state string) cua.Observation {
	o := page(state)
	f := textField("email", "Email")
	o.Fields, o.Focus = []cua.Field{f}, &f
	send := control("button/send", "button", "Send", 280, 390)
	send.Submit, send.Form = true, "f"
	o.Marks = []cua.Mark{send}
	c := send.Control()
	o.Forms = []cua.Form{{ID: "f", Default: &c}}
	return o
}

// bare is where a press hits nothing.
func bare(x, y float64) cua.Target { return cua.Target{ID: cua.PointID(*at(x, y)), Point: at(x, y)} }

// stuckOn is the turn after three presses of the button on o, with a soft signal.
func stuckOn(o cua.Observation) *cua.Turn {
	return begin(o).clicks(3, button()).looping(cua.ShapeRepeat, cua.Soft, 3)
}

// ruled fails unless r replaces by code; code "" wants a pass. The action is returned.
func ruled(t *testing.T, r cua.Ruling, code cua.Reason) cua.Action {
	t.Helper()
	if code == "" {
		if r.Verdict != cua.Pass {
			t.Fatalf("%+v %+v, want a pass", r, r.Action)
		}
		return cua.Action{}
	}
	if r.Verdict != cua.Replace || r.Reason != string(code) {
		t.Fatalf("%+v, want %s", r, code)
	}
	return *r.Action
}

// A row whose code is not listed, or has no toggle, would never be tried.
func TestTheTableIsTheWholePolicy(t *testing.T) {
	seen := map[cua.Reason]bool{}
	for _, r := range Table() {
		seen[r.Code] = true
		if !slices.Contains(cua.Reasons(), r.Code) {
			t.Errorf("the code %s is not in cua.Reasons", r.Code)
		}
		if group := cua.Requires("rescue_" + string(r.Code)); len(group) != 1 {
			t.Errorf("rescue_%s is no toggle in cua.Toggles, or requires %v, not one group", r.Code, group)
		}
	}
	for _, code := range cua.Reasons() {
		if !seen[code] {
			t.Errorf("no row has the code %s", code)
		}
	}
	var classic []cua.Reason
	for _, r := range Table() {
		if r.classic {
			classic = append(classic, r.Code)
		}
	}
	want := []cua.Reason{cua.ScrollPage, cua.TypePendingValue, cua.TabToNextField, cua.PressReturnForSubmit}
	if !slices.Equal(classic, want) {
		t.Errorf("the classic rows are %v, want %v", classic, want)
	}
}

func TestRowsOfTheKeyboard(t *testing.T) {
	type row struct {
		name   string
		page   func(o *cua.Observation)
		values []cua.FormValue
		p      func(p *cua.Proposal)
		gate   Rescue
		want   cua.Reason
		into   string
	}
	pending := []cua.FormValue{value("Email", "a@b.c", "email", false)}
	landed := []cua.FormValue{value("Email", "a@b.c", "email", true)}
	covered := func(p *cua.Proposal) { p.Target.Covering = &cua.Covering{ID: "div/layer"} }
	other := func(p *cua.Proposal) {
		*p = proposal(cua.Target{ID: "a/help", Role: "link", Clickable: true, Point: at(900, 700)})
	}
	for _, c := range []row{
		{name: "the pending value of the focused field is typed", values: pending, want: cua.TypePendingValue, into: "email"},
		{name: "a value of another field is not", values: []cua.FormValue{value("Phone", "1", "phone", false)}, want: cua.TabToNextField},
		{name: "nothing is typed under a cover", values: pending, p: covered},
		{name: "nothing is typed while a dialog is open that does not hold the field", values: pending,
			page: func(o *cua.Observation) { o.Modal = "dialog" }},
		{name: "in the open dialog it is typed", values: pending, want: cua.TypePendingValue,
			page: func(o *cua.Observation) {
				o.Modal, o.Fields[0].Dialog, o.Focus.Dialog = "dialog", "dialog",
					"dialog"
			}},
		{name: "nothing is typed into a covered field", values: pending, page: func(o *cua.Observation) { o.Focus.Covered = true }},
		{name: "a click elsewhere is the brain's own way out", values: pending, p: other},
		{name: "an open alert stops the keyboard", values: pending, page: func(o *cua.Observation) { o.Dialog = &cua.Dialog{Type: "alert"} }},
		{name: "Return presses the button that was clicked", values: landed, want: cua.PressReturnForSubmit, into: "email"},
		{name: "Return presses no other default button", values: landed, want: cua.TabToNextField,
			page: func(o *cua.Observation) {
				o.Forms[0].Default = &cua.Control{ID: "buy", Name: "Buy now", Text: "Buy now"}
			}},
		{name: "a harmless default button may be pressed", values: landed, want: cua.PressReturnForSubmit,
			page: func(o *cua.Observation) {
				o.Forms[0].Default = &cua.Control{ID: "go", Name: "Search",
					Text: "Search"}
			}},
		{name: "one whose two names disagree may not", values: landed, want: cua.TabToNextField,
			page: func(o *cua.Observation) {
				o.Forms[0].Default = &cua.Control{ID: "go", Name: "Search", Text: "Delete all"}
			}},
		{name: "a form without a default button is sent where its own control was pressed", values: landed, want: cua.PressReturnForSubmit,
			page: func(o *cua.Observation) { o.Forms[0].Default = nil }},
		{name: "and not where the control is in no form", values: landed, want: cua.TabToNextField,
			page: func(o *cua.Observation) { o.Forms[0].Default = nil },
			p:    func(p *cua.Proposal) { p.Target.Form = "" }},
		{name: "Return goes to no field of another dialog", values: landed, page: func(o *cua.Observation) { o.Focus.Dialog, o.Fields[0].Dialog = "promo", "promo" }, want: cua.TabToNextField},
		{name: "without focus the form's last field of one line takes it", values: landed, want: cua.PressReturnForSubmit, into: "email",
			page: func(o *cua.Observation) { o.Focus = nil }},
		{name: "not while a field of the form waits", values: pending, page: func(o *cua.Observation) { o.Focus = nil }},
		{name: "classic types the first value", gate: Rescue{Config: RescueConfig{Classic: true}}, want: cua.TypePendingValue, into: "email",
			values: []cua.FormValue{value("Phone", "1", "phone", false)}},
		{name: "classic types nothing into a password by order", gate: Rescue{Config: RescueConfig{Classic: true}}, want: cua.TabToNextField,
			values: []cua.FormValue{value("Phone", "1", "phone", false)},
			page:   func(o *cua.Observation) { o.Focus.Type = "password" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := formPage("s")
			if c.page != nil {
				c.page(&o)
			}
			turn := stuckOn(o)
			turn.Form = &cua.FormState{Values: c.values}
			p := proposal(button())
			if c.p != nil {
				c.p(&p)
			}
			g := whole()
			if c.gate.Config.Classic {
				g.Config.Classic = true
			} else if c.want == "" {
				g = only(cua.TypePendingValue, cua.PressReturnForSubmit, cua.TabToNextField)
			}
			if a := ruled(t, review(t, g, turn, p), c.want); c.into != "" && a.Into != c.into {
				t.Errorf("%+v, want it in %s", a, c.into)
			}
		})
	}
}

func TestReturnThatSendsNothing(t *testing.T) {
	ret := cua.Proposal{Action: cua.Action{Kind: cua.Key, Keys: "Return"}}
	story := func(o cua.Observation) *cua.Turn {
		s := begin(o)
		for range 3 {
			s.do(ret.Action, cua.Target{}, false)
		}
		return s.looping(cua.ShapeRepeat, cua.Soft, 3)
	}
	named := func(text, name string) func(*cua.Observation) {
		return func(o *cua.Observation) {
			o.Marks[0].Text, o.Marks[0].Name = text, name
			c := o.Marks[0].Control()
			o.Forms[0].Default = &c
		}
	}
	for _, c := range []struct {
		name string
		page func(*cua.Observation)
		want cua.Reason
	}{
		{"Submit is pressed", named("Submit", "Submit"), cua.PressSubmit},
		{"Buy now is not", named("Buy now", "Buy now"), ""},
		{"Zahlungspflichtig bestellen is not", named("Zahlungspflichtig bestellen", "Zahlungspflichtig bestellen"), ""},
		{"購入する is not", named("購入する", "購入する"), ""},
		{"an icon is not", named("", "Search"), ""},
		{"one without a name is not", named("", ""), ""},
		{"one with two names is not", named("Pay", "Search"), ""},
		{"one out of view is not", func(o *cua.Observation) { named("Submit", "Submit")(o); o.Marks = nil }, ""},
		{"a covered one is not", func(o *cua.Observation) { named("Submit", "Submit")(o); o.Marks[0].Covered = true }, ""},
		{"another empty field is not passed over", func(o *cua.Observation) {
			named("Submit", "Submit")(o)
			o.Fields = append(o.Fields, textField("phone", "Phone"))
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := formPage("s")
			c.page(&o)
			ruled(t, review(t, only(cua.PressSubmit), story(o), ret), c.want)
		})
	}
}

func TestOtherRows(t *testing.T) {
	list := cua.Field{ID: "size", Role: "combobox", Label: "Size", Tag: "select", Type: "select",
		Options: []string{"Small", "Large"}, Selected: "Small"}
	sizes := page("s")
	sizes.Fields = []cua.Field{list}
	sizes.Marks = []cua.Mark{{ID: "size", Role: "combobox", Input: true,
		Box: cua.Box{X: 280, Y: 390, W: 60, H: 20}}}
	sending := sizes // a list that sends its form when something is chosen
	sending.Marks = []cua.Mark{{ID: "size", Role: "combobox", Box: cua.Box{X: 280, Y: 390, W: 60, H: 20}}}
	press := cua.Target{ID: "size", Field: "size", Role: "combobox", Input: true, Clickable: true,
		Point: at(300, 400), Box: cua.Box{X: 280, Y: 390, W: 60, H: 20}}
	below := button()
	below.Box, below.Point = cua.Box{X: 280, Y: 1200, W: 60, H: 20}, at(300, 1210)
	failed := page("s")
	failed.Status = 503
	post := begin(page("s")).clicks(1, button())
	a := click(button())
	sent := failed
	sent.Document, sent.Writes = "d2", []cua.Write{{Method: "POST", Status: 503}}
	post.add(cua.Step{Proposed: a, Action: &a, Target: button(), Effect: effect(false), After: sent})
	for _, c := range []struct {
		name string
		s    *story
		p    cua.Proposal
		says string
		want cua.Reason
	}{
		{"a list gets the option that the words name", begin(sizes).clicks(3, press), proposal(press), "I choose Large.", cua.UseControl},
		{"not the one that they deny", begin(sizes).clicks(3, press), proposal(press), "I do not want Large.", ""},
		{"not where that sends the form", begin(sending).clicks(3, press), proposal(press), "I choose Large.", ""},
		{"not where they name none", begin(sizes).clicks(3, press), proposal(press), "", ""},
		{"a target below the fold is scrolled to", begin(page("s")).clicks(3, below), proposal(below), "", cua.ScrollIntoView},
		{"an error page is reloaded", begin(failed).clicks(3, button()), proposal(button()), "", cua.ReloadPage},
		{"not where that would send a form again", post.clicks(3, button()), proposal(button()), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := c.s.looping(cua.ShapeRepeat, cua.Soft, 3)
			c.p.Thought = c.says
			ruled(t, review(t, only(cua.UseControl, cua.ScrollIntoView, cua.ReloadPage), turn, c.p), c.want)
		})
	}
}

func TestRulesOutsideTheRows(t *testing.T) {
	tab, classic := only(cua.TabToNextField), only(cua.TabToNextField)
	classic.Config.Classic = true
	// in another field than the one that has the focus
	tabbed := func(s *story, incident string, progress bool) *story {
		a := cua.Action{Kind: cua.Key, Keys: "Tab", Into: "another"}
		st := cua.Step{Proposed: click(button()), Action: &a, Target: button(),
			RecoveryReason: cua.TabToNextField, Incident: incident, Effect: effect(progress),
			After: s.h.Now()}
		if progress {
			s.add(st).show(formPage("new"))
			return s
		}
		return s.add(st)
	}
	for _, c := range []struct {
		name string
		s    *story
		gate Rescue
		want cua.Reason
	}{
		{"a row without effect is spent in its incident", tabbed(begin(formPage("s")), "i1", false), tab, ""},
		{"not one that had an effect", tabbed(begin(formPage("s")), "i1", true), tab, cua.TabToNextField},
		{"an effect takes back what failed before it", tabbed(tabbed(begin(formPage("s")), "i1", false), "i1", true), tab, cua.TabToNextField},
		{"the next incident tries again", tabbed(begin(formPage("s")), "i0", false), tab, cua.TabToNextField},
		{"but not after two", tabbed(tabbed(begin(formPage("s")), "i0", false), "i00", false), tab, ""},
		{"the classic table has no memory", tabbed(begin(formPage("s")), "i1", false), classic, cua.TabToNextField},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := c.s.clicks(3, button()).looping(cua.ShapeRepeat, cua.Soft, 3)
			ruled(t, review(t, c.gate, turn, proposal(button())), c.want)
		})
	}

	soft := stuckOn(formPage("s"))
	soft.Signals[0].Level = cua.NoteLevel
	ruled(t, review(t, whole(), soft, proposal(button())), "")
	for _, kind := range []cua.Kind{cua.Done, cua.Ask, cua.Rewind, cua.AnswerDlg} {
		ruled(t, review(t, whole(), begin(formPage("s")).clicks(9, button()).hopeless(),
			cua.Proposal{Action: cua.Action{Kind: kind}}), "")
	}
}

func TestAskUser(t *testing.T) {
	turn := begin(page("s")).clicks(9, button()).hopeless()
	if r := review(t, whole(), turn, proposal(button())); r.Verdict != cua.Halt || r.End != cua.EndAsked ||
		r.Reason != string(cua.AskUser) || len(r.Evidence) != 8 {
		t.Errorf("unattended it halts: %+v", r)
	}
	g := whole()
	g.Stop.Attended = true
	if r := review(t, g, turn, proposal(button())); r.Verdict != cua.Pause || r.End != cua.EndPaused {
		t.Errorf("attended it pauses: %+v", r)
	}
	ruled(t, review(t, whole(), turn, proposal(cua.Target{ID: "a/help", Role: "link", Clickable: true,
		Point: at(900, 700)})), "")
	unwarned := begin(page("s")).clicks(9, button()).looping(cua.ShapeRepeat, cua.Hard, 8)
	ruled(t, review(t, whole(), unwarned, proposal(button())), "")
}
