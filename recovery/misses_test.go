package recovery

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// beside is a place where nothing is to be pressed.
func beside(x, y float64) cua.Target {
	return cua.Target{ID: cua.PointID(cua.Point{X: x, Y: y}), Point: at(x, y)}
}

func TestMissesBringTheNextClickHome(t *testing.T) {
	more := mark(1, "More", cua.Box{X: 280, Y: 390, W: 60, H: 20})
	other := mark(2, "Less", cua.Box{X: 500, Y: 390, W: 60, H: 20})
	field := textField("a", "Name")
	field.Box = cua.Box{X: 280, Y: 290, W: 60, H: 20}
	text := mark(3, "Name", field.Box)
	text.ID = "a"
	near, nearer, far := beside(358, 400), beside(350, 404), beside(480, 400)
	types := func(target cua.Target) cua.Action {
		return cua.Action{Kind: cua.Type, Point: target.Point, Text: "Ada"}
	}
	for _, c := range []struct {
		name     string
		story    *story
		to       cua.Target
		action   cua.Action
		misses   int
		evidence []int // nil is a pass
	}{
		{"two clicks beside it in vain", begin(page("s")).clicks(2, near), near, click(near), 2, []int{1, 2}},
		{"each a little elsewhere", begin(page("s")).clicks(1, near).clicks(1, nearer), near, click(near), 2, []int{1, 2}},
		{"after something that worked", begin(page("s")).do(click(near), near, true).clicks(2, near), near, click(near), 2, []int{2, 3}},
		{"text that is typed where it clicks first", begin(page("s")).do(types(beside(358, 300)), beside(358, 300), false).do(types(beside(358, 300)), beside(358, 300), false),
			beside(358, 300), types(beside(358, 300)), 2, []int{1, 2}},
		{"no text goes into a button", begin(page("s")).do(types(near), near, false).do(types(near), near, false), near, types(near), 2, nil},
		{"one click", begin(page("s")).clicks(1, near), near, click(near), 2, nil},
		{"three are wanted", begin(page("s")).clicks(2, near), near, click(near), 3, nil},
		{"switched off", begin(page("s")).clicks(2, near), near, click(near), 0, nil},
		{"the second worked", begin(page("s")).clicks(1, near).do(click(near), near, true), near, click(near), 2, nil},
		{"one was beside another element", begin(page("s")).clicks(1, far).clicks(1, near), near, click(near), 2, nil},
		{"one hit a button", begin(page("s")).clicks(1, near).clicks(1, button()), near, click(near), 2, nil},
		{"one was a key", begin(page("s")).clicks(1, near).do(cua.Action{Kind: cua.Key, Keys: "Tab"}, cua.Target{}, false), near, click(near), 2, nil},
		{"the click hits something", begin(page("s")).clicks(2, near), button(), click(button()), 2, nil},
		{"nothing is near", begin(page("s")).clicks(2, beside(900, 700)), beside(900, 700), click(beside(900, 700)), 2, nil},
		{"beside a drawing's place", begin(page("s")).clicks(2, near), cua.Target{ID: near.ID, Tag: "canvas", Point: near.Point}, click(near), 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := c.story.turn()
			turn.Now.Marks, turn.Now.Fields = []cua.Mark{more, other, text}, []cua.Field{field}
			g := only(cua.RetargetClick)
			g.Config.Misses = c.misses
			p := cua.Proposal{Action: c.action, Target: c.to}
			r := review(t, g, turn, p)
			if (r.Verdict == cua.Replace) != (c.evidence != nil) || !slices.Equal(r.Evidence, c.evidence) || g.Missed(turn, p) != (c.evidence != nil) {
				t.Fatalf("%+v, known to be missed: %v; want evidence %v", r, g.Missed(turn, p), c.evidence)
			}
			if r.Verdict == cua.Replace && (r.Reason != string(cua.RetargetClick) || r.Action.Kind != c.action.Kind || r.Action.Text != c.action.Text) {
				t.Errorf("%s: %+v", r.Reason, r.Action)
			}
		})
	}
}

