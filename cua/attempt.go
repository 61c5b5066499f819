package cua

import "slices"

// Attempt is one substitution and its effect, as far as the next step shows it.
type Attempt struct {
	Step int `json:"step"`
	// Reason is the code of the rescue row, or of the other gate that substituted.
	Reason Reason `json:"reason"`
	// Effect says that it made progress: it reached a new node, or it had an effect that nodes do not show,
	// such as pixels, a write or a download. Closing what the brain's own last press opened is no progress,
	// nor is another return to a known node.
	Effect bool `json:"effect"`
}

// AttemptAt is the substitution of sample i; false if it is none. A Tab, or a click retargeted to a field,
// only moves the focus, which is no progress: the input right after it counts too.
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
	return a, a.Reason != "" && s.HasAction()
}

// advanced reports whether sample i made progress. If its nodes are not known, any progress change counts.
func advanced(samples []Sample, i int) bool {
	s := &samples[i]
	e := s.Step.Effect
	switch {
	case !s.Progress:
		return false
	case e.Has(ChangeWrite), e.Has(ChangeDownload), s.After == "":
		return true
	case !e.Any(): // the page that the next step left shows a late effect
		return s.New || i+1 < len(samples) && samples[i+1].New
	case s.New && s.Before == s.After:
		return slices.ContainsFunc(e.Progress, func(c Change) bool {
			return c != ChangeDialog && c != ChangeTab && c != ChangeScroll
		})
	}
	return s.New
}

// inputs reports whether s put text into the focused element: a type by anybody, or keys of the brain's own.
func (s *Step) inputs() bool {
	return s.Action != nil && (s.Action.Kind == Type || s.Action.Kind == Key && !s.Substituted())
}
