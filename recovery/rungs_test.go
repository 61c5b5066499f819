package recovery

import (
	"reflect"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// covered is a button under a layer; veil is where that lies.
func covered(veil cua.Box) cua.Target {
	b := button()
	b.Covering = &cua.Covering{ID: "div/veil", Name: "Privacy notice", Box: veil}
	return b
}

var veil = cua.Box{W: 1280, H: 800}

func TestDismissOverlay(t *testing.T) {
	corner, foot := cua.Box{X: 1200, Y: 10, W: 20, H: 20}, cua.Box{X: 600, Y: 700, W: 80, H: 20}
	under := mark(9, "Send", button().Box)
	under.Covered = true
	off := mark(2, "Close", corner)
	off.Disabled = true
	escape := cua.Action{Kind: cua.Key, Keys: "Escape"}
	press := func(b cua.Box) cua.Action { p := b.Center(); return cua.Action{Kind: cua.Click, Point: &p} }
	for _, c := range []struct {
		name  string
		veil  cua.Box
		marks []cua.Mark
		want  cua.Action
	}{
		{"its close button", veil, []cua.Mark{under, mark(1, "Close", corner)}, press(corner)},
		{"a cross", veil, []cua.Mark{mark(1, "×", corner)}, press(corner)},
		{"a cross of letters", veil, []cua.Mark{mark(1, "x", corner)}, press(corner)},
		{"with more words", veil, []cua.Mark{mark(1, "Close this notice", corner)}, press(corner)},
		{"no, thanks", veil, []cua.Mark{mark(1, "No, thanks", corner)}, press(corner)},
		{"its accept button where there is no other", veil, []cua.Mark{mark(1, "Accept all cookies", foot)}, press(foot)},
		{"got it", veil, []cua.Mark{mark(1, "Got it!", foot)}, press(foot)},
		{"closing before accepting, whatever the order", veil, []cua.Mark{mark(1, "Accept", foot), mark(2, "Dismiss", corner)}, press(corner)},
		{"what merely contains the word is another thing", veil, []cua.Mark{mark(1, "Close my account", corner)}, escape},
		{"what is risky is another thing", veil, []cua.Mark{mark(1, "Accept and buy", corner)}, escape},
		{"a button that is covered itself is beneath", veil, []cua.Mark{func() cua.Mark { m := mark(1, "Close", corner); m.Covered = true; return m }()}, escape},
		{"a disabled button closes nothing", veil, []cua.Mark{off}, escape},
		{"a button beside the layer is not its own", cua.Box{X: 250, Y: 380, W: 200, H: 60}, []cua.Mark{mark(1, "Close", corner)}, escape},
		{"no is an answer, yes is none", veil, []cua.Mark{mark(1, "Yes", foot), mark(2, "No", corner)}, press(corner)},
		{"yes alone is none", veil, []cua.Mark{mark(1, "Yes", foot)}, escape},
		{"to continue says yes to something", veil, []cua.Mark{mark(1, "Continue", foot)}, escape},
		{"to keep what there is", veil, []cua.Mark{mark(1, "Continue", foot), mark(2, "Keep my plan", corner)}, press(corner)},
		{"rejecting before accepting", veil, []cua.Mark{mark(1, "Accept all cookies", foot), mark(2, "Reject optional cookies", corner)}, press(corner)},
		{"what gives something up is no way to close", veil, []cua.Mark{mark(1, "Cancel my subscription", corner)}, escape},
		{"to cancel is one", veil, []cua.Mark{mark(1, "OK", foot), mark(2, "Cancel", corner)}, press(corner)},
		{"only what is necessary", veil, []cua.Mark{mark(1, "Accept all", foot), mark(2, "Only necessary cookies", corner)}, press(corner)},
		{"necessary only", veil, []cua.Mark{mark(1, "Accept all", foot), mark(2, "Necessary only", corner)}, press(corner)},
		{"without accepting", veil, []cua.Mark{mark(1, "Accept and continue", foot), mark(2, "Continue without accepting", corner)}, press(corner)},
		{"consent is not given where something else can be chosen", veil, []cua.Mark{mark(1, "Accept all", foot), mark(2, "Settings", corner)}, escape},
		{"nothing there but Escape", veil, nil, escape},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := covered(c.veil)
			r := review(t, only(cua.DismissOverlay), stuckOn(target, c.marks...), proposal(target))
			if r.Verdict != cua.Replace || r.Reason != string(cua.DismissOverlay) || !reflect.DeepEqual(*r.Action, c.want) {
				t.Errorf("%+v, %+v, want %+v", r, r.Action, c.want)
			}
		})
	}
	at := covered(veil)
	at.Covering.Name = "Delete your account?"
	if r := review(t, only(cua.DismissOverlay), stuckOn(at, mark(1, "OK", foot)), proposal(at)); r.Action == nil || r.Action.Keys != "Escape" {
		t.Errorf("consented to what a layer asks that is about deleting: %+v", r)
	}
	if r := review(t, only(cua.DismissOverlay), stuckOn(button()), proposal(button())); r.Verdict != cua.Pass {
		t.Errorf("nothing covers it: %+v", r)
	}
	target := covered(veil)
	o := page("s")
	vain := begin(o).do(escape, cua.Target{}, false).clicks(4, target).looping(cua.ShapeRepeat, cua.Soft, 4)
	if r := review(t, only(cua.DismissOverlay), vain, proposal(target)); r.Verdict != cua.Pass {
		t.Errorf("Escape was pressed in vain by the brain itself: %+v", r)
	}
}

