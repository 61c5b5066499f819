package detection

import (
	"slices"
	"strconv"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// Detect judges one trajectory with the detectors that a has assembled, and its labelled windows
// where labels is not nil. Candidates are asked about runs that are labelled.
func Detect(run *formats.Run, a runner.Assembly, labels *Labels, candidates ...Candidate) Detected {
	d := Detected{ID: run.ID, Source: run.Source, Benchmark: run.Benchmark, Quality: run.Quality,
		Success: run.Success, Looping: run.Looping, Steps: len(run.History.Steps), Signals: []From{},
		Incidents: []cua.Incident{}, Warnings: run.Warnings, Path: run.Path}
	s := a.Detectors.Score(run.History, ended(run))
	for _, o := range s.Onsets {
		d.Signals = append(d.Signals, From{o.Shape, o.Level, named(run, o.Step), o.Run})
	}
	d.Loops = looped(run, s.Loops())
	d.SoftAt, d.HardAt = s.FirstSoft, s.FirstHard
	d.FirstSoft, d.FirstHard = nameOf(run, s.FirstSoft), nameOf(run, s.FirstHard)
	d.Stuck, d.Wasted = insideIncidents(len(run.History.Steps), s.Incidents)
	for _, in := range s.Incidents {
		d.Incidents = append(d.Incidents, renamed(run, in))
	}
	if len(candidates) > 0 && run.Looping != nil {
		d.Fitted = alarmed(run, candidates)
	}
	for _, w := range labels.of(run.ID) {
		if r, ok := detectWindow(run, a, w); ok {
			d.Windows = append(d.Windows, r)
		}
	}
	return d
}

// ended is why the run ended. A log of another agent that does not say is over where it stops: what is
// open there stays open for ever. A journal of ours without an end goes on.
func ended(run *formats.Run) cua.EndReason {
	if run.End == "" && run.Format != formats.CUA {
		return cua.EndMaxSteps
	}
	return run.End
}

// named is what the input calls step n, counted from 1.
func named(run *formats.Run, n int) int { return run.Index[n-1] }

// nameOf is named, nil where n is 0: never.
func nameOf(run *formats.Run, n int) *int {
	if n == 0 {
		return nil
	}
	name := named(run, n)
	return &name
}

// renamed is in with its steps as the input calls them.
func renamed(run *formats.Run, in cua.Incident) cua.Incident {
	in.First, in.Last = named(run, in.First), named(run, in.Last)
	in.ID = "i" + strconv.Itoa(in.First)
	in.Tried = slices.Clone(in.Tried)
	for i := range in.Tried {
		in.Tried[i].Step = named(run, in.Tried[i].Step)
	}
	return in
}

// insideIncidents counts the steps inside incidents, and those inside incidents that did not recover, each
// once.
func insideIncidents(steps int, incidents []cua.Incident) (inside, wasted int) {
	in, lost := make([]bool, steps+1), make([]bool, steps+1)
	for _, i := range incidents {
		recovered := i.Outcome == cua.OutcomeRecovered || i.Outcome == cua.OutcomeSelfRecovered
		for n := i.First; n <= min(i.Last, steps); n++ {
			in[n], lost[n] = true, lost[n] || !recovered
		}
	}
	for n := range in {
		if in[n] {
			inside++
		}
		if lost[n] {
			wasted++
		}
	}
	return inside, wasted
}

// detectWindow scores a labelled window; false where the run does not have its steps.
func detectWindow(run *formats.Run, a runner.Assembly, w Window) (WindowResult, bool) {
	low, high := slices.Index(run.Index, w.Steps[0]), slices.Index(run.Index, w.Steps[1]-1)+1
	if low < 0 || high <= low {
		return WindowResult{}, false
	}
	var end cua.EndReason
	if high == len(run.Index) {
		end = run.End
	}
	s := a.Detectors.Score(part(run.History, low, high), end)
	under := make([]bool, high-low)
	shapes := []cua.Shape{}
	for _, o := range s.Onsets {
		if !o.Level.AtLeast(cua.Soft) {
			continue
		}
		for n := o.Step; n <= o.Last; n++ {
			under[n-1] = true
		}
		if !slices.Contains(shapes, o.Shape) {
			shapes = append(shapes, o.Shape)
		}
	}
	var held []int
	for i := range under {
		if under[i] {
			held = append(held, run.Index[low+i])
		}
	}
	return w.judge(held, shapes), true
}

// part is what happened from step index low to before index high, as an episode of its own: its
// steps are numbered from 1.
func part(h cua.History, low, high int) cua.History {
	out := cua.History{Start: h.Before(low), Steps: slices.Clone(h.Steps[low:high])}
	for i := range out.Steps {
		s := &out.Steps[i]
		s.N = i + 1
		if s.RewoundTo > 0 {
			s.RewoundTo = max(1, s.RewoundTo-low)
		}
	}
	for _, r := range h.Resumed {
		if r.At > low && r.At < high {
			r.At -= low
			out.Resumed = append(out.Resumed, r)
		}
	}
	return out
}