// TestTextThatMissesGoesWhereItBelongs: a planned value that was typed beside a field is brought home to its own field alone.
func TestTextThatMissesGoesWhereItBelongs(t *testing.T) {
	box := cua.Box{X: 280, Y: 290, W: 60, H: 20}
	field, name := textField("a", "Name"), mark(3, "Name", box)
	field.Box, name.ID = box, "a"
	place := beside(358, 300)
	typing := cua.Action{Kind: cua.Type, Point: place.Point, Text: "Ada"}
	full := filledIn(field)
	holds, secret := textField("b", "Skipper"), field
	secret.Type = "password"
	holds.Empty, holds.ValueDigest = false, cua.Digest("Ada")
	for _, c := range []struct {
		name    string
		field   cua.Field
		values  []cua.FormValue
		beside  bool // another field holds it
		thought string
		home    bool
	}{
		{"a text that nobody planned", field, nil, false, "", true},
		{"that another field holds", field, nil, true, "", false},
		{"that another field holds, and it is planned for this one", field, []cua.FormValue{value("Name", "Ada", "a", false)}, true, "", true},
		{"a password that another field holds", secret, nil, true, "", true},
		{"that another field holds, and the words name this one", field, nil, true, "the same as Name", true},
		{"where what the field holds would be lost", full, nil, false, "", false},
		{"the field's own value", field, []cua.FormValue{value("Name", "Ada", "a", false)}, false, "", true},
		{"its own value in the place of another", full, []cua.FormValue{value("Name", "Ada", "a", false)}, false, "", true},
		{"a value of no field in sight", field, []cua.FormValue{value("Skipper", "Ada", "", false)}, false, "", true},
		{"another field's", field, []cua.FormValue{value("Skipper", "Ada", "b", false)}, false, "", false},
		{"two fields', this one's too", field, []cua.FormValue{value("Skipper", "Ada", "b", false), value("Name", "Ada", "a", false)}, false, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := begin(page("s")).do(typing, place, false).do(typing, place, false).turn()
			turn.Now.Marks, turn.Now.Fields, turn.Form = []cua.Mark{name}, []cua.Field{c.field}, &cua.FormState{Values: c.values}
			if c.beside {
				turn.Now.Fields = append(turn.Now.Fields, holds)
			}
			if r := review(t, only(cua.RetargetClick), turn, cua.Proposal{Action: typing, Target: place, Thought: c.thought}); (r.Verdict == cua.Replace) != c.home {
				t.Errorf("%+v, want it brought home: %v", r, c.home)
			}
		})
	}
}

// TestAMissIsNoReasonToScroll: high on the page a third click beside something is brought home, not answered with a scroll.
func TestAMissIsNoReasonToScroll(t *testing.T) {
	near := beside(358, 60)
	turn := begin(page("s")).clicks(2, near).turn()
	turn.Now.Scroll.MaxY = 900
	guard := TopClickGuard{Config: DefaultConfig().TopClickGuard, Knows: only(cua.RetargetClick).Missed}
	if r := review(t, guard, turn, proposal(near)); r.Verdict != cua.Replace {
		t.Errorf("nothing is near: %+v, want a scroll", r)
	}
	turn.Now.Marks = []cua.Mark{mark(1, "More", cua.Box{X: 280, Y: 50, W: 60, H: 20})}
	if r := review(t, guard, turn, proposal(near)); r.Verdict != cua.Pass {
		t.Errorf("beside a button: %+v, want it left to the ladder", r)
	}
	home := begin(page("s")).clicks(2, near).do(cua.Action{Kind: cua.Click, Point: at(310, 60)}, cua.Target{ID: "button/more", Role: "button", Point: at(310, 60)}, false).turn()
	home.Now.Scroll, home.Now.Marks = turn.Now.Scroll, turn.Now.Marks
	if r := review(t, guard, home, proposal(near)); r.Verdict != cua.Replace {
		t.Errorf("the button was pressed in vain in this state: %+v, want a scroll", r)
	}
	turn.Incident = &cua.Incident{ID: "i1", First: 1, Tried: []cua.Attempt{{Reason: cua.RetargetClick}}}
	if r := review(t, guard, turn, proposal(near)); r.Verdict != cua.Replace {
		t.Errorf("the ladder has tried that in vain: %+v, want a scroll", r)
	}
}

