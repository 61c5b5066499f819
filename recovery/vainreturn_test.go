package recovery

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

var pressReturn = cua.Action{Kind: cua.Key, Keys: "Return"}

// returning is a turn in which Return was pressed in vain in the field a again and again.
func returning(fields []cua.Field, marks ...cua.Mark) *cua.Turn {
	o := page("s")
	o.Fields, o.Marks = fields, marks
	for i := range fields {
		if fields[i].ID == "a" {
			o.Focus = &fields[i]
		}
	}
	s := begin(o)
	for range 5 {
		s.do(pressReturn, cua.Target{ID: "a"}, false)
	}
	return s.looping(cua.ShapeRepeat, cua.Soft, 5)
}

func filledIn(f cua.Field) cua.Field {
	f.Empty, f.ValueDigest = false, cua.Digest("Ada")
	return f
}

func TestReturnThatSendsNothingGoesOnInTheForm(t *testing.T) {
	first, second := filledIn(textField("a", "Name")), textField("b", "City")
	disabled, elsewhere := second, second
	disabled.Disabled = true
	elsewhere.Form = "g"
	area := second
	area.Tag = "textarea"
	for _, c := range []struct {
		name    string
		fields  []cua.Field
		values  []cua.FormValue
		p       cua.Proposal
		classic bool
		reason  cua.Reason // "" is a pass
	}{
		{"the next field is empty", []cua.Field{first, second}, nil, cua.Proposal{Action: pressReturn}, false, cua.TabToNextField},
		{"an area for text is a field as well", []cua.Field{first, area}, nil, cua.Proposal{Action: pressReturn}, false, cua.TabToNextField},
		{"a field before it is empty", []cua.Field{second, first}, nil, cua.Proposal{Action: pressReturn}, false, cua.TabToNextField},
		{"the field waits for its value", []cua.Field{textField("a", "Name"), second}, []cua.FormValue{value("Name", "Ada", "a", false)}, cua.Proposal{Action: pressReturn}, false, cua.TypePendingValue},
		{"the next field is filled in", []cua.Field{first, filledIn(second)}, nil, cua.Proposal{Action: pressReturn}, false, ""},
		{"the next field is disabled", []cua.Field{first, disabled}, nil, cua.Proposal{Action: pressReturn}, false, ""},
		{"the next field is another form's", []cua.Field{first, elsewhere}, nil, cua.Proposal{Action: pressReturn}, false, ""},
		{"it is the last field", []cua.Field{first}, nil, cua.Proposal{Action: pressReturn}, false, ""},
		{"another key", []cua.Field{first, second}, nil, cua.Proposal{Action: cua.Action{Kind: cua.Key, Keys: "Escape"}}, false, ""},
		{"the arm classic looks at clicks alone", []cua.Field{first, second}, nil, cua.Proposal{Action: pressReturn}, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := LoopRecovery{Config: DefaultConfig().LoopRecovery, Window: 4}
			if c.classic {
				g.Config = ClassicLoopRecovery()
			}
			turn := returning(c.fields)
			turn.Form = &cua.FormState{Values: c.values}
			c.p.Target = cua.Target{ID: "a"}
			r := review(t, g, turn, c.p)
			if r.Reason != string(c.reason) || (r.Verdict == cua.Replace) != (c.reason != "") {
				t.Errorf("%+v, want %q", r, c.reason)
			}
		})
	}
}

