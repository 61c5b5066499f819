package detector

import (
	"math"
	"slices"
	"strconv"

	"github.com/cua-runner/cua-runner/cua"
)

// Incidents are the maximal runs of steps that were made under at least one signal of soft
// level or above on one target or node. The signals are those of d over the steps before each
// step, whatever was recorded; a nil d reads the recorded ones. end is why the episode
// ended; "" while it goes on, and then an incident that no step has shown to be over has no
// outcome. One that has an outcome stays as it is, whatever steps follow.
func Incidents(h cua.History, d LoopDetector, end cua.EndReason) []cua.Incident {
	if d == nil {
		return incidents(h, recorded(h), end)
	}
	return d.Score(h, end).Incidents
}

// Open is the incident that is open at the step to come, given the signals that hold now;
// nil when none of them is soft. One that begins now has no steps in it
// yet: First and Last are then the number of the step to come.
func Open(h cua.History, now []cua.Signal) *cua.Incident {
	return new(OpenReader).Read(h, h.Samples(), now)
}

// OpenReader reads the open incident of a history that grows, each step once. The zero value is ready. It
// holds nothing that the history does not say. Each history must extend the one that was read before
// (cua.Growth).
type OpenReader struct {
	a     account
	steps int // how many have been read
}

// Read is Open(h, now), where the samples of h are known.
func (r *OpenReader) Read(h cua.History, samples []cua.Sample, now []cua.Signal) *cua.Incident {
	r.a.h = h
	for ; r.steps < len(h.Steps); r.steps++ {
		r.a.takeIn(r.steps, h.Steps[r.steps].Signals)
	}
	open, n := r.a.open, len(h.Steps)
	switch {
	case !slices.ContainsFunc(now, soft):
		return nil
	case open == nil, chosen(h, n) != nil, !open.continues(now):
		first := 1
		if n > 0 {
			first = h.Steps[n-1].N + 1
		}
		open = begin(first)
	}
	in := open.summed(samples)
	in.Shapes = withShapes(in.Shapes, now)
	return &in
}

// incidents are those of h, where signals[i] hold after step i+1. Those after the last step
// may be missing: whether it helped is then read off what it reached.
func incidents(h cua.History, signals [][]cua.Signal, end cua.EndReason) []cua.Incident {
	a := read(h, signals)
	n := len(h.Steps)
	switch {
	case end == "" && a.open != nil:
		return append(a.closed, a.open.summed(a.samples(n)))
	case end == "" || n == 0:
		return a.closed
	case a.open == nil:
	case len(signals) >= n && !a.open.continues(signals[n-1]), len(signals) < n && helped(a.samples(n)[n-1]):
		a.close(n, "") // the last step helped, and no turn came to see it
	default:
		a.close(n, endOutcome(end))
	}
	a.settle(endOutcome(end))
	return a.closed
}

// helped says whether s got somewhere: a cycle has effects too, but leads to known nodes.
func helped(s cua.Sample) bool { return s.Progress && (s.New || s.After == "") }

// recorded are the signals after each step but the last, as the next step has them.
func recorded(h cua.History) [][]cua.Signal {
	var out [][]cua.Signal
	for i := 1; i < len(h.Steps); i++ {
		out = append(out, h.Steps[i].Signals)
	}
	return out
}

// prefix is h as it was before step i.
func prefix(h cua.History, i int) cua.History {
	out := cua.History{Start: h.Start, Steps: h.Steps[:i:i]}
	for _, r := range h.Resumed {
		if r.At <= i {
			out.Resumed = append(out.Resumed, r)
		}
	}
	return out
}

func soft(s cua.Signal) bool { return s.Level.AtLeast(cua.Soft) }

// account is what the steps of a history have come to.
type account struct {
	h       cua.History
	closed  []cua.Incident
	open    *run // nil when none is
	sampler cua.Sampler
	// keeps says that closed incidents are kept.
	keeps bool
	// unsettled are the closed ones that no step has shown to be over: their indexes in closed, and what they
	// come to when one does.
	unsettled []unsettled
}

// unsettled is one of them.
type unsettled struct {
	at      int
	outcome cua.IncidentOutcome
}

// read goes through all steps of h. The incident that is open after the last stays so.
func read(h cua.History, signals [][]cua.Signal) *account {
	a := &account{h: h, keeps: true}
	for i := range h.Steps {
		var now []cua.Signal
		if i > 0 {
			now = signals[i-1]
		}
		a.takeIn(i, now)
	}
	if r := chosen(h, len(h.Steps)); r != nil {
		a.close(len(h.Steps), endOutcome(r.End))
		a.settle(endOutcome(r.End))
	}
	return a
}

// chosen is the resumption right before step i with which somebody chose to go on; nil when there
// was none.
func chosen(h cua.History, i int) *cua.Resumption {
	var out *cua.Resumption
	for j := len(h.Resumed) - 1; j >= 0 && h.Resumed[j].At >= i; j-- {
		if r := &h.Resumed[j]; r.Fresh && r.At == i {
			out = r
		}
	}
	return out
}

// takeIn takes in step i, which was made under signals.
func (a *account) takeIn(i int, signals []cua.Signal) {
	if r := chosen(a.h, i); r != nil {
		a.close(i, endOutcome(r.End)) // the counters start anew: nothing holds
		a.settle(endOutcome(r.End))
		signals = nil
	}
	if i == 0 {
		signals = nil // nothing had been done
	}
	if a.open != nil && !a.open.continues(signals) {
		a.close(i+1, "")
	}
	if len(a.unsettled) > 0 && a.samples(i + 1)[i].Progress {
		a.settle("")
	}
	if !slices.ContainsFunc(signals, soft) {
		return
	}
	if a.open == nil {
		a.open = begin(a.h.Steps[i].N)
	}
	a.open.join(signals)
	a.open.add(i, &a.h.Steps[i])
}