// TestAPressOnTheWrongControlGoesToTheOneThatIsNamed: a box in a column of boxes is pressed again and again where the brain's
// words name the one beside it.
func TestAPressOnTheWrongControlGoesToTheOneThatIsNamed(t *testing.T) {
	box := func(name string, y float64) cua.Mark {
		return cua.Mark{ID: "m/" + name, Role: "checkbox", Name: name, Box: cua.Box{X: 10, Y: y, W: 20, H: 12}}
	}
	pear, plum := box("Pear", 100), box("Plum", 120)
	target := func(m cua.Mark) cua.Target {
		c := m.Box.Center()
		return cua.Target{ID: m.ID, Role: m.Role, Name: m.Name, Box: m.Box, Point: &c}
	}
	ticked := page("s")
	ticked.DOMDigest, ticked.FormDigest = "ticked", "ticked"
	press := func(s *story, m cua.Mark, after cua.Observation) *story {
		a := click(target(m))
		return s.add(cua.Step{Proposed: a, Action: &a, Target: target(m), Effect: effect(true), After: after})
	}
	round := func(m cua.Mark) *story { return press(press(begin(page("s")), m, ticked), m, page("s")) }
	nameless := box("", 100)
	nameless.ID = "b"
	fields := []cua.Field{{ID: "a", Type: "checkbox", Tag: "input"}, {ID: "b", Type: "checkbox", Tag: "input"}}
	first := box("", 120)
	first.ID = "a"
	button, risk := pear, box("Delete", 120)
	button.Role = "button"
	for _, c := range []struct {
		name    string
		story   *story
		hit     cua.Mark
		marks   []cua.Mark
		fields  []cua.Field
		thought string
		to      string // "" is a pass
	}{
		{"pressed to and fro, the other one is named", round(pear), pear, []cua.Mark{pear, plum}, nil, `the goal names "Plum"; press it`, "m/Plum"},
		{"pressed in vain", begin(page("s")).clicks(2, target(pear)), pear, []cua.Mark{pear, plum}, nil, "Plum", "m/Plum"},
		{"the other one is named by its place", begin(page("s")).clicks(2, target(nameless)), nameless, []cua.Mark{first, nameless}, fields, "tick the 1st checkbox", "a"},
		{"the one that is hit is named too", round(pear), pear, []cua.Mark{pear, plum}, nil, "Pear is wrong, so Plum", ""},
		{"no other is named", round(pear), pear, []cua.Mark{pear, plum}, nil, "the one with the stone", ""},
		{"two are named", round(pear), pear, []cua.Mark{pear, plum, box("Fig", 85)}, nil, "Plum or Fig", ""},
		{"what is hit has no name", round(nameless), nameless, []cua.Mark{nameless, plum}, nil, "the menu of Plum", ""},
		{"it has another role", round(button), button, []cua.Mark{button, plum}, nil, "Plum", ""},
		{"it is far away", round(pear), pear, []cua.Mark{pear, box("Plum", 300)}, nil, "Plum", ""},
		{"it is risky", round(pear), pear, []cua.Mark{pear, risk}, nil, "Delete", ""},
		{"it leads on", press(press(begin(page("s")), pear, page("t")), pear, ticked), pear, []cua.Mark{pear, plum}, nil, "Plum", ""},
		{"one press", begin(page("s")).clicks(1, target(pear)), pear, []cua.Mark{pear, plum}, nil, "Plum", ""},
		{"one of them pressed another", begin(page("s")).clicks(1, target(plum)).clicks(1, target(pear)), pear, []cua.Mark{pear, plum}, nil, "Plum", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := c.story.turn()
			turn.Now.Marks, turn.Now.Fields = c.marks, c.fields
			p := proposal(target(c.hit))
			p.Thought = c.thought
			r := review(t, only(cua.RetargetClick), turn, p)
			i := slices.IndexFunc(c.marks, func(m cua.Mark) bool { return m.ID == c.to })
			switch {
			case (r.Verdict == cua.Replace) != (c.to != ""):
				t.Fatalf("%+v", r)
			case c.to != "" && (*r.Action.Point != c.marks[i].Box.Center() || !slices.Equal(r.Evidence, []int{1, 2})):
				t.Errorf("at %v by steps %v, want %s", *r.Action.Point, r.Evidence, c.to)
			}
		})
	}
}

