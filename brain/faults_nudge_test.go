package brain

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestJumpy(t *testing.T) {
	button := func(id string, x, y float64) cua.Mark {
		return cua.Mark{N: 1, ID: id, Role: "button", Name: id, Box: cua.Box{X: x, Y: y, W: 100, H: 40}}
	}
	link, off, covered := button("Link", 160, 100), button("Off", 160, 100), button("Under", 160, 100)
	link.Role, off.Disabled, covered.Covered = "link", true, true
	send, near, far := button("Send", 100, 100), button("Save", 300, 100), button("Cancel", 900, 600)
	page := cua.Observation{Marks: []cua.Mark{far, link, off, covered, near, send}}
	only := cua.Observation{Marks: []cua.Mark{send}}
	lone := cua.Observation{Marks: []cua.Mark{far, near}, Focus: &cua.Field{ID: "f", Editable: true,
		Box: cua.Box{X: 850, Y: 500, W: 100, H: 30}}}
	asked := page
	asked.Dialog = &cua.Dialog{Type: "confirm"}
	pressed := func(o cua.Observation) *cua.Turn {
		return after(now("x", o), click(150, 120), cua.Target{ID: "Send"}, o, &cua.Effect{})
	}
	typed := after(pressed(page), cua.Action{Kind: cua.Type, Text: "x"}, cua.Target{}, page, &cua.Effect{})
	hover := cua.Action{Kind: cua.Hover, Point: at(950, 500)}
	hovered := after(pressed(page), hover, cua.Target{}, page, &cua.Effect{})
	numbered := page
	numbered.Marks = slices.Clone(page.Marks)
	numbered.Marks[5].N = 6
	byMark := after(now("x", numbered), cua.Action{Kind: cua.Click, Mark: 6}, cua.Target{}, page,
		&cua.Effect{})
	again := click(150, 120)
	done := cua.Action{Kind: cua.Done, Success: true, Text: "done"}
	quiet := pressed(page)
	for _, row := range []struct {
		name  string
		turn  *cua.Turn
		notes []cua.Note
		said  cua.Action
		want  cua.Action
	}{
		{"the nearest other button that can be pressed", pressed(page), nudged, again, click(350, 120)},
		{"what was pressed last counts, not what was done last", typed, nudged, again, click(350, 120)},
		{"nor where the pointer was last", hovered, nudged, again, click(350, 120)},
		{"also where that was named by its mark", byMark, nudged, again, click(350, 120)},
		{"instead of anything", pressed(page), nudged, done, click(350, 120)},
		{"from the focused field where nothing was pressed yet", now("x", lone), nudged, again, click(950, 620)},
		{"where there is another", pressed(only), nudged, again, again},
		{"an open dialog is answered", pressed(asked), nudged, cua.Action{Kind: cua.AnswerDlg},
			cua.Action{Kind: cua.AnswerDlg}},
		{"what it would do anyway is no jump", pressed(page), nudged, click(350, 120), click(350, 120)},
		{"not after another note", pressed(page), []cua.Note{{From: "done_gate"}}, again, again},
		{"nor unasked", quiet, nil, again, again},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.turn.Notes = row.notes
			d, err := faulty(t, always{cua.Decision{Action: row.said, By: "b"}}, 1,
				"jumpy=1").Decide(context.Background(), row.turn)
			if err != nil || !reflect.DeepEqual(d.Action, row.want) || d.By != "b" {
				t.Errorf("got %s, %v; want %s", shown(d.Action), err, shown(row.want))
			}
		})
	}
}

// TestJumpyAndTheOthers: the jump goes before the other faults, and a nudge that is followed is not jumped
// at.
func TestJumpyAndTheOthers(t *testing.T) {
	button := func(id string, x float64) cua.Mark {
		return cua.Mark{N: 1, ID: id, Role: "button", Name: id, Box: cua.Box{X: x, Y: 100, W: 100, H: 40}}
	}
	page := cua.Observation{Marks: []cua.Mark{button("Send", 100), button("Save", 300)}}
	turn := after(now("x", page), click(150, 120), cua.Target{ID: "Send"}, page, &cua.Effect{})
	turn.Notes = nudged
	next := click(600, 600)
	for _, tt := range []struct {
		name  string
		specs []string
		want  cua.Action
	}{
		{"before another fault", []string{"repeat_last=1", "jumpy=1"}, click(350, 120)},
		{"another fault where it does not strike", []string{"repeat_last=1", "jumpy=0"}, click(150, 120)},
		{"never by one that heeds", []string{"repeat_last=1", "jumpy=1", "nudge_obedience=1"}, next},
		{"always by a stubborn one", []string{"jumpy=1", "nudge_obedience=1", "stubborn"}, click(350, 120)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, err := faulty(t, always{cua.Decision{Action: next}}, 1,
				tt.specs...).Decide(context.Background(), turn)
			if err != nil || !reflect.DeepEqual(d.Action, tt.want) {
				t.Errorf("got %s, %v; want %s", shown(d.Action), err, shown(tt.want))
			}
		})
	}
}
