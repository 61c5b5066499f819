package cua

// Attempt is one substitution and what was known of its effect at the next step.
type Attempt struct {
	Step int `json:"step"`
	// Reason is the code of a recovery, or that of the other gate that substituted.
	Reason Reason `json:"reason"`
	Effect bool   `json:"effect"`
}

// AttemptAt is the substitution that sample i is; false when it is none. Its effect is that
// of its own step. A Tab, or a click brought home to a field, only moves the focus, which is no
// progress: its effect is that of the input right after it.
func AttemptAt(samples []Sample, i int) (Attempt, bool) {
	s := samples[i].Step
	a := Attempt{Step: s.N, Reason: s.RecoveryReason, Effect: samples[i].Progress}
	if a.Reason == "" && s.Substituted() {
		r, _ := s.Ruled()
		a.Reason = Reason(r.Reason)
	}
	if (a.Reason == TabToNextField || a.Reason == RetargetClick) && i+1 < len(samples) {
		next := &samples[i+1]
		a.Effect = a.Effect || next.Progress && next.Step.inputs()
	}
	return a, a.Reason != "" && s.Dispatched()
}

// inputs says whether s put something into what has the focus: typing, whoever chose it, or
// the brain's own keys.
func (s *Step) inputs() bool {
	return s.Action != nil && (s.Action.Kind == Type || s.Action.Kind == Key && !s.Substituted())
}