func TestScrollIntoView(t *testing.T) {
	at := func(x, y float64) cua.Target {
		b := button()
		b.Box = cua.Box{X: x, Y: y, W: 100, H: 20}
		p := b.Box.Center()
		b.Point = &p
		return b
	}
	for _, c := range []struct {
		name   string
		target cua.Target
		scroll cua.Scrolled
		want   *cua.Action
	}{
		{"below", at(300, 1590), cua.Scrolled{MaxY: 2000}, &cua.Action{Kind: cua.Scroll, DY: 1200}},
		{"above", at(300, -210), cua.Scrolled{Y: 800, MaxY: 2000}, &cua.Action{Kind: cua.Scroll, DY: -600}},
		{"no further than the page goes", at(300, 1590), cua.Scrolled{MaxY: 900}, &cua.Action{Kind: cua.Scroll, DY: 900}},
		{"to the right", at(1990, 390), cua.Scrolled{}, &cua.Action{Kind: cua.Scroll, DX: 1400}},
		{"in sight", at(300, 390), cua.Scrolled{MaxY: 900}, nil},
		{"a page that cannot scroll", at(300, 1590), cua.Scrolled{Y: 900, MaxY: 900}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := stuckOn(c.target)
			turn.Now.Scroll = c.scroll
			r := review(t, only(cua.ScrollIntoView), turn, proposal(c.target))
			if (r.Verdict == cua.Replace) != (c.want != nil) || c.want != nil && !reflect.DeepEqual(r.Action, c.want) {
				t.Errorf("%+v %+v, want %+v", r, r.Action, c.want)
			}
		})
	}
	// The field was hit where it stood before; now something pushed it out of sight.
	field := textField("a", "Name")
	field.Box = cua.Box{X: 280, Y: 390, W: 60, H: 20}
	o := page("s")
	o.Fields = []cua.Field{field}
	was := cua.Target{ID: "a", Role: "textbox", Name: "Name", Point: &cua.Point{X: 300, Y: 400}, Box: field.Box}
	turn := begin(o).clicks(4, was).looping(cua.ShapeRepeat, cua.Soft, 4)
	turn.Now.Fields[0].Box.Y = 1390
	empty := cua.Target{ID: "@37,50", Point: was.Point}
	if r := review(t, only(cua.ScrollIntoView), turn, proposal(empty)); r.Action == nil || r.Action.DY != 1000 {
		t.Errorf("the field that was there has moved: %+v %+v", r, r.Action)
	}
}

