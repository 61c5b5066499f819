package recovery

import (
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// TestRungsSeeWhatWasMeant says that a click beside an element in vain is one at that element, for the
// rungs that bring it into reach.
func TestRungsSeeWhatWasMeant(t *testing.T) {
	beside := cua.Target{ID: cua.PointID(cua.Point{X: 358, Y: 400}), Point: at(358, 400)}
	box := cua.Box{X: 280, Y: 390, W: 60, H: 20}
	fold := mark(1, "Add to basket", cua.Box{X: 280, Y: 395, W: 60, H: 820}) // its centre is below the fold
	fold.Covered = true
	risky := fold
	risky.Name = "Delete"
	list := mark(1, "Sort by price", box)
	list.ID, list.Role, list.Tag = "c", "combobox", "select"
	far := list
	far.Box.X -= 400
	for _, c := range []struct {
		name string
		rung cua.Reason
		to   cua.Target
		mark cua.Mark
		want cua.Kind
	}{
		{"an element half out of sight", cua.ScrollIntoView, beside, fold, cua.Scroll},
		{"something risky is not sought", cua.ScrollIntoView, beside, risky, ""},
		{"an element in sight needs no scroll", cua.ScrollIntoView, beside, list, ""},
		{"a list", cua.UseControl, beside, list, cua.Select},
		{"a list too far away", cua.UseControl, beside, far, ""},
		{"another element was hit", cua.UseControl, button(), list, ""},
		{"an element under something", cua.DismissOverlay, beside, fold, cua.Key},
		{"an element under nothing", cua.DismissOverlay, beside, list, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			turn := stuckOn(c.to, c.mark)
			turn.Now.Fields = []cua.Field{{ID: "c", Tag: "select", Type: "select", Selected: "Name", Options: []string{"Name", "Price"}}}
			p := proposal(c.to)
			p.Thought = "sort by Price"
			r := review(t, only(c.rung), turn, p)
			if c.want == "" && r.Verdict != cua.Pass || c.want != "" && (r.Verdict != cua.Replace || r.Action.Kind != c.want) {
				t.Errorf("%+v %+v, want %q", r, r.Action, c.want)
			}
		})
	}
}
