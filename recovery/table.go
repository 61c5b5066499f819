package recovery

import (
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// Row is one way out of a loop. It applies if the proposal continues a soft signal and When is true. The
// action of Do is dispatched instead, within safe activation.
type Row struct {
	Code cua.Reason
	When func(m *Moment) bool
	Do   func(m *Moment) Way
	// Early rows need no signal: Config.Early clicks without effect are enough.
	Early bool
	// classic rows are those of the policy that the project started from (RescueConfig.Classic).
	classic bool
	// Waits says that the row helps against waiting, too.
	Waits bool
	// Late rows give something up. They apply only when the breaker would act.
	Late bool
	// Ways is how many different actions it may try in an incident without effect; 0 is one.
	Ways int
}

// Way is what a row does: the action, and one line for the brain on what was done and why, which names labels
// and never values. The zero Way is none. If end is set, the row ends the episode instead of acting.
type Way struct {
	Action cua.Action
	Detail string
	end    cua.EndReason
}

func doing(a cua.Action, format string, args ...any) Way {
	return Way{Action: a, Detail: fmt.Sprintf(format, args...)}
}

// Table lists all ways out in the order in which they are tried. It is the whole policy.
func Table() []Row {
	return []Row{
		{Code: cua.ScrollPage, classic: true, Early: true, When: clickedTopAgain, Do: scrollPage},
		{Code: cua.TypePendingValue, classic: true, When: valueIsPending, Do: typeValue},
		{Code: cua.PressReturnForSubmit, When: focusedAndSubmitting, Do: returnInForm},
		{Code: cua.TabToNextField, classic: true, When: nothingPendingInFocus, Do: pressTab},
		{Code: cua.PressReturnForSubmit, classic: true, When: unfocusedAndSubmitting, Do: returnInForm},
		{Code: cua.DismissOverlay, When: isCovered, Do: dismissOverlay, Ways: 3},
		{Code: cua.ScrollIntoView, When: isOutOfView, Do: scrollToTarget},
		{Code: cua.RetargetClick, When: hitsNothing, Do: clickNearest},
		{Code: cua.UseControl, When: isNativePicker, Do: setControl},
		{Code: cua.PressSubmit, When: returnSendsNothing, Do: pressDefault},
		{Code: cua.ReloadPage, Waits: true, When: isStale, Do: reloadPage},
		{Code: cua.RewindReason, Late: true, Waits: true, When: always, Do: rewindToCheckpoint},
		{Code: cua.AskUser, Late: true, Waits: true, When: always, Do: askUser},
	}
}

func always(*Moment) bool { return true }
