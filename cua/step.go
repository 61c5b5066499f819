package cua

// Step is one turn of the loop, recorded: what the brain asked for, what the
// gates ruled, what was dispatched, and what came of it. A step is written once
// and never changed; caps, budgets, incidents and statistics are computed from
// steps and kept nowhere else.
type Step struct {
	// N counts from 1 within the episode and never restarts, not after a rewind and
	// not after a resume.
	N int `json:"number"`
	// Decision counts the brain's answers from 1; steps of one batch share it.
	Decision int `json:"decision"`
	// Proposed is what the brain asked for. Kind is "" when its reply could not be read.
	Proposed Action `json:"proposed"`
	// Action is what was dispatched; nil when nothing was (refused, halted, failed before
	// dispatch). It differs from Proposed only after a replace ruling.
	Action *Action `json:"action,omitzero"`
	// Thought is the brain's reasoning, its own words, hostile where a page wrote them.
	Thought string `json:"thought,omitzero"`
	// By names the brain that decided.
	By string `json:"by,omitzero"`
	// Target is what Proposed was aimed at, with the idle changes since the turn.
	Target Target `json:"target,omitzero"`
	// Signals held when the turn was made, before this step.
	Signals []Signal `json:"signals,omitzero"`
	// Notes are those that this step's turn carried: "delivered" is history.
	Notes []Note `json:"notes,omitzero"`
	// Rulings are the answers of all gates that were asked, in their order.
	Rulings []Ruling `json:"rulings,omitzero"`
	// RecoveryReason is the reason code of what the rescue table did in place of what was
	// proposed: the substitution that was dispatched, or the question that ended the episode; "" is none.
	RecoveryReason Reason `json:"loop_recovery_reason,omitzero"`
	// DoneRejected is why a done was refused; "" is none.
	DoneRejected DoneCode `json:"done_rejected_reason,omitzero"`
	// EffectObserved is the verifier's answer: nil when it did not check.
	EffectObserved *bool `json:"action_effect_observed,omitzero"`
	// EffectReason says what the verifier saw; "" when it did not check.
	EffectReason VerifyReason `json:"action_effect_reason,omitzero"`
	// Effect is nil when nothing was dispatched or the page could not be read.
	Effect *Effect `json:"effect,omitzero"`
	// Failure is why the step did not do what was asked; nil is success.
	Failure *Failure `json:"failure,omitzero"`
	// Repeat is what this step repeats without a fresh look at it, as the repeat guard judged it right
	// after the step; nil below the guard's threshold (detector.streak.from) and where the guard is off.
	Repeat *Repeat `json:"repeat,omitzero"`
	// PromptSHA is the blob with the text that the brain was sent for this step (Decision.Sent), without the
	// values of secrets; "" is none.
	PromptSHA string `json:"prompt_sha,omitzero"`
	// Feedback is what the next turn's brain is told of this step.
	Feedback string `json:"feedback,omitzero"`
	// After is the page after the step; for a step without dispatch the page as it was.
	After Observation `json:"after"`
	// AtMS is when the step was recorded, milliseconds since 1970 began in UTC; 0 is not known, as in
	// journals of before.
	AtMS   int64   `json:"at_ms,omitzero"`
	Settle *Settle `json:"settle,omitzero"`
	Usage  Usage   `json:"usage,omitzero"`
	Timing Timing  `json:"timing,omitzero"`
	// Incident is the id of the incident that was open at this step; "" is none.
	Incident string `json:"incident_id,omitzero"`
	// RewoundTo is the step number that a rewind returned to; 0 is none. Live drops the steps
	// after it.
	RewoundTo int `json:"rewound_to,omitzero"`
	// Restored is what came of a rewind; nil when none was asked for.
	Restored *Restored `json:"restored,omitzero"`
}

// Dispatched says whether something was done.
func (s *Step) Dispatched() bool { return s.Action != nil }

// Acting says whether s was dispatched and is neither a wait nor read-only: the
// steps that loop shapes read (spec: loops, shapes).
func (s *Step) Acting() bool { return s.Action != nil && s.Action.Kind.acts() }

// Substituted says whether what was dispatched is not what the brain asked for.
func (s *Step) Substituted() bool {
	r, ok := s.Ruled()
	return ok && r.Verdict == Replace && s.Action != nil
}

// Ruled is the ruling that decided: the last that is not a pass. It is false when
// every gate passed.
func (s *Step) Ruled() (Ruling, bool) {
	for i := len(s.Rulings) - 1; i >= 0; i-- {
		if s.Rulings[i].Verdict != Pass && !s.Rulings[i].Shadow {
			return s.Rulings[i], true
		}
	}
	return Ruling{}, false
}

// Repeat says how often one target was acted on in one way without a look at it (spec: memory, repeat guard).
type Repeat struct {
	// Count is how many such steps there were in the target's tab since anything cleared them, this one
	// included; at least 2, the least threshold that the config allows.
	Count int `json:"count"`
	// Target is the identity of the target, or the bucket of the place.
	Target string `json:"target"`
	// Effect says that this step had a progress effect: typing and selecting count all the same.
	Effect bool `json:"effect"`
}

