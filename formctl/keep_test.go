package formctl

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

// kept is one proposal on a page whose newest step put a value into a field.
type kept struct {
	name string
	h    cua.History
	p    cua.Proposal
	want bool // refused
}

// did adds a dispatched step of the brain.
func did(h cua.History, p cua.Proposal, after cua.Observation, progress ...cua.Change) cua.History {
	a := p.Action
	h.Steps = append(slices.Clone(h.Steps), cua.Step{N: len(h.Steps) + 1, Proposed: a, Action: &a, Target: p.Target, Effect: &cua.Effect{Progress: progress}, After: after})
	return h
}

// refusals adds n steps that a gate refused.
func refusals(h cua.History, n int, gate string) cua.History {
	for range n {
		now := h.Now()
		h.Steps = append(slices.Clone(h.Steps), cua.Step{N: len(h.Steps) + 1, Proposed: cua.Action{Kind: cua.Type, Text: "Ada"},
			Rulings: []cua.Ruling{{Gate: gate, Verdict: cua.Refuse, Reason: "x"}}, Failure: &cua.Failure{Kind: cua.FailPolicy}, After: now})
	}
	return h
}

// put is a proposal to type text into f at its place; empty text empties it.
func put(f cua.Field, text string, clear bool) cua.Proposal {
	p := onto(f)
	p.Action.Kind, p.Action.Text, p.Action.Clear = cua.Type, text, clear
	return p
}

// typeOn types into what has the focus.
func typeOn(text string, clear bool) cua.Proposal {
	return cua.Proposal{Action: cua.Action{Kind: cua.Type, Text: text, Clear: clear}}
}

// changed is o after change.
func changed(o cua.Observation, change func(*cua.Observation)) cua.Observation {
	o.Fields = slices.Clone(o.Fields)
	change(&o)
	return o
}

// focusing is o with the focus in its first field.
func focusing(o cua.Observation) cua.Observation {
	f := o.Fields[0]
	o.Focus = &f
	return o
}

var sendTarget = cua.Target{ID: "b/send", Role: "button", Name: "Send", Submit: true, Form: "f"}

func pressing(target cua.Target) cua.Proposal {
	return cua.Proposal{Action: cua.Action{Kind: cua.Click, Point: &cua.Point{X: 9, Y: 9}}, Target: target}
}

func checkKept(t *testing.T, task cua.Task, rows []kept) {
	t.Helper()
	for _, c := range rows {
		t.Run(c.name, func(t *testing.T) {
			r := review(t, ForceFill{DefaultConfig()}, turn(task, c.h), c.p)
			if got := r.Verdict == cua.Refuse; got != c.want {
				t.Fatalf("%+v, want refused: %v", r, c.want)
			}
			if c.want && (r.Reason != ReasonHeld || !strings.Contains(r.Detail, "already holds its planned value")) {
				t.Errorf("%+v", r)
			}
			for _, v := range task.Fields {
				if len(v.Value) > 3 && strings.Contains(r.Detail, v.Value) {
					t.Errorf("the detail shows the value: %q", r.Detail)
				}
			}
		})
	}
}

