package recovery

import (
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Director lets through what the director decided: no gate that substitutes is asked after it. The director itself is a
// brain, which is asked in the decide stage in the turns that are Due.
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
	return rule(g.Name(), cua.Accept, ReasonDirector, nil, "%s decided this", cua.OneLine(p.By))
}

// Due says whether the director is to decide the turn's step: a signal of soft level holds, the last attempt lies at
// least Every steps back, and the budget is not used up. An attempt that failed is one.
func (g Director) Due(t *cua.Turn) bool {
	asked, last := 0, 0
	for i := range t.History.Steps {
		if s := &t.History.Steps[i]; strings.HasPrefix(s.By, cua.DirectorPrefix) {
			asked, last = asked+1, s.N
		}
	}
	return t.Soft() && asked < g.Config.Budget && (asked == 0 || t.Number-last >= g.Config.Every)
}