// Failure is why a step did not do what was asked. Inside an episode a failure
// is data and not an error.
type Failure struct {
	Kind FailureKind `json:"kind"`
	// Detail is one line for the brain and the reader.
	Detail string `json:"detail,omitzero"`
	// Raw is a brain's reply that could not be read, cut to 4 KiB.
	Raw string `json:"raw,omitzero"`
}

// Error makes a failure usable where Go wants an error: Locate returns one.
func (f *Failure) Error() string { return string(f.Kind) + ": " + f.Detail }

// Settle says what an action set off and how long the runner waited for it.
type Settle struct {
	MS int `json:"ms"`
	// For lists what was waited for: timer, fetch, xhr, animation, transition,
	// navigation, load, dialog, frame.
	For []string `json:"for,omitzero"`
	// Capped says that the budget ran out while something was still open.
	Capped bool `json:"capped,omitzero"`
	// Retried counts reads of the page that a navigation interrupted.
	Retried int `json:"retried,omitzero"`
	// Frame is how the frame was obtained: screencast, capture, reuse (its pixels are those of the frame
	// before), none.
	Frame string `json:"frame,omitzero"`
	// Why is the reason for which a frame was captured and not taken from the screencast: asked (frames
	// are captured here), after (the page uses the pseudo-element that would show the number), document
	// (it is no HTML), unpainted (an animation frame did not run), numbers (there were more animation
	// frames than numbers), frames (a document of another origin is in the page), picker (a list or
	// calendar of the browser's own is open, or was), unseen (the number is covered), late (no frame came
	// in time), size, screencast (it could not be opened).
	Why string `json:"frame_why,omitzero"`
	// Faults are browser faults met and overcome: tab_crash, hung, partial_load, ….
	Faults []string `json:"faults,omitzero"`
}

// Usage is what a decision cost, summed over all requests that it took. A count that a vendor does not
// tell is zero; a cost that is not known is nil and never zero.
type Usage struct {
	// InputTokens are all tokens that were sent: those read from a cache and those written to one included.
	InputTokens int `json:"input_tokens,omitzero"`
	// OutputTokens are all tokens that came back: those of reasoning included, also where it is not shown.
	OutputTokens int `json:"output_tokens,omitzero"`
	// CachedTokens are those of InputTokens that were read from a cache.
	CachedTokens int `json:"cached_tokens,omitzero"`
	// CacheWriteTokens are those of InputTokens that were written to a cache, LongCacheTokens those of them
	// that are kept for an hour or more where the vendor tells them apart.
	CacheWriteTokens int `json:"cache_write_tokens,omitzero"`
	LongCacheTokens  int `json:"long_cache_tokens,omitzero"`
	// ReasoningTokens are those of OutputTokens that were reasoning.
	ReasoningTokens int `json:"reasoning_tokens,omitzero"`
	// Attempts are the requests on the wire, failed ones included; 0 for a brain that sends none.
	Attempts int `json:"attempts,omitzero"`
	// USD is the cost in US dollars; nil is not known.
	USD *float64 `json:"cost_usd,omitzero"`
}

// Plus is what both cost together. The cost is known when it is known of each that used tokens.
func (u Usage) Plus(v Usage) Usage {
	out := Usage{
		InputTokens: u.InputTokens + v.InputTokens, OutputTokens: u.OutputTokens + v.OutputTokens,
		CachedTokens: u.CachedTokens + v.CachedTokens, CacheWriteTokens: u.CacheWriteTokens +
			v.CacheWriteTokens, LongCacheTokens: u.LongCacheTokens + v.LongCacheTokens,
		ReasoningTokens: u.ReasoningTokens + v.ReasoningTokens, Attempts: u.Attempts + v.Attempts,
	}
	switch {
	case u.USD != nil && v.USD != nil:
		out.USD = new(*u.USD + *v.USD)
	case v.Tokens() == 0 && v.USD == nil:
		out.USD = u.USD
	case u.Tokens() == 0 && u.USD == nil:
		out.USD = v.USD
	}
	return out
}

// Tokens is the sum that the token cap counts.
func (u Usage) Tokens() int { return u.InputTokens + u.OutputTokens }

// Timing is how long each stage took, ms. Dispatch is the input alone; Settle and Observe
// are parts of Act that the environment reports.
type Timing struct {
	Turn     float64 `json:"turn_ms,omitzero"`
	Decide   float64 `json:"decide_ms,omitzero"`
	Locate   float64 `json:"locate_ms,omitzero"`
	Review   float64 `json:"review_ms,omitzero"`
	Intent   float64 `json:"intent_ms,omitzero"`
	Act      float64 `json:"act_ms,omitzero"`
	Dispatch float64 `json:"dispatch_ms,omitzero"`
	Settle   float64 `json:"settle_ms,omitzero"`
	Observe  float64 `json:"observe_ms,omitzero"`
	Verify   float64 `json:"verify_ms,omitzero"`
	Record   float64 `json:"record_ms,omitzero"`
}

// Total is the time of all stages, ms.
func (t Timing) Total() float64 {
	return t.Turn + t.Decide + t.Locate + t.Review + t.Intent + t.Act + t.Verify + t.Record
}
