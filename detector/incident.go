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
// ended; "" while it goes on, and then the last incident may have no outcome. One that has an
// outcome stays as it is, whatever steps follow.
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
	if !slices.ContainsFunc(now, soft) {
		return nil
	}
	a := read(h, recorded(h))
	if a.open == nil || !a.open.continues(now) {
		n := 1
		if len(h.Steps) > 0 {
			n = h.Steps[len(h.Steps)-1].N + 1
		}
		a.open = begin(n)
	}
	a.open.join(now)
	in := a.summed(len(h.Steps))
	return &in
}

// incidents are those of h, where signals[i] hold after step i+1. Those after the last step
// may be missing: whether it helped is then read off what it reached.
func incidents(h cua.History, signals [][]cua.Signal, end cua.EndReason) []cua.Incident {
	a := read(h, signals)
	n := len(h.Steps)
	switch {
	case a.open == nil:
		return a.closed
	case end == "":
		return append(a.closed, a.summed(n))
	case len(signals) >= n && !a.open.continues(signals[n-1]), len(signals) < n && helped(a.samples(n)[n-1]):
		a.close(n, "") // the last step helped, and no turn came to see it
	default:
		a.close(n, endOutcome(end))
	}
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
}

// read goes through all steps of h. The incident that is open after the last stays so.
func read(h cua.History, signals [][]cua.Signal) *account {
	a := &account{h: h}
	for i := range h.Steps {
		var now []cua.Signal
		if r := chosen(h, i); r != nil {
			a.close(i, endOutcome(r.End)) // the counters start anew: nothing holds
		} else if i > 0 {
			now = signals[i-1]
		}
		a.step(i, now)
	}
	if r := chosen(h, len(h.Steps)); r != nil {
		a.close(len(h.Steps), endOutcome(r.End))
	}
	return a
}

// chosen is the resumption right before step i with which somebody chose to go on; nil when there
// was none.
func chosen(h cua.History, i int) *cua.Resumption {
	for j := range h.Resumed {
		if r := &h.Resumed[j]; r.Fresh && r.At == i {
			return r
		}
	}
	return nil
}

// step takes in step i, which was made under signals.
func (a *account) step(i int, signals []cua.Signal) {
	if a.open != nil && !a.open.continues(signals) {
		a.close(i+1, "")
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
// never change it. An empty outcome is that of an incident that the episode outlived.
func (a *account) close(n int, outcome cua.IncidentOutcome) {
	if a.open == nil {
		return
	}
	in := a.summed(n)
	if in.Outcome = outcome; outcome == "" {
		in.Outcome = a.open.outlived(in.Tried)
	}
	a.closed, a.open = append(a.closed, in), nil
}

// summed is the open incident with its price and, as far as the first n steps tell, the effects of
// what was tried.
func (a *account) summed(n int) cua.Incident {
	in := a.open.Incident
	if a.open.priced && !a.open.unpriced {
		in.USD = new(a.open.usd)
	}
	in.Seconds = math.Round(a.open.ms) / 1000
	for _, i := range a.open.substituted {
		if t, ok := cua.AttemptAt(a.samples(n), i); ok {
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
	for _, s := range signals {
		if !soft(s) {
			continue
		}
		if !slices.Contains(r.Shapes, s.Shape) {
			r.Shapes = append(r.Shapes, s.Shape)
		}
		if s.Target != "" {
			r.targets[s.Target] = true
		}
		for _, n := range made(s) {
			r.steps[n] = true
		}
	}
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
