package tuned

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

func TestTheErrorPageComesOnce(t *testing.T) {
	s := serve(t)
	in := open(t, s, "t12-error-page", 1)
	for i, want := range []int{http.StatusServiceUnavailable, http.StatusOK, http.StatusOK} {
		code, body := get(t, in.Task.URL+"?page=2")
		if sends := strings.Contains(body, `type="submit"`); code != want || sends != (want == http.StatusOK) {
			t.Errorf("answer %d: status %d, want %d; its button sends: %v", i+1, code, want, sends)
		}
	}
	if got := in.State().Failed; got != 1 {
		t.Errorf("%d error pages are counted, want 1", got)
	}
	other := open(t, s, "t12-error-page", 1)
	if code, _ := get(t, other.Task.URL+"?page=2"); code != http.StatusServiceUnavailable {
		t.Errorf("a second instance answers %d: it has seen what the first one did", code)
	}
}

// TestTheSessionExpiresOnce goes through the forms in several orders. Each letter is a form: l the login, w a
// wrong one, p the phone number, q another number.
func TestTheSessionExpiresOnce(t *testing.T) {
	s := serve(t)
	for _, c := range []struct {
		forms string
		shows string // on the page that the last form leads to
		want  float64
	}{
		{"", "Log in to change", 0},
		{"l", "Phone", 0},
		{"w", "Wrong username or password", 0},
		{"p", "Log in to change", 0},
		{"lp", "Your session has expired", 0},
		{"lpp", "Your session has expired", 0},
		{"lpw", "Wrong username or password", 0},
		{"lpl", "Phone", 0},
		{"lplp", "Thank you", 1},
		{"lqlp", "Thank you", 1},
		{"lplq", "Thank you", 0},
		{"plplp", "Thank you", 1},
	} {
		t.Run(c.forms, func(t *testing.T) {
			in := open(t, s, "t18-expired-session", 1)
			value := func(label string) string {
				i := slices.IndexFunc(in.Task.Fields, func(v cua.PlanValue) bool { return v.Label == label })
				return in.Task.Fields[i].Value
			}
			_, body := get(t, in.Task.URL)
			for _, form := range c.forms {
				sent := url.Values{"username": {value("Username")}, "password": {value("Password")}}
				switch form {
				case 'w':
					sent.Set("password", "guess")
				case 'p':
					sent = url.Values{"phone": {value("Phone")}}
				case 'q':
					sent = url.Values{"phone": {"1"}}
				}
				_, body = send(t, in.Task.URL+"submit", sent)
			}
			if got := in.Reward(cua.EndDone); got != c.want || !strings.Contains(body, c.shows) {
				t.Errorf("reward %v, want %v; the page says %v, want %q", got, c.want, body, c.shows)
			}
		})
	}
}

// TestPlansShowTheEnd: the last step of a trap's plan does not show where the task begins.
func TestPlansShowTheEnd(t *testing.T) {
	planned := 0
	for _, task := range trapTasks() {
		for seed := range int64(5) {
			v := task.Variant(seed)
			if len(v.Plan) == 0 {
				continue
			}
			planned++
			last := v.Plan[len(v.Plan)-1]
			start := v.Data
			if v.At != nil {
				start = v.At(suites.State{Page: 1, Shown: 1})
			}
			if last.Title == "" || strings.Contains(start.Title, last.Title) {
				t.Errorf("%s, seed %d: %q shows from the start, in %q", task.Name, seed, last.Title,
					start.Title)
			}
		}
	}
	if planned == 0 {
		t.Error("no trap has a plan")
	}
}

// TestTrapsVary: two seeds of a trap differ in what they ask for or show.
func TestTrapsVary(t *testing.T) {
	for _, task := range trapTasks() {
		seen := map[string]bool{}
		for seed := range int64(8) {
			v := task.Variant(seed)
			said := v.Goal
			for _, r := range v.Data.Rows {
				said += "|" + r.Name + "|" + r.Value
			}
			seen[said] = true
		}
		if len(seen) < 2 {
			t.Errorf("%s is the same under eight seeds: %v", task.Name, seen)
		}
	}
}
