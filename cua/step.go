package cua

// Step is one recorded pass through the stages: what the brain proposed, what the gates ruled, what was
// dispatched, and what the page did. A step is written once and never changed. Caps, budgets, incidents and
// statistics are computed from steps; no other record of them is kept.
type Step struct {
	// N counts from 1 within the episode and never restarts, not after a rewind and not after a resume.
	N int `json:"number"`
	// Decision counts the brain's answers from 1. Steps of one batch share it.
	Decision int `json:"decision"`
	// Proposed is what the brain asked for. Its Kind is "" if the reply could not be parsed.
	Proposed Action `json:"proposed"`
	// Action is what was dispatched, or an accepted done or ask; nil if there was none (refused, paused,
	// halted, failed before dispatch). It differs from Proposed only after a replace ruling.
	Action *Action `json:"action,omitzero"`
	// Thought is the brain's reasoning in its own words. It is untrusted: a page may have dictated it.
	Thought string `json:"thought,omitzero"`
	// By names the brain that decided.
	By string `json:"by,omitzero"`
	// Target is what Proposed was aimed at, with the idle changes: what the page changed by itself since the
	// turn.
	Target Target `json:"target,omitzero"`
	// Signals are those of the turn: they held before this step.
	Signals []Signal `json:"signals,omitzero"`
	// Notes are those of the turn. The brain has been shown them, unless a person decided the step.
	Notes []Note `json:"notes,omitzero"`
	// Rulings are the answers of all gates that were asked, in order.
	Rulings []Ruling `json:"rulings,omitzero"`
	// RecoveryReason is the code of the rescue row that decided this step: it replaced the proposal, or, as
	// ask_user, ended or paused the episode without an Action. "" if no row did, also if another gate did.
	RecoveryReason Reason `json:"loop_recovery_reason,omitzero"`
	// DoneRejected is why a done was refused; "" is none.
	DoneRejected DoneCode `json:"done_rejected_reason,omitzero"`
	// EffectObserved is the second opinion of the verifier (perceptual.Verify), which compares pictures; nil
	// if it did not check. Loops are judged by Effect.
	EffectObserved *bool `json:"action_effect_observed,omitzero"`
	// EffectReason is what the verifier saw; "" if it did not check.
	EffectReason VerifyReason `json:"action_effect_reason,omitzero"`
	// Effect is what changed; nil if no action was carried out or the page could not be read.
	Effect *Effect `json:"effect,omitzero"`
	// Failure is why the step did not do what was asked; nil is success.
	Failure *Failure `json:"failure,omitzero"`
	// Repetition is how often this was done in a row without effect, counted by the repeat guard after the
	// step; nil below the threshold detector.streak.from and while the guard is off.
	Repetition *Repetition `json:"repeat,omitzero"`
	// PromptSHA names the blob with what was new in the text that was sent to the brain (Decision.Sent),
	// secrets redacted; "" is none.
	PromptSHA string `json:"prompt_sha,omitzero"`
	// Feedback is what the next turn says to the brain about this step.
	Feedback string `json:"feedback,omitzero"`
	// After is the page after the step. If no action was carried out it is the page of the turn.
	After Observation `json:"after"`
	// AtMS is when the step was recorded, Unix milliseconds; 0 is unknown (journals of older versions).
	AtMS   int64   `json:"at_ms,omitzero"`
	Settle *Settle `json:"settle,omitzero"` // what was waited for; nil if no action was carried out
	Usage  Usage   `json:"usage,omitzero"`  // tokens and cost of the decision
	Timing Timing  `json:"timing,omitzero"` // of each stage, ms
	// Incident is the ID of the incident that was open at this step; "" is none.
	Incident string `json:"incident_id,omitzero"`
	// RewoundTo is the first step that this rewind undid; 0 is none. Live omits all from it to this one.
	RewoundTo int `json:"rewound_to,omitzero"`
	// Restored is the result of a rewind; nil if none was asked for.
	Restored *Restored `json:"restored,omitzero"`
}

// HasAction reports whether the step has an Action: one for the page, be it a rewind that was refused, or an
// accepted done or ask.
func (s *Step) HasAction() bool { return s.Action != nil }

// Acting reports whether s dispatched an action that is neither a wait nor read-only.
func (s *Step) Acting() bool { return s.Action != nil && s.Action.Kind.acts() }

// Substituted reports whether a gate replaced what the brain proposed.
func (s *Step) Substituted() bool {
	r, ok := s.Ruled()
	return ok && r.Verdict == Replace && s.Action != nil
}

// Ruled is the ruling that decided: the last that is neither a pass nor only recorded (Shadow). No gate was
// asked after it. It is false if there is none.
func (s *Step) Ruled() (Ruling, bool) {
	for i := len(s.Rulings) - 1; i >= 0; i-- {
		if s.Rulings[i].Verdict != Pass && !s.Rulings[i].Shadow {
			return s.Rulings[i], true
		}
	}
	return Ruling{}, false
}
