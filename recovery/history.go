package recovery

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

func pass(gate string) cua.Ruling { return cua.Ruling{Gate: gate, Verdict: cua.Pass} }

func rule(gate string, v cua.Verdict, reason string, evidence []int, format string, args ...any) cua.Ruling {
	detail := fmt.Sprintf(format, args...)
	return cua.Ruling{Gate: gate, Verdict: v, Reason: reason, Evidence: evidence, Detail: detail}
}

// fresh are the steps since the newest fresh resumption.
func fresh(h cua.History) []cua.Step { return h.Steps[h.Fresh():] }

// pressPoint is where a presses or would press; nil for an action without a place.
func pressPoint(a cua.Action, t cua.Target) *cua.Point {
	if t.Point != nil {
		return t.Point
	}
	return a.Point
}

// idle are the last n of samples if each is known to have had no effect; nil otherwise.
func idle(samples []cua.Sample, n int) []cua.Sample {
	last := samples[max(0, len(samples)-n):]
	if len(last) < n || slices.ContainsFunc(last, func(s cua.Sample) bool { return !s.Idle() }) {
		return nil
	}
	return last
}

func numbers(samples []cua.Sample) []int {
	var out []int
	for _, s := range samples {
		out = append(out, s.Step.N)
	}
	return out
}

// longest is the first signal with the longest run for which counts is true; nil is none.
func longest(signals []cua.Signal, counts func(*cua.Signal) bool) *cua.Signal {
	var out *cua.Signal
	for i := range signals {
		if s := &signals[i]; counts(s) && (out == nil || s.Run > out.Run) {
			out = s
		}
	}
	return out
}

func named(f *cua.Field) string {
	for _, s := range []string{f.Label, f.Name, f.Placeholder, f.NameAttr, f.IDAttr} {
		if s = cua.OneLine(s); s != "" {
			return fmt.Sprintf("the field %q", s)
		}
	}
	return "the focused field"
}

// quoted is a name that the page wrote, on one line.
func quoted(name string) string { return cmp.Or(cua.Quoted(name), "the element") }
