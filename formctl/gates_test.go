package formctl

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func onto(f cua.Field) cua.Proposal {
	return cua.Proposal{Action: cua.Action{Kind: cua.Click, Point: &cua.Point{X: 5, Y: 5}},
		Target: cua.Target{ID: f.ID, Field: f.ID, Form: f.Form, Editable: f.Editable}}
}

// filled adds a step of the gate that typed text into a field and left it as after shows.
func filled(h cua.History, gate string, a cua.Action, after cua.Observation) cua.History {
	h.Steps = append(h.Steps, cua.Step{N: len(h.Steps) + 1, Proposed: cua.Action{Kind: cua.Click}, Action: &a,
		Effect:  &cua.Effect{},
		Rulings: []cua.Ruling{{Gate: gate, Verdict: cua.Replace}}, After: after})
	return h
}

func TestForceFill(t *testing.T) {
	name, day := in("a", "Name"), typed(in("d", "Day"), "date")
	country := with(typed(in("s", "Country"), "select"), func(f *cua.Field) {
		f.Editable, f.Tag,
			f.Options = false, "select", []string{"Chile", "Norway"}
	})
	box := with(typed(in("c", "News"), "checkbox"), func(f *cua.Field) { f.Editable = false })
	o := page(name, day, country, box)
	task := plan("Name", "Ada", "Day", "01/31/2026", "Country", "norway", "News", "yes")
	missed := filled(steps(o), "force_fill", typing("Ada", "a"), o)
	reloaded := missed
	reloaded.Steps = append([]cua.Step{}, missed.Steps...)
	elsewhere := o
	elsewhere.Document = "d2"
	reloaded.Steps = append(reloaded.Steps, cua.Step{N: 2, Action: &cua.Action{Kind: cua.Reload},
		After: elsewhere})
	dropped := steps(o)
	for range 3 { // the page drops the value each time the focus leaves
		dropped = filled(dropped, "force_fill", typing("Ada", "a"),
			page(holding(name, "Ada"), day, country, box))
		dropped.Steps = append(dropped.Steps, cua.Step{N: len(dropped.Steps) + 1,
			Action: &cua.Action{Kind: cua.Click}, After: o})
	}
	right := onto(name)
	right.Action.Kind = cua.RightClick
	failed := onto(name)
	failed.Failure = &cua.Failure{Kind: cua.FailNotFound}
	for _, c := range []struct {
		name string
		h    cua.History
		p    cua.Proposal
		want *cua.Action
	}{
		{"a click on a field whose value is pending", steps(o), onto(name), &cua.Action{Kind: cua.Type, Into: "a", Text: "Ada", Clear: true}},
		{"what is there is replaced", steps(page(holding(name, "Bob"), day)), onto(name), &cua.Action{Kind: cua.Type, Into: "a", Text: "Ada", Clear: true}},
		{"a date as browsers write it", steps(o), onto(day), &cua.Action{Kind: cua.Type, Into: "d", Text: "2026-01-31", Clear: true}},
		{"a select gets its option", steps(o), onto(country), &cua.Action{Kind: cua.Select, Into: "s", Text: "Norway"}},
		{"a checkbox is clicked", steps(o), onto(box), nil},
		{"a value that the field holds", steps(page(holding(name, "Ada"))), onto(name), nil},
		{"a field without a value", steps(page(in("z", "Zip"))), onto(in("z", "Zip")), nil},
		{"something that is no field", steps(o), cua.Proposal{Action: cua.Action{Kind: cua.Click}, Target: cua.Target{ID: "button"}}, nil},
		{"a label that belongs to the field", steps(o), cua.Proposal{Action: cua.Action{Kind: cua.Click}, Target: cua.Target{ID: "label/1", Field: "a"}}, &cua.Action{Kind: cua.Type, Into: "a", Text: "Ada", Clear: true}},
		{"a right click", steps(o), right, nil},
		{"a failed proposal", steps(o), failed, nil},
		{"the same typing did not land", missed, onto(name), nil},
		{"another field may still be filled", missed, onto(country), &cua.Action{Kind: cua.Select, Into: "s", Text: "Norway"}},
		{"a new document deserves another try", reloaded, onto(name), &cua.Action{Kind: cua.Type, Into: "a", Text: "Ada", Clear: true}},
		{"a page that drops it three times", dropped, onto(name), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := review(t, ForceFill{DefaultConfig()}, turn(task, c.h), c.p)
			if (r.Verdict == cua.Replace) != (c.want != nil) {
				t.Fatalf("%+v", r)
			}
			if c.want == nil {
				return
			}
			if got := *r.Action; got.Kind != c.want.Kind || got.Into != c.want.Into ||
				got.Text != c.want.Text || got.Clear != c.want.Clear {
				t.Errorf("%+v, want %+v", got, *c.want)
			}
			if strings.Contains(r.Detail, c.want.Text) {
				t.Errorf("the detail shows the value: %q", r.Detail)
			}
		})
	}
	if r := review(t, ForceFill{DefaultConfig()}, &cua.Turn{History: steps(o), Now: o},
		onto(name)); r.Verdict != cua.Pass {
		t.Errorf("without form state: %+v", r)
	}
}

