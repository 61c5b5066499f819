package recovery

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// NudgeConfig says how long a signal must have held for the next level. Level 1, the hint,
// comes with the soft signal.
type NudgeConfig struct {
	// Instruct is the run from which the nudge is a plain instruction, in steps.
	Instruct int `json:"instruct"`
	// Warn is the run from which it is the last warning. It lies before the hard window, so
	// that the warning can be answered before the breaker acts; a hard signal warns at any run.
	Warn int `json:"warn"`
	// Placebo makes nudges come at given steps, whatever signals hold; the zero Placebo leaves them to the signals.
	Placebo Placebo `json:"placebo,omitzero"`
}

// Placebo says at which steps nudges come that no signal is the reason for: a control for what nudges do by being
// said at all. They are worded as nudges about a page on which nothing changes.
type Placebo struct {
	// Every is after how many steps the next one comes, where At is empty; 0 is none.
	Every int `json:"every,omitzero"`
	// At are the levels by step, that of step 1 first; 0 is no nudge, and so is a step beyond the list.
	At []int `json:"at,omitzero"`
}

// on says whether nudges come by p and not by signals.
func (p Placebo) on() bool { return p.Every > 0 || p.At != nil }

func (p Placebo) validate() error {
	if p.Every < 0 {
		return fmt.Errorf("recovery: config: nudge.placebo.every must not be below 0, not %d", p.Every)
	}
	if slices.ContainsFunc(p.At, func(l int) bool { return l < 0 || l > LastWarning }) {
		return fmt.Errorf("recovery: config: nudge.placebo.at: each must be 0 to %d, not %v", LastWarning, p.At)
	}
	return nil
}

// level is that of the nudge of step n, numbered from 1; 0 is none.
func (p Placebo) level(n int) int {
	switch {
	case n <= len(p.At):
		return p.At[n-1]
	case p.At == nil && p.Every > 0 && n%p.Every == 0:
		return min(n/p.Every, LastWarning)
	}
	return 0
}

// NudgeName is what notes of Nudge are from; LastWarning is their highest level.
const (
	NudgeName   = "nudge"
	LastWarning = 3
)

// Nudge tells the brain that it is stuck. It replaces nothing.
type Nudge struct {
	Config NudgeConfig
	// Alone says that nothing halts after the last warning, so that it threatens nothing.
	Alone bool
	// Attended says that the episode then pauses for a person.
	Attended bool
	// Mistakes says that the mistake tracker speaks of failures: then this does not. Where it is off
	// nothing halts because of failures, and nothing is threatened.
	Mistakes bool
}

// Name is "nudge".
func (Nudge) Name() string { return NudgeName }

// Advise is one note about the signal that has held longest, nil when no signal of soft
// level holds, or the turn has the mistake tracker's note already: one intervention a step. Names that the page wrote
// are quoted in it.
func (n Nudge) Advise(t *cua.Turn) []cua.Note {
	if slices.ContainsFunc(t.Notes, func(o cua.Note) bool { return o.From == MistakesName }) {
		return nil
	}
	if n.Config.Placebo.on() {
		return n.placebo(t)
	}
	sig := longest(t.Signals, n.Mistakes)
	if sig == nil {
		return nil
	}
	return []cua.Note{n.say(t, sig, n.level(t.History, sig))}
}

// hintRun is the run that a placebo's hint speaks of: the one at which loop shapes turn soft (spec: loops).
const hintRun = 3

// placebo is what a nudge of the step's level says of a frozen page.
func (n Nudge) placebo(t *cua.Turn) []cua.Note {
	level := n.Config.Placebo.level(t.Number)
	if level == 0 {
		return nil
	}
	run := [...]int{hintRun, n.Config.Instruct, n.Config.Warn}[level-1]
	sig := &cua.Signal{Shape: cua.ShapeFrozen, Level: cua.Soft, Run: max(1, min(run, len(t.History.Steps)))}
	return []cua.Note{n.say(t, sig, level)}
}

// say is the note of that level about sig.
func (n Nudge) say(t *cua.Turn, sig *cua.Signal, level int) cua.Note {
	last := newest(t.History, sig)
	parts := []string{repeated(sig, last), focusLine(t.Now.Focus)}
	ways := alternatives(t, last)
	switch level {
	case 1:
		parts = append(parts, "Perhaps "+ways[0]+".")
	case 2:
		parts = append(parts, "Stop doing that. Instead, "+ways[0]+", or "+ways[1]+".")
	default:
		next := "if the next action is more of the same, this episode is ended"
		switch {
		case n.Alone, sig.Shape == cua.ShapeFailures:
			next = "more of the same will only use up the steps that are left"
		case n.Attended:
			next = "if the next action is more of the same, this episode is paused and a person is asked"
		}
		parts = append(parts, "Last warning: "+next+". Do something else now: "+ways[0]+", or "+ways[1]+", or say done with success=false and why it cannot be done.")
	}
	return cua.Note{From: NudgeName, Level: level, Text: strings.Join(parts, " ")}
}

