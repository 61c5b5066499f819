package runner

import (
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/detector"
	"github.com/cua-runner/cua-runner/perceptual"
)

// verify computes what the step changed, stores the frame, and writes what the
// brain will be told.
func (e *episode) verify(w *work) error {
	start := e.now()
	s := &w.step
	if w.outcome != nil {
		before := e.frame
		if err := e.see(&s.After); err != nil {
			return err
		}
		churn := e.history.Churn()
		tiles := e.compare(w, before, churn)
		s.Effect = detector.Effect(detector.EffectInput{Before: w.turn.Now, After: s.After, Action: *s.Action,
			Target: s.Target, Churn: churn, Tiles: tiles})
		e.check(w, tiles)
		s.After = stored(s.After)
	}
	s.Feedback = feedback(w)
	s.Timing.Verify = e.since(start)
	return nil
}

// compare is the pixel part of the effect; nil when the two frames are not there.
func (e *episode) compare(w *work, before *perceptual.Frame, churn cua.ChurnMask) *cua.TileDiff {
	if before == nil || e.frame == nil || w.step.After.FrameSHA == "" {
		return nil
	}
	s := &w.step
	o := perceptual.CompareOptions{Point: perceptual.Point(*s.Action, s.Target, &w.turn.Now), Viewport: s.After.Viewport}
	if s.After.Document == w.turn.Now.Document { // what moves or has the focus on one page explains nothing on another
		o.Churn, o.Ambient = churn, s.After.Ambient.Boxes
		o.Presentation = perceptual.PresentationBoxes(&w.turn.Now, &s.After)
	}
	d := perceptual.Compare(before, e.frame, o, e.cfg.Perceptual)
	return &d
}

// check asks the verifier; what it misses is said in the feedback.
func (e *episode) check(w *work, tiles *cua.TileDiff) {
	if e.asm.verify == nil {
		return
	}
	s := &w.step
	v := e.asm.verify(perceptual.VerifyInput{Action: *s.Action, Target: s.Target, Thought: s.Thought,
		Before: w.turn.Now, After: s.After, Diff: tiles})
	s.EffectObserved, s.EffectReason, w.warning = v.Effect(), v.Reason, v.Warning
}

// see stores the frame of o under its hash, fingerprints it and makes it the newest frame. A
// frame that is byte for byte the one before is not decoded again.
func (e *episode) see(o *cua.Observation) error {
	shot := o.Shot
	if shot == nil || len(shot.Data) == 0 {
		e.frame = nil
		return nil
	}
	prev := e.history.Now()
	var err error
	if o.FrameSHA, err = e.journal.Blob(shot.Data); err != nil {
		return err
	}
	e.shots = append(e.shots, *shot)
	if n := len(e.shots) - e.cfg.Frames; n > 0 {
		e.shots = slices.Clone(e.shots[n:])
	}
	if o.FrameSHA == prev.FrameSHA && e.frame != nil {
		o.Fingerprint = prev.Fingerprint
		return nil
	}
	if e.frame, err = perceptual.Decode(shot, e.cfg.Perceptual); err != nil {
		e.frame = nil // a frame that cannot be read is missing evidence, not a fault
		return nil
	}
	print := e.frame.Fingerprint()
	o.Fingerprint = &print
	return nil
}

// idleTiles compares the frame that was taken while nobody acted with the newest one.
func (e *episode) idleTiles(t *cua.Target) {
	shot := t.Idle.Shot
	t.Idle.Shot = nil
	if shot == nil || e.frame == nil || perceptual.SHA(shot) == e.history.Now().FrameSHA {
		return
	}
	if idle, err := perceptual.Decode(shot, e.cfg.Perceptual); err == nil {
		t.Idle.Tiles = perceptual.Compare(e.frame, idle, perceptual.CompareOptions{}, e.cfg.Perceptual).Changed
	}
}
