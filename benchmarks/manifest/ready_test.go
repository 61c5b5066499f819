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
			e, err := Start(&talking{says: row.says}, &Manifest{},
				Task{ID: "a", Goal: "g", URL: "http://h/", Ready: "here",
					Success: Success{Predicate: "done"}}, "x", 1)
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

func TestAnErrorPageIsNoStartPage(t *testing.T) {
	const away = `{"last":"false","shows":"Not found"}`
	for _, row := range []struct {
		name, ready string
		status      int
		says        []string // of Begin where there is ready, then of Ask
		wrong       string
	}{
		{"a page", "", 200, []string{notHeld}, ""},
		{"a page of which no status is known", "", 0, []string{notHeld}, ""},
		{"a page that was kept", "", 304, []string{notHeld}, ""},
		{"no page", "", 404, []string{notHeld}, "x.a: the start page answered 404 Not Found"},
		{"a page behind a password", "", 401, []string{notHeld}, "x.a: the start page answered 401 Unauthorized"},
		{"a server that fails", "", 500, []string{notHeld}, "x.a: the start page answered 500 Internal Server Error"},
		{"a status that has no name", "", 599, []string{notHeld}, "x.a: the start page answered 599"},
		{"an application for every address", "here", 404, []string{held, notHeld}, ""},
		{"no application for it", "here", 404, []string{away}, `x.a: the start page answered 404 Not Found: the page does not show its task within 15s: what it should be ready by came to false, and it shows "Not found"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			e, err := Start(&talking{says: row.says, status: row.status}, &Manifest{},
				Task{ID: "a", Goal: "g", URL: "http://h/", Ready: row.ready,
					Success: Success{Predicate: "done"}}, "x", 1)
			if err != nil {
				t.Fatal(err)
			}
			if _, err = e.Reset(t.Context(), e.Task); err == nil && row.wrong != "" || err != nil &&
				err.Error() != row.wrong {
				t.Errorf("%v; want %q", err, row.wrong)
			}
		})
	}
}