func TestRetargetClick(t *testing.T) {
	place := func(x, y float64) cua.Target {
		return cua.Target{ID: cua.PointID(cua.Point{X: x, Y: y}), Point: at(x, y)}
	}
	box := cua.Box{X: 280, Y: 390, W: 60, H: 20}
	for _, c := range []struct {
		name    string
		to      cua.Target
		marks   []cua.Mark
		thought string
		want    string
	}{
		{"18 px beside a button", place(358, 400), []cua.Mark{mark(1, "More", box)}, "", "More"},
		{"40 px are near", place(380, 400), []cua.Mark{mark(1, "More", box)}, "", "More"},
		{"41 px are not", place(381, 400), []cua.Mark{mark(1, "More", box)}, "", ""},
		{"the nearest of two", place(358, 400), []cua.Mark{mark(1, "More", box), mark(2, "Less", cua.Box{X: 370, Y: 390, W: 60, H: 20})}, "", "Less"},
		{"the one that the brain names", place(358, 400), []cua.Mark{mark(1, "More", box), mark(2, "Less", cua.Box{X: 370, Y: 390, W: 60, H: 20})}, "now More", "More"},
		{"the nearest of two that it names", place(358, 400), []cua.Mark{mark(1, "More", box), mark(2, "Less", cua.Box{X: 370, Y: 390, W: 60, H: 20})}, "not More but Less", "Less"},
		{"what it names and is too far away", place(358, 400), []cua.Mark{mark(1, "More", box), mark(2, "Less", cua.Box{X: 470, Y: 390, W: 60, H: 20})}, "now Less", "More"},
		{"something risky is nearer", place(358, 400), []cua.Mark{mark(1, "More", box), mark(2, "Delete", cua.Box{X: 370, Y: 390, W: 60, H: 20})}, "", ""},
		{"a cell around its link", cua.Target{ID: "td/1", Role: "cell", Tag: "td", Point: at(290, 380)}, []cua.Mark{mark(1, "More", box)}, "", "More"},
		{"a button hits what it is aimed at", button(), []cua.Mark{mark(1, "More", cua.Box{X: 350, Y: 390, W: 60, H: 20})}, "", ""},
		{"a label belongs to its field", cua.Target{ID: "label", Field: "a", Point: at(358, 400)}, []cua.Mark{mark(1, "More", box)}, "", ""},
		{"a drawing is pressed for its place", cua.Target{ID: "@44,50", Tag: "canvas", Point: at(358, 400)}, []cua.Mark{mark(1, "More", box)}, "", ""},
		{"something risky is not pressed by chance", place(358, 400), []cua.Mark{mark(1, "Delete", box)}, "the picture", ""},
		{"what is paid for is not pressed by chance", place(358, 400), []cua.Mark{mark(1, "Pay now", box)}, "I look at the details", ""},
		{"unless the brain names it", place(358, 400), []cua.Mark{mark(1, "Delete", box)}, "press Delete now", "Delete"},
		{"nothing there", place(358, 400), nil, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := stuckOn(c.to, c.marks...)
			p := proposal(c.to)
			p.Thought = c.thought
			r := review(t, only(cua.RetargetClick), turn, p)
			if c.want == "" {
				if r.Verdict != cua.Pass {
					t.Errorf("%+v %+v", r, r.Action)
				}
				return
			}
			i := slices.IndexFunc(c.marks, func(m cua.Mark) bool { return m.Name == c.want })
			if r.Verdict != cua.Replace || r.Action.Kind != cua.Click || *r.Action.Point != c.marks[i].Box.Center() || r.Action.Why != "" {
				t.Errorf("%+v %+v", r, r.Action)
			}
		})
	}
}

