package detector

import "github.com/cua-runner/cua-runner/cua"

// SpiralConfig holds the windows of spiral.
type SpiralConfig struct {
	Soft int `json:"soft"`
	Hard int `json:"hard"`
	// Overwrites is how many values in a row, each over the last, may go into one field before that is a
	// spiral where forms are not read. Six searches with six words are healthy (spec: loops, H8).
	Overwrites int `json:"overwrites"`
}

// Spiral holds while one target is tried with different arguments in consecutive acting steps, and
// nothing comes of it: no effect, or effects that cancel each other, and no new node between the first and
// the last. Two steps there and the same two back are how people undo and redo, and no spiral. A value put
// over the one before cancels it; where forms are not read that alone is a spiral after Overwrites of them.
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
	if run := cancelled(same, s.Spiral.Soft); different(run) {
		if out := signal(cua.ShapeSpiral, s.Spiral.Soft, s.Spiral.Hard, turns(run), target, 0); out != nil {
			return out
		}
	}
	if run := tail(same, overwrites); different(run) {
		return signal(cua.ShapeSpiral, s.Spiral.Overwrites, s.Spiral.Overwrites+s.Spiral.Hard, run, target, 0)
	}
	return nil
}

// cancelled is the longest end of samples that came to nothing: it ends where it began, and no
// step after its first reached a new node. Either its newest n end where they began too, or it goes
// to and fro between two nodes.
func cancelled(samples []*cua.Sample, n int) []*cua.Sample {
	if len(samples) < n || samples[len(samples)-1].After == "" {
		return nil
	}
	end := samples[len(samples)-1].After
	short := samples[len(samples)-n].Before == end
	other := end // than end, the one node that was seen on the way
	var run []*cua.Sample
	for i := len(samples) - 1; i >= 0; i-- {
		s := samples[i]
		if s.Before == end {
			run = samples[i:]
		} else if other == end {
			other = s.Before
		}
		if s.New || !short && s.Before != end && s.Before != other {
			break
		}
	}
	return run
}

// turns are the last samples of each decision: of a batch only that one shows what came of it.
func turns(samples []*cua.Sample) []*cua.Sample {
	var out []*cua.Sample
	for i, s := range samples {
		if next := i + 1; s.Step.Decision == 0 || next == len(samples) ||
			samples[next].Step.Decision != s.Step.Decision {
			out = append(out, s)
		}
	}
	return out
}

// overwrites says whether s may have put a value in the place of another, on a page of which neither
// forms nor parts are read: there each value shows as a new node, whether anything came of it or not.
func overwrites(s *cua.Sample) bool {
	return (s.Action.Kind == cua.Type || s.Action.Kind == cua.Select) && s.Step.After.FormDigest == "" &&
		len(s.Step.After.DOMParts) == 0
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
