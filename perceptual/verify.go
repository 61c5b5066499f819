package perceptual

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/cua-runner/cua-runner/cua"
)

// VerifyInput is one dispatched action and what was seen around it.
type VerifyInput struct {
	Action cua.Action // dispatched
	Target cua.Target
	// Thought is the brain's reasoning.
	Thought string
	Before  cua.Observation
	After   cua.Observation
	// Diff compares the two frames with Point(…) as its point; nil when they could not be
	// compared, and then nothing is checked.
	Diff *cua.TileDiff
	// Effect is what the page's own evidence says of the step; nil is unknown.
	Effect *cua.Effect
}

// Verdict is the verifier's answer. The zero Verdict did not check.
type Verdict struct {
	// Checked says that the action was of high risk and that there were frames.
	Checked bool
	// Observed says that it had a visible effect.
	Observed bool
	// Reason is what the pixels showed; "" when it did not check.
	Reason cua.VerifyReason
	// Warning is what the next turn's feedback gains; "" is nothing.
	Warning string
}

// Effect is the verdict as a step records it: nil when it did not check.
func (v Verdict) Effect() *bool {
	if !v.Checked {
		return nil
	}
	return &v.Observed
}

// Verify checks whether an action of high risk had a visible effect. It is
// observational: it never blocks and never replaces (spec: recovery, perceptual verifier).
//
// A click that put the focus into a field is no failure even where no pixel changed: it
// counts as observed, and the feedback says what the field waits for.
func Verify(in VerifyInput, c Config) Verdict {
	if in.Diff == nil || !HighRisk(in.Action, in.Target, in.Thought) {
		return Verdict{}
	}
	v := Verdict{Checked: true, Observed: true}
	global, region := in.changed(c)
	switch {
	case global && region:
		v.Reason = cua.GlobalAndRegionChanged
	case region:
		v.Reason = cua.RegionChanged
	case global:
		v.Reason = cua.GlobalChanged
	default:
		v.Reason, v.Observed = cua.GlobalAndRegionStable, false
		v.Warning = fmt.Sprintf("WARNING: no observed effect (%s)", v.Reason)
	}
	if f := focused(in); f != nil {
		v.Observed, v.Warning = true, waiting(f)
	}
	return v
}

// HighRisk says whether an action is checked: Return or Enter with any modifier, and a click
// whose target or reasoning says in whole words that it submits, buys, sends, deletes, ….
func HighRisk(a cua.Action, t cua.Target, thought string) bool {
	if a.Kind == cua.Key {
		key := a.Keys[strings.LastIndexByte(a.Keys, '+')+1:]
		return strings.EqualFold(key, "Return") || strings.EqualFold(key, "Enter") ||
			strings.EqualFold(key, "KP_Enter")
	}
	return a.Kind.Pressing() && (t.Submit || cua.SaysRisk(t.Name) || cua.SaysRisk(thought) ||
		cua.SaysRisk(a.Why))
}

// Point is the place that the verifier watches, CSS px: where the action went, else the
// middle of the field that had the focus; nil when there is neither.
func Point(a cua.Action, t cua.Target, before *cua.Observation) *cua.Point {
	switch {
	case a.Point != nil:
		return a.Point
	case a.Kind.Pointer() && t.Point != nil:
		return t.Point
	case before.Focus != nil && !before.Focus.Box.Empty():
		p := before.Focus.Box.Center()
		return &p
	}
	return nil
}

// changed says whether something changed outside the region, and inside it, churn and presentation left out.
// A press that the page answers with another text or another form has changed the tiles under its focus ring
// too. Without a point the region is empty and all of the frame is outside.
func (in *VerifyInput) changed(c Config) (far, near bool) {
	d := in.Diff
	near = d.Region
	p := Point(in.Action, in.Target, &in.Before)
	tiles := d.Progress()
	if in.Effect.Has(cua.ChangeDOM) || in.Effect.Has(cua.ChangeForm) {
		tiles = slices.Concat(tiles, d.Presentation)
	}
	if p == nil {
		return len(tiles) > 0, near
	}
	s := 1.0
	if f := in.After.Fingerprint; f != nil && in.After.Viewport.W > 0 {
		s = float64(f.W) / float64(in.After.Viewport.W)
	}
	around := region(*p, c, s)
	for _, t := range tiles {
		touches := d.TileBox(t).Overlaps(around)
		near = near || touches && d.Presentation.Has(t)
		far = far || !touches
	}
	return far || !near && len(tiles) > 0, near
}

// focused is the field into which a click has just put the focus; nil when it did not.
func focused(in VerifyInput) *cua.Field {
	f := in.After.Focus
	if !in.Action.Kind.Pressing() || f == nil || !f.Editable || focusID(&in.Before) == f.ID {
		return nil
	}
	return f
}

// waiting says that f is focused. Its name is the page's text and goes in quotes.
func waiting(f *cua.Field) string {
	state := "holds text"
	if f.Empty {
		state = "is empty"
	}
	name := quoted(firstOf(f.Label, f.Name, f.Placeholder, f.NameAttr))
	if name == "" {
		return fmt.Sprintf("The click focused a field that %s; it waits for text: type now.", state)
	}
	return fmt.Sprintf("The click focused the field %s, which %s; it waits for text: type now.", name, state)
}

func firstOf(names ...string) string {
	for _, n := range names {
		if strings.TrimSpace(n) != "" {
			return n
		}
	}
	return ""
}

// maxName is how much of a page's name for a field is quoted, in runes.
const maxName = 60

// quoted is a page's text on one line, cut, in quotes that it cannot leave.
func quoted(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == '"' {
			return '\''
		}
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	if s = strings.Join(strings.Fields(s), " "); s == "" {
		return ""
	}
	return `"` + cua.Clip(s, maxName+1) + `"`
}
