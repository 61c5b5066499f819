package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

func TestKeysReachAnOpenDialog(t *testing.T) {
	accept, dismiss := cua.Action{Kind: cua.AnswerDlg, Accept: true}, cua.Action{Kind: cua.AnswerDlg}
	named := cua.Action{Kind: cua.AnswerDlg, Accept: true, Text: "Ada"}
	key := func(keys string) []cua.Action { return []cua.Action{{Kind: cua.Key, Keys: keys}} }
	for _, row := range []struct {
		name, open string // "" is no dialog
		call       []cua.Action
		want       cua.Action
	}{
		{"return accepts", "confirm", key("Return"), accept},
		{"escape dismisses", "confirm", key("Escape"), dismiss},
		{"text answers a prompt", "prompt", Enter("Ada", nil, false, false), named},
		{"and the return behind it is not the page's", "prompt", Enter("Ada", nil, true, true), named},
		{"a line break at its end is no text", "prompt", Enter("Ada\n", nil, false, false), named},
		{"text is none for a confirm", "confirm", Enter("Ada", nil, false, false), cua.Action{Kind: cua.Type, Text: "Ada"}},
		{"another key", "confirm", key("Tab"), key("Tab")[0]},
		{"a press", "alert", []cua.Action{click(1)}, click(1)},
		{"no dialog", "", key("Return"), key("Return")[0]},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &script{replies: []Reply{{Calls: []Call{{ID: "a", Actions: row.call},
				{ID: "b", Actions: []cua.Action{click(2)}}}}, calling(click(3))}}
			w := newWorld(t, s, brain.Options{})
			if row.open != "" {
				w.turn.Now.Dialog = &cua.Dialog{Type: row.open}
			}
			d := w.decide()
			if diff := cmp.Diff(row.want, d.Action); diff != "" {
				t.Fatal(diff)
			}
			if row.want.Kind != cua.AnswerDlg {
				return
			}
			w.step(d, func(_ *cua.Step, t *cua.Turn) { t.Now.Dialog = nil })
			if d = w.decide(); d.Action.Point == nil || d.Action.Point.X != 3 {
				t.Errorf("what was behind the answer was played on another page: %+v", d.Action)
			}
			if out := s.said[1].Outcomes; out[0].Fate != Executed || out[1].Fate != NotExecuted {
				t.Errorf("told %+v", out)
			}
		})
	}
}
