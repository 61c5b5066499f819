package recovery

import (
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// DirectorConfig says how often the director, a stronger brain, may be asked.
type DirectorConfig struct {
	// Every is how many steps lie between two attempts to ask, at least.
	Every int `json:"every"`
	// Budget is how often it may be asked in an episode; 0 is never.
	Budget int `json:"budget"`
}

// Director lets through what the director decided: no gate that substitutes is asked after it. It is a
// gate and calls nobody: the director itself is a brain, which is asked in the decide stage in the turns that
// are Due.
type Director struct{ Config DirectorConfig }

// ReasonDirector is the gate's reason.
const ReasonDirector = "director_decided"

// Name is "director".
func (Director) Name() string { return "director" }

// Review accepts or passes.
func (g Director) Review(_ *cua.Turn, p cua.Proposal) cua.Ruling {
	if p.Failure != nil || !strings.HasPrefix(p.By, cua.DirectorPrefix) {
		return pass(g.Name())
	}
	return cua.Ruling{Gate: g.Name(), Verdict: cua.Accept, Reason: ReasonDirector, Detail: line(p.By) + " decided this"}
}

// Due says whether the director is to decide the turn's step: a signal of soft level holds, the last
// attempt lies at least Every steps back, and the budget is not used up. An attempt that failed is one.
func (g Director) Due(t *cua.Turn) bool {
	if !t.Soft() {
		return false
	}
	asked := 0
	for i := range t.History.Steps {
		s := &t.History.Steps[i]
		if !strings.HasPrefix(s.By, cua.DirectorPrefix) {
			continue
		}
		if asked++; t.Number-s.N < g.Config.Every {
			return false
		}
	}
	return asked < g.Config.Budget
}