func TestTextThatLandedIsKept(t *testing.T) {
	name := in("a", "Name")
	start, full := page(name), focusing(page(holding(name, "Ada Wong")))
	typedIn := did(cua.History{Start: start}, put(name, "Ada Wong", false), full, cua.ChangeForm)
	dropped := did(typedIn, pressing(cua.Target{ID: "d/x"}), start, cua.ChangeForm)
	masked := did(cua.History{Start: start}, put(name, "Ada Wong", false), page(holding(name, "ADA WONG")), cua.ChangeForm)
	later := did(typedIn, pressing(cua.Target{ID: "d/x"}), page(holding(name, "ADA WONG")), cua.ChangeForm)
	prefilled := cua.History{Start: full}
	second := did(typedIn, pressing(sendTarget), changed(full, func(o *cua.Observation) { o.Document = "d2" }), cua.ChangeDOM)
	invalid := did(cua.History{Start: start}, put(name, "Ada Wong", false),
		page(with(holding(name, "Ada Wong"), func(f *cua.Field) { f.Invalid = "too short" })), cua.ChangeForm)
	inVain := did(typedIn, pressing(sendTarget), full)
	inVain2 := did(typedIn, cua.Proposal{Action: cua.Action{Kind: cua.Key, Keys: "Return"}}, full)
	clicked := did(typedIn, onto(name), full)
	well := did(typedIn, pressing(cua.Target{ID: "d/x"}), full, cua.ChangeDOM)
	selected := did(typedIn, cua.Proposal{Action: cua.Action{Kind: cua.Key, Keys: "Control+a"}},
		changed(full, func(o *cua.Observation) {
			o.Selected = []cua.Box{{W: 10, H: 10}}
			o.Fields[0].Box = cua.Box{W: 10, H: 10}
		}))
	director := typeOn("Ada Wong", false)
	director.By = cua.DirectorPrefix + "big"
	moved := typeOn("Ada Wong", false)
	moved.Target.Idle.Changes = []cua.Change{cua.ChangeForm}
	covered := put(name, "Ada Wong", false)
	covered.Target.Covering = &cua.Covering{ID: "d/layer"}
	checkKept(t, plan("Name", "Ada Wong"), []kept{
		{"typed again, which would add it", typedIn, typeOn("Ada Wong", false), true},
		{"typed again at its place", typedIn, put(name, "Ada Wong", false), true},
		{"typed again in place of itself", typedIn, typeOn("Ada Wong", true), true},
		{"emptied", typedIn, typeOn("", true), true},
		{"nothing typed, nothing emptied", typedIn, typeOn("", false), false},
		{"another text", typedIn, typeOn("Wong, Ada", true), false},
		{"another text added", typedIn, typeOn(" MD", false), false},
		{"the text and Return", typedIn, typeOn("Ada Wong\n", false), false},
		{"the page dropped it", dropped, typeOn("Ada Wong", false), false},
		{"in the page's own spelling from the first", masked, put(name, "Ada Wong", false), true},
		{"the page changed it after it was in", later, put(name, "Ada Wong", true), false},
		{"the start page came with it", prefilled, typeOn("Ada Wong", false), true},
		{"a later document came with it", second, typeOn("Ada Wong", false), false},
		{"the page calls it invalid: put in anew", invalid, put(name, "Ada Wong", true), false},
		{"the page calls it invalid: emptied", invalid, put(name, "", true), false},
		{"the page calls it invalid: added to itself", invalid, put(name, "Ada Wong", false), true},
		{"after a press in vain: put in anew", inVain, typeOn("Ada Wong", true), false},
		{"after a press in vain: emptied", inVain, typeOn("", true), false},
		{"after Return in vain: put in anew", inVain2, typeOn("Ada Wong", true), false},
		{"after a press in vain: added to itself", inVain, typeOn("Ada Wong", false), true},
		{"after a click into the field, which moves the focus alone", clicked, typeOn("Ada Wong", true), true},
		{"after a press that did something", well, typeOn("Ada Wong", true), true},
		{"what is selected is replaced", did(selected, pressing(sendTarget), selected.Now()), typeOn("Ada Wong", false), false},
		{"what is selected, for no reason", selected, typeOn("Ada Wong", false), true},
		{"a director knows what it does", typedIn, director, false},
		{"the form moved since it was shown", typedIn, moved, false},
		{"something lies over the field", typedIn, covered, false},
	})
}

