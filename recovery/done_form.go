package recovery

import (
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// formShowsError says that the form that was sent last is still there and may show that it was not taken; "" when it is
// gone or shows nothing. Structure decides, and no words: a field is invalid, or something was announced, or written in or
// beside the form, since. A form that stays and says that all is well is refused, too: no status tells it from one
// that redirects to itself with an error. Opened again, it shows nothing new.
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
	if !added(was.Texts, is.Texts) && !added(before.Notices, t.Now.Notices) {
		return "", nil
	}
	return fmt.Sprintf("the form that was sent in step %d is still there, and there is new text in or beside it; "+
		"read it; correct what it says is wrong, or open the page again and see that it was taken", s.N), []int{s.N}
}

// added says whether now holds what before did not.
func added(before, now []string) bool {
	return slices.ContainsFunc(now, func(s string) bool { return !slices.Contains(before, s) })
}
