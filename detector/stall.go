package detector

import (
	"cmp"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// StallConfig holds the thresholds of stall.
type StallConfig struct {
	// Soft and Hard are how many steps may only wait, or look again. The first look of its kind counts half.
	// So does a wait of at least cua.PollWaitMS while a job may be in progress or the page says that one is:
	// nine waits of 5 s for a slow job are healthy.
	Soft int `json:"soft"`
	Hard int `json:"hard"`
	// SoftS and HardS are how much waiting in a row was asked for, seconds.
	SoftS float64 `json:"soft_s"`
	HardS float64 `json:"hard_s"`
	// UnknownMS is what a wait of unknown length counts, ms; 0 ignores such waits.
	UnknownMS int `json:"unknown_ms"`
}

// Stall holds while the steps only wait, or look at what was seen before, and nothing changes. It measures
// the time waited and the number of steps.
//
// The first look of its kind since the last action may tell something new. The first look after a wait of at
// least cua.PollWaitMS is how a slow page is watched, and does not count. A refused step neither counts nor
// ends the run. Polls count by time only.
type Stall struct{ Config }

// Detect is pure (Detector).
func (s Stall) Detect(h cua.History) []cua.Signal { return traced(s, h) }

func (s Stall) detect(t *trace) []cua.Signal {
	var run []*cua.Sample                 // waits and repeated looks
	var seen []string                     // signatures of looks since the last long wait
	asked, halves, patient := 0, 0, false // halves are half steps
	idle := tail(t.dispatched, idles)
	job := announced(t.dispatched[:len(t.dispatched)-len(idle)])
	for _, x := range idle {
		switch ms := cmp.Or(x.Action.MS, s.Stall.UnknownMS); {
		case x.Action.Kind == cua.Wait:
			asked += ms
			switch {
			case x.Poll: // by time only
			case (job || x.Step.After.Working) && x.Action.MS >= cua.PollWaitMS:
				halves++
			default:
				halves += 2
			}
			if ms >= cua.PollWaitMS {
				seen, patient = seen[:0], true
			}
		case !x.Action.Kind.ReadOnly():
			continue // a poll
		case !slices.Contains(seen, x.Signature):
			seen = append(seen, x.Signature)
			if patient {
				continue
			}
			halves++
		default:
			halves += 2
		}
		run = append(run, x)
	}
	if len(run) == 0 {
		return nil
	}
	seconds := float64(asked) / 1000
	l := level(halves/2, s.Stall.Soft, s.Stall.Hard)
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

// announced reports whether a job may be in progress: the last step before the waiting acted and had an
// effect, or its page was moving or loading. Once the job's end was seen, waiting is for nothing.
func announced(before []*cua.Sample) bool {
	if len(before) == 0 {
		return false
	}
	x := before[len(before)-1]
	return x.Acting && x.Progress || len(x.Step.After.Ambient.Boxes) > 0 || x.Step.Settle != nil &&
		x.Step.Settle.Capped
}

// idles reports whether x waited, looked or polled, and nothing changed. A substitution of a wait or look
// counts as such, because an intervention must not end its own evidence.
func idles(x *cua.Sample) bool {
	rests := x.Action.Kind == cua.Wait || x.Action.Kind.ReadOnly()
	return (rests || !x.Acting) && x.Idle() && x.Before == x.After
}
