package detector

import "github.com/cua-runner/cua-runner/cua"

// Repeat holds while the last acting steps have one signature and no effect.
//
// Without page state only what nobody does for long counts: the same text typed into the same place, or the
// same press. Scrolls and keys that move a cursor or a page do not count, because reading looks the same.
type Repeat struct {
	Config
	// Adaptive lets the windows adapt to the run.
	Adaptive bool
}

// Detect is pure (Detector).
func (r Repeat) Detect(h cua.History) []cua.Signal { return traced(r, h) }

func (r Repeat) detect(t *trace) []cua.Signal {
	if len(t.acting) == 0 {
		return nil
	}
	last := t.acting[len(t.acting)-1]
	soft, hard := t.windows(r.Adaptive, r.Soft, r.Hard)
	run := tail(t.acting, func(s *cua.Sample) bool { return s.Idle() && s.Signature == last.Signature })
	out := signal(cua.ShapeRepeat, soft, hard, run, last.Step.Target.ID, 0)
	if w := r.Blind.window(last); t.blind && w > 0 {
		run = tail(t.acting, func(s *cua.Sample) bool { return t.idle(s) && s.Signature == last.Signature })
		out = stronger(out, signal(cua.ShapeRepeat, w, r.Hard+w-r.Soft, run, last.Step.Target.ID, 0))
	}
	return out
}

// Frozen holds while none of the last acting steps had an effect and the node stayed the same, whatever the
// actions.
type Frozen struct {
	Config
	// Adaptive lets the windows adapt to the run.
	Adaptive bool
}

// Detect is pure (Detector).
func (f Frozen) Detect(h cua.History) []cua.Signal { return traced(f, h) }

func (f Frozen) detect(t *trace) []cua.Signal {
	if len(t.acting) == 0 {
		return nil
	}
	// may be unknown: steps without any change do not change the node
	node := t.acting[len(t.acting)-1].After
	soft, hard := t.windows(f.Adaptive, f.Frozen.Soft, f.Hard)
	run := tail(t.acting, func(s *cua.Sample) bool { return s.Idle() && s.Before == node && s.After == node })
	return signal(cua.ShapeFrozen, soft, hard, run, "", 0)
}
