package cua

// Sampler reads the samples of a history that grows, each step once. The zero value is
// ready. It holds nothing that the history does not say: Read of a history gives the
// same samples whether it came at once or step by step.
type Sampler struct {
	churn churn
	read  nodeReader
	seen  visited
	// node is the one after the newest step.
	node string
	// last is the newest acting sample or press of a poll, -1 when there is none.
	last int
	out  []Sample
}

// Read is History.Samples of h, which must extend the history that was read before. What it
// returns is valid until the next Read.
func (r *Sampler) Read(h History) []Sample {
	r.churn.read(h)
	masks, changed := r.churn.masks()
	if r.seen == nil || changed { // other masks make other nodes
		r.read, r.out, r.last = nodeReader{masks: masks}, r.out[:0], -1
		r.node = r.read.node(&h.Start)
		r.seen = visited{r.node: 0}
	}
	if r.out == nil {
		r.out = make([]Sample, 0, len(h.Steps))
	}
	for i := len(r.out); i < len(h.Steps); i++ {
		r.add(&h, i)
	}
	return r.out
}

// add makes the sample of step i.
func (r *Sampler) add(h *History, i int) {
	s := &h.Steps[i]
	if page := h.resumedAt(i); page != nil {
		r.node = r.read.node(page)
		r.seen = visited{r.node: s.N - 1} // what the session before had reached must be reached again
		r.last = -1                       // and nothing is left of what it had set off
	}
	before, after := r.node, r.node
	if s.Dispatched() {
		if n := r.read.node(&s.After); n != after {
			after = n
		}
	}
	if s.RewoundTo > 0 {
		r.seen.until(s.RewoundTo)
	}
	_, old := r.seen[after]
	x := Sample{Step: s, Acting: s.Acting(), Before: before, After: after, Known: s.Effect != nil,
		Progress: s.Effect.explainedBut(r.read.at(&s.After))}
	x.New = after != "" && (!old || x.Progress && after == before)
	if s.Action != nil {
		x.Action = *s.Action
		if s.Substituted() {
			x.Action = s.Proposed
		}
		x.Acting = x.Acting || x.Action.Kind.acts()
		x.Signature = Signature(x.Action, received(x.Action, s.Target, h.before(i).Focus))
		if i > 0 && x.Signature == r.out[i-1].Signature {
			x.Signature = r.out[i-1].Signature // one string: shapes compare it again and again
		}
	}
	if i > 0 && s.Decision != 0 && h.Steps[i-1].Decision == s.Decision && r.out[i-1].Before == r.out[i-1].After {
		r.out[i-1].New = false // nobody looked in between: what the decision reached, its last step did
	}
	r.seen.add(after, s.N)
	r.node, r.out = after, append(r.out, x)
	r.late(h, i)
}

// late gives the last acting step the changes that came after it while nobody
// acted: those known by cause, and those that only waits precede.
func (r *Sampler) late(h *History, i int) {
	idle := &h.Steps[i].Target.Idle
	if r.last >= 0 && len(idle.Parts)+len(idle.Caused)+len(idle.Changes) > 0 && h.lateChange(i, idle, &r.read) {
		r.out[r.last].progressed()
	}
	switch x := &r.out[i]; {
	case x.Acting:
		r.last = i
	case r.last >= 0 && x.Action.Kind == Wait && x.Progress:
		last := &r.out[r.last]
		last.progressed()
		last.New = last.New || x.New && last.After != ""
	case r.last >= 0 && x.Action.Kind == Wait && x.Action.MS >= PollWaitMS:
		if last := &r.out[r.last]; last.still() && x.still() && h.polls(r.last) {
			last.Poll, last.Acting, x.Poll = true, false, true
		}
	}
}

// still says that nothing changed.
func (s *Sample) still() bool { return s.Idle() && s.Before == s.After }

// progressed notes a late effect: a press that had one was no poll.
func (s *Sample) progressed() {
	s.Progress = true
	if s.Poll {
		s.Poll, s.Acting = false, true
	}
}