func TestWhoInsistsIsLetGoOn(t *testing.T) {
	name := in("a", "Name")
	full := focusing(page(holding(name, "Ada Wong")))
	typedIn := did(cua.History{Start: page(name)}, put(name, "Ada Wong", false), full, cua.ChangeForm)
	checkKept(t, plan("Name", "Ada Wong"), []kept{
		{"refused once at this state", refusals(typedIn, 1, "force_fill"), typeOn("Ada Wong", false), true},
		{"refused twice at this state: the brain insists", refusals(typedIn, 2, "force_fill"), typeOn("Ada Wong", false), false},
		{"refused twice by whomever", refusals(refusals(typedIn, 1, "policy"), 1, "force_fill"), typeOn("Ada Wong", false), false},
		{"refused twice at this state, and clicked beside it since: what changes nothing", did(refusals(typedIn, 2, "force_fill"), onto(name), full), typeOn("Ada Wong", true), false},
		{"refused twice at this state, and clicked beside it since: what adds", did(refusals(typedIn, 2, "force_fill"), onto(name), full), typeOn("Ada Wong", false), true},
		{"refused twice at this state, and clicked beside it since: what empties", did(refusals(typedIn, 2, "force_fill"), onto(name), full), typeOn("", true), true},
		{"refused twice at another state: what changes nothing", refusals(did(refusals(typedIn, 1, "force_fill"), pressing(cua.Target{ID: "d/x"}),
			changed(full, func(o *cua.Observation) { o.DOMDigest = "other" }), cua.ChangeDOM), 1, "force_fill"), typeOn("Ada Wong", true), true},
		{"refused twice, and acted since", did(refusals(typedIn, 2, "force_fill"), pressing(cua.Target{ID: "d/x"}), full, cua.ChangeDOM), typeOn("Ada Wong", false), true},
	})
}

func TestWhatATextIsTypedInto(t *testing.T) {
	name, other := in("a", "Name"), in("z", "Coupon")
	search := with(name, func(f *cua.Field) { f.Type = "search" })
	list := with(name, func(f *cua.Field) { f.Role = "combobox" })
	history := func(f cua.Field) cua.History {
		return did(cua.History{Start: page(f, other)}, put(f, "Ada Wong", false), focusing(page(holding(f, "Ada Wong"), other)), cua.ChangeForm)
	}
	checkKept(t, plan("Name", "Ada Wong"), []kept{
		{"into another field", history(name), put(other, "Ada Wong", false), false},
		{"into nothing that is known", history(name), put(in("y", "Name"), "Ada Wong", false), false},
		{"a list of suggestions that typing opens again", history(list), put(list, "Ada Wong", true), false},
		{"a list of suggestions that is emptied", history(list), put(list, "", true), false},
		{"a list of suggestions, added to itself", history(list), put(list, "Ada Wong", false), true},
		{"a search that runs while somebody types", history(search), put(search, "Ada Wong", true), false},
		{"a search, added to itself", history(search), put(search, "Ada Wong", false), true},
	})
	secret := typed(in("p", "Password"), "password")
	shown := with(secret, func(f *cua.Field) { f.Empty, f.Secret = false, "P" })
	h := did(cua.History{Start: page(secret)}, put(secret, "<secret:P>", false), page(shown), cua.ChangeForm)
	checkKept(t, plan("Password", "<secret:P>"), []kept{
		{"a secret typed again", h, put(secret, "<secret:P>", true), true},
		{"a secret emptied", h, put(secret, "", true), true},
		{"another secret", h, put(secret, "<secret:Q>", true), false},
	})
}

