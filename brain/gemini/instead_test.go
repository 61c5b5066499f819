package gemini

import (
	"encoding/json"
	"testing"

	"google.golang.org/genai"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

// TestWhatWasDoneInstead: what was done in place of a call is in its answer as calls of the model's own,
// which are read as what was done.
func TestWhatWasDoneInstead(t *testing.T) {
	for _, name := range []string{"gemini-3.5-flash", "gemini-2.5-computer-use-preview-10-2025"} {
		for _, row := range wiretest.Substitutes() {
			t.Run(name+": "+row.Name, func(t *testing.T) {
				w := &wire{name: name, screen: model.Fit(wiretest.View, limit(), grid)}
				o, turn := wiretest.Swapped(row.Action)
				raw, err := json.Marshal(w.response(o, turn).Response["done_instead"])
				if err != nil {
					t.Fatal(err)
				}
				var calls []*genai.FunctionCall
				if err := json.Unmarshal(raw, &calls); err != nil || len(calls) == 0 {
					t.Fatalf("%s: %v", raw, err)
				}
				var got []cua.Action
				for _, c := range calls {
					read := w.call(c)
					if read.Failure != nil {
						t.Fatalf("%s: %+v", raw, read.Failure)
					}
					got = append(got, read.Actions...)
				}
				wiretest.SameActions(t, row.Action, got)
			})
		}
	}
	o, turn := wiretest.Swapped(cua.Action{Kind: cua.Rewind, Step: 1})
	if got, told := (&wire{}).response(o, turn).Response["done_instead"]; told {
		t.Errorf("a rewind, which the vendor has no word for, is told as %v", got)
	}
}
