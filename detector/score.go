package detector

import (
	"cmp"
	"maps"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Onset is a run of steps after each of which one shape held at one level or above.
type Onset struct {
	Shape cua.Shape
	Level cua.Level
	// Step and Last are the numbers of its first and last step.
	Step, Last int
	// Since is the number of the first step that a signal of the run is based on.
	Since int
	// Run is the longest run that the shape reached (cua.Signal.Run).
	Run int
}

// Score is the output of detectors over a whole history.
type Score struct {
	// Onsets are the runs in the order in which they began, including those of notes.
	Onsets []Onset
	// FirstSoft and FirstHard are the numbers of the steps after which a signal of at least that level first
	// held; 0 is never.
	FirstSoft, FirstHard int
	Incidents            []cua.Incident
}

// Score evaluates h step by step: after each step only what was known by then counts. end is why the episode
// ended; "" is not known.
func (l LoopDetector) Score(h cua.History, end cua.EndReason) Score {
	var r cua.Sampler
	var out Score
	signals := make([][]cua.Signal, len(h.Steps))
	for i := range h.Steps {
		then := after(h, i+1)
		signals[i] = l.Over(then, r.Read(then))
		n := h.Steps[i].N
		for _, s := range signals[i] {
			if out.FirstSoft == 0 && s.Level.AtLeast(cua.Soft) {
				out.FirstSoft = n
			}
			if out.FirstHard == 0 && s.Level == cua.Hard {
				out.FirstHard = n
			}
		}
	}
	out.Onsets = onsets(h, signals)
	out.Incidents = incidents(h, signals, end)
	return out
}

// after is h right after its first n steps, before any resumption there.
func after(h cua.History, n int) cua.History {
	out := prefix(h, n)
	out.Resumed = slices.DeleteFunc(out.Resumed, func(r cua.Resumption) bool { return r.At == n })
	return out
}

// Loops are the first and last step numbers of the runs with a soft signal or above, including the steps that
// a signal is based on. Overlapping ones are merged; they are ascending.
func (s Score) Loops() [][2]int {
	var all, merged [][2]int
	for _, o := range s.Onsets {
		if o.Level.AtLeast(cua.Soft) {
			all = append(all, [2]int{o.Since, o.Last})
		}
	}
	slices.SortFunc(all, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	for _, l := range all {
		if n := len(merged); n > 0 && l[0] <= merged[n-1][1] {
			merged[n-1][1] = max(merged[n-1][1], l[1])
		} else {
			merged = append(merged, l)
		}
	}
	return merged
}

// onsets are the runs of signals; signals[i] hold after step i.
func onsets(h cua.History, signals [][]cua.Signal) []Onset {
	type key struct {
		shape cua.Shape
		level cua.Level
	}
	var out []Onset
	open := map[key]int{} // index into out
	for i, now := range signals {
		held := map[key]bool{}
		for _, s := range now {
			for _, l := range levelsOf(s.Level) {
				k := key{s.Shape, l}
				held[k] = true
				at, ok := open[k]
				if !ok {
					at = len(out)
					open[k], out = at, append(out, Onset{Shape: s.Shape, Level: l, Step: h.Steps[i].N,
						Since: s.Since})
				}
				out[at].Since = min(out[at].Since, s.Since)
				out[at].Run, out[at].Last = max(out[at].Run, s.Run), h.Steps[i].N
			}
		}
		maps.DeleteFunc(open, func(k key, _ int) bool { return !held[k] })
	}
	slices.SortStableFunc(out, func(a, b Onset) int { return a.Step - b.Step })
	return out
}

// levelsOf are the levels at which a signal of level l holds: a hard one is also soft. Notes are separate.
func levelsOf(l cua.Level) []cua.Level {
	switch l {
	case cua.Hard:
		return []cua.Level{cua.Soft, cua.Hard}
	case cua.Soft, cua.NoteLevel:
		return []cua.Level{l}
	}
	return nil
}
