package recovery

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// formShowsError says that the form that was sent last is still there and shows that it was not taken; "" when it is
// gone or shows nothing. Structure decides, and no words: a field is invalid; or, unless a server took what was sent,
// something was announced, or written in or beside the form, since.
func formShowsError(t *cua.Turn) (detail string, evidence []int) {
	n := len(t.Evidence.Sends)
	if n == 0 {
		return "", nil
	}
	send := t.Evidence.Sends[n-1]
	before, s := t.History.Before(send.Step), &t.History.Steps[send.Step]
	was, is := before.FormOf(send.Form, send.Frame), t.Now.FormOf(send.Form, send.Frame)
	if was == nil || is == nil || send.Step < t.History.Fresh() {
		return "", nil
	}
	for _, f := range t.Now.Fields {
		if f.Form == send.Form && f.Frame == send.Frame && f.Invalid != "" {
			return fmt.Sprintf("%s is shown as invalid in the form that was sent in step %d", named(f), s.N), []int{s.N}
		}
	}
	if t.History.Taken(send.Step) || !added(was.Texts, is.Texts) && !added(before.Notices, t.Now.Notices) {
		return "", nil
	}
	return fmt.Sprintf("the form that was sent in step %d is still there, and there is new text in or beside it; "+
		"read it, and correct what it says", s.N), []int{s.N}
}

// added says whether now holds what before did not.
func added(before, now []string) bool {
	return slices.ContainsFunc(now, func(s string) bool { return !slices.Contains(before, s) })
}
