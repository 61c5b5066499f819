package cua

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// maxWaitMS bounds one wait. The shape stall adds waits up.
const maxWaitMS = 60_000

// MaxText is the most bytes of text that an action may contain, and that are kept of a thought: 1 MiB.
const MaxText = 1 << 20

// maxRaw is the most bytes that are kept of a reply that could not be parsed.
const maxRaw = 4 << 10

// Bounded is d cut to the size of a record. An action with more text becomes a failure that keeps only the
// action's kind.
func (d Decision) Bounded() Decision {
	a, n := d.Action, 0
	if !a.Kind.Known() { // an unknown kind is text of the reply
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

// Validate says what is missing or out of range in a for that viewport. The zero Size skips the check of
// points. The error is one line for the brain.
func (a Action) Validate(view Size) error {
	if !slices.Contains(Kinds(), a.Kind) {
		return fmt.Errorf("unknown action kind %q", a.Kind)
	}
	for _, p := range []*Point{a.Point, a.To} {
		// Written as a negation, so that NaN is outside.
		if p != nil && view != (Size{}) && !(p.X >= 0 && p.Y >= 0 && p.X < float64(view.W) &&
			p.Y < float64(view.H)) {
			return fmt.Errorf("%s: point %.0f,%.0f is outside the viewport %d×%d", a.Kind, p.X, p.Y,
				view.W, view.H)
		}
	}
	for _, n := range needs {
		if slices.Contains(n.kinds, a.Kind) && !n.met(a) {
			return fmt.Errorf("%s: needs %s", a.Kind, n.what)
		}
	}
	return a.inRange()
}

// needs are what actions of some kinds require.
var needs = []struct {
	kinds []Kind
	what  string
	met   func(a Action) bool
}{
	{[]Kind{Click, DoubleClick, TripleClick, RightClick, MiddleClick, Hover, Zoom}, "a point or a mark", Action.placed},
	{[]Kind{Drag}, "a point and a to", func(a Action) bool { return a.placed() && a.To != nil }},
	{[]Kind{Key}, "keys", func(a Action) bool { return a.Keys != "" }},
	{[]Kind{Scroll}, "dx or dy", func(a Action) bool { return a.DX != 0 || a.DY != 0 }},
	{[]Kind{Navigate}, "a url", func(a Action) bool { return a.URL != "" }},
	{[]Kind{Select}, "a point or a mark, and the text of an option", func(a Action) bool { return a.placed() && a.Text != "" }},
	{[]Kind{Upload}, "a point or a mark, and files", func(a Action) bool { return a.placed() && len(a.Files) > 0 }},
	{[]Kind{SwitchTab}, "a tab number", func(a Action) bool { return a.Tab >= 1 }},
	{[]Kind{Rewind}, "a step number", func(a Action) bool { return a.Step >= 1 }},
	{[]Kind{Ask, Find}, "text", func(a Action) bool { return a.Text != "" }},
}

// placed reports whether a names a place.
func (a Action) placed() bool { return a.Point != nil || a.Mark > 0 || a.Into != "" }

// inRange says which value of a is out of range. a has all that it needs.
func (a Action) inRange() error {
	switch a.Kind {
	case Navigate, NewTab:
		if _, err := url.Parse(a.URL); err != nil {
			return fmt.Errorf("%s: bad url %q", a.Kind, a.URL)
		}
	case Wait:
		if a.MS <= 0 || a.MS > maxWaitMS {
			return fmt.Errorf("wait: ms must be 1 to %d, not %d", maxWaitMS, a.MS)
		}
	case Rewind:
		for _, f := range a.Facets {
			if !slices.Contains(Facets(), f) {
				return fmt.Errorf("rewind: no facet is %q; there are %s", f, strings.Join(Facets(), ", "))
			}
		}
	}
	return nil
}
