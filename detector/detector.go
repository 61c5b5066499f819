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
func (l LoopDetector) Detect(h cua.History) []cua.Signal { return l.Over(h, h.Samples()) }

// Over is Detect where the samples of h are known.
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

// tracer is a detector that reads a trace: the LoopDetector makes one for all.
type tracer interface {
	detect(t *trace) []cua.Signal
	reach() int
}

func traced(d tracer, h cua.History) []cua.Signal {
	return d.detect(newTrace(h, h.Samples(), d.reach()))
}

// reach is that of the detector that looks farthest back.
func (l LoopDetector) reach() (n int) {
	for _, d := range l {
		if s, ok := d.(tracer); ok {
			n = max(n, s.reach())
		}
	}
	return n
}

// Classic are the shapes of the documented policy that the project starts from
// (spec: loops, the arm classic).
func Classic(c Config) LoopDetector {
	return LoopDetector{ClassicRepeat{c}, ClassicDrift{c}, ClassicFrozen{c}}
}

// Shapes are all shapes, as the spec defines them: what an own agent would ask.
func Shapes(c Config) LoopDetector {
	return LoopDetector{Repeat{c, true}, Drift{c, true}, Frozen{c, true}, Cycle{c}, Revisit{c}, Spiral{c},
		Failures{c}, Streak{c}, Stall{c}, Stagnation{c}}
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
func signal[S stepOrSample](shape cua.Shape, soft, hard int, run []S, target string,
	score float64) []cua.Signal {
	l := level(len(run), soft, hard)
	if l == "" {
		return nil
	}
	// The newest steps decide the level; older ones are covered by Since.
	return []cua.Signal{{Shape: shape, Level: l, Run: len(run), Since: number(run[0]), Target: target,
		Score: score, Evidence: numbers(run, hard)}}
}

// maxEvidence is how many steps are named as evidence by shapes whose window is no number of steps.
const maxEvidence = 20

// stepOrSample is what a run is made of: the classic shapes read steps.
type stepOrSample interface{ *cua.Step | *cua.Sample }

func number[S stepOrSample](s S) int {
	if x, ok := any(s).(*cua.Sample); ok {
		return x.Step.N
	}
	return any(s).(*cua.Step).N
}

// numbers are those of the newest n of run.
func numbers[S stepOrSample](run []S, n int) []int {
	run = run[max(0, len(run)-n):]
	out := make([]int, len(run))
	for i, s := range run {
		out[i] = number(s)
	}
	return out
}

// stronger is whichever of two answers of one shape has the higher level, a where they are alike.
func stronger(a, b []cua.Signal) []cua.Signal {
	if len(a) == 0 || len(b) > 0 && b[0].Level.AtLeast(a[0].Level) && b[0].Level != a[0].Level {
		return b
	}
	return a
}

// tail is the longest end of samples that hold allows, asked from the newest on.
func tail(samples []*cua.Sample, hold func(*cua.Sample) bool) []*cua.Sample {
	i := len(samples)
	for i > 0 && hold(samples[i-1]) {
		i--
	}
	return samples[i:]
}
