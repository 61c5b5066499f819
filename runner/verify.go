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
		if err := e.see(&s.After); err != nil {
			return err
		}
		if err := e.keep(&s.After); err != nil {
			return err
		}
		churn := e.churn(w)
		tiles := e.compare(w, churn)
		s.Effect = detector.Effect(detector.EffectInput{Before: w.before, After: s.After, Action: *s.Action,
			Target: s.Target, Churn: churn, Tiles: tiles})
		s.After.NodeBy = cua.NodeBy(&s.After, churn)
		e.check(w, tiles)
		s.After = stored(s.After)
		h := e.history
		h.Steps = append(h.Steps, *s)
		s.Repeat = e.asm.repeated(h)
	}
	s.Feedback = feedback(w)
	s.Timing.Verify = e.since(start)
	return nil
}

// churn is the mask before the action: the history's, with what moved since the turn.
func (e *episode) churn(w *work) cua.ChurnMask {
	h := e.history
	h.Steps = append(h.Steps, cua.Step{Target: w.step.Target, After: w.turn.Now})
	return h.Churn()
}

// compare is the pixel part of the effect; nil when the two frames are not there.
func (e *episode) compare(w *work, churn cua.ChurnMask) *cua.TileDiff {
	if w.frame == nil || e.frame == nil || w.step.After.FrameSHA == "" {
		return nil
	}
	s := &w.step
	o := perceptual.CompareOptions{Point: perceptual.Point(*s.Action, s.Target, &w.before),
		Viewport: s.After.Viewport}
	// what moves or has the focus on one page explains nothing on another
	if s.After.Document == w.before.Document {
		o.Churn, o.Ambient = churn, onTheWay(w.before.Ambient.Boxes, s.After.Ambient.Boxes)
		o.Presentation, o.Restyled = perceptual.PresentationBoxes(&w.before, &s.After), s.After.Restyled
	}
	d := perceptual.Compare(w.frame, e.frame, o, e.cfg.Perceptual)
	return &d
}

// onTheWay are the places of what moves by itself as either page knows them, and the way of each that
// was elsewhere before, since a frame is not of the moment of its box.
func onTheWay(before, after []cua.Box) []cua.Box {
	out := slices.Concat(before, after)
	if len(before) != len(after) {
		return out
	}
	for i, b := range before {
		if a := after[i]; b.Center().Distance(a.Center()) >= 1 && alike(a.W, b.W) && alike(a.H, b.H) {
			x, y := min(a.X, b.X), min(a.Y, b.Y)
			way := cua.Box{X: x, Y: y, W: max(a.X+a.W, b.X+b.W) - x, H: max(a.Y+a.H, b.Y+b.H) - y}
			out = append(out, way.Grow(cua.TileSize))
		}
	}
	return out
}

// alike says whether two lengths may be those of one thing that turns.
func alike(a, b float64) bool { return a < 1.5*b && b < 1.5*a }

// check asks the verifier; what it misses is said in the feedback.
func (e *episode) check(w *work, tiles *cua.TileDiff) {
	if e.asm.verify == nil {
		return
	}
	s := &w.step
	v := e.asm.verify(perceptual.VerifyInput{Action: *s.Action, Target: s.Target, Thought: s.Thought,
		Before: w.before, After: s.After, Diff: tiles, Effect: s.Effect})
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
	// the pixels are kept of the newest alone
	e.shots = append(e.shots, cua.Shot{Data: shot.Data, Mime: shot.Mime})
	if n := len(e.shots) - e.cfg.Frames; n > 0 {
		e.shots = slices.Clone(e.shots[n:])
	}
	prev := e.history.Now()
	if o.FrameSHA == "" {
		o.FrameSHA = perceptual.SHA(shot)
	}
	stored := make(chan error, 1)
	go func() { // the disk is waited for beside the decoding
		_, err := e.journal.Blob(shot.Data)
		stored <- err
	}()
	if o.FrameSHA == prev.FrameSHA && e.frame != nil {
		o.Fingerprint = prev.Fingerprint
		return <-stored
	}
	before := e.frame
	var err error
	if e.frame, err = perceptual.Decode(shot, e.cfg.Perceptual); err != nil {
		e.frame = nil // a frame that cannot be read is missing evidence, not a fault
		return <-stored
	}
	print := e.frame.Fingerprint(before)
	o.Fingerprint = &print
	return <-stored
}

// idle looks at what changed between the turn and locate, while nobody acted: it is recorded as
// idle changes, and the action is measured from what is there now.
func (e *episode) idle(w *work, t *cua.Target) {
	page, shot := t.Idle.Page, t.Idle.Shot
	t.Idle.Page, t.Idle.Shot = nil, nil
	if page != nil {
		page.FrameSHA, page.Writes = w.before.FrameSHA, w.before.Writes
		// what moved then may move on
		page.Ambient.Boxes = slices.Concat(w.before.Ambient.Boxes, page.Ambient.Boxes)
		w.before = *page
	}
	if shot == nil || e.frame == nil {
		return
	}
	sha := perceptual.SHA(shot)
	if sha == w.before.FrameSHA {
		return
	}
	frame, err := perceptual.Decode(shot, e.cfg.Perceptual)
	if err != nil {
		return
	}
	t.Idle.Tiles = perceptual.Compare(e.frame, frame, perceptual.CompareOptions{}, e.cfg.Perceptual).Changed
	w.before.FrameSHA, w.frame = sha, frame
}
