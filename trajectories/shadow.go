package trajectories

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// ShadowDefinition says in a line what the would-be precision of a gate in shadow mode is.
const ShadowDefinition = "precision: right of judged. Right: the step and the acting steps after it, three " +
	"in all, reached nothing new " +
	"(for a halt or a pause: none of all that followed did); where the episode ended sooner, that was no " +
	"success. Not judged: what has no such answer."

// Shadowed counts what one gate in shadow mode would have done, for one reason, and how that compares
// with what happened next, since nothing came of it.
//
// A would-be substitution, refusal or acceptance was right where the step itself and the acting steps after
// it, three in all, reached nothing new; wrong where one of them did, for then nothing had to be done. One
// that would have stopped the episode is judged by all steps that followed. A would-be refusal of a done,
// which then ended the episode, was right where that was no success; nobody but the brain having said so, it
// is open. All that an episode without success never got out of was right; what has no answer yet is open.
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

// Shadows are the would-be rulings of t, by gate, verdict and reason, in that order; nil when no gate ruled
// in shadow. A substitution that policy dropped is none.
func Shadows(t *Trajectory) []Shadowed {
	var all []Shadowed
	for _, w := range ShadowRulings(t) {
		one := Shadowed{Gate: w.Ruling.Gate, Verdict: w.Ruling.Verdict, Reason: w.Ruling.Reason, Rulings: 1}
		switch {
		case w.Right == nil:
			one.Open = 1
		case *w.Right:
			one.Right = 1
		default:
			one.Wrong = 1
		}
		all = append(all, one)
	}
	return merged(all)
}

// merged adds up what has the same gate, verdict and reason, in that order.
func merged(all []Shadowed) []Shadowed {
	var out []Shadowed
	for _, s := range all {
		at := slices.IndexFunc(out, func(o Shadowed) bool {
			return o.Gate == s.Gate &&
				o.Verdict == s.Verdict && o.Reason == s.Reason
		})
		if at < 0 {
			out = append(out, s)
			continue
		}
		o := &out[at]
		o.Rulings, o.Right, o.Wrong, o.Open = o.Rulings+s.Rulings, o.Right+s.Right, o.Wrong+s.Wrong,
			o.Open+s.Open
	}
	slices.SortFunc(out, func(a, b Shadowed) int {
		return cmp.Or(cmp.Compare(a.Gate, b.Gate), cmp.Compare(a.Verdict, b.Verdict),
			cmp.Compare(a.Reason, b.Reason))
	})
	return out
}

// GateShadow is what one gate in shadow mode would have done, whatever its verdicts and reasons.
type GateShadow struct {
	Gate    string `json:"gate"`
	Rulings int    `json:"rulings"`
	// Judged are the rulings that have an answer, Right those of them that were right.
	Judged  int        `json:"judged"`
	Right   int        `json:"right"`
	Reasons []Shadowed `json:"reasons,omitzero"`
}

// ShadowsByGate adds up what one or more episodes counted, one entry a gate in the order of their names; nil
// for none.
func ShadowsByGate(all []Shadowed) []GateShadow {
	var out []GateShadow
	for _, s := range merged(all) {
		if len(out) == 0 || out[len(out)-1].Gate != s.Gate {
			out = append(out, GateShadow{Gate: s.Gate})
		}
		g := &out[len(out)-1]
		g.Rulings, g.Judged, g.Right = g.Rulings+s.Rulings, g.Judged+s.Right+s.Wrong, g.Right+s.Right
		g.Reasons = append(g.Reasons, s)
	}
	return out
}

// ShadowRuling is one ruling without force: what a gate in shadow mode would have done.
type ShadowRuling struct {
	// Step is the index of the step that it is about.
	Step   int
	Ruling cua.Ruling
	// Right reports whether what followed bears the ruling out; nil while that is open.
	Right *bool
}

// ShadowGates are the names of the gates that ruled without force in t, sorted; nil is none.
func ShadowGates(t *Trajectory) []string {
	var config struct {
		Shadow []string `json:"shadow"`
	}
	if err := json.Unmarshal(t.Header.Config, &config); err != nil {
		return nil // a config that cannot be read names none
	}
	slices.Sort(config.Shadow)
	return slices.Compact(config.Shadow)
}

// ShadowRulings are the rulings of gates in shadow mode, step by step in the order of the chain; nil is none.
func ShadowRulings(t *Trajectory) []ShadowRuling {
	gates := ShadowGates(t)
	if len(gates) == 0 {
		return nil
	}
	var out []ShadowRuling
	samples := t.History().Samples()
	for i := range t.Steps {
		for _, r := range t.Steps[i].Rulings {
			if r.Shadow && !r.Dropped && slices.Contains(gates, r.Gate) {
				out = append(out, ShadowRuling{i, r, t.borneOut(samples, i, r)})
			}
		}
	}
	return out
}

// borneOut reports whether what followed step i shows that r would have been right; nil is not known.
func (t *Trajectory) borneOut(samples []cua.Sample, i int, r cua.Ruling) *bool {
	most := shadowWindow
	if r.Verdict == cua.Halt || r.Verdict == cua.Pause {
		most = len(samples) + 1 // by the end, however many steps there were
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
	case t.Steps[i].Proposed.Kind == cua.Done && t.End.Success && t.End.Reward == nil:
		return nil // the very word that the gate doubted
	}
	return new(!t.End.Success)
}

// Label is what the reader finds the entry by: the reason code, or the verdict where a gate gave none.
func (s Shadowed) Label() string {
	if s.Reason == "" {
		return string(s.Verdict)
	}
	return s.Reason
}

// Precision is the share of right rulings among the judged ones as a whole percentage; "–" where there are
// none.
func (g GateShadow) Precision() string {
	if g.Judged == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(g.Right)/float64(g.Judged))
}

// ReasonWords list the reason codes with the right and the judged rulings of each, and those that are
// not judged: "type_pending_value 2 of 3, hard_loop 0 of 0 (1 open)"; "" for none.
func (g GateShadow) ReasonWords() string {
	var out []string
	for _, s := range g.Reasons {
		words := fmt.Sprintf("%s %d of %d", s.Label(), s.Right, s.Right+s.Wrong)
		if s.Open > 0 {
			words += fmt.Sprintf(" (%d open)", s.Open)
		}
		out = append(out, words)
	}
	return strings.Join(out, ", ")
}

// ShadowSteps are the numbers of the steps on which a gate in shadow mode ruled; empty for none.
func ShadowSteps(t *Trajectory) map[int]bool {
	out := map[int]bool{}
	for _, w := range ShadowRulings(t) {
		out[t.Steps[w.Step].N] = true
	}
	return out
}