func TestUseControl(t *testing.T) {
	list := cua.Field{ID: "c", Role: "combobox", Label: "Size", Tag: "select", Type: "select", Selected: "Small", Options: []string{"Small", "Large", "Extra Large"}}
	day := cua.Field{ID: "d", Label: "Day", Tag: "input", Type: "date", Editable: true, Empty: true}
	file := cua.Field{ID: "e", Label: "Your CV", Tag: "input", Type: "file"}
	for _, c := range []struct {
		name    string
		field   cua.Field
		values  []cua.FormValue
		thought string
		want    *cua.Action
	}{
		{"a list by its planned value", list, []cua.FormValue{value("Size", "large", "c", false)}, "", &cua.Action{Kind: cua.Select, Into: "c", Text: "Large"}},
		{"a list by the option that the brain names", list, nil, "choose Large", &cua.Action{Kind: cua.Select, Into: "c", Text: "Large"}},
		{"the longer name before the shorter in it", list, nil, "choose Extra Large", &cua.Action{Kind: cua.Select, Into: "c", Text: "Extra Large"}},
		{"the option that is chosen already is no news", list, nil, "choose Small", nil},
		{"nobody says which option", list, nil, "open the list", nil},
		{"a value that is no option", list, []cua.FormValue{value("Size", "Huge", "c", false)}, "choose Large", nil},
		{"a date as its field wants it", day, []cua.FormValue{{PlanValue: cua.PlanValue{Label: "Day", Value: "01/31/2026"}, Field: "d", Text: "2026-01-31"}}, "",
			&cua.Action{Kind: cua.Type, Into: "d", Text: "2026-01-31", Clear: true}},
		{"a date that is in", func() cua.Field { f := day; f.ValueDigest = cua.Digest("2026-01-31"); return f }(),
			[]cua.FormValue{{PlanValue: cua.PlanValue{Label: "Day", Value: "01/31/2026"}, Field: "d", Text: "2026-01-31"}}, "", nil},
		{"no date is made up", day, nil, "the 31st of January 2026", nil},
		{"a file that the plan names", file, []cua.FormValue{value("your CV", "cv.pdf", "", false)}, "", &cua.Action{Kind: cua.Upload, Into: "e", Files: []string{"cv.pdf"}}},
		{"another value is no file", file, []cua.FormValue{value("Name", "Ada", "", false)}, "", nil},
		{"a text field is none of its business", textField("c", "Size"), []cua.FormValue{value("Size", "9", "c", false)}, "", nil},
		{"a disabled list", func() cua.Field { f := list; f.Disabled = true; return f }(), nil, "choose Large", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := cua.Target{ID: c.field.ID, Field: c.field.ID, Role: c.field.Role, Point: at(300, 400)}
			turn := stuckOn(target)
			turn.Now.Fields = []cua.Field{c.field}
			turn.Form = &cua.FormState{Values: c.values}
			p := proposal(target)
			p.Thought = c.thought
			r := review(t, only(cua.UseControl), turn, p)
			if (r.Verdict == cua.Replace) != (c.want != nil) || c.want != nil && !reflect.DeepEqual(r.Action, c.want) {
				t.Errorf("%+v %+v, want %+v", r, r.Action, c.want)
			}
		})
	}
}

