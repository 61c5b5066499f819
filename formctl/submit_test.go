package formctl

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// own is the form's own submit control, with the text that it shows and its accessible name.
func own(text, name string) cua.Mark {
	return cua.Mark{N: 1, ID: "s", Role: "button", Text: text, Name: name, Submit: true, Form: "f",
		Box: cua.Box{X: 100, Y: 100, W: 20, H: 10}}
}

// pressedTwice is the ruling on a second press of target without effect.
func pressedTwice(t *testing.T, task cua.Task, o cua.Observation, before, target cua.Target) cua.Ruling {
	t.Helper()
	h := steps(o, o)
	h.Steps[0].Target = before
	return review(t, ForceSubmit{DefaultConfig()}, turn(task, h),
		cua.Proposal{Action: cua.Action{Kind: cua.Click, Point: target.Point}, Target: target})
}

// pressedBy names what r presses, or the field of its Return.
func pressedBy(r cua.Ruling) string {
	if r.Verdict != cua.Replace {
		return ""
	}
	if r.Action.PressesReturn() {
		return "Return in " + r.Action.Into
	}
	return r.Action.Into
}

// TestForceSubmitActivatesSafely: in place of something that only looks like a submit control, the form's own
// one is pressed where its names bind nobody. The brain's words unlock nothing.
func TestForceSubmitActivatesSafely(t *testing.T) {
	change := func(m cua.Mark, f func(*cua.Mark)) cua.Mark { f(&m); return m }
	for _, c := range []struct {
		name, target string
		own          cua.Mark
		want         string
	}{
		{"it sends, and no more", "Save", own("Submit", "Submit"), "s"},
		{"signing in by another word", "Log in", own("Sign in", "Sign in"), "s"},
		{"in the very words of the target, which are not harmless", "Save", own("Save", "Save"), ""},
		{"an order in the words of the target", "Place order", own("Place order", "Place order"), ""},
		{"what deletes", "Save", own("Delete profile", "Delete profile"), ""},
		{"what pays", "Save", own("Pay now", "Pay now"), ""},
		{"what leads to a purchase", "Continue", own("Checkout", "Checkout"), ""},
		{"what cancels is harmless and sends nothing", "Save", own("Cancel", "Cancel"), ""},
		{"what goes back is harmless and sends nothing", "Save", own("Back", "Back"), ""},
		{"more words around a harmless one", "Save", own("Submit and pay", "Submit and pay"), ""},
		{"German", "Submit", own("Kostenpflichtig bestellen", "Kostenpflichtig bestellen"), ""},
		{"Japanese", "Submit", own("購入する", "購入する"), ""},
		{"no name at all", "Submit", own("", ""), ""},
		{"an icon alone", "Submit", own("", "Submit"), ""},
		{"two names that disagree", "Submit", own("Close account", "Submit"), ""},
		{"covered", "Submit", change(own("Submit", "Submit"), func(m *cua.Mark) { m.Covered = true }), ""},
		{"disabled", "Submit", change(own("Submit", "Submit"), func(m *cua.Mark) { m.Disabled = true }), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := cua.Target{ID: "dead", Role: "button", Name: c.target, Form: "f",
				Point: &cua.Point{X: 9, Y: 9}}
			o := marked(page(holding(in("a", "Name"), "Ada")), c.own)
			if got := pressedBy(pressedTwice(t, plan("Name", "Ada"), o, target, target)); got != c.want {
				t.Errorf("pressed %q, want %q", got, c.want)
			}
		})
	}
}

