package compat

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain/compat/dialect"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

// TestWhatWasDoneInstead: what was done in place of a call is told in each family's own words, which are read
// as what was done.
func TestWhatWasDoneInstead(t *testing.T) {
	for _, p := range profiles() {
		for _, form := range []format{p.format, formatText} {
			for _, row := range wiretest.Substitutes() {
				t.Run(p.name+", "+string(form)+": "+row.Name, func(t *testing.T) {
					w := &wire{on: model.Fit(wiretest.View, p.limit, p.grid), set: settings{profile: p}}
					w.set.format = form
					o, turn := wiretest.Swapped(row.Action)
					said := w.instead(o, turn)
					if said == "" {
						t.Fatal("it is not told")
					}
					h := &dialect.Hand{On: w.on}
					var got []cua.Action
					for part := range strings.SplitSeq(said, ", then ") {
						if !strings.HasPrefix(part, "{") {
							part = "Action: " + part
						}
						r, err := dialect.Parse(part)
						if err != nil || len(r.Calls) != 1 {
							t.Fatalf("%s: %d calls, %v", part, len(r.Calls), err)
						}
						a, bad := h.Actions(r.Calls[0])
						if bad != nil {
							t.Fatalf("%s: %+v", part, bad)
						}
						got = append(got, a...)
					}
					if row.Action.Kind == cua.Scroll && got[0].DY > 0 {
						got[0].DY = row.Action.DY // whole units, and families that name no distance
					}
					wiretest.SameActions(t, row.Action, got)
				})
			}
		}
	}
}
