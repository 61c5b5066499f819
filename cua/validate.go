package cua

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// maxWaitMS bounds one wait; the stall shape adds them up.
const maxWaitMS = 60_000

// MaxText is how many bytes of text an action may hold, and how many of a thought are kept: 1 MiB.
const MaxText = 1 << 20

// maxRaw is how many bytes of a reply that could not be read are kept.
const maxRaw = 4 << 10

// Bounded is d with no more text than a record takes. An action that holds more is a failed decision, of
// which the kind of the action is kept.
func (d Decision) Bounded() Decision {
	a, n := d.Action, 0
	if !a.Kind.Known() { // whatever the reply held
		n = len(a.Kind)
	}
	texts := []string{a.Text, a.Keys, a.URL, a.Into, a.Why}
	for _, s := range slices.Concat(texts, a.Files, a.Facets) {
		n += len(s)
	}
	if n > MaxText {
		d.Failure = &Failure{Kind: FailSchema, // without the text, which may be a secret
			Detail: fmt.Sprintf("the action holds %d bytes of text, at most %d are taken", n, MaxText)}
		d.Action = Action{Kind: Kind(HeadBytes(string(a.Kind), maxRaw))}
	} else if f := d.Failure; f != nil {
		d.Failure = &Failure{Kind: f.Kind, Detail: HeadBytes(f.Detail, maxRaw), Raw: HeadBytes(f.Raw, maxRaw)}
	}
	d.Thought = HeadBytes(d.Thought, MaxText)
	return d
}

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