// close ends the open incident, if there is one, with what the first n steps tell; later ones
// never change it. An empty outcome is that of an incident that the episode outlived: it is settled when a
// step from its last one on shows progress. That its signals ceased is no evidence: the page may just be
// unknown.
func (a *account) close(n int, outcome cua.IncidentOutcome) {
	if a.open != nil && a.keeps {
		samples := a.samples(n)
		in := a.open.summed(samples)
		if in.Outcome = outcome; outcome == "" {
			over := a.open.outlived(in.Tried)
			since := samples[a.h.Index(in.Last):]
			if over == cua.OutcomeRewound || slices.ContainsFunc(since,
				func(s cua.Sample) bool { return s.Progress }) {
				in.Outcome = over
			} else {
				a.unsettled = append(a.unsettled, unsettled{len(a.closed), over})
			}
		}
		a.closed = append(a.closed, in)
	}
	a.open = nil
}

// settle gives the unsettled incidents their outcome: "" is the one that they come to when they are over.
func (a *account) settle(outcome cua.IncidentOutcome) {
	for _, u := range a.unsettled {
		in := &a.closed[u.at]
		if in.Outcome = outcome; outcome == "" {
			in.Outcome = u.outcome
		}
	}
	a.unsettled = nil
}

// summed is the incident with its price and, as far as the samples tell, the effects of what was tried.
func (r *run) summed(samples []cua.Sample) cua.Incident {
	in := r.Incident
	if r.priced && !r.unpriced {
		in.USD = new(r.usd)
	}
	in.Seconds = math.Round(r.ms) / 1000
	for _, i := range r.substituted {
		if t, ok := cua.AttemptAt(samples, i); ok {
			in.Tried = append(in.Tried, t)
		}
	}
	return in
}

func (a *account) samples(n int) []cua.Sample { return a.sampler.Read(prefix(a.h, n)) }

// run is an incident in the making.
type run struct {
	cua.Incident
	// targets are the identities that its signals are about, steps those that made its signals.
	targets map[string]bool
	steps   map[int]bool
	// substituted are the indexes of the substitutions, rewound is the number of the newest rewind.
	substituted []int
	rewound     int

	usd, ms float64
	// priced says that a step's cost is known, unpriced that a step used tokens at an unknown one.
	priced, unpriced bool
}

func begin(n int) *run {
	return &run{Incident: cua.Incident{ID: "i" + strconv.Itoa(n), First: n, Last: n},
		targets: map[string]bool{}, steps: map[int]bool{}}
}

// continues says whether a signal is about what r is about: one target, or one node. Signals that
// were made by one step, or by two steps in a row, have the node there in common, so no node has
// to be read: nodes change as it becomes known what moves by itself, and what is closed must
// not change with them.
func (r *run) continues(signals []cua.Signal) bool {
	near := func(n int) bool { return r.steps[n-1] || r.steps[n] || r.steps[n+1] }
	return slices.ContainsFunc(signals, func(s cua.Signal) bool {
		return soft(s) && (r.targets[s.Target] || slices.ContainsFunc(made(s), near))
	})
}

// made are the numbers of the steps that made s.
func made(s cua.Signal) []int {
	if len(s.Evidence) == 0 && s.Since > 0 {
		return []int{s.Since}
	}
	return s.Evidence
}

// join adds all signals that hold: a step that is stuck in two ways is one step.
func (r *run) join(signals []cua.Signal) {
	r.Shapes = withShapes(r.Shapes, signals)
	for _, s := range signals {
		if !soft(s) {
			continue
		}
		if s.Target != "" {
			r.targets[s.Target] = true
		}
		for _, n := range made(s) {
			r.steps[n] = true
		}
	}
}

// withShapes are shapes and those of signals; shapes stay as they are.
func withShapes(shapes []cua.Shape, signals []cua.Signal) []cua.Shape {
	for _, s := range signals {
		if soft(s) && !slices.Contains(shapes, s.Shape) {
			shapes = append(slices.Clip(shapes), s.Shape)
		}
	}
	return shapes
}

// add puts step i into r: what it tried and what it cost.
func (r *run) add(i int, s *cua.Step) {
	r.Last = s.N
	r.Tokens += s.Usage.Tokens()
	r.ms += s.Timing.Total()
	switch {
	case s.Usage.USD != nil:
		r.usd, r.priced = r.usd+*s.Usage.USD, true
	case s.Usage.Tokens() > 0:
		r.unpriced = true
	}
	if s.RewoundTo > 0 {
		r.rewound = s.N
	}
	if s.Dispatched() && (s.RecoveryReason != "" || s.Substituted()) {
		r.substituted = append(r.substituted, i)
	}
}

// outlived is the outcome of an incident that the episode outlived: what helped last counts.
func (r *run) outlived(tried []cua.Attempt) cua.IncidentOutcome {
	worked := 0
	for _, a := range tried {
		if a.Effect {
			worked = a.Step
		}
	}
	switch {
	case r.rewound > 0 && r.rewound >= worked:
		return cua.OutcomeRewound
	case worked > 0:
		return cua.OutcomeRecovered
	}
	return cua.OutcomeSelfRecovered
}

// endOutcome is that of an incident in which the episode ended; an end that nobody recorded was
// a pause.
func endOutcome(end cua.EndReason) cua.IncidentOutcome {
	switch end {
	case cua.EndLoop, cua.EndSpiral, cua.EndMistakes:
		return cua.OutcomeHalted
	case cua.EndAsked, cua.EndPaused, "":
		return cua.OutcomeAsked
	}
	return cua.OutcomeEnded
}
