package detector

import (
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
	var run []*cua.Step
	for i := len(t.steps) - 1; i >= 0; i-- {
		s := t.steps[i]
		switch {
		case s.Step.Failure != nil && s.Step.Failure.Kind != cua.FailEnv:
			run = append(run, s.Step)
			continue
		case !s.Step.Dispatched() || s.Idle():
			continue
		}
		break
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

// Stall holds while nothing is done but to wait, and nothing changes.
type Stall struct{ Config }

// Detect is pure (Detector).
func (s Stall) Detect(h cua.History) []cua.Signal { return traced(s, h) }

func (s Stall) detect(t *trace) []cua.Signal {
	var run []*cua.Step
	asked := 0
	for i := len(t.steps) - 1; i >= 0; i-- {
		x := t.steps[i]
		if !x.Idle() || x.Action.Kind != cua.Wait {
			break
		}
		run = append(run, x.Step)
		ms := x.Action.MS
		if ms == 0 {
			ms = s.Stall.UnknownMS
		}
		asked += ms
	}
	seconds := float64(asked) / 1000
	l := cua.Soft
	switch {
	case len(run) == 0 || seconds < s.Stall.SoftS:
		return nil
	case seconds >= s.Stall.HardS:
		l = cua.Hard
	}
	out := cua.Signal{Shape: cua.ShapeStall, Level: l, Run: len(run), Since: run[len(run)-1].N, Score: seconds}
	for _, step := range slices.Backward(run) {
		out.Evidence = append(out.Evidence, step.N)
	}
	return []cua.Signal{out}
}