func TestPressSubmit(t *testing.T) {
	field := filledIn(textField("a", "Name"))
	second := textField("b", "City")
	area := field
	area.Tag = "textarea"
	named := func(n int, name string) cua.Mark {
		m := mark(n, name, cua.Box{X: 100, Y: 100 * float64(n), W: 60, H: 20})
		m.Role, m.Form = "button", "f"
		return m
	}
	with := func(m cua.Mark, change func(*cua.Mark)) cua.Mark { change(&m); return m }
	submits := func(m *cua.Mark) { m.Submit = true }
	for _, c := range []struct {
		name    string
		fields  []cua.Field
		values  []cua.FormValue
		marks   []cua.Mark
		thought string
		want    string // name of what is pressed; "" is a pass
	}{
		{"the one button that says so", []cua.Field{field}, nil, []cua.Mark{named(1, "Help"), named(2, "Submit")}, "", "Submit"},
		{"the form's own by its markup, whatever it says", []cua.Field{field}, nil, []cua.Mark{with(named(1, "Onward"), submits), named(2, "Save")}, "", "Onward"},
		{"one that says so goes back too", []cua.Field{field}, nil, []cua.Mark{named(1, "Skip and continue"), named(2, "Continue")}, "", "Continue"},
		{"two that say so", []cua.Field{field}, nil, []cua.Mark{named(1, "Save"), named(2, "Send")}, "", ""},
		{"two by their markup", []cua.Field{field}, nil, []cua.Mark{with(named(1, "One"), submits), with(named(2, "Two"), submits)}, "", ""},
		{"another field is empty", []cua.Field{field, second}, nil, []cua.Mark{named(1, "Save")}, "", ""},
		{"it is empty, and all that was planned is in", []cua.Field{field, second}, []cua.FormValue{value("Name", "Ada", "a", true)}, []cua.Mark{named(1, "Save")}, "", "Save"},
		{"another form's", []cua.Field{field}, nil, []cua.Mark{with(named(1, "Save"), func(m *cua.Mark) { m.Form = "g" })}, "", ""},
		{"another frame's", []cua.Field{field}, nil, []cua.Mark{with(named(1, "Save"), func(m *cua.Mark) { m.Frame = "1" })}, "", ""},
		{"a link is none", []cua.Field{field}, nil, []cua.Mark{with(named(1, "Log in"), func(m *cua.Mark) { m.Role = "link" })}, "", ""},
		{"disabled", []cua.Field{field}, nil, []cua.Mark{with(named(1, "Save"), func(m *cua.Mark) { m.Disabled = true })}, "", ""},
		{"covered", []cua.Field{field}, nil, []cua.Mark{with(named(1, "Save"), func(m *cua.Mark) { m.Covered = true })}, "", ""},
		{"out of sight", []cua.Field{field}, nil, []cua.Mark{with(named(1, "Save"), func(m *cua.Mark) { m.Box.Y = 5000 })}, "", ""},
		{"what costs", []cua.Field{field}, nil, []cua.Mark{with(named(1, "Place order"), submits)}, "send the form", ""},
		{"what costs, and the brain names it", []cua.Field{field}, nil, []cua.Mark{with(named(1, "Place order"), submits)}, "Place order now", "Place order"},
		{"a field waits for its value", []cua.Field{field, second}, []cua.FormValue{value("City", "Oslo", "b", false)}, []cua.Mark{named(1, "Save")}, "", ""},
		{"a field of many lines", []cua.Field{area}, nil, []cua.Mark{named(1, "Save")}, "", ""},
		{"nothing has the focus", nil, nil, []cua.Mark{named(1, "Save")}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := returning(c.fields, c.marks...)
			turn.Form = &cua.FormState{Values: c.values}
			r := review(t, only(cua.PressSubmit), turn, cua.Proposal{Action: pressReturn, Target: cua.Target{ID: "a"}, Thought: c.thought})
			got := ""
			if r.Verdict == cua.Replace {
				for _, m := range c.marks {
					if m.Box.Contains(*r.Action.Point) {
						got = m.Name
					}
				}
			}
			if got != c.want || (r.Verdict == cua.Replace) != (c.want != "") {
				t.Errorf("pressed %q, want %q: %+v", got, c.want, r)
			}
		})
	}
	sends := returning([]cua.Field{field}, named(1, "Save"))
	last := &sends.History.Steps[len(sends.History.Steps)-1]
	last.Effect = &cua.Effect{Progress: []cua.Change{cua.ChangeWrite}}
	if r := review(t, only(cua.PressSubmit), sends, cua.Proposal{Action: pressReturn, Target: cua.Target{ID: "a"}}); r.Verdict != cua.Pass {
		t.Errorf("the last Return has sent something: %+v", r)
	}
	turn := returning([]cua.Field{field}, named(1, "Save"))
	if r := review(t, only(cua.PressSubmit), turn, cua.Proposal{Action: click(button()), Target: button()}); r.Verdict != cua.Pass {
		t.Errorf("a click is no Return: %+v", r)
	}
}
