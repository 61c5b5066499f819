package detector

import "github.com/cua-runner/cua-runner/cua"

// Detector sees one shape. Detect is pure: it answers the same each time and leaves h
// as it was. The signals hold over all of h, that is before the step to come.
type Detector interface {
	Detect(h cua.History) []cua.Signal
}

// LoopDetector asks several detectors and keeps what each of them says: none hides
// another.
type LoopDetector []Detector

// Detect concatenates the signals in the order of the detectors.
func (l LoopDetector) Detect(h cua.History) []cua.Signal {
	var out []cua.Signal
	var run []*cua.Sample
	for _, d := range l {
		s, ok := d.(sampler)
		if !ok {
			out = append(out, d.Detect(h)...)
			continue
		}
		if run == nil {
			samples := h.Samples()
			run = acting(samples, h.Fresh())
		}
		out = append(out, s.detect(h, run)...)
	}
	return out
}

// sampler is a detector that reads the acting samples of a history: the
// LoopDetector makes them once for all.
type sampler interface {
	detect(h cua.History, acting []*cua.Sample) []cua.Signal
}

// acting are the samples of acting steps from index fresh on, never nil.
func acting(samples []cua.Sample, fresh int) []*cua.Sample {
	out := make([]*cua.Sample, 0, len(samples))
	for i := fresh; i < len(samples); i++ {
		if samples[i].Acting {
			out = append(out, &samples[i])
		}
	}
	return out
}

func sampled(s sampler, h cua.History) []cua.Signal {
	samples := h.Samples()
	return s.detect(h, acting(samples, h.Fresh()))
}

// Classic are the shapes of the documented policy that the project starts from
// (spec: loops, the arm classic).
func Classic(c Config) LoopDetector {
	return LoopDetector{ClassicRepeat{c}, ClassicDrift{c}, ClassicFrozen{c}}
}

// Conditioned are the shapes that count only steps without effect.
func Conditioned(c Config) LoopDetector {
	return LoopDetector{Repeat{c}, Drift{c}, Frozen{c}}
}

// IsAnyLoop says whether any classic shape holds over the last w dispatched steps.
func IsAnyLoop(h cua.History, c Config, w int) bool {
	c.Soft, c.Hard = w, max(c.Hard, w+1)
	return len(Classic(c).Detect(h)) > 0
}

// level is that of a run of n steps, "" below soft.
func level(n, soft, hard int) cua.Level {
	switch {
	case n >= hard:
		return cua.Hard
	case n >= soft:
		return cua.Soft
	}
	return ""
}

// signal is that of a shape which holds over run, oldest first; nil below soft.
func (c Config) signal(shape cua.Shape, soft int, run []*cua.Step, target string, score float64) []cua.Signal {
	l := level(len(run), soft, c.Hard)
	if l == "" {
		return nil
	}
	s := cua.Signal{Shape: shape, Level: l, Run: len(run), Since: run[0].N, Target: target, Score: score}
	// The newest steps decide the level; older ones are covered by Since.
	for _, step := range run[max(0, len(run)-c.Hard):] {
		s.Evidence = append(s.Evidence, step.N)
	}
	return []cua.Signal{s}
}

func stepsOf(samples []*cua.Sample) []*cua.Step {
	out := make([]*cua.Step, len(samples))
	for i, s := range samples {
		out[i] = s.Step
	}
	return out
}

// tail is the longest end of samples that hold allows, asked from the newest on.
func tail(samples []*cua.Sample, hold func(*cua.Sample) bool) []*cua.Sample {
	i := len(samples)
	for i > 0 && hold(samples[i-1]) {
		i--
	}
	return samples[i:]
}
