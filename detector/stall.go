package detector

import (
	"cmp"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// StallConfig holds the thresholds of stall.
type StallConfig struct {
	// Soft and Hard are how many steps may do nothing but look again, or wait for less than
	// cua.PollWaitMS or a time that is not recorded. That waits of unknown length count finds
	// labelled loops and raises no false alarm; that longer ones do not leaves a slow job alone
	// (spec: loops, H4).
	Soft int `json:"soft"`
	Hard int `json:"hard"`
	// SoftS and HardS are how much waiting in a row was asked for, seconds.
	SoftS float64 `json:"soft_s"`
	HardS float64 `json:"hard_s"`
	// UnknownMS is what a wait counts whose length is not recorded, ms; 0 counts none of them.
	UnknownMS int `json:"unknown_ms"`
}

// Stall holds while nothing is done but to wait, or to look at what was seen before, and nothing
// changes. It is measured by the time that was waited, and by the number of steps.
//
// The first look of its kind since something was done tells something, and so does the first after
// a wait of cua.PollWaitMS or more: looking after a wait is how a slow page is watched. Neither
// counts, nor ends the run; what was refused does neither too. Such waits, and polls, are judged by
// time alone.
type Stall struct{ Config }

// Detect is pure (Detector).
func (s Stall) Detect(h cua.History) []cua.Signal { return traced(s, h) }

func (s Stall) detect(t *trace) []cua.Signal {
	var run []*cua.Sample // waits and repeated looks
	var seen []string     // signatures of looks since the last patient wait
	asked, count := 0, 0
	for _, x := range tail(t.dispatched, idles) {
		switch ms := cmp.Or(x.Action.MS, s.Stall.UnknownMS); {
		case x.Action.Kind == cua.Wait:
			asked += ms
			if x.Action.MS < cua.PollWaitMS {
				count++
			}
			if ms >= cua.PollWaitMS {
				seen = seen[:0]
			}
		case !x.Action.Kind.ReadOnly():
			continue // a poll
		case !slices.Contains(seen, x.Signature):
			seen = append(seen, x.Signature)
			continue
		default:
			count++
		}
		run = append(run, x)
	}
	seconds := float64(asked) / 1000
	l := level(count, s.Stall.Soft, s.Stall.Hard)
	switch {
	case seconds >= s.Stall.HardS:
		l = cua.Hard
	case seconds >= s.Stall.SoftS && l == "":
		l = cua.Soft
	}
	if l == "" {
		return nil
	}
	return []cua.Signal{{Shape: cua.ShapeStall, Level: l, Run: len(run), Since: run[0].Step.N, Score: seconds,
		Evidence: numbers(run, maxEvidence)}}
}

// idles says whether x waited, looked or polled, and nothing changed. What a gate did in place of a
// wait or a look counts as that: an intervention never ends its own evidence.
func idles(x *cua.Sample) bool {
	rests := x.Action.Kind == cua.Wait || x.Action.Kind.ReadOnly()
	return (rests || !x.Acting) && x.Idle() && x.Before == x.After
}
