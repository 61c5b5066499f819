package cua

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
)

// Sample is one step as the loop shapes see it. There is one per step, whatever the step dispatched.
type Sample struct {
	Step *Step
	// Acting says that something was dispatched, that it or Action is neither a wait nor read-only, and that
	// the step is no poll. So a look that replaced a press counts as a press, and a press that replaced a
	// wait counts as acting.
	Acting bool
	// Poll says that the step is part of a poll: a press, reload or navigation without effect that the server
	// answered with success, or one of the waits of at least PollWaitMS between it and the next acting step.
	// Polls are judged by the time waited, never by count (docs/recovery.md#polling-is-waiting). A press is
	// no poll until a wait follows it.
	Poll bool
	// Action is what the step counts as: the dispatched action, or the brain's proposal if a gate
	// substituted, because an intervention must not reset its own evidence. It is zero if nothing was
	// dispatched.
	Action Action
	// Signature is kind, parameters and target identity of Action. The point is left out if the identity is
	// known.
	Signature string
	// Before and After are state nodes; "" is unknown.
	Before, After string
	// Substituted is Step.Substituted.
	Substituted bool
	// Known reports whether the effect is known.
	Known bool
	// Progress says that the step had a progress effect, immediate or late. Changes that the current churn
	// mask explains do not count.
	Progress bool
	// New says that After is known and is no node of the live steps before it, or that the step had an effect
	// that nodes do not show: pixels, a write, a download. A late effect may lead to a new node too.
	New bool
}

// Reach is how many steps back loop shapes look, unless one of their windows is longer than half of it. No
// run of a signal is longer.
const Reach = 200

// PollWaitMS is the shortest wait, ms, that makes the press before it a poll and that is judged by its time
// alone. A second is what people leave between two looks at a slow page; shorter waits are pauses between
// actions.
const PollWaitMS = 1000

// polls reports whether the step asked the server something and got an answer: a press, reload or navigation
// that was dispatched as proposed. The status of the document counts only if the step loaded it.
func (h *History) polls(i int) bool {
	s := &h.Steps[i]
	if s.Action == nil || s.Failure != nil || s.Substituted() || s.After.NavError != "" {
		return false
	}
	switch k := s.Action.Kind; {
	case k.Pressing(), k == Reload, k == Navigate, s.Action.PressesReturn():
	default:
		return false
	}
	for _, w := range s.After.Writes {
		if w.Status != 0 && !w.OK() {
			return false
		}
	}
	if s.After.Answered > 0 {
		return true
	}
	from, to := h.before(i).Document, s.After.Document
	return from != "" && to != "" && from != to && s.After.Status >= 200 && s.After.Status < 400
}

// Idle says that the step is known to have had no progress effect.
func (s *Sample) Idle() bool { return s.Known && !s.Progress }

// Samples are those of the whole history, including rewound steps, under the current churn masks.
func (h History) Samples() []Sample {
	var s Sampler
	return s.Read(h)
}

// visited are the nodes of the live steps so far, with the number of the step that reached each first.
type visited map[string]int

func (v visited) add(node string, step int) {
	if _, ok := v[node]; !ok {
		v[node] = step
	}
}

// until drops the nodes that steps from number n on reached.
func (v visited) until(n int) {
	maps.DeleteFunc(v, func(_ string, step int) bool { return step >= n })
}

// explainedBut reports whether e has progress that mask does not explain.
func (e *Effect) explainedBut(mask *ChurnMask) bool {
	if !e.Any() {
		return false
	}
	for _, c := range e.Progress {
		switch c {
		case ChangeDOM:
			if !explained(e.Parts, mask.Parts) {
				return true
			}
		case ChangePixels:
			if e.Tiles == nil || !tilesExplained(e.Tiles, mask.Tiles) {
				return true
			}
		default:
			return true
		}
	}
	return false
}

// MaxEffectParts is the most that Effect.Parts holds. A full list may be incomplete.
const MaxEffectParts = 20

func explained(parts []string, mask map[string]bool) bool {
	if len(parts) == 0 || len(parts) >= MaxEffectParts {
		return false
	}
	return !slices.ContainsFunc(parts, func(p string) bool { return !mask[p] })
}

func tilesExplained(d *TileDiff, mask map[int]bool) bool {
	if len(mask) == 0 {
		return false // recorded as progress; the parts that were cut off are not known
	}
	return !slices.ContainsFunc(d.Progress(), func(t int) bool { return !mask[t] })
}

// lateChange reports whether idle, found before step i, is a late effect.
func (h *History) lateChange(i int, idle *Idle, read *nodeReader) bool {
	mask := read.at(h.before(i))
	fresh := func(p string) bool { return !mask.Parts[p] }
	if slices.ContainsFunc(idle.Caused, fresh) {
		return true
	}
	return h.afterWait(i) && (slices.ContainsFunc(idle.Changes, Change.Progress) ||
		slices.ContainsFunc(idle.Parts, fresh))
}

// received is the target of an action. Keys, and text without a place, go to the focused element.
func received(a Action, t Target, focus *Field) Target {
	if (a.Kind == Key || a.Kind == Type) && focus != nil && t.ID == "" && t.Point == nil && a.Into == "" &&
		a.Point == nil {
		t.ID = focus.ID
	}
	return t
}

// Signature is kind, parameters and target identity of a. The point counts only if no element was identified.
func Signature(a Action, t Target) string {
	place := cmp.Or(t.ID, a.Into)
	if p := cmp.Or(a.Point, t.Point); place == "" && p != nil {
		place = PointID(*p)
	}
	b := make([]byte, 0, 96)
	b = append(append(b, a.Kind...), sep)
	b = append(b, place...)
	if a.To != nil {
		b = append(append(b, sep), PointID(*a.To)...)
	}
	if a.DX != 0 || a.DY != 0 {
		b = rounded(append(b, sep), a.DX)
		b = rounded(append(b, ','), a.DY)
	}
	for _, s := range []string{a.Text, a.Keys, a.URL} {
		b = append(append(b, sep), s...)
	}
	for _, f := range a.Files {
		b = append(append(b, sep), f...)
	}
	if a.Tab != 0 || a.MS != 0 || a.Step != 0 || a.Clear || a.Accept {
		for _, n := range []int{a.Tab, a.MS, a.Step} {
			b = strconv.AppendInt(append(b, sep), int64(n), 10)
		}
		b = strconv.AppendBool(append(b, sep), a.Clear)
		b = strconv.AppendBool(append(b, sep), a.Accept)
	}
	return string(b)
}

// sep separates the fields of a signature. It cannot be typed.
const sep = '\x1f'

// pointBucket is the edge of the bucket that identifies a place without an element, CSS px.
const pointBucket = 8

// PointID is the identity of a place without an element: its 8-px bucket.
func PointID(p Point) string {
	b := rounded(append(make([]byte, 0, 16), '@'), math.Floor(p.X/pointBucket))
	return string(rounded(append(b, ','), math.Floor(p.Y/pointBucket)))
}

func rounded(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'f', 0, 64) }
