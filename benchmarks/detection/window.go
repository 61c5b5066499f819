package detection

import (
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
)

// WindowResult is a labelled window with what detectors found in it. The window is scored as if
// its trajectory had begun and ended with it: they know what its annotator was shown, and no
// alarm rests on steps outside.
type WindowResult struct {
	Window
	// First is the first step after which a soft signal held; nil is none.
	First *int `json:"first_alarm"`
	// Shapes are those that raised an alarm.
	Shapes []cua.Shape `json:"shapes"`
	// Found are in the order of Stretches.
	Found []StretchResult `json:"found,omitzero"`
	// Outside counts the steps after which a soft signal held and which lie in no stretch of a
	// loop, from its onset to one step past its end.
	Outside int `json:"outside"`
}

// StretchResult reports whether a loop was found.
type StretchResult struct {
	// Alarm is the first step from the start to the end of the stretch after which a soft signal
	// held; nil is none: the loop was missed.
	Alarm *int `json:"alarm"`
	// Delay is how many steps after its start that is; 0 is at once, or before.
	Delay int `json:"delay"`
}

// found reports whether one of the window's loops was.
func (w WindowResult) found() bool {
	return slices.ContainsFunc(w.Found, func(s StretchResult) bool { return s.Alarm != nil })
}

// judge compares the steps after which a soft signal held, rising, with the window.
func (w Window) judge(held []int, shapes []cua.Shape) WindowResult {
	r := WindowResult{Window: w, Shapes: shapes}
	if len(held) > 0 {
		r.First = &held[0]
	}
	for _, s := range w.Stretches {
		var f StretchResult
		if i := slices.IndexFunc(held, func(step int) bool {
			return step >= s.Start &&
				step <= s.End
		}); i >= 0 {
			f = StretchResult{&held[i], held[i] - s.Start}
		}
		r.Found = append(r.Found, f)
	}
	for _, step := range held {
		if !slices.ContainsFunc(w.Stretches, func(s Stretch) bool {
			return step >= s.Onset &&
				step <= s.End+1
		}) {
			r.Outside++
		}
	}
	return r
}

// WindowReport sums up labelled windows.
type WindowReport struct {
	// Found is the share of windows labelled yes in which a loop was found, Stretches that of
	// their stretches, False the share of windows labelled no with an alarm, Unclear that of
	// windows labelled unclear.
	Found     benchmarks.Rate `json:"found"`
	Stretches benchmarks.Rate `json:"stretches"`
	False     benchmarks.Rate `json:"false_alarms"`
	Unclear   benchmarks.Rate `json:"unclear_alarmed"`
	// Delay is over the stretches that were found.
	Delay Delay `json:"delay"`
	// Outside counts the steps in windows labelled yes that lie outside their stretches and
	// after which a soft signal held.
	Outside int         `json:"outside"`
	Kinds   []KindFound `json:"kinds"`
	// Missed are the windows with a stretch that was not found, FalseAlarms those labelled no
	// with an alarm.
	Missed      []WindowResult `json:"missed"`
	FalseAlarms []WindowResult `json:"false"`
	// Absent are windows whose steps were not in the input.
	Absent []Window `json:"absent"`
}

// KindFound is how many stretches of one kind were found.
type KindFound struct {
	Kind string `json:"kind"`
	benchmarks.Rate
}

// Delay is how many steps after the start of a loop the alarm came.
type Delay struct {
	// Of is how many alarms it is over; the rest is 0 where that is 0.
	Of     int     `json:"of"`
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	Most   int     `json:"most"`
}

func windowReport(done []WindowResult, labels *Labels) WindowReport {
	rep := WindowReport{Kinds: []KindFound{}, Missed: []WindowResult{}, FalseAlarms: []WindowResult{},
		Absent: []Window{}}
	of, alarmed := map[string]int{}, map[string]int{}
	loops := 0
	var delays []float64
	for _, w := range done {
		of[w.Loop]++
		if w.Loop == loopYes && w.found() || w.Loop != loopYes && w.First != nil {
			alarmed[w.Loop]++
		}
		alarms := rep.stretches(w)
		if len(alarms) < len(w.Found) {
			rep.Missed = append(rep.Missed, w)
		}
		loops += len(w.Found)
		delays = append(delays, alarms...)
		if w.Loop == loopYes {
			rep.Outside += w.Outside
		}
		if w.Loop == loopNo && w.First != nil {
			rep.FalseAlarms = append(rep.FalseAlarms, w)
		}
	}
	for i := range rep.Kinds {
		rep.Kinds[i].Rate = benchmarks.Wilson(rep.Kinds[i].Yes, rep.Kinds[i].Of)
	}
	rep.Found, rep.False, rep.Unclear = benchmarks.Wilson(alarmed[loopYes], of[loopYes]),
		benchmarks.Wilson(alarmed[loopNo], of[loopNo]), benchmarks.Wilson(alarmed[loopUnclear],
			of[loopUnclear])
	rep.Stretches, rep.Delay = benchmarks.Wilson(len(delays), loops), delay(delays)
	for _, w := range labels.Windows {
		if !slices.ContainsFunc(done, func(d WindowResult) bool {
			return d.ID == w.ID &&
				d.Steps == w.Steps
		}) {
			rep.Absent = append(rep.Absent, w)
		}
	}
	return rep
}

// stretches adds the stretches of w by their kinds, and gives the delays of the alarms of those that were
// found.
func (rep *WindowReport) stretches(w WindowResult) (delays []float64) {
	for i, f := range w.Found {
		rep.kind(w.Stretches[i].Kind, f.Alarm != nil)
		if f.Alarm != nil {
			delays = append(delays, float64(f.Delay))
		}
	}
	return delays
}

func (rep *WindowReport) kind(kind string, found bool) {
	i := slices.IndexFunc(rep.Kinds, func(k KindFound) bool { return k.Kind == kind })
	if i < 0 {
		i = len(rep.Kinds)
		rep.Kinds = append(rep.Kinds, KindFound{Kind: kind})
	}
	rep.Kinds[i].Of++
	if found {
		rep.Kinds[i].Yes++
	}
}

func delay(steps []float64) Delay {
	if len(steps) == 0 {
		return Delay{}
	}
	slices.Sort(steps)
	m, _ := benchmarks.Mean(steps)
	return Delay{len(steps), m, (steps[(len(steps)-1)/2] + steps[len(steps)/2]) / 2, int(steps[len(steps)-1])}
}
