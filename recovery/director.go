package recovery

import (
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Director accepts what the director decided, so no later gate replaces it. The director is a stronger brain,
// asked in the turns that are Due.
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

// Due reports whether the director should decide the turn: a soft signal holds, the last attempt (failed or
// not) is at least Every steps ago, and the budget is not used up.
func (g Director) Due(t *cua.Turn) bool {
	asked := t.Evidence.Directed
	n := len(asked)
	again := n == 0 || t.Number-t.History.Steps[asked[n-1]].N >= g.Config.Every
	return t.Soft() && n < g.Config.Budget && again
}