// TestWhoWasBroughtHomeDoesNotMissAgain: once a press was brought home with an effect, the next one that lands on nothing is at once,
// where the brain's words name what is beside it.
func TestWhoWasBroughtHomeDoesNotMissAgain(t *testing.T) {
	more := mark(1, "More", cua.Box{X: 280, Y: 390, W: 60, H: 20})
	less := mark(3, "Less", cua.Box{X: 370, Y: 390, W: 30, H: 20})
	field := textField("a", "")
	field.Box = cua.Box{X: 280, Y: 290, W: 60, H: 20}
	text := mark(2, "", field.Box)
	text.ID, text.Role = "a", "textbox"
	atMore, atField, center := beside(358, 400), beside(358, 300), more.Box.Center()
	home := func(effect bool) *story {
		s := begin(page("s")).do(click(button()), atMore, effect)
		s.h.Steps[0].Proposed, s.h.Steps[0].RecoveryReason = click(atMore), cua.RetargetClick
		s.h.Steps[0].Rulings = []cua.Ruling{{Gate: LadderName, Verdict: cua.Replace, Reason: string(cua.RetargetClick)}}
		return s
	}
	elsewhere := page("s")
	elsewhere.Document = "d2"
	hit := button()
	hit.ID, hit.Point = "m/More", &center
	waits := []cua.FormValue{value("Name", "Ada", "a", false)}
	for _, c := range []struct {
		name    string
		story   *story
		to      cua.Target
		thought string
		values  []cua.FormValue
		misses  int
		home    bool
	}{
		{"it is named", home(true).do(wait, cua.Target{}, false), atMore, "press More", nil, 2, true},
		{"after one more miss", home(true).clicks(1, atField), atMore, "press More", nil, 2, true},
		{"a planned value is named that belongs in it", home(true).do(wait, cua.Target{}, false).clicks(1, atMore), atField, "type the Name", waits, 2, true},
		{"nothing is named", home(true).clicks(1, atField), atMore, "press on", nil, 2, false},
		{"two are named", home(true).clicks(1, atField), atMore, "More or Less", nil, 2, false},
		{"something else is named", home(true).clicks(1, atMore), atField, "press More", nil, 2, false},
		{"it was in vain", home(false).clicks(1, atField), atMore, "press More", nil, 2, false},
		{"a press has hit something since", home(true).do(click(hit), hit, true), atMore, "press More", nil, 2, false},
		{"on another page", home(true).add(cua.Step{Proposed: click(atField), Action: &cua.Action{Kind: cua.Reload}, Effect: effect(true), After: elsewhere}).clicks(1, atField), atMore, "press More", nil, 2, false},
		{"nobody was brought home", begin(page("s")).clicks(1, atField).do(click(atField), atField, false), atMore, "press More", nil, 2, false},
		{"switched off", home(true).clicks(1, atField), atMore, "press More", nil, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := c.story.turn()
			turn.Now.Marks, turn.Now.Fields, turn.Form = []cua.Mark{more, text, less}, []cua.Field{field}, &cua.FormState{Values: c.values}
			for i := range turn.History.Steps {
				turn.History.Steps[i].After.Marks = turn.Now.Marks
			}
			g := only(cua.RetargetClick)
			g.Config.Misses = c.misses
			p := proposal(c.to)
			p.Thought = c.thought
			r := review(t, g, turn, p)
			if (r.Verdict == cua.Replace) != c.home || c.home && !slices.Equal(r.Evidence, []int{1}) {
				t.Errorf("%+v, want it brought home: %v", r, c.home)
			}
		})
	}
}
