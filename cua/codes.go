package cua

import (
	"errors"
	"slices"
)

// Verdict is what a gate answers. The first verdict other than Pass decides.
type Verdict string

// The verdicts.
const (
	Pass    Verdict = "pass"    // no opinion
	Accept  Verdict = "accept"  // dispatch as proposed, ask no other gate
	Replace Verdict = "replace" // dispatch Ruling.Action instead
	Refuse  Verdict = "refuse"  // dispatch nothing, say why to the brain
	Pause   Verdict = "pause"   // end the episode; it can be continued
	Halt    Verdict = "halt"    // end the episode
)

// Ruling is one gate's answer to one proposal.
type Ruling struct {
	Gate    string  `json:"gate"`
	Verdict Verdict `json:"verdict"`
	// Reason is the stable code of the reason; "" for a pass.
	Reason string `json:"reason,omitzero"`
	// Detail is one line for the brain (refuse) or for the reader.
	Detail string `json:"detail,omitzero"`
	// Action is what a replace dispatches.
	Action *Action `json:"action,omitzero"`
	// End is the end reason of a pause or a halt.
	End EndReason `json:"end,omitzero"`
	// Evidence are the numbers of the steps that justify the ruling.
	Evidence []int `json:"evidence,omitzero"`
	// Shadow marks a ruling without force: it is recorded and the next gate is asked.
	Shadow bool `json:"shadow,omitzero"`
	// Dropped says that the policy refused the substitution. Shadow is then set too.
	Dropped bool `json:"dropped,omitzero"`
}

// UncertainSend is Ruling.Reason of a send that was stopped because an interrupted one may already have been
// received.
const UncertainSend = "uncertain_send"

// Reason is the code of a row of the rescue table (loop_recovery_reason). Codes are only ever added.
type Reason string

// The reason codes, in the order in which they were added.
const (
	TypePendingValue     Reason = "type_pending_value"
	TabToNextField       Reason = "tab_to_next_field"
	PressReturnForSubmit Reason = "press_return_for_submit"
	DismissOverlay       Reason = "dismiss_overlay"
	ScrollIntoView       Reason = "scroll_into_view"
	RetargetClick        Reason = "retarget_click"
	UseControl           Reason = "use_control"
	ReloadPage           Reason = "reload_page"
	RewindReason         Reason = "rewind"
	AskUser              Reason = "ask_user"
	PressSubmit          Reason = "press_submit"
	ScrollPage           Reason = "scroll_page"
)

// Reasons lists the codes in that order.
func Reasons() []Reason {
	return []Reason{TypePendingValue, TabToNextField, PressReturnForSubmit, DismissOverlay, ScrollIntoView,
		RetargetClick, UseControl, ReloadPage, RewindReason, AskUser, PressSubmit, ScrollPage}
}

// DoneCode is why a done with success=true was refused.
type DoneCode string

// The codes of the done gate, in the order in which it checks.
const (
	EmptySummary                 DoneCode = "empty_summary"
	PlanStepsIncomplete          DoneCode = "plan_steps_incomplete"
	PendingFormValues            DoneCode = "pending_form_values"
	FormShowsError               DoneCode = "form_shows_error"
	SummaryMissingRequiredFields DoneCode = "summary_missing_required_fields"
	NoObservedDeltaAfterWaits    DoneCode = "no_observed_delta_after_waits"
	NoProgressInWindow           DoneCode = "no_progress_in_window"
	StaleDone                    DoneCode = "stale_done"
)

// DoneCodes lists the codes in that order.
func DoneCodes() []DoneCode {
	return []DoneCode{EmptySummary, PlanStepsIncomplete, PendingFormValues, FormShowsError,
		SummaryMissingRequiredFields, NoObservedDeltaAfterWaits, NoProgressInWindow, StaleDone}
}

// VerifyReason is what the perceptual verifier saw.
type VerifyReason string

