package recovery

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestRowsOfThePointer(t *testing.T) {
	layer := func(marks ...cua.Mark) (cua.Observation, cua.Target) {
		o, to := page("s"), button()
		to.Covering = &cua.Covering{ID: "div/layer", Box: cua.Box{W: 1280, H: 800}}
		for _, m := range marks {
			to.Covering.Controls = append(to.Covering.Controls, m.ID)
		}
		o.Marks = marks
		return o, to
	}
	sends := control("x", "button", "×", 600, 100)
	sends.Submit = true
	misnamed := control("k", "button", "Close", 600, 100)
	misnamed.Text = "Konto endgültig löschen"
	for _, c := range []struct {
		name  string
		marks []cua.Mark
		keys  string
		into  string
	}{
		{"its close control is pressed", []cua.Mark{control("c", "button", "Close", 600, 100)}, "", "c"},
		{"so is one that rejects", []cua.Mark{control("a", "button", "Accept all", 500, 100), control("r", "button", "Reject all", 600, 100)}, "", "r"},
		{"accepting is no way out", []cua.Mark{control("a", "button", "Accept all", 500, 100), control("m", "button", "Manage", 600, 100)}, "Escape", ""},
		{"a × that sends a form is no closer", []cua.Mark{sends}, "Escape", ""},
		{"Close for screen readers and another text is none", []cua.Mark{misnamed}, "Escape", ""},
		{"neither is one that is covered itself", []cua.Mark{{ID: "c", Role: "button", Name: "Close", Text: "Close", Covered: true, Box: cua.Box{X: 1, Y: 1, W: 9, H: 9}}}, "Escape", ""},
		{"Schließen is not on the list", []cua.Mark{control("c", "button", "Schließen", 600, 100)}, "Escape", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, to := layer(c.marks...)
			turn := begin(o).clicks(3, to).looping(cua.ShapeRepeat, cua.Soft, 3)
			a := ruled(t, review(t, whole(), turn, proposal(to)), cua.DismissOverlay)
			if a.Keys != c.keys || a.Into != c.into {
				t.Errorf("%+v, want keys %q into %q", a, c.keys, c.into)
			}
		})
	}
	t.Run("a control outside of an open modal dialog is not pressed", func(t *testing.T) {
		o, to := layer(control("c", "button", "Close", 600, 100))
		o.Modal = "dialog"
		turn := begin(o).clicks(3, to).looping(cua.ShapeRepeat, cua.Soft, 3)
		if r := review(t, whole(), turn, proposal(to)); r.Action != nil && r.Action.Into == "c" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("after Escape the next control that refuses is tried", func(t *testing.T) {
		o, to := layer(control("c", "button", "Close", 600, 100), control("n", "button", "Not now", 700, 100))
		s := begin(o).clicks(3, to)
		for _, a := range []cua.Action{{Kind: cua.Click, Point: at(640, 110), Into: "c"},
			{Kind: cua.Key, Keys: "Escape"}} {
			s.add(cua.Step{Proposed: click(to), Action: &a, Target: to, Effect: effect(false),
				Rulings: []cua.Ruling{{Gate: RescueName, Verdict: cua.Replace,
					Reason: string(cua.DismissOverlay), Action: &a}}})
		}
		turn := s.looping(cua.ShapeRepeat, cua.Soft, 5)
		if a := ruled(t, review(t, whole(), turn, proposal(to)), cua.DismissOverlay); a.Into != "n" {
			t.Errorf("%+v", a)
		}
	})
}

// TestRetarget: what may be pressed in place of a click that hits nothing.
func TestRetarget(t *testing.T) {
	for _, c := range []struct {
		name    string
		thought string
		marks   []cua.Mark
		to      cua.Target
		into    string
	}{
		{"the reviewer's case", "I must not press Delete account", []cua.Mark{control("d", "button", "Delete account", 310, 395)}, bare(300, 400), ""},
		{"asked for in words, but risky", "I press Delete account", []cua.Mark{control("d", "button", "Delete account", 310, 395)}, bare(300, 400), ""},
		{"no words, an actor with a name of its own", "", []cua.Mark{control("w", "button", "Weather", 310, 395)}, bare(300, 400), ""},
		{"named by its whole name", "I press Weather.", []cua.Mark{control("w", "button", "Weather", 310, 395)}, bare(300, 400), "w"},
		{"named in part", "I press Weather.", []cua.Mark{control("w", "button", "Weather map", 310, 395)}, bare(300, 400), ""},
		{"denied", "Never touch Weather.", []cua.Mark{control("w", "button", "Weather", 310, 395)}, bare(300, 400), ""},
		{"denied in German", "Auf keinen Fall Wetter drücken", []cua.Mark{control("w", "button", "Wetter", 310, 395)}, bare(300, 400), ""},
		{"denied once and named once", "I press Weather. I must not press Weather twice.", []cua.Mark{control("w", "button", "Weather", 310, 395)}, bare(300, 400), ""},
		{"named beside another", "First Weather, then News", []cua.Mark{control("w", "button", "Weather", 310, 395), control("n", "button", "News", 310, 420)}, bare(300, 400), ""},
		{"the named one is not the nearest", "I press News", []cua.Mark{control("w", "button", "Weather", 310, 395), control("n", "button", "News", 310, 420)}, bare(300, 400), "n"},
		{"a harmless name needs no words", "", []cua.Mark{control("n", "button", "Next", 310, 395)}, bare(300, 400), "n"},
		{"Cancel is harmless for a layer alone", "", []cua.Mark{control("n", "button", "Cancel", 310, 395)}, bare(300, 400), ""},
		{"an input needs no words", "", []cua.Mark{{ID: "i", Role: "checkbox", Name: "News", Input: true, Box: cua.Box{X: 310, Y: 395, W: 20, H: 20}}}, bare(300, 400), "i"},
		{"not while the words name something else near", "I press Weather", []cua.Mark{{ID: "i", Role: "checkbox", Name: "News", Input: true, Box: cua.Box{X: 310, Y: 395, W: 20, H: 20}},
			{ID: "w", Role: "button", Name: "Weather", Text: "Wetter", Box: cua.Box{X: 310, Y: 420, W: 20, H: 20}}}, bare(300, 400), ""},
		{"41 px away", "", []cua.Mark{control("n", "button", "Next", 341, 395)}, bare(300, 400), ""},
		{"a click that hits something is what it is", "", []cua.Mark{control("n", "button", "Next", 310, 395)},
			cua.Target{ID: "div/own", Clickable: true, Point: at(300, 400)}, ""},
		{"a map is pressed for the place", "", []cua.Mark{control("n", "button", "Next", 310, 395)}, cua.Target{Tag: "canvas", Point: at(300, 400)}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := page("s")
			o.Marks = c.marks
			turn := begin(o).clicks(4, c.to).looping(cua.ShapeFrozen, cua.Soft, 4)
			p := proposal(c.to)
			p.Thought = c.thought
			want := cua.RetargetClick
			if c.into == "" {
				want = ""
			}
			if a := ruled(t, review(t, only(cua.RetargetClick), turn, p), want); a.Into != c.into {
				t.Errorf("%+v, want %q", a, c.into)
			}
		})
	}
}

