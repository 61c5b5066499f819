package cua

import "slices"

// Sampler computes the samples of a history that grows and reads each step once. The zero value is ready. It
// caches only: the result is the same if the history comes at once or step by step.
type Sampler struct {
	churn churn
	read  nodeReader
	seen  visited
	// node is the one after the newest step.
	node string
	// last is the newest acting sample or press of a poll; -1 is none.
	last int
	out  []Sample
	// tried is what had no effect, by the node before it.
	tried map[string]tries
}

// Read is History.Samples of h, which must extend the history that was read before. The result is valid until
// the next Read.
func (r *Sampler) Read(h History) []Sample {
	r.churn.read(h)
	masks, changed := r.churn.masks()
	if r.seen == nil || changed { // other masks give other nodes
		r.read, r.out, r.last, r.tried = nodeReader{masks: masks}, r.out[:0], -1, map[string]tries{}
		r.node = r.read.node(&h.Start)
		r.seen = visited{r.node: 0}
	}
	if r.out == nil {
		r.out = make([]Sample, 0, len(h.Steps))
	}
	if len(r.out) > 0 && r.out[0].Step != &h.Steps[0] { // the history was moved in memory
		for i := range r.out {
			r.out[i].Step = &h.Steps[i]
		}
	}
	for i := len(r.out); i < len(h.Steps); i++ {
		r.add(&h, i)
	}
	return slices.Clip(r.out)
}

// add adds the sample of step i.
func (r *Sampler) add(h *History, i int) {
	s := &h.Steps[i]
	if page := h.resumedAt(i); page != nil {
		r.node = r.read.node(page)
		r.seen = visited{r.node: s.N - 1} // the new session has to reach what the old one had reached
		r.last = -1                       // and has no late effects of the old one
	}
	before, after := r.node, r.node
	if s.HasAction() {
		if n := r.read.node(&s.After); n != after {
			after = n
		}
	}
	if s.RewoundTo > 0 {
		r.seen.until(s.RewoundTo)
	}
	_, old := r.seen[after]
	x := Sample{Step: s, Acting: s.Acting(), Before: before, After: after, Known: s.Effect != nil,
		Substituted: s.Substituted(), Progress: s.Effect.explainedBut(r.read.at(&s.After))}
	x.New = after != "" && (!old || x.Progress && after == before)
	if s.Action != nil {
		x.Action = *s.Action
		if x.Substituted {
			x.Action = s.Proposed
		}
		x.Acting = x.Acting || x.Action.Kind.acts()
		x.Signature = Signature(x.Action, received(x.Action, s.Target, h.before(i).Focus))
		if i > 0 && x.Signature == r.out[i-1].Signature {
			x.Signature = r.out[i-1].Signature // one string for both: shapes compare it again and again
		}
	}
	if i > 0 && s.Decision != 0 && h.Steps[i-1].Decision == s.Decision &&
		r.out[i-1].Before == r.out[i-1].After {
		r.out[i-1].New = false // one decision: its last step counts for what all of them reached
	}
	r.seen.add(after, s.N)
	r.node, r.out = after, append(r.out, x)
	r.tried[before] = r.tried[before].with(r.out, i)
	r.late(h, i)
}

// late adds to the last acting step the changes that came after it while nobody acted: those with a known
// cause, and those with only waits before them.
func (r *Sampler) late(h *History, i int) {
	idle := &h.Steps[i].Target.Idle
	if r.last >= 0 && len(idle.Parts)+len(idle.Caused)+len(idle.Changes) > 0 &&
		h.lateChange(i, idle, &r.read) {
		r.progressed(r.last)
	}
	switch x := &r.out[i]; {
	case x.Acting:
		r.last = i
	case r.last >= 0 && x.Action.Kind == Wait && x.Progress:
		last := &r.out[r.last]
		r.progressed(r.last)
		last.New = last.New || x.New && last.After != ""
	case r.last >= 0 && x.Action.Kind == Wait && x.Action.MS >= PollWaitMS:
		if last := &r.out[r.last]; last.still() && x.still() && h.polls(r.last) {
			last.Poll, last.Acting, x.Poll = true, false, true
		}
	}
}

// still says that nothing changed.
func (s *Sample) still() bool { return s.Idle() && s.Before == s.After }

// progressed records a late effect of sample i: a press with one was no poll, and was not without effect.
func (r *Sampler) progressed(i int) {
	s := &r.out[i]
	was := s.Idle()
	s.Progress = true
	if s.Poll {
		s.Poll, s.Acting = false, true
	}
	if was {
		r.tried[s.Before] = triesAt(r.out, s.Before)
	}
}
