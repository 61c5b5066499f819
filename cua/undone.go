package cua

import (
	"fmt"
	"slices"
	"strings"
)

// mostUndone bounds the undone actions that Undone names.
const mostUndone = 5

// Undone says in one line what the rewind steps[i] undid: `steps 6 to 9: click "Save" ×4, no effect`. It
// quotes the page's names and contains no typed value. It is "" if steps[i] undid nothing.
func Undone(steps []Step, i int) string {
	to := steps[i].RewoundTo
	if to == 0 {
		return ""
	}
	gone := slices.DeleteFunc(slices.Clone(Live(steps[:i])), func(s Step) bool { return s.N < to })
	if len(gone) == 0 {
		return ""
	}
	var says []string
	for k := 0; k < len(gone); {
		what, came := undone(&gone[k])
		n := 1
		for k++; k < len(gone); k++ {
			if w, c := undone(&gone[k]); w != what || c != came {
				break
			}
			n++
		}
		if n > 1 {
			what += fmt.Sprintf(" ×%d", n)
		}
		says = append(says, what+came)
	}
	if more := len(says) - mostUndone; more > 0 {
		says = append([]string{"…"}, says[more:]...)
	}
	first, last := gone[0].N, gone[len(gone)-1].N
	where := fmt.Sprintf("step %d", first)
	if last > first {
		where = fmt.Sprintf("steps %d to %d", first, last)
	}
	return where + ": " + strings.Join(says, "; ")
}

// undone is what one step did and, if it failed or had no effect, that.
func undone(s *Step) (what, came string) {
	switch {
	case s.Action == nil:
		return string(s.Proposed.Kind), ", not done"
	case s.Failure != nil:
		return s.did(), ", failed"
	case s.Acting() && s.Effect != nil && !s.Effect.Any():
		return s.did(), ", no effect"
	}
	return s.did(), ""
}
