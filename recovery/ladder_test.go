package recovery

import (
	"fmt"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// whole is the ladder with all rungs, as the default arm has it.
func whole() Ladder {
	c := DefaultConfig()
	return Ladder{Config: c.Ladder, Rungs: Rungs(), PlacePx: c.LoopRecovery.PlacePx, Stop: Stop{Grace: c.Breaker.Grace, Nudged: true}}
}

// only is the ladder with one rung.
func only(r cua.Reason) Ladder {
	g := whole()
	g.Rungs = []cua.Reason{r}
	return g
}

func mark(n int, name string, box cua.Box) cua.Mark {
	return cua.Mark{N: n, ID: "m/" + name, Role: "button", Name: name, Tag: "button", Box: box}
}

// stuckOn is a soft repeat of four clicks on target, on a page that shows marks.
func stuckOn(target cua.Target, marks ...cua.Mark) *cua.Turn {
	o := page("s")
	o.Marks = marks
	return begin(o).clicks(4, target).looping(cua.ShapeRepeat, cua.Soft, 4)
}

// TestRungsAreAskedInTheirOrder on a turn where all of them fit.
func TestRungsAreAskedInTheirOrder(t *testing.T) {
	target := covered(veil)
	target.ID, target.Field, target.Role, target.Submit = "c", "c", "combobox", false
	target.Box = cua.Box{X: 300, Y: 1590, W: 100, H: 20}
	s := wrong(8)
	last := &s.h.Steps[len(s.h.Steps)-1]
	last.After.NavError = "net::ERR_FAILED"
	turn := s.hopeless()
	turn.Now.Fields = []cua.Field{{ID: "c", Tag: "select", Type: "select", Options: []string{"Large"}}}
	p := proposal(target)
	p.Thought = "choose Large"
	turn.Signals[0].Target = "c"
	var got []cua.Reason
	for range Rungs() {
		r := review(t, whole(), turn, p)
		if r.Verdict == cua.Pass {
			break
		}
		got = append(got, cua.Reason(r.Reason))
		turn.Incident.Tried = append(turn.Incident.Tried, cua.Attempt{Reason: cua.Reason(r.Reason)})
	}
	// The click hits its target, and is no Return.
	want := slices.DeleteFunc(Rungs(), func(r cua.Reason) bool { return r == cua.RetargetClick || r == cua.PressSubmit })
	if !slices.Equal(got, want) {
		t.Errorf("asked in the order %v, want %v", got, want)
	}
}

func TestWhatTheLadderLetsPass(t *testing.T) {
	target := covered(veil)
	fits := func(change func(*cua.Turn)) *cua.Turn {
		turn := stuckOn(target)
		change(turn)
		return turn
	}
	shape := func(s cua.Shape, l cua.Level) func(*cua.Turn) {
		return func(t *cua.Turn) { t.Signals[0].Shape, t.Signals[0].Level = s, l }
	}
	elsewhere := covered(veil)
	elsewhere.ID, elsewhere.Point = "button/other", at(900, 100)
	tried := func(attempts ...cua.Attempt) func(*cua.Turn) {
		return func(t *cua.Turn) { t.Incident.Tried = attempts }
	}
	a := cua.Attempt{Reason: cua.DismissOverlay}
	b := cua.Attempt{Reason: cua.DismissOverlay, Effect: true}
	for _, c := range []struct {
		name string
		turn *cua.Turn
		p    cua.Proposal
		want bool
	}{
		{"a loop goes on", fits(func(*cua.Turn) {}), proposal(target), true},
		{"no signal", fits(func(t *cua.Turn) { t.Signals = nil }), proposal(target), false},
		{"a note is none", fits(shape(cua.ShapeStreak, cua.NoteLevel)), proposal(target), false},
		{"failures are the mistake tracker's", fits(shape(cua.ShapeFailures, cua.Hard)), proposal(target), false},
		{"a stall takes only the reload", fits(shape(cua.ShapeStall, cua.Soft)), proposal(target), false},
		{"drift", fits(shape(cua.ShapeDrift, cua.Soft)), proposal(target), true},
		{"cycle", fits(shape(cua.ShapeCycle, cua.Soft)), proposal(target), true},
		{"revisit", fits(shape(cua.ShapeRevisit, cua.Soft)), proposal(target), true},
		{"spiral", fits(shape(cua.ShapeSpiral, cua.Soft)), proposal(target), true},
		{"another target leaves the loop", fits(func(*cua.Turn) {}), proposal(elsewhere), false},
		{"but not the frozen page", fits(shape(cua.ShapeFrozen, cua.Soft)), proposal(elsewhere), true},
		{"a failed proposal", fits(func(*cua.Turn) {}), cua.Proposal{Action: click(target), Target: target, Failure: &cua.Failure{Kind: cua.FailNotFound}}, false},
		{"a dialog is in the way", fits(func(t *cua.Turn) { t.Now.Dialog = &cua.Dialog{Type: "confirm"} }), proposal(target), false},
		{"a rewind is a way out", fits(shape(cua.ShapeFrozen, cua.Soft)), cua.Proposal{Action: cua.Action{Kind: cua.Rewind, Step: 1}, Target: target}, false},
		{"looking is harmless", fits(shape(cua.ShapeFrozen, cua.Soft)), cua.Proposal{Action: cua.Action{Kind: cua.Extract}, Target: target}, false},
		{"typing there goes on too", fits(func(*cua.Turn) {}), cua.Proposal{Action: cua.Action{Kind: cua.Type, Point: target.Point, Text: "x"}, Target: target}, true},
		{"once per incident", fits(tried(a)), proposal(target), false},
		{"again where it had an effect", fits(tried(b)), proposal(target), true},
		{"but its last try counts", fits(tried(b, a)), proposal(target), false},
		{"and three times are enough", fits(tried(b, b, b)), proposal(target), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if r := review(t, only(cua.DismissOverlay), c.turn, c.p); (r.Verdict == cua.Replace) != c.want {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestRetirement: what had no effect in two incidents on one origin is not tried there any more.
func TestRetirement(t *testing.T) {
	target := covered(veil)
	try := func(s *story, incident string, progress bool, url string) {
		esc := cua.Action{Kind: cua.Key, Keys: "Escape"}
		o := s.h.Now()
		if url != "" {
			o.URL = url
		}
		o.FormDigest = fmt.Sprint(len(s.h.Steps)) // other states, so that nothing is said to be in vain
		n := cua.Step{Proposed: click(target), Action: &esc, Target: target, Effect: effect(progress), After: o, Incident: incident, RecoveryReason: cua.DismissOverlay,
			Rulings: []cua.Ruling{{Gate: LadderName, Verdict: cua.Replace, Reason: string(cua.DismissOverlay)}}}
		s.add(n)
	}
	for _, c := range []struct {
		name string
		tell func(*story)
		want bool
	}{
		{"one incident", func(s *story) { try(s, "i1", false, "") }, true},
		{"two tries in one incident", func(s *story) { try(s, "i1", false, ""); try(s, "i1", false, "") }, true},
		{"two incidents", func(s *story) { try(s, "i1", false, ""); try(s, "i2", false, "") }, false},
		{"it helped in one of two", func(s *story) { try(s, "i1", true, ""); try(s, "i2", false, "") }, true},
		{"it helped before and not in the end", func(s *story) { try(s, "i1", true, ""); try(s, "i1", false, ""); try(s, "i2", false, "") }, false},
		{"another origin", func(s *story) {
			s.h.Start.URL = "https://other.example/"
			try(s, "i1", false, site)
			try(s, "i2", false, "")
		}, true},
		{"somebody went on with the run", func(s *story) {
			try(s, "i1", false, "")
			try(s, "i2", false, "")
			s.h.Resumed = []cua.Resumption{{At: 2, Page: s.h.Now(), Fresh: true}}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(page("s"))
			c.tell(s)
			turn := s.clicks(4, target).looping(cua.ShapeRepeat, cua.Soft, 4)
			if r := review(t, only(cua.DismissOverlay), turn, proposal(target)); (r.Verdict == cua.Replace) != c.want {
				t.Errorf("%+v", r)
			}
		})
	}
}
