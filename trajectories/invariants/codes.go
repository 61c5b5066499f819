package invariants

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// credentialsRejected is the code of an end that asks for other credentials. It is no code of the table.
const credentialsRejected = "credentials_rejected"

// meanings are the actions that each code of a replacement is the code of.
var meanings = map[string]func(cua.Action) bool{
	string(cua.ScrollPage):           ofKind(cua.Scroll),
	string(cua.TypePendingValue):     ofKind(cua.Type),
	string(cua.TabToNextField):       func(a cua.Action) bool { return a.Kind == cua.Key && a.Keys == "Tab" },
	string(cua.PressReturnForSubmit): cua.Action.PressesReturn,
	string(cua.DismissOverlay): func(a cua.Action) bool {
		return a.Kind == cua.Click || a.Kind == cua.Key && a.Keys == "Escape"
	},
	string(cua.ScrollIntoView): ofKind(cua.Scroll),
	string(cua.RetargetClick):  func(a cua.Action) bool { return a.Kind.Pressing() || a.Kind == cua.Type },
	string(cua.UseControl):     ofKind(cua.Select, cua.Type, cua.Upload),
	string(cua.PressSubmit):    ofKind(cua.Click),
	string(cua.ReloadPage):     ofKind(cua.Reload),
	string(cua.RewindReason):   ofKind(cua.Rewind),
	string(cua.AskUser):        ofKind(),
	"fill_pending_value":       ofKind(cua.Type, cua.Select, cua.Click),
	"submit_filled_form":       func(a cua.Action) bool { return a.Kind == cua.Click || a.PressesReturn() },
}

func ofKind(kinds ...cua.Kind) func(cua.Action) bool {
	return func(a cua.Action) bool { return slices.Contains(kinds, a.Kind) }
}

// formGates are the gates of the codes that are none of the table.
var formGates = map[string]string{"fill_pending_value": "force_fill", "submit_filled_form": "force_submit"}

// coded reports whether r has that code.
func coded(r cua.Ruling, code cua.Reason) bool { return r.Reason == string(code) }

// miscoded says what of r its code does not mean; "" is nothing, also where nothing is known of the code.
func miscoded(r cua.Ruling) string {
	fits, known := meanings[r.Reason]
	table := slices.Contains(cua.Reasons(), cua.Reason(r.Reason))
	switch {
	case !known || r.Verdict == cua.Pass:
	case table != rescued(r), !table && formGates[r.Reason] != r.Gate:
		return fmt.Sprintf("%s ruled %s, which is a code of another gate", r.Gate, r.Reason)
	case r.Verdict == cua.Replace && (r.Action == nil || !fits(*r.Action)):
		kind := cua.Kind("nothing")
		if r.Action != nil {
			kind = r.Action.Kind
		}
		return fmt.Sprintf("%s ruled %s and put a %s in its place, not what it means", r.Gate, r.Reason, kind)
	}
	return ""
}

// reasonCodes holds the codes of steps against the rulings, and the summary against both: what was dispatched
// counts as a recovery, what stopped the episode as an ending.
func reasonCodes(j *Journal) []Violation {
	var out report
	dispatched, endings := map[cua.Reason]int{}, map[cua.Reason]int{}
	for i := range j.Steps {
		s := &j.Steps[i]
		r, ruled := s.Ruled()
		ruled = ruled && rescued(r) && r.Reason != credentialsRejected
		switch {
		case ruled && !slices.Contains(cua.Reasons(), cua.Reason(r.Reason)):
			out.at(s.N, "%s ruled %s with the reason %q, which is none", r.Gate, r.Verdict, r.Reason)
		case ruled && string(s.RecoveryReason) != r.Reason:
			out.at(s.N, "%s ruled %s, and the step's reason is %q", r.Gate, r.Reason, s.RecoveryReason)
		case !ruled && s.RecoveryReason != "":
			out.at(s.N, "the reason %s, and the rescue table did not rule", s.RecoveryReason)
		}
		switch {
		case ruled && s.HasAction():
			dispatched[cua.Reason(r.Reason)]++
		case ruled:
			endings[cua.Reason(r.Reason)]++
		}
		for _, r := range s.Rulings {
			if why := miscoded(r); why != "" {
				out.at(s.N, "%s", why)
			}
		}
	}
	sum := trajectories.Summarize(j.Trajectory, nil)
	for _, reason := range cua.Reasons() {
		if n := sum.LoopRecoveries[reason]; n != dispatched[reason] {
			out.at(0, "loop_recoveries_by_reason counts %d of %s, not %d", n, reason, dispatched[reason])
		}
		if n := sum.Endings[reason]; n != endings[reason] {
			out.at(0, "endings counts %d of %s, it stopped the episode %d times", n, reason, endings[reason])
		}
	}
	return out
}
