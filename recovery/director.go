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
	asked := t.Evidence.Directed
	n := len(asked)
	again := n == 0 || t.Number-t.History.Steps[asked[n-1]].N >= g.Config.Every
	return t.Soft() && n < g.Config.Budget && again
}
