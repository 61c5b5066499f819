package cua

import "slices"

// Attempt is one substitution and what was known of its effect at the next step.
type Attempt struct {
	Step int `json:"step"`
	// Reason is the code of a recovery, or that of the other gate that substituted.
	Reason Reason `json:"reason"`
	// Effect says that it got somewhere: it reached a node that was not known before, or had an effect
	// that nodes do not see, as pixels, a write or a download. Closing what the brain's own last press
	// opened, or another return to a known node, is none.
	Effect bool `json:"effect"`
}

// AttemptAt is the substitution that sample i is; false when it is none. Its effect is that
// of its own step. A Tab, or a click retargeted to a field, only moves the focus, which is no
// progress: its effect is that of the input right after it.
func AttemptAt(samples []Sample, i int) (Attempt, bool) {
	s := samples[i].Step
	a := Attempt{Step: s.N, Reason: s.RecoveryReason, Effect: advanced(samples, i)}
	if a.Reason == "" && s.Substituted() {
		r, _ := s.Ruled()
		a.Reason = Reason(r.Reason)
	}
	if (a.Reason == TabToNextField || a.Reason == RetargetClick) && i+1 < len(samples) {
		a.Effect = a.Effect || samples[i+1].Step.inputs() && advanced(samples, i+1)
	}
	return a, a.Reason != "" && s.Dispatched()
}

// advanced says whether sample i got somewhere. Where nodes are not known, any progress counts.
func advanced(samples []Sample, i int) bool {
	s := &samples[i]
	e := s.Step.Effect
	switch {
	case !s.Progress:
		return false
	case e.Has(ChangeWrite), e.Has(ChangeDownload), s.After == "":
		return true
	case !e.Any(): // a late effect is in the page that the next step left
		return s.New || i+1 < len(samples) && samples[i+1].New
	case s.New && s.Before == s.After:
		return slices.ContainsFunc(e.Progress, func(c Change) bool {
			return c != ChangeDialog && c != ChangeTab && c != ChangeScroll
		})
	}
	return s.New
}

// inputs says whether s put something into what has the focus: typing, whoever chose it, or
// the brain's own keys.
func (s *Step) inputs() bool {
	return s.Action != nil && (s.Action.Kind == Type || s.Action.Kind == Key && !s.Substituted())
}
