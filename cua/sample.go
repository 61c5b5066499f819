package cua

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
)

// Sample is one step as the loop shapes read it: one per step, whatever the
// step dispatched underneath.
type Sample struct {
	Step *Step
	// Acting says that something was dispatched, that this or Action is neither a wait nor
	// read-only, and that the step does not poll: a look in place of a press is a press here, and a
	// press in place of a wait acts.
	Acting bool
	// Poll says that the step is part of a poll: a press, reload or navigation without effect that the
	// server answered well, or one of the waits of PollWaitMS or more between it and the next acting
	// step. Both are judged by the time that was waited, never by count (spec: loops, polling is
	// waiting). A press is none before it is waited for.
	Poll bool
	// Action is what the step counts as: what was dispatched, and what the brain asked for
	// where a gate substituted, because an intervention never resets its own evidence.
	// Zero when nothing was dispatched.
	Action Action
	// Signature is action kind, parameters and target identity of Action, without the point
	// where the identity is known.
	Signature string
	// Before and After are state nodes; "" is unknown.
	Before, After string
	// Substituted is Step.Substituted.
	Substituted bool
	// Known says whether the effect could be judged at all.
	Known bool
	// Progress says that the step had a progress effect, at once or late; what the churn mask
	// explains by now does not count.
	Progress bool
	// New says that After is known and not among the nodes of the live steps before it, or that the step had
	// an effect that nodes do not see: pixels, a write, a download. A late effect may lead to a new node too.
	New bool
}

// Reach is how far back loop shapes look, in steps, where no window of theirs is longer than half of it: no
// run of a signal counts more.
const Reach = 200

// PollWaitMS is the least wait, ms, that makes a press before it a poll, and from which on waits are
// judged by time alone: a second is what people leave between two looks at a slow page, and waits
// below it are pauses between actions.
const PollWaitMS = 1000

// polls says whether the step asked the server something and got an answer: a press, reload or
// navigation, dispatched as the brain proposed it. The status of the document counts only where the
// step brought it.
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

// Samples reads the whole history, rewound steps included, with the churn
// masks as they are known now.
func (h History) Samples() []Sample {
	var s Sampler
	return s.Read(h)
}

// visited are the nodes of the live steps so far, each with the number of the
// step that reached it first.
type visited map[string]int

func (v visited) add(node string, step int) {
	if _, ok := v[node]; !ok {
		v[node] = step
	}
}

// until drops what steps from number n on have reached.
func (v visited) until(n int) {
	maps.DeleteFunc(v, func(_ string, step int) bool { return step >= n })
}

// explainedBut says whether e holds progress that mask does not explain.
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

// MaxEffectParts is where Effect.Parts is cut; a full list explains nothing.
const MaxEffectParts = 20

func explained(parts []string, mask map[string]bool) bool {
	if len(parts) == 0 || len(parts) >= MaxEffectParts {
		return false
	}
	return !slices.ContainsFunc(parts, func(p string) bool { return !mask[p] })
}

func tilesExplained(d *TileDiff, mask map[int]bool) bool {
	if len(mask) == 0 {
		return false // it was progress when it was recorded, and nothing is known beyond that
	}
	return !slices.ContainsFunc(d.Progress(), func(t int) bool { return !mask[t] })
}

// lateChange says whether idle, found before step i, is a late effect.
func (h *History) lateChange(i int, idle *Idle, read *nodeReader) bool {
	mask := read.at(h.before(i))
	fresh := func(p string) bool { return !mask.Parts[p] }
	if slices.ContainsFunc(idle.Caused, fresh) {
		return true
	}
	return h.afterWait(i) && (slices.ContainsFunc(idle.Changes, Change.Progress) ||
		slices.ContainsFunc(idle.Parts, fresh))
}

// received is the target of an action. Keys and text without a place go to what has the focus.
func received(a Action, t Target, focus *Field) Target {
	if (a.Kind == Key || a.Kind == Type) && focus != nil && t.ID == "" && t.Point == nil && a.Into == "" &&
		a.Point == nil {
		t.ID = focus.ID
	}
	return t
}

// Signature is action kind, parameters and target identity; the point counts
// only where no element was identified.
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

// sep parts the fields of a signature: it is on no keyboard.
const sep = '\x1f'

// pointBucket is the edge of the bucket that stands for a place where nothing can be
// identified, CSS px (spec: loops, target identity).
const pointBucket = 8

// PointID is the identity of a bare place: its 8-px bucket.
func PointID(p Point) string {
	b := rounded(append(make([]byte, 0, 16), '@'), math.Floor(p.X/pointBucket))
	return string(rounded(append(b, ','), math.Floor(p.Y/pointBucket)))
}

func rounded(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'f', 0, 64) }
