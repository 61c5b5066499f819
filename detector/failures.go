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

// Failures holds while steps fail, for whatever reasons. A success ends the run; a step without effect
// neither counts nor ends it.
type Failures struct{ Config }

// Detect is pure (Detector).
func (f Failures) Detect(h cua.History) []cua.Signal { return traced(f, h) }

func (f Failures) detect(t *trace) []cua.Signal {
	var run []*cua.Sample
	for _, s := range slices.Backward(t.steps) {
		if s.Step.Failure != nil && s.Step.Failure.Kind != cua.FailEnv {
			run = append(run, s)
		} else if s.Step.HasAction() && !s.Idle() {
			break
		}
	}
	slices.Reverse(run)
	return signal(cua.ShapeFailures, f.Failures.Soft, f.Failures.Hard, run, "", 0)
}
