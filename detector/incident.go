package detector

import (
	"math"
	"slices"
	"strconv"

	"github.com/cua-runner/cua-runner/cua"
)

// Incidents are the maximal runs of steps made under at least one signal of soft level or above on one target
// or node. The signals are those of d over the steps before each step; a nil d uses the recorded ones. end is
// why the episode ended; if it is "" the episode continues, and an incident that no step has shown to be over
// has no outcome. Once an incident has an outcome, later steps do not change it.
func Incidents(h cua.History, d LoopDetector, end cua.EndReason) []cua.Incident {
	if d == nil {
		return incidents(h, recorded(h), end)
	}
	return d.Score(h, end).Incidents
}

// Open is the incident that is open for the next step, given the current signals; nil if none is soft. One
// that begins now has no steps yet: First and Last are then the number of the next step.
func Open(h cua.History, now []cua.Signal) *cua.Incident {
	return new(OpenReader).Read(h, h.Samples(), now)
}

// OpenReader computes the open incident of a history that grows and reads each step once. The zero value is
// ready. It caches only. Each history must extend the one that was read before (cua.Growth).
type OpenReader struct {
	a     account
	steps int // how many have been read
}

// Read is Open(h, now) with the samples of h given.
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

// incidents are those of h; signals[i] hold after step i+1. Those after the last step may be missing: its
// node then shows whether it helped.
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
		a.close(n, "") // the last step helped, but there was no turn after it
	default:
		a.close(n, endOutcome(end))
	}
	a.settle(endOutcome(end))
	return a.closed
}

// helped reports whether s made progress to a new node: a cycle has effects too, but leads to known nodes.
func helped(s cua.Sample) bool { return s.Progress && (s.New || s.After == "") }

// recorded are the signals after each step but the last: the next step has them.
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

// account is the state after reading some steps of a history.
type account struct {
	h       cua.History
	closed  []cua.Incident
	open    *run // nil is none
	sampler cua.Sampler
	// keeps says that closed incidents are kept.
	keeps bool
	// unsettled are the closed incidents that no step has shown to be over.
	unsettled []unsettled
}

// unsettled is the index of such an incident in closed, and its outcome once it is over.
type unsettled struct {
	at      int
	outcome cua.IncidentOutcome
}

// read reads all steps of h. It leaves the last incident open.
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

// chosen is the resumption right before step i by which somebody chose to continue; nil is none.
func chosen(h cua.History, i int) *cua.Resumption {
	var out *cua.Resumption
	for j := len(h.Resumed) - 1; j >= 0 && h.Resumed[j].At >= i; j-- {
		if r := &h.Resumed[j]; r.Fresh && r.At == i {
			out = r
		}
	}
	return out
}

// takeIn reads step i, which was made under signals.
func (a *account) takeIn(i int, signals []cua.Signal) {
	if r := chosen(a.h, i); r != nil {
		a.close(i, endOutcome(r.End)) // counters start again: no signal holds
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

// close ends the open incident, if there is one, judged by the first n steps. Later steps never change it. An
// empty outcome means that the episode outlived the incident: it is settled once a step, from its last one
// on, shows progress. The end of its signals is no evidence, because the page may be unknown.
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

// settle gives the unsettled incidents that outcome; "" stands for the one that each has when it is over.
func (a *account) settle(outcome cua.IncidentOutcome) {
	for _, u := range a.unsettled {
		in := &a.closed[u.at]
		if in.Outcome = outcome; outcome == "" {
			in.Outcome = u.outcome
		}
	}
	a.unsettled = nil
}

// summed is the incident with its cost and, as far as the samples show, the effects of its attempts.
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

// run is an open incident.
type run struct {
	cua.Incident
	// targets are the identities that its signals are about, steps the evidence of its signals.
	targets map[string]bool
	steps   map[int]bool
	// substituted are the indexes of its substitutions, rewound is the number of its newest rewind.
	substituted []int
	rewound     int

	usd, ms float64
	// priced says that the cost of a step is known, unpriced that a step used tokens at unknown cost.
	priced, unpriced bool
}

func begin(n int) *run {
	return &run{Incident: cua.Incident{ID: "i" + strconv.Itoa(n), First: n, Last: n},
		targets: map[string]bool{}, steps: map[int]bool{}}
}

// continues reports whether a signal is about the same target or node as r. Signals based on the same step,
// or on two consecutive steps, share a node. So no nodes are compared: nodes change as churn becomes known,
// and closed incidents must not change.
func (r *run) continues(signals []cua.Signal) bool {
	near := func(n int) bool { return r.steps[n-1] || r.steps[n] || r.steps[n+1] }
	return slices.ContainsFunc(signals, func(s cua.Signal) bool {
		return soft(s) && (r.targets[s.Target] || slices.ContainsFunc(made(s), near))
	})
}

// made are the numbers of the steps that s is based on.
func made(s cua.Signal) []int {
	if len(s.Evidence) == 0 && s.Since > 0 {
		return []int{s.Since}
	}
	return s.Evidence
}

// join adds all current signals: a step that is stuck in two ways is one step.
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

// withShapes is a copy of shapes with those of signals added.
func withShapes(shapes []cua.Shape, signals []cua.Signal) []cua.Shape {
	for _, s := range signals {
		if soft(s) && !slices.Contains(shapes, s.Shape) {
			shapes = append(slices.Clip(shapes), s.Shape)
		}
	}
	return shapes
}

// add adds step i to r: its attempt and its cost.
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
	if s.HasAction() && (s.RecoveryReason != "" || s.Substituted()) {
		r.substituted = append(r.substituted, i)
	}
}

// outlived is the outcome of an incident that the episode outlived: the last thing that helped counts.
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

// endOutcome is that of an incident in which the episode ended. An end that was not recorded counts as a
// pause.
func endOutcome(end cua.EndReason) cua.IncidentOutcome {
	switch end {
	case cua.EndLoop, cua.EndSpiral, cua.EndMistakes:
		return cua.OutcomeHalted
	case cua.EndAsked, cua.EndPaused, "":
		return cua.OutcomeAsked
	}
	return cua.OutcomeEnded
}
