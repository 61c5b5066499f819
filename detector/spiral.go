package detector

import "github.com/cua-runner/cua-runner/cua"

// SpiralConfig holds the windows of spiral.
type SpiralConfig struct {
	Soft int `json:"soft"`
	Hard int `json:"hard"`
	// Overwrites is how many values in a row, each over the last, may go into one field before that
	// is a spiral whatever the page makes of them. Six searches with six words are healthy (spec: loops, H8).
	Overwrites int `json:"overwrites"`
}

// Spiral holds while one target is tried with different arguments in consecutive acting steps, and
// nothing comes of it: no effect, or effects that cancel each other, and no new node between the first and
// the last. A value typed over the one before cancels it; that alone is a spiral after Overwrites of them.
type Spiral struct{ Config }

// Detect is pure (Detector).
func (s Spiral) Detect(h cua.History) []cua.Signal { return traced(s, h) }

func (s Spiral) detect(t *trace) []cua.Signal {
	if len(t.acting) < s.Spiral.Soft {
		return nil
	}
	last := t.acting[len(t.acting)-1]
	target := last.Step.Target.ID
	if target == "" {
		return nil
	}
	same := tail(t.acting, func(x *cua.Sample) bool { return x.Step.Target.ID == target && x.Known })
	if run := cancelled(same); different(run) {
		if out := signal(cua.ShapeSpiral, s.Spiral.Soft, s.Spiral.Hard, stepsOf(run), target, 0); out != nil {
			return out
		}
	}
	typed := tail(same, func(x *cua.Sample) bool { return x.Action.Kind == cua.Type || x.Action.Kind == cua.Select })
	if different(typed) {
		return signal(cua.ShapeSpiral, s.Spiral.Overwrites, s.Spiral.Overwrites+s.Spiral.Hard, stepsOf(typed), target, 0)
	}
	return nil
}

// cancelled is the longest end of samples that came to nothing: it ends where it began, and no
// step after its first reached a new node.
func cancelled(samples []*cua.Sample) []*cua.Sample {
	if len(samples) == 0 {
		return nil
	}
	end := samples[len(samples)-1].After
	var run []*cua.Sample
	for i := len(samples) - 1; i >= 0; i-- {
		s := samples[i]
		if s.Before == end && end != "" {
			run = samples[i:]
		}
		if s.New {
			break
		}
	}
	return run
}

// different says whether not all of samples are one action.
func different(samples []*cua.Sample) bool {
	for _, s := range samples {
		if s.Signature != samples[0].Signature {
			return true
		}
	}
	return false
}
