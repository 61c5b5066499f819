package recovery

import (
	"fmt"

	"github.com/cua-runner/cua-runner/cua"
)

// row is one way out of a loop. It applies where the proposal continues a soft signal and when is true; what
// do gives is dispatched instead, within safe activation.
type row struct {
	code cua.Reason
	when func(m *moment) bool
	do   func(m *moment) way
	// early rows need no signal: Config.Early clicks without effect are enough.
	early bool
	// classic rows are those of the policy that the project starts from (RescueConfig.Classic).
	classic bool
	// waits says that it helps against waiting, too.
	waits bool
	// late rows give something up. They wait until the breaker would act.
	late bool
	// ways is how many different actions it may try in an incident while none has an effect; 0 is one.
	ways int
}

// way is what a row does: the action, and in one line what was done and why. It names labels and never
// values. The zero way is none. End is set where a row ends the episode instead of acting.
type way struct {
	action cua.Action
	detail string
	end    cua.EndReason
}

func doing(a cua.Action, format string, args ...any) way {
	return way{action: a, detail: fmt.Sprintf(format, args...)}
}

// Table lists all ways out in the order in which they are tried. It is the whole policy.
func Table() []row {
	return []row{
		{code: cua.ScrollPage, classic: true, early: true, when: clickedTopAgain, do: scrollPage},
		{code: cua.TypePendingValue, classic: true, when: valueIsPending, do: typeValue},
		{code: cua.PressReturnForSubmit, when: focusedAndSubmitting, do: returnInForm},
		{code: cua.TabToNextField, classic: true, when: nothingPendingInFocus, do: pressTab},
		{code: cua.PressReturnForSubmit, classic: true, when: unfocusedAndSubmitting, do: returnInForm},
		{code: cua.DismissOverlay, when: isCovered, do: dismissOverlay, ways: 3},
		{code: cua.ScrollIntoView, when: isOutOfView, do: scrollToTarget},
		{code: cua.RetargetClick, when: hitsNothing, do: clickNearest},
		{code: cua.UseControl, when: isNativePicker, do: setControl},
		{code: cua.PressSubmit, when: returnSendsNothing, do: pressDefault},
		{code: cua.ReloadPage, waits: true, when: isStale, do: reloadPage},
		{code: cua.RewindReason, late: true, waits: true, when: always, do: rewindToCheckpoint},
		{code: cua.AskUser, late: true, waits: true, when: always, do: askUser},
	}
}

func always(*moment) bool { return true }
