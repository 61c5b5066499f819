package detector

import (
	"slices"
	"strconv"

	"github.com/cua-runner/cua-runner/cua"
)

// Incidents are the maximal runs of steps that were made under at least one signal of soft
// level or above on one target or node. The signals are those of d over the
// steps before each step, whatever was recorded; a nil d reads the recorded ones. end
// is why the episode ended; "" while it goes on, and then the last incident may have no outcome.
func Incidents(h cua.History, d LoopDetector, end cua.EndReason) []cua.Incident {
	samples := h.Samples()
	runs, open := incidents(h, samples, func(i int) []cua.Signal {
		if d == nil {
			return h.Steps[i].Signals
		}
		return d.Detect(prefix(h, i))
	})
	switch {
	case !open || end == "":
	case samples[len(samples)-1].Progress: // the last step helped, and no turn came to see it
		runs[len(runs)-1].close()
	default:
		runs[len(runs)-1].Outcome = endOutcome(end)
	}
	var out []cua.Incident
	for _, r := range runs {
		out = append(out, r.Incident)
	}
	return out
}

// Open is the incident that is open at the step to come, given the signals that hold now;
// nil when none of them is soft. One that begins now has no steps in it
// yet: First and Last are then the number of the step to come.
func Open(h cua.History, now []cua.Signal) *cua.Incident {
	if !slices.ContainsFunc(now, soft) {
		return nil
	}
	samples := h.Samples()
	runs, open := incidents(h, samples, func(i int) []cua.Signal { return h.Steps[i].Signals })
	node, n := nodeNow(h, samples), 1
	if len(h.Steps) > 0 {
		n = h.Steps[len(h.Steps)-1].N + 1
	}
	if open && !fresh(h, len(h.Steps)) && runs[len(runs)-1].continues(now, node) {
		r := runs[len(runs)-1]
		r.join(now, node)
		return &r.Incident
	}
	r := begin(n, now, node)
	return &r.Incident
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

// nodeNow is the node that the step to come acts on.
func nodeNow(h cua.History, samples []cua.Sample) string {
	if n := len(samples); n > 0 {
		return samples[n-1].After
	}
	return cua.Node(h.Start, cua.ChurnMask{})
}

// run is an incident in the making, with what it is about.
type run struct {
	cua.Incident
	targets, nodes []string
	rewound        bool
}

func begin(n int, signals []cua.Signal, node string) run {
	r := run{Incident: cua.Incident{ID: "i" + strconv.Itoa(n), First: n, Last: n}}
	r.join(signals, node)
	return r
}

// continues says whether signals at node are about what r is about.
func (r *run) continues(signals []cua.Signal, node string) bool {
	if node != "" && slices.Contains(r.nodes, node) {
		return true
	}
	return slices.ContainsFunc(signals, func(s cua.Signal) bool {
		return soft(s) && s.Target != "" && slices.Contains(r.targets, s.Target)
	})
}

// join adds the signals that hold at node.
func (r *run) join(signals []cua.Signal, node string) {
	if node != "" && !slices.Contains(r.nodes, node) {
		r.nodes = append(r.nodes, node)
	}
	for _, s := range signals {
		if !soft(s) {
			continue
		}
		if !slices.Contains(r.Shapes, s.Shape) {
			r.Shapes = append(r.Shapes, s.Shape)
		}
		if s.Target != "" && !slices.Contains(r.targets, s.Target) {
			r.targets = append(r.targets, s.Target)
		}
	}
}

// add puts a step into r: what it tried and what it cost.
func (r *run) add(s *cua.Sample) {
	step := s.Step
	r.Last = step.N
	r.Tokens += step.Usage.Tokens()
	if step.Usage.USD != nil {
		r.USD += *step.Usage.USD
	}
	r.Seconds += step.Timing.Total() / 1000
	r.rewound = r.rewound || step.RewoundTo > 0
	if step.RecoveryReason != "" && step.Dispatched() {
		r.Tried = append(r.Tried, cua.Attempt{Step: step.N, Reason: step.RecoveryReason, Effect: s.Progress})
	}
}

// close gives r the outcome of an incident that the episode outlived.
func (r *run) close() {
	helped := func(a cua.Attempt) bool { return a.Effect }
	switch {
	case r.rewound:
		r.Outcome = cua.OutcomeRewound
	case slices.ContainsFunc(r.Tried, helped):
		r.Outcome = cua.OutcomeRecovered
	default:
		r.Outcome = cua.OutcomeSelfRecovered
	}
}

// incidents are the runs over h; open says that the last of them reaches the last step
// and has no outcome.
func incidents(h cua.History, samples []cua.Sample, at func(i int) []cua.Signal) (runs []run, open bool) {
	for i := range samples {
		s := &samples[i]
		signals := at(i)
		if open && fresh(h, i) {
			// Somebody was asked and chose to go on: the counters start anew.
			runs[len(runs)-1].Outcome, open = cua.OutcomeAsked, false
		}
		under := slices.ContainsFunc(signals, soft)
		if open && !(under && runs[len(runs)-1].continues(signals, s.Before)) {
			runs[len(runs)-1].close()
			open = false
		}
		if !under {
			continue
		}
		if !open {
			runs, open = append(runs, begin(s.Step.N, signals, s.Before)), true
		}
		r := &runs[len(runs)-1]
		r.join(signals, s.Before)
		r.add(s)
	}
	return runs, open
}

// fresh says whether the episode went on with fresh counters right before step i.
func fresh(h cua.History, i int) bool {
	return slices.ContainsFunc(h.Resumed, func(r cua.Resumption) bool { return r.Fresh && r.At == i })
}

// endOutcome is that of an incident in which the episode ended.
func endOutcome(end cua.EndReason) cua.IncidentOutcome {
	switch end {
	case cua.EndLoop, cua.EndSpiral, cua.EndMistakes:
		return cua.OutcomeHalted
	case cua.EndAsked, cua.EndPaused:
		return cua.OutcomeAsked
	}
	return cua.OutcomeEnded
}
