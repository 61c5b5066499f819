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
	return l.read(h, h.Samples)
}

// read is Detect with samples made when the first detector wants them.
func (l LoopDetector) read(h cua.History, samples func() []cua.Sample) []cua.Signal {
	var out []cua.Signal
	var t *trace
	for _, d := range l {
		s, ok := d.(tracer)
		if !ok {
			out = append(out, d.Detect(h)...)
			continue
		}
		if t == nil {
			t = newTrace(h, samples())
		}
		out = append(out, s.detect(t)...)
	}
	return out
}

// tracer is a detector that reads samples: the LoopDetector makes them once for all.
type tracer interface {
	detect(t *trace) []cua.Signal
}

func traced(d tracer, h cua.History) []cua.Signal { return d.detect(newTrace(h, h.Samples())) }

// Classic are the shapes of the documented policy that the project starts from
// (spec: loops, the arm classic).
func Classic(c Config) LoopDetector {
	return LoopDetector{ClassicRepeat{c}, ClassicDrift{c}, ClassicFrozen{c}}
}

// Shapes are all shapes, as the spec defines them: what an own agent would ask.
func Shapes(c Config) LoopDetector {
	return LoopDetector{Repeat{c, true}, Drift{c, true}, Frozen{c, true}, Cycle{c}, Revisit{c}, Spiral{c}, Failures{c}, Streak{c}, Stall{c}}
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
func signal(shape cua.Shape, soft, hard int, run []*cua.Step, target string, score float64) []cua.Signal {
	l := level(len(run), soft, hard)
	if l == "" {
		return nil
	}
	s := cua.Signal{Shape: shape, Level: l, Run: len(run), Since: run[0].N, Target: target, Score: score}
	// The newest steps decide the level; older ones are covered by Since.
	for _, step := range run[max(0, len(run)-hard):] {
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