func TestReloadPage(t *testing.T) {
	wait := cua.Action{Kind: cua.Wait, MS: 10_000}
	broken := page("s")
	broken.NavError = "net::ERR_CONNECTION_RESET"
	down, gone := page("s"), page("s")
	down.Status, gone.Status = 503, 404
	filled := page("s")
	filled.Fields = []cua.Field{textField("a", "Name")}
	typed := page("t")
	typed.Fields = []cua.Field{func() cua.Field { f := textField("a", "Name"); f.ValueDigest, f.Empty = "x", false; return f }()}
	sent := page("s")
	sent.Document, sent.Writes = "d2", []cua.Write{{Method: "POST", Status: 502}}
	posted := func() *story { // the page answers something that was sent
		a := click(button())
		return begin(page("s")).add(cua.Step{Proposed: a, Action: &a, Target: button(), Effect: effect(true), After: sent})
	}
	hung := func(s *story) *story {
		s.h.Steps[len(s.h.Steps)-1].Settle = &cua.Settle{Faults: []string{"hung"}}
		return s
	}
	waits := func(s *story, n int) *story {
		for range n {
			s.do(wait, cua.Target{}, false)
		}
		return s
	}
	type row struct {
		name  string
		s     *story
		shape cua.Shape
		p     cua.Proposal
		want  bool
	}
	for _, c := range []row{
		{"an error page", begin(broken).clicks(4, button()), cua.ShapeRepeat, proposal(button()), true},
		{"an error of the server", begin(down).clicks(4, button()), cua.ShapeRepeat, proposal(button()), true},
		{"a page that is not there stays so", begin(gone).clicks(4, button()), cua.ShapeRepeat, proposal(button()), false},
		{"30 s of waiting", waits(begin(page("s")), 3).clicks(1, button()), cua.ShapeCycle, proposal(button()), true},
		{"less than 30 s", waits(begin(page("s")), 2).clicks(2, button()), cua.ShapeRepeat, proposal(button()), false},
		{"something came since", waits(begin(page("s")), 3).do(click(button()), button(), true).clicks(2, button()), cua.ShapeRepeat, proposal(button()), false},
		{"it did not answer", hung(begin(page("s")).clicks(4, button())), cua.ShapeRepeat, proposal(button()), true},
		{"a stall", waits(begin(page("s")), 6), cua.ShapeStall, cua.Proposal{Action: wait}, true},
		{"a stall is over when something is done", waits(begin(page("s")), 6), cua.ShapeStall, proposal(button()), false},
		{"a page that is well", begin(page("s")).clicks(4, button()), cua.ShapeRepeat, proposal(button()), false},
		{"what was typed would be lost", waits(begin(filled).add(cua.Step{Effect: effect(true), After: typed}), 4), cua.ShapeStall, cua.Proposal{Action: wait}, false},
		{"what the page came with would not", waits(begin(typed), 4), cua.ShapeStall, cua.Proposal{Action: wait}, true},
		{"it would be sent again", waits(posted(), 4), cua.ShapeStall, cua.Proposal{Action: wait}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := c.s.looping(c.shape, cua.Soft, min(4, len(c.s.h.Steps)))
			r := review(t, whole(), turn, c.p)
			if got := r.Reason == string(cua.ReloadPage); got != c.want || got && r.Action.Kind != cua.Reload {
				t.Errorf("%+v %+v", r, r.Action)
			}
		})
	}
}

// wrong is a history that went from the form to another page at step 2, and did n useless things there.
func wrong(n int) *story {
	s := begin(page("s")).do(click(plainTarget()), plainTarget(), true)
	there := page("w")
	there.URL, there.Document = "https://shop.example/elsewhere", "d2"
	a := click(plainTarget())
	s.add(cua.Step{Proposed: a, Action: &a, Target: plainTarget(), Effect: effect(true), After: there})
	return s.clicks(n, button())
}

// round is a story in which steps 2 and 4 led to one page, 3 back from it, and n clicks there did nothing.
func round(n int) *story {
	s := wrong(0)
	here, there := s.h.Steps[0].After, s.h.Steps[1].After
	for _, o := range []cua.Observation{here, there} {
		a := click(plainTarget())
		s.add(cua.Step{Proposed: a, Action: &a, Target: plainTarget(), Effect: effect(true), After: o})
	}
	return s.clicks(n, button())
}

// hopeless is the turn with a hard signal whose last warning was delivered.
func (s *story) hopeless() *cua.Turn {
	n := len(s.h.Steps)
	s.h.Steps[n-1].Notes = []cua.Note{{From: NudgeName, Level: LastWarning}}
	t := s.looping(cua.ShapeRepeat, cua.Hard, min(8, n))
	t.Incident.First = max(1, n-4)
	return t
}

