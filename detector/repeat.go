package detector

import "github.com/cua-runner/cua-runner/cua"

// Repeat holds while the last acting steps have one signature and no effect.
type Repeat struct{ Config }

// Detect is pure (Detector).
func (r Repeat) Detect(h cua.History) []cua.Signal { return sampled(r, h) }

func (r Repeat) detect(_ cua.History, acting []*cua.Sample) []cua.Signal {
	if len(acting) < r.Soft {
		return nil
	}
	last := acting[len(acting)-1]
	run := tail(acting, func(s *cua.Sample) bool { return s.Idle() && s.Signature == last.Signature })
	return r.signal(cua.ShapeRepeat, r.Soft, stepsOf(run), last.Step.Target.ID, 0)
}

// Frozen holds while, whatever the actions, none of the last acting steps had an effect
// and the node is the same all along.
type Frozen struct{ Config }

// Detect is pure (Detector).
func (f Frozen) Detect(h cua.History) []cua.Signal { return sampled(f, h) }

func (f Frozen) detect(_ cua.History, acting []*cua.Sample) []cua.Signal {
	if len(acting) < f.Frozen.Soft {
		return nil
	}
	node := acting[len(acting)-1].After
	if node == "" {
		return nil
	}
	run := tail(acting, func(s *cua.Sample) bool { return s.Idle() && s.Before == node && s.After == node })
	return f.signal(cua.ShapeFrozen, f.Frozen.Soft, stepsOf(run), "", 0)
}
