package runner

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/perceptual"
)

// churn is the mask before the action: that of the history and of the idle changes since the turn.
func (e *episode) churn(w *work) cua.ChurnMask {
	return extended(e.history, cua.Step{Target: w.step.Target, After: w.turn.Now}).Churn()
}

// extended is h with one more step, until h itself gets one: the two share memory.
func extended(h cua.History, s cua.Step) cua.History {
	h.Steps = append(h.Steps, s)
	return h
}

// compare is the pixel part of the effect; nil if one of the two frames is missing.
func (e *episode) compare(w *work, churn cua.ChurnMask) *cua.TileDiff {
	if w.frame == nil || e.frame == nil || w.step.After.FrameSHA == "" {
		return nil
	}
	s := &w.step
	o := perceptual.CompareOptions{Point: perceptual.Point(*s.Action, s.Target, &w.before),
		Viewport: s.After.Viewport}
	// churn and focus boxes of one document say nothing about another
	if s.After.Document == w.before.Document {
		o.Churn, o.Ambient = churn, sweptBoxes(w.before.Ambient.Boxes, s.After.Ambient.Boxes)
		o.Presentation, o.Restyled = perceptual.PresentationBoxes(&w.before, &s.After), s.After.Restyled
	}
	d := perceptual.Compare(w.frame, e.frame, o, e.cfg.Perceptual)
	return &d
}

// sweptBoxes are the boxes of what moves without an action, on either page. For one that has moved it adds
// the area in between, because the frame may show it anywhere there.
func sweptBoxes(before, after []cua.Box) []cua.Box {
	out := slices.Concat(before, after)
	if len(before) != len(after) {
		return out
	}
	for i, b := range before {
		if a := after[i]; b.Center().Distance(a.Center()) >= 1 && alike(a.W, b.W) && alike(a.H, b.H) {
			x, y := min(a.X, b.X), min(a.Y, b.Y)
			swept := cua.Box{X: x, Y: y, W: max(a.X+a.W, b.X+b.W) - x, H: max(a.Y+a.H, b.Y+b.H) - y}
			out = append(out, swept.Grow(cua.TileSize))
		}
	}
	return out
}

// alike reports whether two lengths can be those of one rotating thing.
func alike(a, b float64) bool { return a < 1.5*b && b < 1.5*a }

// check asks the verifier. Its warning becomes part of the feedback.
func (e *episode) check(w *work, tiles *cua.TileDiff) {
	if e.asm.verifier == nil {
		return
	}
	s := &w.step
	v := e.asm.verifier(perceptual.VerifyInput{Action: *s.Action, Target: s.Target, Thought: s.Thought,
		Before: w.before, After: s.After, Diff: tiles, Effect: s.Effect})
	s.EffectObserved, s.EffectReason, w.warning = v.Effect(), v.Reason, v.Warning
}

// verify is what Assembly.verifier calls.
func (c Config) verify(in perceptual.VerifyInput) perceptual.Verdict {
	return perceptual.Verify(in, c.Perceptual)
}

// keepObservation stores what o carries and histories do not: its frame and its checkpoint. The files are
// written while the frame is decoded.
func (e *episode) keepObservation(o *cua.Observation) error {
	shot := o.Shot
	if shot != nil && len(shot.Data) == 0 {
		shot = nil
	}
	if shot != nil && o.FrameSHA == "" {
		o.FrameSHA = perceptual.SHA(shot)
	}
	kept := make(chan struct{})
	go func() {
		defer close(kept)
		e.keepFrame(o, shot)
	}()
	defer func() { <-kept }()
	if shot != nil {
		if _, err := e.journal.Blob(shot.Data); err != nil {
			return err
		}
	}
	return e.keepCheckpoint(o)
}

// keepFrame makes shot, the picture of o, the newest frame and computes its fingerprint; nil is none. A frame
// with the same bytes as the one before is not decoded again.
func (e *episode) keepFrame(o *cua.Observation, shot *cua.Shot) {
	if shot == nil {
		e.frame, e.shots = nil, nil // the brain would take an old one for the page as it is
		return
	}
	// only the newest frames stay in memory
	e.shots = append(e.shots, cua.Shot{Data: shot.Data, Mime: shot.Mime})
	if n := len(e.shots) - e.cfg.Frames; n > 0 {
		e.shots = slices.Clone(e.shots[n:])
	}
	prev := e.history.Now()
	if o.FrameSHA == prev.FrameSHA && e.frame != nil {
		o.Fingerprint = prev.Fingerprint
		return
	}
	before := e.frame
	var err error
	if e.frame, err = perceptual.Decode(shot, e.cfg.Perceptual); err != nil {
		e.frame = nil // a frame that cannot be decoded is missing evidence, not a fault
		return
	}
	print := e.frame.Fingerprint(before)
	o.Fingerprint = &print
}