func TestForceSubmit(t *testing.T) {
	name := in("a", "Name")
	send := cua.Target{ID: "b/send", Role: "button", Name: "Send", Submit: true, Form: "f",
		Point: &cua.Point{X: 9, Y: 9}}
	fake := cua.Target{ID: "d/submit", Role: "button", Name: "Submit", Form: "f",
		Point: &cua.Point{X: 9, Y: 9}}
	plain := fake
	plain.Role = "generic"
	sendMark := cua.Mark{N: 1, ID: "b/send", Role: "button", Name: "Submit", Text: "Submit", Submit: true,
		Form: "f", Box: cua.Box{X: 100, Y: 100, W: 20, H: 10}}
	full := func(marks ...cua.Mark) cua.Observation {
		return marked(page(holding(in("a", "Name"), "Ada")), marks...)
	}
	clicked := func(o cua.Observation, target cua.Target, progress bool) cua.History {
		a := cua.Action{Kind: cua.Click, Point: target.Point}
		e := &cua.Effect{}
		if progress {
			e.Progress = []cua.Change{cua.ChangeDOM}
		}
		return cua.History{Start: o, Steps: []cua.Step{{N: 1, Proposed: a, Action: &a, Target: target,
			Effect: e, After: o}}}
	}
	off := sendMark
	off.Disabled = true
	other := sendMark
	other.Form = "search"
	area := full()
	area.Fields[0].Tag = "textarea"
	for _, c := range []struct {
		name string
		h    cua.History
		to   cua.Target
		want string // "", click or key
	}{
		{"a second click on what only looks like the button", clicked(full(sendMark), fake, false), fake, "click"},
		{"a first click", cua.History{Start: full(sendMark)}, fake, ""},
		{"the first had an effect", clicked(full(sendMark), fake, true), fake, ""},
		{"the form's control is what was clicked", clicked(full(sendMark), send, false), send, ""},
		{"a control of another form is not its own", clicked(full(other), fake, false), fake, "key"},
		{"no submit control at all", clicked(full(), fake, false), fake, "key"},
		{"a thing that is no button, for the form's own control", clicked(full(sendMark), plain, false), plain, "click"},
		{"a thing that is no button, for Return", clicked(full(), plain, false), plain, ""},
		{"a disabled control is one all the same", clicked(full(off), fake, false), fake, ""},
		{"no field from which Return sends", clicked(area, fake, false), fake, ""},
		{"a value is pending", clicked(page(name), fake, false), fake, ""},
		{"the form was in another state then", func() cua.History {
			h := clicked(page(name), fake, false)
			a := typing("Ada", "a")
			h.Steps = append(h.Steps, cua.Step{N: 2, Proposed: a, Action: &a,
				Effect: &cua.Effect{Progress: []cua.Change{cua.ChangeForm}}, After: full(sendMark)})
			return h
		}(), fake, ""},
		{"the gate was here before", filled(clicked(full(sendMark), fake, false), "force_submit", cua.Action{Kind: cua.Click}, full(sendMark)), fake, ""},
		{"Return was tried in this state", func() cua.History {
			h := clicked(full(), fake, false)
			h.Steps = append(h.Steps, cua.Step{N: 2, Action: &cua.Action{Kind: cua.Key, Keys: "Return"},
				Effect: &cua.Effect{}, After: full()})
			return h
		}(), fake, ""},
		{"a click on something else", clicked(full(sendMark), fake, false), cua.Target{ID: "d/card", Role: "generic", Name: "Card"}, ""},
		{"a click into the field", clicked(full(sendMark), fake, false), cua.Target{ID: "a", Field: "a", Editable: true, Name: "Search"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := cua.Proposal{Action: cua.Action{Kind: cua.Click, Point: c.to.Point}, Target: c.to,
				Thought: "submit"}
			r := review(t, ForceSubmit{DefaultConfig()}, turn(plan("Name", "Ada"), c.h), p)
			got := ""
			if r.Verdict == cua.Replace {
				got = string(r.Action.Kind)
			}
			if got != c.want {
				t.Fatalf("%+v", r)
			}
			switch got {
			case "click":
				if r.Action.Into != "b/send" || r.Action.Point != nil {
					t.Errorf("%+v", r.Action)
				}
			case "key":
				if r.Action.Keys != "Return" || r.Action.Into != "a" {
					t.Errorf("%+v", r.Action)
				}
			}
		})
	}
}

