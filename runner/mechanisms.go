package runner

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
)

// Verifies says whether high-risk actions are checked for an effect.
func (a Assembly) Verifies() bool { return a.verify != nil }

// KeepsLedger says whether turns carry what was done so far.
func (a Assembly) KeepsLedger() bool { return a.ledger }

// GuardsRepeats says whether steps are judged by the repeat guard.
func (a Assembly) GuardsRepeats() bool { return a.repeats != nil }

// Names lists what is assembled, as headers carry it.
func (a Assembly) Names() (detectors, advisors, gates []string) {
	for _, d := range a.Detectors {
		detectors = append(detectors, fmt.Sprintf("%T", d))
	}
	for _, d := range a.Advisors {
		advisors = append(advisors, fmt.Sprintf("%T", d))
	}
	if a.GuardsRepeats() {
		advisors = append(advisors, fmt.Sprintf("%T", recovery.RepeatGuard{}))
	}
	for _, g := range a.Gates {
		gates = append(gates, g.Name())
	}
	return detectors, advisors, gates
}

// shadowable are the gates and the rows that may rule in shadow mode. Limits and policy always rule with
// force, and the director has nothing to rule on where no director was asked.
func shadowable() []string {
	_, _, names := Assemble(DefaultConfig()).Names()
	names = slices.DeleteFunc(names, func(n string) bool {
		return slices.Contains([]string{recovery.Limits{}.Name(), recovery.Policy{}.Name(),
			recovery.Director{}.Name()}, n)
	})
	for _, code := range cua.Reasons() {
		names = append(names, string(code))
	}
	return names
}
