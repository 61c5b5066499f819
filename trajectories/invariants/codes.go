package invariants

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// meaning is what a code says was done: which gate gives it, and which actions it is the code of.
type meaning struct {
	gate string
	fits func(cua.Action) bool
}

// meanings are those of the codes of all gates that substitute. A code that is not here is judged by its absence from
// cua.Reasons where that counts.
var meanings = map[string]meaning{
	string(cua.TypePendingValue): {"loop_recovery", ofKind(cua.Type)},
	string(cua.TabToNextField): {"loop_recovery", func(a cua.Action) bool {
		return a.Kind == cua.Key && a.Keys == "Tab"
	}},
	string(cua.PressReturnForSubmit): {"loop_recovery", cua.Action.PressesReturn},
	string(cua.DismissOverlay): {"ladder", func(a cua.Action) bool {
		return a.Kind == cua.Click || a.Kind == cua.Key && a.Keys == "Escape"
	}},
	string(cua.ScrollIntoView): {"ladder", ofKind(cua.Scroll)},
	string(cua.RetargetClick):  {"ladder", func(a cua.Action) bool { return a.Kind.Pressing() || a.Kind == cua.Type }},
	string(cua.UseControl):     {"ladder", ofKind(cua.Select, cua.Type, cua.Upload)},
	string(cua.PressSubmit):    {"ladder", ofKind(cua.Click)},
	string(cua.ReloadPage):     {"ladder", ofKind(cua.Reload)},
	string(cua.RewindReason):   {"ladder", ofKind(cua.Rewind)},
	string(cua.AskUser):        {"ladder", ofKind()},
	"fill_pending_value":       {"force_fill", ofKind(cua.Type, cua.Select, cua.Click)},
	"submit_filled_form":       {"force_submit", func(a cua.Action) bool { return a.Kind == cua.Click || a.PressesReturn() }},
	"repeated_top_click":       {"top_click_guard", ofKind(cua.Scroll)},
}

func ofKind(kinds ...cua.Kind) func(cua.Action) bool {
	return func(a cua.Action) bool { return slices.Contains(kinds, a.Kind) }
}

// miscoded says what of r its code does not mean; "" is nothing, also where nothing is known of the code.
func miscoded(r cua.Ruling) string {
	m, known := meanings[r.Reason]
	switch {
	case !known || r.Verdict == cua.Pass:
	case m.gate != r.Gate:
		return fmt.Sprintf("%s ruled %s, which is a code of %s", r.Gate, r.Reason, m.gate)
	case r.Verdict == cua.Replace && (r.Action == nil || !m.fits(*r.Action)):
		kind := cua.Kind("nothing")
		if r.Action != nil {
			kind = r.Action.Kind
		}
		return fmt.Sprintf("%s ruled %s and put a %s in its place, which is not what the code means", r.Gate, r.Reason, kind)
	}
	return ""
}
