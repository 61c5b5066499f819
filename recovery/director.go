package recovery

import (
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Director lets through what the director decided, a brain that is asked in the turns that are Due: no gate
// that substitutes is asked after it.
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

// Due says whether the director decides the turn: a soft signal holds, the last attempt, failed or not, lies
// Every steps back, and the budget is not used up.
func (g Director) Due(t *cua.Turn) bool {
	asked, last := 0, 0
	for i := range t.History.Steps {
		if s := &t.History.Steps[i]; strings.HasPrefix(s.By, cua.DirectorPrefix) {
			asked, last = asked+1, s.N
		}
	}
	return t.Soft() && asked < g.Config.Budget && (asked == 0 || t.Number-last >= g.Config.Every)
}
