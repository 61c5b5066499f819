package runner

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
)

// Names lists the parts of the assembly as headers record them.
func (a Assembly) Names() (detectors, advisors, gates []string) {
	for _, d := range a.Detectors {
		detectors = append(detectors, fmt.Sprintf("%T", d))
	}
	for _, d := range a.Advisors {
		advisors = append(advisors, fmt.Sprintf("%T", d))
	}
	if a.repeats != nil {
		advisors = append(advisors, fmt.Sprintf("%T", recovery.RepeatGuard{}))
	}
	for _, g := range a.Gates {
		gates = append(gates, g.Name())
	}
	return detectors, advisors, gates
}

// ShadowNames are the gates and rows that can rule in shadow mode. Limits and policy always rule with force.
// The director rules only where a director was asked.
func ShadowNames() []string {
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

// rows are the rows of the rescue table that are on. Each has its own toggle and that of its group.
func rows(t cua.Toggles) []cua.Reason {
	return slices.DeleteFunc(cua.Reasons(), func(r cua.Reason) bool {
		name := "rescue_" + string(r)
		return slices.ContainsFunc(append(cua.Requires(name), name), func(n string) bool {
			on, err := t.Get(n)
			return !on || err != nil
		})
	})
}
