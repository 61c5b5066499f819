package cua

import (
	"slices"
	"strings"
)

// Evidence is what the gates need to know, computed once per turn and never changed after that. Facts that
// depend on the proposal are in its Target.
type Evidence struct {
	// Samples are those of all steps. They are valid until the reader that made them reads a longer history.
	Samples []Sample
	// Fresh is History.Fresh.
	Fresh int
	Tally
	// Churn is the mask of the newest document. Node is the state node of the current page; "" is unknown.
	Churn ChurnMask
	Node  string
	// Focus is the focused field, if it takes text; nil otherwise.
	Focus *Field
	// Value is the pending plan value for Focus; nil is none.
	Value *FormValue
	// DefaultButton is the control that Return in Focus activates, in view or not; nil is none.
	DefaultButton *Control
	// Tried are the steps that were dispatched at the current node, by whomever, and had no effect. Only the
	// newest of those that did the same is in it.
	Tried []Sample
	// Sends are the forms that were sent, oldest first. Doubtful are those that were interrupted, that held a
	// secret, or whose answer came late or not at all. Only a doubtful send can be rejected or uncertain.
	Sends, Doubtful []*Send
}

// Tally sums up all steps of a history, including those that a rewind undid.
type Tally struct {
	// WallMS, Tokens and USD are what was used. A decision of unknown cost adds nothing to USD.
	WallMS float64
	Tokens int
	USD    float64
	// These are ascending indexes of steps. Ruled: a gate decided. Rescued: the rescue table decided. Noted:
	// the turn carried notes. Directed: a director decided. Failed: the agent's failure. Typed: typed or
	// selected something. Returns: pressed Return.
	Ruled, Rescued, Noted, Directed, Failed, Typed, Returns []int
}

// EvidenceReader computes the evidence of a history that grows and reads each step once. The zero value is
// ready. It caches only: the result is the same if the history comes at once or step by step. Each history
// must extend the one that was read before (Growth).
type EvidenceReader struct {
	sampler Sampler
	tally   Tally
	sends   sends
	steps   int // how many tally and sends have read
}

// EvidenceOf is the evidence after h with the plan values as form says.
func EvidenceOf(h History, form *FormState) *Evidence { return new(EvidenceReader).Read(h, form) }

// Samples is History.Samples of h. The newest step need not be complete: its sample does not depend on what
// is added when it is recorded.
func (r *EvidenceReader) Samples(h History) []Sample { return r.sampler.Read(h) }

// Read is EvidenceOf(h, form).
func (r *EvidenceReader) Read(h History, form *FormState) *Evidence {
	samples := r.Samples(h)
	r.sends.read(h, r.steps)
	for ; r.steps < len(h.Steps); r.steps++ {
		r.tally.add(r.steps, &h.Steps[r.steps])
	}
	now := h.Now()
	e := &Evidence{Samples: samples, Fresh: h.Fresh(), Tally: r.tally.clipped(),
		Churn: r.sampler.churn.at(now)}
	e.Sends, e.Doubtful = r.sends.judged(&h)
	if n := len(samples); n > 0 {
		e.Node = samples[n-1].After // under the masks that the samples share
	} else {
		e.Node = Node(now, e.Churn)
	}
	if e.Node != "" {
		for _, t := range r.sampler.tried[e.Node] {
			e.Tried = append(e.Tried, samples[t.i])
		}
	}
	if f := now.Focus; f != nil && f.TakesText() {
		e.Focus = f
		e.Value = form.PendingFor(f.ID)
		if form := now.FormOf(f.Form, f.Frame); form != nil && f.Form != "" && f.SingleLine() {
			e.DefaultButton = form.Default
		}
	}
	return e
}

// LastActing are the newest n samples of acting steps since the counters were last reset, oldest first. There
// may be fewer.
func (e *Evidence) LastActing(n int) []Sample {
	var out []Sample
	for i := len(e.Samples) - 1; i >= e.Fresh && len(out) < n; i-- {
		if e.Samples[i].Acting {
			out = append(out, e.Samples[i])
		}
	}
	slices.Reverse(out)
	return out
}

// add adds step i.
func (t *Tally) add(i int, s *Step) {
	t.WallMS += s.Timing.Total()
	t.Tokens += s.Usage.Tokens()
	if s.Usage.USD != nil {
		t.USD += *s.Usage.USD
	}
	_, ruled := s.Ruled()
	for _, l := range []struct {
		to *[]int
		on bool
	}{
		{&t.Ruled, ruled}, {&t.Rescued, s.RecoveryReason != ""}, {&t.Noted, len(s.Notes) > 0},
		{&t.Directed, strings.HasPrefix(s.By, DirectorPrefix)},
		{&t.Failed, s.Failure != nil && s.Failure.Kind != FailEnv},
		{&t.Typed, s.Action != nil && (s.Action.Kind == Type || s.Action.Kind == Select)},
		{&t.Returns, s.Action != nil && s.Action.PressesReturn()},
	} {
		if l.on {
			*l.to = append(*l.to, i)
		}
	}
}

// clipped is t with its lists clipped to their length, so that an append to them cannot overwrite shared
// memory.
func (t Tally) clipped() Tally {
	for _, l := range []*[]int{&t.Ruled, &t.Rescued, &t.Noted, &t.Directed, &t.Failed, &t.Typed, &t.Returns} {
		*l = slices.Clip(*l)
	}
	return t
}

// tries are steps without effect that began at one node, oldest first. Only the newest of those that did the
// same is in it.
type tries []try

// try is one of them: its index and what it did.
type try struct {
	i   int
	did string
}

// with is t with sample i added, if that was dispatched without effect.
func (t tries) with(samples []Sample, i int) tries {
	x := &samples[i]
	s := x.Step
	if !s.HasAction() || !x.Idle() {
		return t
	}
	did := strings.Join([]string{Signature(*s.Action, s.goesTo()), x.Signature, s.Target.ID,
		s.Target.Field, s.Target.Form, s.Target.Frame}, "\n")
	t = slices.DeleteFunc(t, func(o try) bool { return o.did == did })
	return append(t, try{i, did})
}

// triesAt are those of samples that began at node.
func triesAt(samples []Sample, node string) (out tries) {
	for i := range samples {
		if samples[i].Before == node {
			out = out.with(samples, i)
		}
	}
	return out
}

// PendingFor is the pending value for that field; nil is none.
func (f *FormState) PendingFor(field string) *FormValue {
	for _, v := range f.Pending() {
		if v.Field != "" && v.Field == field {
			return &v
		}
	}
	return nil
}