// The verifier's answers.
const (
	GlobalChanged          VerifyReason = "global_changed"
	RegionChanged          VerifyReason = "region_changed"
	GlobalAndRegionChanged VerifyReason = "global_and_region_changed"
	GlobalAndRegionStable  VerifyReason = "global_and_region_stable"
)

// FailureKind is why a step did not do what was asked.
type FailureKind string

// The failure kinds.
const (
	FailSchema          FailureKind = "schema_reject"
	FailUnknownAction   FailureKind = "unknown_action"
	FailNotFound        FailureKind = "element_not_found"
	FailNotInteractable FailureKind = "not_interactable"
	FailExec            FailureKind = "exec_error"
	FailTimeout         FailureKind = "timeout"
	FailNav             FailureKind = "nav_error"
	FailPolicy          FailureKind = "policy_denied"
	FailDoneRefused     FailureKind = "done_refused"
	FailModel           FailureKind = "model_error"
	// FailSite says that the page has broken the episode (a second crash at one URL, a storm of alerts,
	// memory over the cap). The detail begins with the name of the fault.
	FailSite FailureKind = "site_fault"
	// FailEnv says that the environment itself is broken: the browser is gone.
	FailEnv FailureKind = "env_error"
)

// End is the reason for which a failure of kind k ends the episode; "" where the episode continues.
func (k FailureKind) End() EndReason {
	switch k {
	case FailSite:
		return EndSiteFault
	case FailEnv:
		return EndEnvError
	}
	return ""
}

// EndingFailure is err as a failure that ends an episode: its own, or else one of the environment.
func EndingFailure(err error) *Failure {
	if f, ok := errors.AsType[*Failure](err); ok && f.Kind.End() != "" {
		return f
	}
	return &Failure{Kind: FailEnv, Detail: err.Error()}
}

// FailureKinds lists all kinds.
func FailureKinds() []FailureKind {
	return []FailureKind{FailSchema, FailUnknownAction, FailNotFound, FailNotInteractable, FailExec,
		FailTimeout, FailNav, FailPolicy, FailDoneRefused, FailModel, FailSite, FailEnv}
}

// EndReason is why an episode ended. The list is closed.
type EndReason string

// The end reasons.
const (
	EndDone           EndReason = "done"
	EndEnvEnded       EndReason = "env_ended"
	EndDoneFailed     EndReason = "done_failed"
	EndDoneUnverified EndReason = "done_unverified"
	EndRefused        EndReason = "refused"
	EndMaxSteps       EndReason = "max_steps"
	EndMaxWall        EndReason = "max_wall"
	EndMaxTokens      EndReason = "max_tokens"
	EndMaxCost        EndReason = "max_cost"
	EndLoop           EndReason = "loop"
	EndSpiral         EndReason = "spiral"
	EndMistakes       EndReason = "mistakes"
	EndAsked          EndReason = "asked"
	EndPaused         EndReason = "paused"
	EndSiteFault      EndReason = "site_fault" // the page's doing: no fault of the infrastructure
	EndBrainError     EndReason = "brain_error"
	EndEnvError       EndReason = "env_error"
	EndCancelled      EndReason = "cancelled"
)

// EndReasons lists all end reasons, in the order of the table in the design.
func EndReasons() []EndReason {
	return []EndReason{EndDone, EndEnvEnded, EndDoneFailed, EndDoneUnverified, EndRefused, EndMaxSteps,
		EndMaxWall, EndMaxTokens, EndMaxCost, EndLoop, EndSpiral, EndMistakes, EndAsked, EndPaused,
		EndSiteFault, EndBrainError, EndEnvError, EndCancelled}
}

// Infrastructure reports whether e is a fault that is not the agent's.
func (e EndReason) Infrastructure() bool { return e == EndBrainError || e == EndEnvError }

// CanContinue reports whether an episode that ended with e can be resumed. One that was cancelled can, and so
// can one that an infrastructure fault ended.
func (e EndReason) CanContinue() bool {
	return e.Infrastructure() || slices.Contains([]EndReason{EndLoop, EndSpiral, EndMistakes, EndAsked,
		EndPaused, EndCancelled}, e)
}
