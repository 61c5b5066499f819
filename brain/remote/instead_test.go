package remote

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

// TestWhatWasDoneInstead: what was done in place of an action is told as an action of the protocol, which is
// read as what was done.
func TestWhatWasDoneInstead(t *testing.T) {
	for _, row := range append(wiretest.Substitutes(), wiretest.Substitute{Name: "an option",
		Action: cua.Action{Kind: cua.Select, Into: "field", Text: "two"}},
		wiretest.Substitute{Name: "a rewind", Action: cua.Action{Kind: cua.Rewind, Step: 1}}) {
		t.Run(row.Name, func(t *testing.T) {
			on := model.Fit(wiretest.View, model.Limit{}, 1000)
			o, turn := wiretest.Swapped(row.Action)
			r := read([]byte(`{"actions":[`+instead(o, turn, on)+`]}`), on, nil, true)
			if len(r.Calls) != 1 || r.Calls[0].Failure != nil {
				t.Fatalf("%s is read as %+v", instead(o, turn, on), r)
			}
			wiretest.SameActions(t, row.Action, r.Calls[0].Actions)
		})
	}
}

// TestALongThoughtIsClipped: what is cut ends as every clip does, so that a secret that was cut is found.
func TestALongThoughtIsClipped(t *testing.T) {
	on := model.Fit(wiretest.View, model.Limit{}, 1000)
	for _, n := range []int{maxThought, maxThought + 1} {
		want := strings.Repeat("x", maxThought)
		if n > maxThought {
			want += "…"
		}
		r := read([]byte(`{"done":{"success":true,"text":"x"},"thought":"`+strings.Repeat("x", n)+`"}`), on, nil,
			true)
		if r.Failure != nil || r.Thought != want {
			t.Errorf("a thought of %d bytes became %d: %+v", n, len(r.Thought), r.Failure)
		}
	}
}
