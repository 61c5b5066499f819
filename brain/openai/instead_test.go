package openai

import (
	"encoding/json"
	"testing"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

// TestWhatWasDoneInstead: what was done in place of a call is told in the words of the vendor, which are read
// as what was done.
func TestWhatWasDoneInstead(t *testing.T) {
	for _, preview := range []bool{false, true} {
		for _, row := range append(wiretest.Substitutes(),
			wiretest.Substitute{Name: "an option", Action: cua.Action{Kind: cua.Select, Into: "field",
				Text: "two"}},
			wiretest.Substitute{Name: "a reload", Action: cua.Action{Kind: cua.Reload}},
			wiretest.Substitute{Name: "the page before", Action: cua.Action{Kind: cua.Back}}) {
			t.Run(row.Name, func(t *testing.T) {
				w := &wire{on: model.Fit(wiretest.View, model.Limit{LongEdge: 900}, 0),
					set: settings{preview: preview}}
				o, turn := wiretest.Swapped(row.Action)
				var calls []struct {
					Type, Name, Arguments string
					Action                json.RawMessage
					Actions               []json.RawMessage
				}
				if err := json.Unmarshal([]byte("["+w.instead(o, turn)+"]"), &calls); err != nil ||
					len(calls) == 0 {
					t.Fatalf("%s: %v", w.instead(o, turn), err)
				}
				var got []cua.Action
				for _, c := range calls {
					if c.Type == "function_call" {
						a, bad := call(c.Name, c.Arguments, w.on)
						if bad != nil {
							t.Fatal(bad)
						}
						got = append(got, a)
						continue
					}
					if c.Type != "computer_call" || preview != (c.Action != nil) {
						t.Errorf("told as %+v", c)
					}
					if c.Action != nil {
						c.Actions = append(c.Actions, c.Action)
					}
					for _, raw := range c.Actions {
						a, bad := action(string(raw), w.on)
						if bad != nil {
							t.Fatalf("%s: %+v", raw, bad)
						}
						got = append(got, a)
					}
				}
				if row.Action.Kind == cua.Scroll {
					got[0].DY = row.Action.DY // whole pixels of a smaller picture
				}
				wiretest.SameActions(t, row.Action, got)
			})
		}
	}
	o, turn := wiretest.Swapped(cua.Action{Kind: cua.Rewind, Step: 1})
	if got := (&wire{}).instead(o, turn); got != "" {
		t.Errorf("a rewind, which the vendor has no word for, is told as %s", got)
	}
}
