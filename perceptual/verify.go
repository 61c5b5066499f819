package perceptual

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// VerifyInput is one dispatched action and what was observed before and after it.
type VerifyInput struct {
	Action cua.Action // dispatched
	Target cua.Target
	// Thought is the brain's reasoning.
	Thought string
	Before  cua.Observation
	After   cua.Observation
	// Diff compares the two frames around Point(…); nil if there are none, and then nothing is checked.
	Diff *cua.TileDiff
	// Effect is the effect by the page's own evidence; nil is unknown.
	Effect *cua.Effect
}

// Verdict is the verifier's answer. The zero Verdict means that it did not check.
type Verdict struct {
	// Checked says that the action was of high risk and that there were frames.
	Checked bool
	// Observed says that it had a visible effect.
	Observed bool
	// Reason is what the pixels showed; "" if it did not check.
	Reason cua.VerifyReason
	// Warning is added to the feedback of the next turn; "" is none.
	Warning string
}

// Effect is the verdict as a step records it: nil if it did not check.
func (v Verdict) Effect() *bool {
	if !v.Checked {
		return nil
	}
	return &v.Observed
}

// Verify checks whether an action of high risk had a visible effect. It only observes: it never blocks and
// never replaces.
//
// A click that focused a field counts as observed even if no pixel changed. The warning then says that the
// field is waiting for input.
func Verify(in VerifyInput, c Config) Verdict {
	if in.Diff == nil || !highRisk(in.Action, in.Target, in.Thought) {
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

// highRisk reports whether an action is checked: Return or Enter, and a click whose target or reasoning has a
// word such as submit, buy, send or delete.
func highRisk(a cua.Action, t cua.Target, thought string) bool {
	if a.Kind == cua.Key {
		key := a.Keys[strings.LastIndexByte(a.Keys, '+')+1:]
		return strings.EqualFold(key, "Return") || strings.EqualFold(key, "Enter") ||
			strings.EqualFold(key, "KP_Enter")
	}
	return a.Kind.Pressing() && (t.Submit || cua.SaysRisk(t.Name) || cua.SaysRisk(thought) ||
		cua.SaysRisk(a.Why))
}

// Point is the place that the verifier checks, CSS px: where the action went, else the center of the field
// that had the focus; nil is neither.
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

// changed reports whether something changed outside the region and inside it, without churn and
// presentation. If the page answers a press with another text or form, the tiles under its focus ring count
// too. Without a point the region is empty, and all of the frame is outside.
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

// focused is the field that a click has just focused; nil is none.
func focused(in VerifyInput) *cua.Field {
	f := in.After.Focus
	if !in.Action.Kind.Pressing() || f == nil || !f.Editable || focusID(&in.Before) == f.ID {
		return nil
	}
	return f
}

// waiting says that f is focused. The page's name for it is quoted.
func waiting(f *cua.Field) string {
	state := "holds text"
	if f.Empty {
		state = "is empty"
	}
	name := cua.Quoted(firstOf(f.Label, f.Name, f.Placeholder, f.NameAttr))
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
