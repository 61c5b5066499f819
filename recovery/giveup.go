package recovery

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// OnSpiral is what is done at once where an episode is stuck for good and nobody can be asked.
type OnSpiral string

// The policies for unattended runs (spec: memory, spiral breaker).
const (
	// SpiralHalt ends the episode.
	SpiralHalt OnSpiral = "halt"
	// SpiralRewind goes back once to before what changed the page in the incident, where there is such a step, and
	// ends the episode when it is stuck again.
	SpiralRewind OnSpiral = "rewind"
	// SpiralContinue goes on with fresh counters, until a cap ends the episode.
	SpiralContinue OnSpiral = "continue"
)

// OnSpirals lists the policies.
func OnSpirals() []OnSpiral { return []OnSpiral{SpiralHalt, SpiralRewind, SpiralContinue} }

// GiveUp says what comes where the ladder has no rung left and the breaker would act. Where a person can be asked the
// episode pauses, and the policy is not consulted. It is pure: what was gone back to already is history.
type GiveUp struct {
	// Attended says that a person can be asked.
	Attended bool
	// Policy is that of an unattended run; "" is SpiralHalt.
	Policy OnSpiral
	// Budget is what rewinds are held to.
	Budget RewindBudget
}

// verdict is how the episode is stopped where nothing is put in its place. A pause of an unattended run is one
// that goes on at once.
func (g GiveUp) verdict() cua.Verdict {
	if g.Attended || g.Policy == SpiralContinue {
		return cua.Pause
	}
	return cua.Halt
}

// back is the rewind that the policy makes instead of the end, at most one until somebody goes on with fresh
// counters; false is none.
func (g GiveUp) back(t *cua.Turn, sig *cua.Signal) (substitute, bool) {
	if g.Attended || g.Policy != SpiralRewind || wentBack(t.History) || g.Budget.spent(t) != "" {
		return substitute{}, false
	}
	to := damaged(t, sig)
	if to == 0 {
		return substitute{}, false
	}
	return substitute{action: cua.Action{Kind: cua.Rewind, Step: to},
		detail: fmt.Sprintf("went back to before step %d instead of ending the episode: what was done since has changed the page and led nowhere", to)}, true
}

// wentBack says whether a gate has made a rewind since the counters were fresh.
func wentBack(h cua.History) bool {
	return slices.ContainsFunc(fresh(h), func(s cua.Step) bool { return isRewind(&s) && s.Substituted() })
}

func isRewind(s *cua.Step) bool { return s.Action != nil && s.Action.Kind == cua.Rewind }

// damaged is the number of the first live step of what led to sig, after whatever was sent, if there is a checkpoint
// of before it and the page was never again as it was then; 0 otherwise. To a page that is as it is now, or to one that
// the brain came back to by itself, nothing is gained by going back.
func damaged(t *cua.Turn, sig *cua.Signal) int {
	h := t.History
	from := sig.Since
	if t.Incident != nil {
		from = min(from, t.Incident.First)
	}
	if len(sig.Evidence) > 0 {
		from = min(from, slices.Min(sig.Evidence))
	}
	if sent := h.Sent(from); len(sent) > 0 {
		from = slices.Max(sent) + 1
	}
	samples := h.Samples()
	to, was := 0, ""
	for _, s := range cua.Live(h.Steps) {
		if s.N < from {
			continue
		}
		i := slices.IndexFunc(h.Steps, func(o cua.Step) bool { return o.N == s.N })
		if to == 0 {
			to, was = s.N, samples[i].Before
		}
		if was == "" || samples[i].After == "" || samples[i].After == was {
			return 0
		}
	}
	if to == 0 || h.Before(to-1).Checkpoint == "" {
		return 0
	}
	return to
}
