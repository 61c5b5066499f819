package manifest

import (
	"strings"
	"testing"
)

func TestAStartPageIsLookedAtOnceItShowsItsTask(t *testing.T) {
	for _, row := range []struct {
		name  string
		says  []string // of Begin, then of Ask
		wrong string
	}{
		{"it does", []string{held, notHeld}, ""},
		{"a dialog opens before", []string{"", notHeld}, ""},
		{"it never does", []string{`{"last":"false","shows":"Error: Task not found"}`}, `x.a: the page does not show its task within 15s: what it should be ready by came to false, and it shows "Error: Task not found"`},
		{"it counts as done by then", []string{held, held}, "x.a: the task counts as done before anything was done"},
		{"the page is gone", []string{"!no page"}, "x.a: no page"},
	} {
		t.Run(row.name, func(t *testing.T) {
			e, err := Start(&talking{says: row.says}, &Manifest{}, Task{ID: "a", Goal: "g", URL: "http://h/", Ready: "here", Success: Success{Predicate: "done"}}, "x", 1)
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.Reset(t.Context(), e.Task)
			if got := ""; err != nil {
				got = err.Error()
				if got != row.wrong {
					t.Errorf("%s; want %s", got, row.wrong)
				}
			} else if row.wrong != "" {
				t.Errorf("no fault; want %s", row.wrong)
			}
		})
	}
	if s := awaited("document.title === 'x'"); !strings.Contains(s, "document.title === 'x'\n)") {
		t.Error(s)
	}
}
