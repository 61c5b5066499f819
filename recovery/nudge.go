package recovery

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// NudgeName is the sender of Nudge's notes; LastWarning is their highest level.
const (
	NudgeName   = "nudge"
	LastWarning = 3
)

// Nudge tells the brain that it is stuck. It replaces nothing.
type Nudge struct {
	Config NudgeConfig
	// NeverEnds says that nothing ends the episode after the last warning, so the warning threatens nothing.
	NeverEnds bool
	// Attended says that the episode then pauses for a person.
	Attended bool
	// Mistakes says that the mistake tracker gives the notes about failures.
	Mistakes bool
}

// Advise is one note about the signal that has held longest, a hard one first; nil if none is soft or hard,
// or if the mistake tracker has given a note.
func (n Nudge) Advise(t *cua.Turn) []cua.Note {
	if slices.ContainsFunc(t.Notes, func(o cua.Note) bool { return o.From == MistakesName }) {
		return nil
	}
	of := func(l cua.Level) *cua.Signal {
		return longest(t.Signals, func(s *cua.Signal) bool {
			return s.Level == l && !(n.Mistakes && s.Shape == cua.ShapeFailures)
		})
	}
	sig := cmp.Or(of(cua.Hard), of(cua.Soft))
	if sig == nil {
		return nil
	}
	return []cua.Note{n.Say(t, sig, n.level(t, sig))}
}

// Say is the note of a level, 1 to LastWarning, about a signal.
func (n Nudge) Say(t *cua.Turn, sig *cua.Signal, level int) cua.Note {
	last := newest(t.History, sig)
	ways := alternatives(t, last)
	next := "if the next action is more of the same, this episode is ended"
	switch {
	case n.NeverEnds, sig.Shape == cua.ShapeFailures:
		next = "more of the same will only use up the steps that are left"
	case n.Attended:
		next = "if the next action is more of the same, this episode is paused and a person is asked"
	}
	do := [...]string{
		"Perhaps " + ways[0],
		"Stop doing that. Instead, " + ways[0] + ", or " + ways[1],
		"Last warning: " + next + ". Do something else now: " + ways[0] + ", or " + ways[1] +
			", or say done with success=false and why it cannot be done",
	}[level-1]
	text := repeated(sig, last) + " " + focusLine(t.Now.Focus) + " " + do + "."
	return cua.Note{From: NudgeName, Level: level, Text: text}
}

// level rises with the run of the signal, by at most one above the last nudge, so a late signal begins with a
// hint. A hard signal warns at once, because the breaker waits for the warning.
func (n Nudge) level(t *cua.Turn, sig *cua.Signal) int {
	level := 1
	switch {
	case sig.Level == cua.Hard:
		return LastWarning
	case sig.Run >= n.Config.Warn:
		level = LastWarning
	case sig.Run >= n.Config.Instruct:
		level = 2
	}
	return min(level, delivered(t, sig.Since)+1)
}

// delivered is the highest level of the nudges in the steps from number since on; 0 is none.
func delivered(t *cua.Turn, since int) (top int) {
	for _, i := range slices.Backward(t.Evidence.Noted) {
		s := &t.History.Steps[i]
		if i < t.Evidence.Fresh || s.N < since || top == LastWarning {
			break
		}
		for _, n := range s.Notes {
			if n.From == NudgeName {
				top = max(top, n.Level)
			}
		}
	}
	return top
}

// newest is the last step that is evidence of sig, else the last step; nil is none.
func newest(h cua.History, sig *cua.Signal) *cua.Step {
	n := len(h.Steps)
	if n == 0 {
		return nil
	}
	return cmp.Or(h.Step(slices.Max(append(slices.Clip(sig.Evidence), 0))), &h.Steps[n-1])
}

// sentences say by shape what was repeated: how often (1) and, for some, what it was last (2).
var sentences = map[cua.Shape]string{
	cua.ShapeRepeat: "You did %[2]s %[1]d times in a row, and it had no effect.",
	cua.ShapeSpiral: "You tried one thing in different ways %d times in a row (last: %s), " +
		"and nothing came of it.",
	cua.ShapeDrift:    "You pressed around one place %d times (last: %s), and it had no effect.",
	cua.ShapeFrozen:   "Nothing has changed on the page in the last %d actions (last: %s).",
	cua.ShapeFailures: "The last %d steps failed (last: %s).",
}

// Shapes without a sentence of their own: looking and waiting, only waiting, all others.
const (
	lookedOnly = "You have only looked and waited for %d steps, and there was nothing new (last: %s)."
	waitedOnly = "You have only waited for %d steps, and nothing changed."
	circling   = "You are going in circles: for %d steps nothing new was reached (last: %s)."
)

func repeated(sig *cua.Signal, last *cua.Step) string {
	what := "the same thing"
	if last != nil {
		what = described(last)
	}
	sentence := cmp.Or(sentences[sig.Shape], circling)
	if sig.Shape == cua.ShapeStall {
		sentence = lookedOnly
		if last == nil || !last.Proposed.Kind.ReadOnly() {
			return fmt.Sprintf(waitedOnly, sig.Run)
		}
	}
	return fmt.Sprintf(sentence, sig.Run, what)
}

func described(s *cua.Step) string {
	a := s.Proposed
	if a.Kind == "" {
		return "an answer that could not be read"
	}
	what := string(a.Kind)
	if a.Keys != "" {
		what += " " + cua.OneLine(a.Keys)
	}
	if name := cua.OneLine(s.Target.Name); name != "" {
		return fmt.Sprintf("%s on %q", what, name)
	}
	if q := pressPoint(a, s.Target); q != nil {
		return fmt.Sprintf("%s at %.0f,%.0f", what, q.X, q.Y)
	}
	return what
}

func focusLine(f *cua.Field) string {
	switch {
	case f == nil:
		return "No field is focused."
	case !f.Editable:
		control := strings.Replace(named(f), "the field", "the control", 1)
		return "The focus is on " + control + ", which takes no text."
	case f.Empty:
		return "The focus is in " + named(f) + ", which is empty."
	}
	return "The focus is in " + named(f) + ", which is not empty."
}

// alternatives are at least two other things to do, the most likely first.
func alternatives(t *cua.Turn, last *cua.Step) []string {
	var out []string
	add := func(on bool, way string) {
		if on {
			out = append(out, way)
		}
	}
	f := t.Now.Focus
	types := f != nil && f.Editable
	submits := last != nil && last.Target.SubmitShaped()
	if last != nil && last.Target.Covering != nil {
		over := cua.OneLine(last.Target.Covering.Name)
		add(true, fmt.Sprintf("close %q, which covers the place you press", over))
	}
	add(types && f.Empty, "type into the focused field without clicking it again")
	add(types && submits, "press Return in the focused field")
	add(types, "press Tab to get to the next field")
	add(!types && submits, "click into a field of the form and press Return")
	return append(out, "use another control of the page", "scroll to see the rest of the page")
}
