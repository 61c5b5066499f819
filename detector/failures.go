package detector

import (
	"cmp"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// FailuresConfig holds the windows of failures.
type FailuresConfig struct {
	Soft int `json:"soft"`
	Hard int `json:"hard"`
}

// Failures holds while steps fail, of whatever kinds. It reads all steps: a success ends the run, a
// step without effect neither adds nor ends.
type Failures struct{ Config }

// Detect is pure (Detector).
func (f Failures) Detect(h cua.History) []cua.Signal { return traced(f, h) }

func (f Failures) detect(t *trace) []cua.Signal {
	var run []*cua.Sample
	for _, s := range slices.Backward(t.steps) {
		if s.Step.Failure != nil && s.Step.Failure.Kind != cua.FailEnv {
			run = append(run, s)
		} else if s.Step.Dispatched() && !s.Idle() {
			break
		}
	}
	slices.Reverse(run)
	return signal(cua.ShapeFailures, f.Failures.Soft, f.Failures.Hard, run, "", 0)
}

// StallConfig holds the thresholds of stall.
type StallConfig struct {
	// SoftS and HardS are how much waiting in a row was asked for, seconds.
	SoftS float64 `json:"soft_s"`
	HardS float64 `json:"hard_s"`
	// UnknownMS is what a wait counts whose length is not recorded, ms; 0 counts none of them.
	UnknownMS int `json:"unknown_ms"`
}

// Stall holds while nothing is done but to wait, and nothing changes. Looks in between, and what was
// refused, do nothing either: they neither add nor end.
type Stall struct{ Config }

// Detect is pure (Detector).
func (s Stall) Detect(h cua.History) []cua.Signal { return traced(s, h) }

func (s Stall) detect(t *trace) []cua.Signal {
	var run []*cua.Sample
	asked := 0
	for _, x := range slices.Backward(t.dispatched) {
		waits := x.Action.Kind == cua.Wait
		if x.Acting && !waits || !x.Idle() || x.Before != x.After {
			break
		}
		if waits {
			run = append(run, x)
			asked += cmp.Or(x.Action.MS, s.Stall.UnknownMS)
		}
	}
	seconds := float64(asked) / 1000
	l := cua.Soft
	switch {
	case len(run) == 0 || seconds < s.Stall.SoftS:
		return nil
	case seconds >= s.Stall.HardS:
		l = cua.Hard
	}
	slices.Reverse(run)
	return []cua.Signal{{Shape: cua.ShapeStall, Level: l, Run: len(run), Since: run[0].Step.N, Score: seconds, Evidence: numbers(run, maxEvidence)}}
}