func TestScrollPage(t *testing.T) {
	logo := cua.Target{ID: "a/logo", Role: "link", Name: "Home", Clickable: true, Point: at(100, 40)}
	other := func(x, y float64) cua.Target {
		return cua.Target{ID: "x", Role: "link", Clickable: true, Point: at(x, y)}
	}
	tall := func(y, max float64) cua.Observation {
		o := page("")
		o.Scroll = cua.Scrolled{Y: y, MaxY: max}
		return o
	}
	field := logo
	field.Editable = true
	covered := logo
	covered.Covering = &cua.Covering{ID: "div/layer"}
	for _, c := range []struct {
		name string
		s    *story
		to   cua.Target
		want cua.Reason
	}{
		{"a third click at the top", begin(tall(0, 900)).clicks(2, logo), logo, cua.ScrollPage},
		{"80 px aside and 40 px down is the same place", begin(tall(0, 900)).clicks(1, logo).clicks(1, other(180, 80)), other(120, 60), cua.ScrollPage},
		{"81 px aside is another place", begin(tall(0, 900)).clicks(1, logo).clicks(1, other(181, 40)), logo, ""},
		{"41 px down is another place", begin(tall(0, 900)).clicks(1, logo).clicks(1, other(100, 81)), logo, ""},
		{"a second click", begin(tall(0, 900)).clicks(1, logo), logo, ""},
		{"one of them had an effect", begin(tall(0, 900)).clicks(1, logo).do(click(logo), logo, true), logo, ""},
		{"y = 100 is high", begin(tall(0, 900)).clicks(2, other(9, 100)), other(9, 100), cua.ScrollPage},
		{"y = 101 is not", begin(tall(0, 900)).clicks(2, other(9, 101)), other(9, 101), ""},
		{"a field waits for text", begin(tall(0, 900)).clicks(2, field), field, ""},
		{"a covered link waits for the layer to go", begin(tall(0, 900)).clicks(2, covered), covered, ""},
		{"the page cannot scroll further", begin(tall(900, 900)).clicks(2, logo), logo, ""},
		{"the page does not scroll at all", begin(tall(0, 0)).clicks(2, logo), logo, ""},
		{"the same scroll had no effect here", begin(tall(0, 900)).do(cua.Action{Kind: cua.Scroll, DY: 400}, cua.Target{}, false).clicks(2, logo), logo, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ruled(t, review(t, only(cua.ScrollPage), c.s.turn(), proposal(c.to)), c.want)
		})
	}
}