func TestWhatIsChosenIsKept(t *testing.T) {
	box := with(typed(in("c", "Terms"), "checkbox"), func(f *cua.Field) { f.Editable, f.Role = false, "checkbox" })
	on := with(box, func(f *cua.Field) { f.Checked, f.Empty, f.ValueDigest = true, false, cua.Digest("yes") })
	ticked := did(cua.History{Start: page(box)}, onto(box), page(on), cua.ChangeForm)
	label := onto(box)
	label.Target = cua.Target{ID: "c", Field: "c"}
	toggle := pressing(cua.Target{ID: "b/toggle", Role: "button", Name: "Toggle the terms", Form: "f"})
	double := onto(box)
	double.Action.Kind = cua.DoubleClick
	checkKept(t, plan("Terms", "yes"), []kept{
		{"a box that is ticked", ticked, onto(box), true},
		{"by its label", ticked, label, true},
		{"a button that is not the box", ticked, toggle, false},
		{"a double click, which leaves it as it is", ticked, double, false},
		{"a box that is not ticked yet", cua.History{Start: page(box)}, onto(box), false},
		{"a later document came with it", did(ticked, pressing(sendTarget), changed(page(on), func(o *cua.Observation) { o.Document = "d2" })), onto(box), false},
		{"the form was pressed in vain", did(ticked, pressing(sendTarget), page(on)), onto(box), false},
	})
	checkKept(t, plan("Terms", "no"), []kept{
		{"a box that is to stay as it came", cua.History{Start: page(box)}, onto(box), true},
		{"a box that is to be unticked", cua.History{Start: page(on)}, onto(box), false},
	})
	s := with(typed(in("s", "Country"), "select"), func(f *cua.Field) {
		f.Editable, f.Tag, f.Role, f.Options, f.Selected = false, "select", "combobox", []string{"Choose…", "Chile", "Norway"}, "Choose…"
	})
	norway := with(s, func(f *cua.Field) { f.Selected, f.Empty, f.ValueDigest = "Norway", false, cua.Digest("NO") })
	choose := func(option string) cua.Proposal {
		p := onto(s)
		p.Action.Kind, p.Action.Text = cua.Select, option
		return p
	}
	chosen := did(cua.History{Start: page(s)}, choose("Norway"), page(norway), cua.ChangeForm)
	checkKept(t, plan("Country", "Norway"), []kept{
		{"the same option", chosen, choose("Norway"), true},
		{"the option that stands for nothing", chosen, choose("Choose…"), true},
		{"another option", chosen, choose("Chile"), false},
		{"the first option, which was never seen to be nothing", cua.History{Start: page(norway)}, choose("Choose…"), false},
		{"a click that opens the list", chosen, onto(s), false},
	})
}

func TestTheChoiceOfAGroupIsKept(t *testing.T) {
	radio := func(id, label string) cua.Field {
		return cua.Field{ID: id, Label: label, Name: label, Role: "radio", Tag: "input", Type: "radio", NameAttr: "size", Form: "f", Options: []string{"S", "L"}}
	}
	s, l := radio("s", "S"), radio("l", "L")
	on := with(l, func(f *cua.Field) { f.Checked, f.Selected = true, "L" })
	h := did(cua.History{Start: page(s, l)}, onto(l), page(s, on), cua.ChangeForm)
	checkKept(t, plan("Size", "L"), []kept{
		{"the button that is chosen", h, onto(l), true},
		{"another one of the group", h, onto(s), false},
	})
}

// TestKeepProperty: a brain that types at random never gets a value into a field twice, unless it insists, and
// never waits longer than two steps.
func TestKeepProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task, fields, want := scene(t)
		h := cua.History{Start: page(fields...)}
		text := map[string]string{}
		row := 0
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			v := rapid.SampledFrom(task.Fields).Draw(t, "value")
			j := slices.IndexFunc(fields, func(f cua.Field) bool { return f.ID == want[v.Label] })
			p := put(fields[j], v.Value, false)
			r := review(t, ForceFill{DefaultConfig()}, turn(task, h), p)
			if r.Verdict == cua.Refuse {
				if row++; row > 2 {
					t.Fatalf("refused for the %d. time in a row", row)
				}
				if text[p.Target.ID] != v.Value {
					t.Fatalf("%q was refused, and the field holds %q", v.Value, text[p.Target.ID])
				}
				h = refusals(h, 1, "force_fill")
				continue
			}
			if text[p.Target.ID] == v.Value && row < 2 {
				t.Fatalf("%q is added to itself", v.Value)
			}
			row = 0
			text[p.Target.ID] += v.Value
			fields = slices.Clone(fields)
			fields[j] = holding(fields[j], text[p.Target.ID])
			h = did(h, p, page(fields...), cua.ChangeForm)
		}
	})
}
