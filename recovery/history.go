package recovery

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/cua-runner/cua-runner/cua"
)

func pass(gate string) cua.Ruling { return cua.Ruling{Gate: gate, Verdict: cua.Pass} }

// fresh are the steps since the newest resumption that started with fresh counters.
func fresh(h cua.History) []cua.Step { return h.Steps[h.Fresh():] }

// pressPoint is where a presses or would press; nil for an action without a place.
func pressPoint(a cua.Action, t cua.Target) *cua.Point {
	if t.Point != nil {
		return t.Point
	}
	return a.Point
}

// step is the step with number n; nil when there is none.
func step(h cua.History, n int) *cua.Step {
	if i := indexOf(h, n); i >= 0 {
		return &h.Steps[i]
	}
	return nil
}

// indexOf is the index of the step with number n; -1 when there is none.
func indexOf(h cua.History, n int) int {
	i, ok := slices.BinarySearchFunc(h.Steps, n, func(s cua.Step, n int) int { return s.N - n })
	if !ok {
		return -1
	}
	return i
}

// idle says whether the last n of samples are known to have had no effect.
func idle(samples []cua.Sample, n int) bool {
	if len(samples) < n {
		return false
	}
	return !slices.ContainsFunc(samples[len(samples)-n:], func(s cua.Sample) bool { return !s.Idle() })
}

// numbers are the step numbers of the last n of samples.
func numbers(samples []cua.Sample, n int) []int {
	var out []int
	for _, s := range samples[max(0, len(samples)-n):] {
		out = append(out, s.Step.N)
	}
	return out
}

// words is text as lower-case words between single spaces, spaces at both ends included, so that containment means whole
// words.
func words(text string) string {
	f := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return " " + strings.Join(f, " ") + " "
}

// line is text that a page or a task wrote, fit for one line of ours: without control characters and cut to 80 runes.
func line(text string) string {
	const most = 80
	r := []rune(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " "))
	if len(r) > most {
		r = append(r[:most], '…')
	}
	return string(r)
}

// named is a field as messages call it.
func named(f cua.Field) string {
	for _, s := range []string{f.Label, f.Name, f.Placeholder, f.NameAttr, f.IDAttr} {
		if s = line(s); s != "" {
			return fmt.Sprintf("the field %q", s)
		}
	}
	return "the focused field"
}

// quoted is a name that the page wrote, in one line.
func quoted(name string) string {
	if name = line(name); name != "" {
		return fmt.Sprintf("%q", name)
	}
	return "the element"
}
