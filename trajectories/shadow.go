package trajectories

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// Shadowed counts what one gate in shadow mode would have done, for one reason, and how that compares
// with what happened next, since nothing came of it.
//
// A would-be substitution, refusal or acceptance was right where the step itself and the acting steps
// after it, three in all, reached nothing new; wrong where one of them did, for then nothing had to be done. One that
// would have stopped the episode is judged by all steps that followed. A would-be refusal of a done, which
// then ended the episode, was right where that was no success. All that an episode without success never got out of
// was right; what has no answer yet is open.
type Shadowed struct {
	Gate    string      `json:"gate"`
	Verdict cua.Verdict `json:"verdict"`
	Reason  string      `json:"reason"`
	Rulings int         `json:"rulings"`
	Right   int         `json:"right"`
	Wrong   int         `json:"wrong"`
	Open    int         `json:"open,omitzero"`
}

// Precision is the share of right ones among those that have an answer; nil when none has.
func (s Shadowed) Precision() *float64 {
	if s.Right+s.Wrong == 0 {
		return nil
	}
	return new(float64(s.Right) / float64(s.Right+s.Wrong))
}

// shadowWindow is how many acting steps judge a would-be substitution: those for which a hard stop
// waits after a real one.
const shadowWindow = 3

// Shadows are the would-be rulings of t, by gate, verdict and reason, in that order; nil when no gate ruled in shadow. A
// substitution that policy dropped is none.
func Shadows(t *Trajectory) []Shadowed {
	var config struct {
		Shadow []string `json:"shadow"`
	}
	if err := json.Unmarshal(t.Header.Config, &config); err != nil || len(config.Shadow) == 0 {
		return nil
	}
	var out []Shadowed
	samples := t.History().Samples()
	for i := range t.Steps {
		for _, r := range t.Steps[i].Rulings {
			if !r.Shadow || !slices.Contains(config.Shadow, r.Gate) {
				continue
			}
			at := slices.IndexFunc(out, func(s Shadowed) bool { return s.Gate == r.Gate && s.Verdict == r.Verdict && s.Reason == r.Reason })
			if at < 0 {
				at, out = len(out), append(out, Shadowed{Gate: r.Gate, Verdict: r.Verdict, Reason: r.Reason})
			}
			out[at].Rulings++
			switch right := t.borneOut(samples, i, r); {
			case right == nil:
				out[at].Open++
			case *right:
				out[at].Right++
			default:
				out[at].Wrong++
			}
		}
	}
	slices.SortFunc(out, func(a, b Shadowed) int {
		return cmp.Or(cmp.Compare(a.Gate, b.Gate), cmp.Compare(a.Verdict, b.Verdict), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// borneOut says whether what followed step i shows that r would have been right; nil is not known.
func (t *Trajectory) borneOut(samples []cua.Sample, i int, r cua.Ruling) *bool {
	most := shadowWindow
	if r.Verdict == cua.Halt || r.Verdict == cua.Pause {
		most = len(samples)
	}
	acted := 0
	for j := i; j < len(samples) && acted < most; j++ {
		if !samples[j].Acting {
			continue
		}
		if acted++; samples[j].New {
			return new(false)
		}
	}
	switch {
	case acted >= most:
		return new(true)
	case t.End == nil || t.End.Reason.Infrastructure() || t.End.Reason == cua.EndCancelled:
		return nil
	}
	return new(!t.End.Success)
}
