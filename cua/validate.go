package cua

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// maxWaitMS bounds one wait; the stall shape adds them up.
const maxWaitMS = 60_000

// Validate says what is missing or out of range in a, given the viewport (the zero Size
// skips the check of points). The error is one line for the brain.
func (a Action) Validate(view Size) error {
	if !slices.Contains(Kinds(), a.Kind) {
		return fmt.Errorf("unknown action kind %q", a.Kind)
	}
	for _, p := range []*Point{a.Point, a.To} {
		// Asked as "inside" and negated, so that a coordinate that is no number is outside.
		if p != nil && view != (Size{}) && !(p.X >= 0 && p.Y >= 0 && p.X < float64(view.W) && p.Y < float64(view.H)) {
			return fmt.Errorf("%s: point %.0f,%.0f is outside the viewport %d×%d", a.Kind, p.X, p.Y, view.W, view.H)
		}
	}
	placed := a.Point != nil || a.Mark > 0 || a.Into != ""
	missing := func(what string) error { return fmt.Errorf("%s: needs %s", a.Kind, what) }
	switch a.Kind {
	case Click, DoubleClick, TripleClick, RightClick, MiddleClick, Hover, Zoom:
		if !placed {
			return missing("a point or a mark")
		}
	case Drag:
		if !placed || a.To == nil {
			return missing("a point and a to")
		}
	case Key:
		if a.Keys == "" {
			return missing("keys")
		}
	case Scroll:
		if a.DX == 0 && a.DY == 0 {
			return missing("dx or dy")
		}
	case Navigate, NewTab:
		if a.URL == "" && a.Kind == Navigate {
			return missing("a url")
		}
		if _, err := url.Parse(a.URL); err != nil {
			return fmt.Errorf("%s: bad url %q", a.Kind, a.URL)
		}
	case Wait:
		if a.MS <= 0 || a.MS > maxWaitMS {
			return fmt.Errorf("wait: ms must be 1 to %d, not %d", maxWaitMS, a.MS)
		}
	case Select:
		if !placed || a.Text == "" {
			return missing("a point or a mark, and the text of an option")
		}
	case Upload:
		if !placed || len(a.Files) == 0 {
			return missing("a point or a mark, and files")
		}
	case SwitchTab:
		if a.Tab < 1 {
			return missing("a tab number")
		}
	case Rewind:
		if a.Step < 1 {
			return missing("a step number")
		}
		for _, f := range a.Facets {
			if !slices.Contains(Facets(), f) {
				return fmt.Errorf("rewind: no facet is %q; there are %s", f, strings.Join(Facets(), ", "))
			}
		}
	case Ask, Find:
		if a.Text == "" {
			return missing("text")
		}
	}
	return nil
}