// level is that of the note: it rises with the time that the signal has held, and by one at
// most beyond what was said before, so that a signal that came late begins with a hint too. A hard signal
// warns at once: the breaker waits for it.
func (n Nudge) level(h cua.History, sig *cua.Signal) int {
	level := 1
	switch {
	case sig.Level == cua.Hard:
		return LastWarning
	case sig.Run >= n.Config.Warn:
		level = LastWarning
	case sig.Run >= n.Config.Instruct:
		level = 2
	}
	return min(level, delivered(h, sig.Since)+1)
}

// longest is the highest signal of soft level or above, the longest run among equals; failures are left out where
// the mistake tracker has them.
func longest(signals []cua.Signal, mistakes bool) *cua.Signal {
	var out *cua.Signal
	for i := range signals {
		s := &signals[i]
		if !s.Level.AtLeast(cua.Soft) || mistakes && s.Shape == cua.ShapeFailures {
			continue
		}
		if out == nil || out.Level != cua.Hard && s.Level == cua.Hard || out.Level == s.Level && s.Run > out.Run {
			out = s
		}
	}
	return out
}

// newest is the last step that is evidence of sig, else the last step; nil when there is none.
func newest(h cua.History, sig *cua.Signal) *cua.Step {
	if n := len(sig.Evidence); n > 0 {
		if s := step(h, slices.Max(sig.Evidence)); s != nil {
			return s
		}
	}
	if len(h.Steps) == 0 {
		return nil
	}
	return &h.Steps[len(h.Steps)-1]
}

// repeated says what was repeated and how often.
func repeated(sig *cua.Signal, last *cua.Step) string {
	what := "the same thing"
	if last != nil {
		what = described(last)
	}
	switch sig.Shape {
	case cua.ShapeRepeat:
		return fmt.Sprintf("You did %s %d times in a row, and it had no effect.", what, sig.Run)
	case cua.ShapeSpiral:
		return fmt.Sprintf("You tried one thing in different ways %d times in a row (last: %s), and nothing came of it.", sig.Run, what)
	case cua.ShapeDrift:
		return fmt.Sprintf("You pressed around one place %d times (last: %s), and it had no effect.", sig.Run, what)
	case cua.ShapeFrozen:
		return fmt.Sprintf("Nothing has changed on the page in the last %d actions (last: %s).", sig.Run, what)
	case cua.ShapeFailures:
		return fmt.Sprintf("The last %d steps failed (last: %s).", sig.Run, what)
	case cua.ShapeStall:
		if last != nil && last.Proposed.Kind.ReadOnly() {
			return fmt.Sprintf("You have only looked and waited for %d steps, and there was nothing new (last: %s).", sig.Run, what)
		}
		return fmt.Sprintf("You have only waited for %d steps, and nothing changed.", sig.Run)
	}
	return fmt.Sprintf("You are going in circles: for %d steps nothing new was reached (last: %s).", sig.Run, what)
}

// described is a step in words, by what the brain asked for.
func described(s *cua.Step) string {
	a := s.Proposed
	what := string(a.Kind)
	if a.Kind == "" {
		return "an answer that could not be read"
	}
	if a.Keys != "" {
		what += " " + line(a.Keys)
	}
	if name := line(s.Target.Name); name != "" {
		return fmt.Sprintf("%s on %q", what, name)
	}
	if q := pressPoint(a, s.Target); q != nil {
		return fmt.Sprintf("%s at %.0f,%.0f", what, q.X, q.Y)
	}
	return what
}

// focusLine names the focused field and whether it is empty.
func focusLine(f *cua.Field) string {
	switch {
	case f == nil:
		return "No field is focused."
	case !f.Editable:
		return "The focus is on " + strings.Replace(named(*f), "the field", "the control", 1) + ", which takes no text."
	case f.Empty:
		return "The focus is in " + named(*f) + ", which is empty."
	}
	return "The focus is in " + named(*f) + ", which is not empty."
}

// alternatives are at least two other things to do, the likeliest first.
func alternatives(t *cua.Turn, last *cua.Step) []string {
	var out []string
	focus := t.Now.Focus
	if last != nil && last.Target.Covering != nil {
		out = append(out, fmt.Sprintf("close %q, which covers the place you press", line(last.Target.Covering.Name)))
	}
	if focus != nil && focus.Editable {
		if focus.Empty {
			out = append(out, "type into the focused field without clicking it again")
		}
		if last != nil && last.Target.SubmitShaped() {
			out = append(out, "press Return in the focused field")
		}
		out = append(out, "press Tab to get to the next field")
	} else if last != nil && last.Target.SubmitShaped() {
		out = append(out, "click into a field of the form and press Return")
	}
	return append(out, "use another control of the page", "scroll to see the rest of the page")
}

// warned says whether the brain had its last warning since the step with that number.
func warned(h cua.History, since int) bool { return delivered(h, since) >= LastWarning }

// delivered is the highest level of the nudges that steps from number since on carried; 0 is none.
func delivered(h cua.History, since int) int {
	top := 0
	steps := fresh(h)
	for i := range steps {
		if steps[i].N < since {
			continue
		}
		for _, n := range steps[i].Notes {
			if n.From == NudgeName {
				top = max(top, n.Level)
			}
		}
	}
	return top
}