func TestParseField(t *testing.T) {
	for _, c := range []struct{ name, in, label, value, err string }{
		{"a plain one", "City=Oslo", "City", "Oslo", ""},
		{"spaces around the label go, the value stays", " First name =  Ada ", "First name", "  Ada ", ""},
		{"later equals signs belong to the value", "Query=a=b=", "Query", "a=b=", ""},
		{"a secret", "Password=<secret:LOGIN_PW>", "Password", "<secret:LOGIN_PW>", ""},
		{"no equals sign", "City", "", "", "no = after the label"},
		{"no label", "=Oslo", "", "", "no label"},
		{"a blank label", "  =Oslo", "", "", "no label"},
		{"a label without letters", "**=Oslo", "", "", "no letter"},
		{"no value", "City=", "", "", `label "City" has no value`},
		{"a blank value", "City=  ", "", "", `label "City" has no value`},
		{"a secret with a bad name", "Password=<secret:my key>", "", "", "a secret is written"},
		{"a secret with something beside it", "Password=x<secret:KEY>", "", "", "a secret is written"},
		{"not UTF-8", "City=\xff", "", "", "UTF-8"},
		{"far too long", "City=" + strings.Repeat("x", maxField), "", "", "longer"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, err := ParseField(c.in)
			if c.err == "" {
				if err != nil || v.Label != c.label || v.Value != c.value {
					t.Errorf("%+v, %v", v, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "Oslo") ||
				strings.Contains(err.Error(), "my key") {
				t.Errorf("%v", err)
			}
		})
	}
}

func FuzzParseField(f *testing.F) {
	for _, s := range []string{"City=Oslo", " a = b=c", "=", "P=<secret:X>", "é=\xff", "2=\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseField(s)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Fatalf("the error is more than a line: %q", err)
			}
			return
		}
		again, err := ParseField(v.Label + "=" + v.Value)
		if err != nil || again != v {
			t.Fatalf("%q reads as %+v and back as %+v, %v", s, v, again, err)
		}
	})
}

func TestConfig(t *testing.T) {
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	for name, c := range map[string]Config{
		"threshold": {Threshold: 1.1, Attempts: 1, Fills: 1},
		"attempts":  {Threshold: 0.5, Fills: 1},
		"fills":     {Threshold: 0.5, Attempts: 1},
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