func TestRewind(t *testing.T) {
	ok := []cua.Write{{Method: "POST", Status: 200}}
	for _, c := range []struct {
		name   string
		s      *story
		change func(*cua.Turn)
		want   int
	}{
		{"a dead end that step 2 led to", wrong(8), nil, 2},
		{"nothing was tried there yet", wrong(0), nil, 0},
		{"the start page has no before", begin(page("s")).clicks(9, button()), nil, 0},
		{"something was reached there", func() *story { s := wrong(3).do(click(button()), button(), true); return s.clicks(6, button()) }(), nil, 0},
		{"a write lies between", func() *story { s := wrong(8); s.h.Steps[5].After.Writes = ok; return s }(), nil, 0},
		{"the step that led there sent something", func() *story { s := wrong(8); s.h.Steps[1].After.Writes = ok; return s }(), nil, 0},
		{"a write before it is no matter", func() *story { s := wrong(8); s.h.Steps[0].After.Writes = ok; return s }(), nil, 2},
		{"what was not answered well is no matter", func() *story {
			s := wrong(8)
			s.h.Steps[5].After.Writes = []cua.Write{{Method: "POST", Status: 500}}
			return s
		}(), nil, 2},
		{"no checkpoint is kept of it", wrong(8), func(t *cua.Turn) { t.History.Steps[0].After.Checkpoint = "" }, 0},
		{"the budget is used up", wrong(8), func(t *cua.Turn) {
			for i := 8; i < 10; i++ {
				t.History.Steps[i].Action = &cua.Action{Kind: cua.Rewind, Step: 9}
			}
			t.Incident.First = 1
		}, 0},
		{"an error page", func() *story {
			s := wrong(1)
			for i := range 2 {
				s.h.Steps[i+1].After.NavError = "net::ERR_FAILED"
			}
			return s
		}(), nil, 2},
		{"round and round: the page was known when it was entered", round(8), nil, 0},
		{"an error page that was known", func() *story {
			s := round(8)
			for i := 4; i < len(s.h.Steps); i++ {
				s.h.Steps[i].After.Status = 503
			}
			s.h.Steps[1].After.Status = 503
			return s
		}(), nil, 4},
		{"a page that is not there, though something new was found on it", func() *story {
			s := wrong(1).do(click(button()), button(), true)
			for i := range 3 {
				s.h.Steps[i+1].After.Status = 404
			}
			return s
		}(), nil, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := c.s.hopeless()
			if c.change != nil {
				c.change(turn)
			}
			r := review(t, only(cua.RewindReason), turn, proposal(button()))
			if (r.Verdict == cua.Replace) != (c.want > 0) || c.want > 0 && (r.Action.Kind != cua.Rewind || r.Action.Step != c.want) {
				t.Errorf("%+v %+v, want step %d", r, r.Action, c.want)
			}
		})
	}
	soft := wrong(8).looping(cua.ShapeRepeat, cua.Soft, 8)
	if r := review(t, only(cua.RewindReason), soft, proposal(button())); r.Verdict != cua.Pass {
		t.Errorf("it is given up only where the episode would be: %+v", r)
	}
}

func TestAskUser(t *testing.T) {
	turn := begin(page("s")).clicks(9, button()).hopeless()
	if r := review(t, whole(), turn, proposal(button())); r.Verdict != cua.Halt || r.End != cua.EndAsked || r.Reason != string(cua.AskUser) || len(r.Evidence) != 8 {
		t.Errorf("unattended it halts: %+v", r)
	}
	g := whole()
	g.GiveUp.Attended = true
	if r := review(t, g, turn, proposal(button())); r.Verdict != cua.Pause || r.End != cua.EndPaused {
		t.Errorf("attended it pauses: %+v", r)
	}
	if r := review(t, whole(), turn, cua.Proposal{Action: cua.Action{Kind: cua.Done}}); r.Verdict != cua.Pass {
		t.Errorf("done is a way out: %+v", r)
	}
	stall := begin(page("s"))
	for range 8 {
		stall.do(cua.Action{Kind: cua.Wait, MS: 1000}, cua.Target{}, false)
	}
	waiting := stall.hopeless()
	waiting.Signals[0].Shape = cua.ShapeStall
	if r := review(t, whole(), waiting, cua.Proposal{Action: cua.Action{Kind: cua.Wait, MS: 1000}}); r.Verdict != cua.Pass {
		t.Errorf("against waiting there is the reload alone: %+v", r)
	}
	unwarned := begin(page("s")).clicks(9, button()).looping(cua.ShapeRepeat, cua.Hard, 8)
	if r := review(t, whole(), unwarned, proposal(button())); r.Verdict != cua.Pass {
		t.Errorf("no warning was delivered: %+v", r)
	}
}