// TestForceSubmitWhatIsInReach: the form's own control may be out of view; a layer or a dialog in between
// keeps the gate from acting.
func TestForceSubmitWhatIsInReach(t *testing.T) {
	fake := cua.Target{ID: "dead", Role: "button", Name: "Submit", Form: "f", Point: &cua.Point{X: 9, Y: 9}}
	sound := own("Submit", "Submit").Control()
	below := func(c *cua.Control, change func(*cua.Observation)) cua.Observation {
		o := page(holding(in("a", "Name"), "Ada"))
		o.Forms[0].Default = c
		if change != nil {
			change(&o)
		}
		return o
	}
	buys := own("Buy now", "Buy now").Control()
	covered := fake
	covered.Covering = &cua.Covering{ID: "layer"}
	within := fake
	within.Dialog = "d"
	inDialog := func(o *cua.Observation) { o.Forms[0].Dialog, o.Fields[0].Dialog, o.Modal = "d", "d", "d" }
	for _, c := range []struct {
		name   string
		o      cua.Observation
		target cua.Target
		want   string
	}{
		{"below the fold", below(&sound, nil), fake, "s"},
		{"below the fold, and it buys", below(&buys, nil), fake, ""},
		{"Return, where the form has no control", below(nil, nil), fake, "Return in a"},
		{"Return, where the field is covered", below(nil, func(o *cua.Observation) { o.Fields[0].Covered = true }), fake, ""},
		{"something lies over the target", below(&sound, nil), covered, ""},
		{"a modal dialog is open elsewhere", below(&sound, func(o *cua.Observation) { o.Modal = "d" }), fake, ""},
		{"Return behind a modal dialog", below(nil, func(o *cua.Observation) { o.Modal = "d" }), fake, ""},
		{"a JavaScript dialog is open", below(&sound, func(o *cua.Observation) { o.Dialog = &cua.Dialog{Type: "alert"} }), fake, ""},
		{"all in the dialog", below(nil, inDialog), within, "Return in a"},
		{"the form is in a dialog and the target is not", below(nil, inDialog), fake, ""},
		{"the target is in a dialog and the form is not", below(nil, nil), within, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := pressedBy(pressedTwice(t, plan("Name", "Ada"), c.o, c.target,
				c.target)); got != c.want {
				t.Errorf("pressed %q, want %q", got, c.want)
			}
		})
	}
}

// TestForceSubmitKnowsTheForm: forms are one only in one frame, and a click without effect counts for its own
// form.
func TestForceSubmitKnowsTheForm(t *testing.T) {
	control := func(id, form, frame string, submit bool) cua.Target {
		return cua.Target{ID: id, Role: "button", Name: "Submit", Submit: submit, Form: form, Frame: frame,
			Point: &cua.Point{X: 9, Y: 9}}
	}
	fake, other := control("p", "f", "1", false), control("fake", "", "", false)
	sends := func(form, frame string) cua.Mark {
		m := own("Submit", "Submit")
		m.Form, m.Frame = form, frame
		return m
	}
	framed := func(id, frame string) cua.Field {
		return with(holding(in(id, id), "Ada"), func(f *cua.Field) { f.Frame = frame })
	}
	name := []cua.Field{framed("Name", "1")}
	for _, c := range []struct {
		name       string
		before, to cua.Target
		fields     []cua.Field
		marks      []cua.Mark
		want       string // what is pressed, or the field of Return
	}{
		{"a click on the form of another frame before", control("t", "f", "", true), fake, name, []cua.Mark{sends("f", "1")}, ""},
		{"a click on another form before", control("t", "g", "1", true), fake, name, []cua.Mark{sends("f", "1")}, ""},
		{"a click on its own form before", control("t", "f", "1", true), fake, name, []cua.Mark{sends("f", "1")}, "s"},
		{"a real submit control is its own way", control("t", "f", "1", true), control("t", "f", "1", true), name, []cua.Mark{sends("f", "1")}, ""},
		{"the control of another frame is not its own", fake, fake, name, []cua.Mark{sends("f", "2")}, "Return in Name"},
		{"the same thing outside of all forms", other, other, []cua.Field{framed("Name", "")}, []cua.Mark{sends("f", "")}, "s"},
		{"another thing outside of all forms", control("x", "", "", false), other, []cua.Field{framed("Name", "")}, []cua.Mark{sends("f", "")}, ""},
		{"values in forms of two frames", other, other, []cua.Field{framed("Name", "1"), framed("City", "2")}, []cua.Mark{sends("f", "1")}, ""},
		{"values in no form", other, other, []cua.Field{with(framed("Name", ""), func(f *cua.Field) { f.Form = "" })}, nil, ""},
		{"Return in the form of its own frame", fake, fake,
			[]cua.Field{framed("Name", "1"), with(in("z", "Zip"), func(f *cua.Field) { f.Frame = "2" })}, nil,
			"Return in Name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := cua.Task{}
			for _, f := range c.fields {
				if f.ValueDigest != "" {
					task.Fields = append(task.Fields, cua.PlanValue{Label: f.Label, Value: "Ada"})
				}
			}
			if got := pressedBy(pressedTwice(t, task, marked(page(c.fields...), c.marks...), c.before,
				c.to)); got != c.want {
				t.Errorf("pressed %q, want %q", got, c.want)
			}
		})
	}
}
