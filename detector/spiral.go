package detector

import "github.com/cua-runner/cua-runner/cua"

// SpiralConfig holds the windows of spiral.
type SpiralConfig struct {
	Soft int `json:"soft"`
	Hard int `json:"hard"`
	// Overwrites is how many values in a row, each overwriting the last, may go into one field before that is
	// a spiral, if forms cannot be read. Six searches with six words are healthy.
	Overwrites int `json:"overwrites"`
}

// Spiral holds while one target is tried with different arguments in consecutive acting steps without result:
// without effect, or with effects that cancel each other, and no new node between the first and the last. Two
// steps forth and the same two back are how people undo and redo, and do not count. Overwriting a value
// cancels it; if forms cannot be read, Overwrites of them are a spiral.
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

// cancelled is the longest run at the end of samples without result: it ends at the node where it began, and
// no step after its first reached a new node. Its newest n must end where they began too, unless it
// alternates between two nodes.
func cancelled(samples []*cua.Sample, n int) []*cua.Sample {
	if len(samples) < n || samples[len(samples)-1].After == "" {
		return nil
	}
	end := samples[len(samples)-1].After
	short := samples[len(samples)-n].Before == end
	other := end // the only other node seen on the way
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

// turns are the last samples of each decision: only the last of a batch shows its result.
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

// overwrites reports whether s may have overwritten a value on a page whose forms and parts cannot be read.
// There each value gives a new node, with a result or without.
func overwrites(s *cua.Sample) bool {
	return (s.Action.Kind == cua.Type || s.Action.Kind == cua.Select) && s.Step.After.FormDigest == "" &&
		len(s.Step.After.DOMParts) == 0
}

// different reports whether samples have more than one action.
func different(samples []*cua.Sample) bool {
	for _, s := range samples {
		if s.Signature != samples[0].Signature {
			return true
		}
	}
	return false
}
