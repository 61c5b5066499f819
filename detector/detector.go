package detector

import "github.com/cua-runner/cua-runner/cua"

// Detector detects one shape. Detect is pure: it returns the same each time and does not change h. The
// signals hold after the last step of h.
type Detector interface {
	Detect(h cua.History) []cua.Signal
}

// LoopDetector asks several detectors and returns the signals of all.
type LoopDetector []Detector

// Detect concatenates the signals in the order of the detectors.
func (l LoopDetector) Detect(h cua.History) []cua.Signal { return l.Over(h, h.Samples()) }

// Over is Detect with the samples of h given.
func (l LoopDetector) Over(h cua.History, samples []cua.Sample) []cua.Signal {
	var out []cua.Signal
	var t *trace
	for _, d := range l {
		s, ok := d.(tracer)
		if !ok {
			out = append(out, d.Detect(h)...)
			continue
		}
		if t == nil {
			t = newTrace(h, samples, l.reach())
		}
		out = append(out, s.detect(t)...)
	}
	return out
}

// tracer is a detector that uses a trace: the LoopDetector computes one for all.
type tracer interface {
	detect(t *trace) []cua.Signal
	reach() int
}

func traced(d tracer, h cua.History) []cua.Signal {
	return d.detect(newTrace(h, h.Samples(), d.reach()))
}

// reach is that of the detector that looks furthest back.
func (l LoopDetector) reach() (n int) {
	for _, d := range l {
		if s, ok := d.(tracer); ok {
			n = max(n, s.reach())
		}
	}
	return n
}

// Shapes are all shapes but the classic ones (docs/detection.md#the-shapes). Use them for an agent of your
// own.
func Shapes(c Config) LoopDetector {
	return LoopDetector{Repeat{c, true}, Drift{c, true}, Frozen{c, true}, Cycle{c}, Revisit{c}, Spiral{c},
		Failures{c}, Streak{c}, Stall{c}, Stagnation{c}}
}

// level is that of a run of n steps; "" below soft.
func level(n, soft, hard int) cua.Level {
	switch {
	case n >= hard:
		return cua.Hard
	case n >= soft:
		return cua.Soft
	}
	return ""
}

// signal is that of a shape that holds over run, oldest first; nil below soft.
func signal[S stepOrSample](shape cua.Shape, soft, hard int, run []S, target string,
	score float64) []cua.Signal {
	l := level(len(run), soft, hard)
	if l == "" {
		return nil
	}
	// The newest steps decide the level; Since covers the older ones.
	return []cua.Signal{{Shape: shape, Level: l, Run: len(run), Since: number(run[0]), Target: target,
		Score: score, Evidence: numbers(run, hard)}}
}

// maxEvidence bounds Evidence for shapes whose window is not a number of steps.
const maxEvidence = 20

// stepOrSample is an element of a run: the classic shapes use steps.
type stepOrSample interface{ *cua.Step | *cua.Sample }

func number[S stepOrSample](s S) int {
	if x, ok := any(s).(*cua.Sample); ok {
		return x.Step.N
	}
	return any(s).(*cua.Step).N
}

// numbers are the step numbers of the newest n of run.
func numbers[S stepOrSample](run []S, n int) []int {
	run = run[max(0, len(run)-n):]
	out := make([]int, len(run))
	for i, s := range run {
		out[i] = number(s)
	}
	return out
}

// stronger is the answer with the higher level, or a if the levels are equal.
func stronger(a, b []cua.Signal) []cua.Signal {
	if len(a) == 0 || len(b) > 0 && b[0].Level.AtLeast(a[0].Level) && b[0].Level != a[0].Level {
		return b
	}
	return a
}

// tail is the longest run at the end of samples for which hold is true. It calls hold from the newest on.
func tail(samples []*cua.Sample, hold func(*cua.Sample) bool) []*cua.Sample {
	i := len(samples)
	for i > 0 && hold(samples[i-1]) {
		i--
	}
	return samples[i:]
}
