package heuristic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// complete reports whether everything that the goal asks for was done: each aim is reached, and each value
// is in its field or was there when the form was sent.
func (v *view) complete() bool {
	return v.settled() && !slices.ContainsFunc(v.values, func(w want) bool {
		return !w.in &&
			!v.landedEarlier(w) && !v.heldWhenSent(w)
	})
}

// finish checks the result and says done, or continues if the page needs more. It claims success only if
// the goal is complete.
func (v *view) finish() *move {
	complete := v.complete()
	hard := slices.ContainsFunc(v.aims, func(a aim) bool { return !a.soft })
	if !v.acted() && !(complete && hard) || !complete && !v.sent() || v.form && !v.sent() {
		return nil
	}
	if want := expectation(v.t.Task.Goal); len(want) > 0 {
		if m := v.expect(want); m != nil {
			return m
		}
	}
	if complete && succeeded(v.news()) {
		return v.succeed()
	}
	if v.canRead() {
		return v.extract()
	}
	if line := v.newError(); line != "" {
		return v.failed("the page reports an error: " + clip(line, 200))
	}
	if !complete || v.form {
		if m := v.onward(); m != nil || !complete {
			return m
		}
	}
	return v.succeed()
}

// newError is the first line of the present reading of the page that reports an error and was in no
// earlier reading.
func (v *view) newError() string {
	text, _ := v.read()
	for line := range strings.Lines(text) {
		old := false
		for i := range v.steps {
			before := v.reading(i)
			old = old || before != text && strings.Contains(before, strings.TrimSpace(line))
		}
		if errorWords.MatchString(line) && !old {
			return line
		}
	}
	return ""
}

// expect checks whether the page shows what the goal expects. It reads the page, waits for the text after
// a press with an effect, and otherwise repeats the press. It is nil once the page shows the text, or if
// the control of the last press is gone.
func (v *view) expect(want []string) *move {
	text, _ := v.read()
	for _, line := range append(stated(*v.now), strings.Split(text, "\n")...) {
		if within(want, Words(line)) && !negations.MatchString(line) {
			return nil
		}
	}
	if v.canRead() {
		return v.extract()
	}
	last, ok := v.lastPress()
	if _, read := v.read(); !ok || !read && last.effect {
		return nil // it cannot be read
	}
	if last.effect && (v.waits() < maxDoubt || v.moved() && v.waits() < maxWaits) {
		return &move{cua.Action{Kind: cua.Wait, MS: waitMS},
			"the page does not show yet what the goal expects; wait"}
	}
	if m := v.called(last.name); m != nil {
		return v.click(*m, fmt.Sprintf("the page does not show what the goal expects; press %q again",
			clip(m.Name, 40)))
	}
	return nil
}

// onward presses a submit control that was not pressed yet: the next page of a form in several parts.
func (v *view) onward() *move {
	if v.wrongNumber() != "" {
		return nil
	}
	m := v.find(func(m cua.Mark) float64 {
		if !Submits(m) || m.Disabled || v.pressed(m) {
			return 0
		}
		return 0.8
	})
	if m == nil {
		return nil
	}
	return v.click(*m, fmt.Sprintf("the form continues; press %q", clip(m.Name, 40)))
}
