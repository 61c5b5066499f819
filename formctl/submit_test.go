package formctl

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestForceSubmitMeansTheSame: what is pressed in the target's place means the same as the target, and is the only
// one that does. What removes, pays or goes back is pressed for nothing but its own name.
func TestForceSubmitMeansTheSame(t *testing.T) {
	o := page(holding(in("a", "Name"), "Ada"))
	submits := func(names ...string) []cua.Mark {
		var out []cua.Mark
		for i, n := range names {
			out = append(out, cua.Mark{N: i + 1, ID: "s/" + n, Role: "button", Name: n, Submit: true, Form: "f", Box: cua.Box{X: 100 * float64(i), Y: 100, W: 20, H: 10}})
		}
		return out
	}
	for _, c := range []struct {
		name, target string
		marks        []cua.Mark
		want         string // the name of what is pressed
	}{
		{"the only one, in the same words", "Save", submits("save"), "save"},
		{"the only one, in other words of sending", "Save", submits("Send"), "Send"},
		{"what deletes", "Save", submits("Delete profile"), ""},
		{"what cancels", "Save", submits("Cancel"), ""},
		{"what gives up a subscription", "Save", submits("Cancel my subscription"), ""},
		{"what removes", "Send", submits("Remove account"), ""},
		{"what pays", "Save", submits("Pay now"), ""},
		{"what leaves, with a word of sending in it", "Save", submits("Skip and continue"), ""},
		{"what says nothing of sending", "Save", submits("Help"), ""},
		{"a button without a name", "Save", submits(""), ""},
		{"beside one that deletes", "Save", submits("Delete profile", "Submit"), "Submit"},
		{"two that could be meant", "Submit", submits("Save and continue", "Apply"), ""},
		{"two, one of them of the very name", "Save", submits("Send", "Save"), "Save"},
		{"two of the very name", "Save", submits("Save", "Save"), ""},
		{"an order that was aimed at", "Place order", submits("Place order"), "Place order"},
		{"an order that was not", "Continue", submits("Place order"), ""},
		{"what leads to a purchase", "Continue", submits("Checkout"), ""},
		{"joining is no signing in", "Sign in", submits("Register"), ""},
		{"signing in by another word", "Log in", submits("Sign in"), "Sign in"},
		{"searching is no saving", "Search", submits("Sign in"), ""},
		{"submit says any of them", "Submit", submits("Sign in"), "Sign in"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dead := cua.Target{ID: "dead", Role: "button", Name: c.target, Form: "f", Point: &cua.Point{X: 9, Y: 9}}
			now := o
			now.Marks = c.marks
			h := steps(now, now)
			h.Steps[0].Target = dead
			r := review(t, ForceSubmit{DefaultConfig()}, turn(plan("Name", "Ada"), h), cua.Proposal{Action: cua.Action{Kind: cua.Click, Point: dead.Point}, Target: dead})
			got := ""
			if r.Verdict == cua.Replace {
				if r.Action.Kind != cua.Click {
					t.Fatalf("the form has a submit control of its own, and Return would press it: %+v", r.Action)
				}
				for _, m := range c.marks {
					if m.Box.Contains(*r.Action.Point) {
						got = m.Name
					}
				}
			}
			if got != c.want {
				t.Errorf("pressed %q, want %q", got, c.want)
			}
		})
	}
}

// TestForceSubmitKnowsTheForm: forms are one only in one frame, and a click in vain counts for its own form.
func TestForceSubmitKnowsTheForm(t *testing.T) {
	control := func(id, name, form, frame string) cua.Target {
		return cua.Target{ID: id, Role: "button", Name: name, Submit: true, Form: form, Frame: frame, Point: &cua.Point{X: 9, Y: 9}}
	}
	phone := control("p", "Send phone", "f", "1")
	fake := cua.Target{ID: "fake", Role: "button", Name: "Send", Point: &cua.Point{X: 9, Y: 9}}
	sends := func(t cua.Target) cua.Mark {
		return cua.Mark{ID: t.ID, Role: t.Role, Name: t.Name, Submit: t.Submit, Form: t.Form, Frame: t.Frame, Box: cua.Box{X: 100, Y: 100, W: 20, H: 10}}
	}
	framed := func(id, frame string) cua.Field {
		return with(holding(in(id, id), "Ada"), func(f *cua.Field) { f.Frame = frame })
	}
	for _, c := range []struct {
		name       string
		before, to cua.Target
		fields     []cua.Field
		marks      []cua.Mark
		want       string // what is pressed, or the field of Return
	}{
		{"a click on the form of another frame before", control("t", "Send town", "f", ""), phone, []cua.Field{framed("Name", "1")}, []cua.Mark{sends(control("q", "Send postcode", "f", "1"))}, ""},
		{"a click on another form before", control("t", "Send town", "g", "1"), phone, []cua.Field{framed("Name", "1")}, []cua.Mark{sends(control("q", "Send", "f", "1"))}, ""},
		{"a click on its own form before", control("t", "Send all", "f", "1"), phone, []cua.Field{framed("Name", "1")}, []cua.Mark{sends(control("q", "Send", "f", "1"))}, "q"},
		{"the control of another frame is not its own", phone, phone, []cua.Field{framed("Name", "1")}, []cua.Mark{sends(control("q", "Send postcode", "f", "2"))}, ""},
		{"the same thing outside of all forms", fake, fake, []cua.Field{framed("Name", "")}, []cua.Mark{sends(control("q", "Send", "f", ""))}, "q"},
		{"another thing outside of all forms", control("x", "Search", "", ""), fake, []cua.Field{framed("Name", "")}, []cua.Mark{sends(control("q", "Send", "f", ""))}, ""},
		{"values in forms of two frames", fake, fake, []cua.Field{framed("Name", "1"), framed("City", "2")}, []cua.Mark{sends(control("q", "Send", "f", "1"))}, ""},
		{"Return in the form of its own frame", cua.Target{ID: "d", Role: "button", Name: "Send", Form: "f", Frame: "1"}, cua.Target{ID: "d", Role: "button", Name: "Send", Form: "f", Frame: "1"},
			[]cua.Field{framed("Name", "1"), with(in("z", "Zip"), func(f *cua.Field) { f.Frame = "2" })}, nil, "Name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := page(c.fields...)
			o.Marks = c.marks
			h := steps(o, o)
			h.Steps[0].Target = c.before
			task := cua.Task{}
			for _, f := range c.fields {
				if f.ValueDigest != "" {
					task.Fields = append(task.Fields, cua.PlanValue{Label: f.Label, Value: "Ada"})
				}
			}
			r := review(t, ForceSubmit{DefaultConfig()}, turn(task, h), cua.Proposal{Action: cua.Action{Kind: cua.Click, Point: c.to.Point}, Target: c.to})
			got := ""
			if r.Verdict == cua.Replace {
				got = r.Action.Into
				for _, m := range c.marks {
					if r.Action.Point != nil && m.Box.Contains(*r.Action.Point) {
						got = m.ID
					}
				}
			}
			if got != c.want {
				t.Errorf("pressed %q, want %q: %+v", got, c.want, r)
			}
		})
	}
}
