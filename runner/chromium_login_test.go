package runner_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// loginForm signs in by a document; loginScript does by a request and stays.
const (
	loginForm   = `<form method=post action=/login><p><label>Username <input name=user></label><p><label>Password <input type=password name=pw></label><p><button>Log in</button></form>`
	loginScript = loginForm + `<p id=o></p><script>document.forms[0].onsubmit=e=>{e.preventDefault();fetch('/login',{method:'POST',body:new FormData(e.target)}).then(r=>{o.textContent='No luck: '+r.status})}</script>`
	// settings asks for the password at each change and shows the same form again.
	settings = `<form method=post action=/login><p><label>Nickname <input name=nick></label><p><label>Password <input type=password name=pw></label><p><button>Save</button></form>`
)

// turnedDown serves html and answers what is sent to /login with status and html again; sends counts.
func turnedDown(t *testing.T, html string, status int, sends *atomic.Int32) string {
	return serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.Method == http.MethodPost { // a session that is resumed opens the address again
			sends.Add(1)
			w.WriteHeader(status)
		}
		fmt.Fprint(w, "<!doctype html>", calm, html)
	}).URL
}

// insisting logs in again and again with the password that is wrong.
func insisting(n int) []cua.Scripted { return insistingBy(click("Log in"), n) }

func insistingBy(send cua.Scripted, n int) []cua.Scripted {
	return slices.Repeat([]cua.Scripted{put("Username", "ada"), put("Password", "tr0ub4dor"), send}, n)
}

// rejectedAt checks that the episode ended at step n because the credentials were rejected.
func rejectedAt(t *testing.T, tr *trajectories.Trajectory, n int) {
	t.Helper()
	last := &tr.Steps[len(tr.Steps)-1]
	r, _ := last.Ruled()
	if last.N != n || last.HasAction() || r.Reason != recovery.ReasonCredentials || tr.End == nil ||
		tr.End.Reason != cua.EndAsked {
		t.Errorf("step %d was ruled %+v, the end is %+v; want the stop at step %d", last.N, r, tr.End, n)
	}
}

// A wrong password is sent twice at most, however the answer says that it is wrong. The brain that insists is
// stopped.
func TestAWrongPasswordIsSentTwice(t *testing.T) {
	t.Parallel() // most of it is waiting
	for _, row := range []struct {
		name, html string
		status     int
		script     []cua.Scripted
	}{
		{"401 to Return", loginForm, http.StatusUnauthorized, insistingBy(key("Return"), 4)},
		{"the same form after Return", loginForm, http.StatusOK, insistingBy(key("Return"), 4)},
		{"401 to Return and to the button", loginForm, http.StatusUnauthorized, slices.Concat(insistingBy(key("Return"), 1), insisting(1), insistingBy(key("Return"), 2))},
		{"401", loginForm, http.StatusUnauthorized, insisting(4)},
		{"403", loginForm, http.StatusForbidden, insisting(4)},
		{"429", loginForm, http.StatusTooManyRequests, insisting(4)},
		{"the same form again", loginForm, http.StatusOK, insisting(4)},
		{"401 to a request", loginScript, http.StatusUnauthorized, insisting(4)},
		{"the same form after a request", loginScript, http.StatusOK, insisting(4)},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel() // much of it is waiting
			var sends atomic.Int32
			tr := play(t, "default", cua.Task{ID: "login", URL: turnedDown(t, row.html, row.status,
				&sends)}, row.script...)
			if n := sends.Load(); n != 2 {
				t.Errorf("the password was sent %d times, want twice", n)
			}
			rejectedAt(t, tr, 9)
			story(t, tr)
		})
	}
}

// A password that is taken is sent as often as the brain needs: each time another page answers.
func TestAPasswordThatIsTakenIsNotCounted(t *testing.T) {
	t.Parallel() // most of it is waiting
	var sends atomic.Int32
	url := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.Method == http.MethodPost {
			fmt.Fprintf(w, "<!doctype html><h1>Letter %d of four</h1>", sends.Add(1))
			return
		}
		fmt.Fprint(w, "<!doctype html>", calm, loginForm)
	}).URL
	again := cua.Scripted{Action: cua.Action{Kind: cua.Navigate, URL: url}}
	once := []cua.Scripted{typed("Username", "ada"), typed("Password", "tr0ub4dor"), click("Log in"), again}
	tr := play(t, "default", cua.Task{ID: "login", URL: url}, slices.Repeat(once, 4)...)
	if n := sends.Load(); n != 4 {
		t.Errorf("the password was sent %d times, want 4", n)
	}
	story(t, tr)
}

// A person who continues after the stop has chosen to: the counters are fresh, and two more sends are
// possible.
func TestAThirdSendAfterGoingOn(t *testing.T) {
	t.Parallel() // most of it is waiting
	var sends atomic.Int32
	url := turnedDown(t, loginForm, http.StatusUnauthorized, &sends)
	dir := filepath.Join(t.TempDir(), "episode")
	r := &runner.Runner{Brain: overseen(t, brain.Scripted{Script: insisting(3)}), Env: session(t),
		Config: configOf(t, "default", nil), Dir: dir, Header: trajectories.Header{Episode: "episode"}}
	if _, err := r.Run(t.Context(), cua.Task{ID: "login", URL: url}); err != nil {
		t.Fatal(err)
	}
	rejectedAt(t, sound(t, dir), 9)
	if n := sends.Load(); n != 2 {
		t.Fatalf("the password was sent %d times, want twice", n)
	}
	// The decisions of the first part and of the one that was stopped are gone.
	script := append(times(9, wait(1)), insisting(3)...)
	again := &runner.Runner{Brain: overseen(t, brain.Scripted{Script: script}), Env: session(t), Dir: dir}
	if _, err := again.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	tr := sound(t, dir)
	if n := sends.Load(); n != 4 {
		t.Errorf("the password was sent %d times in all, want twice more", n)
	}
	rejectedAt(t, tr, 18)
	story(t, tr)
}

// What the rule costs: settings that ask for the password at each change and come back as the same form look
// like a password that was turned down. The third change is stopped, although each one was taken.
func TestSettingsWithAPasswordAreStoppedToo(t *testing.T) {
	var sends atomic.Int32
	url := turnedDown(t, settings, http.StatusOK, &sends)
	var script []cua.Scripted
	for _, nick := range []string{"ada", "countess", "lovelace"} {
		script = append(script, put("Nickname", nick), put("Password", "tr0ub4dor"), click("Save"))
	}
	tr := play(t, "default", cua.Task{ID: "settings", URL: url}, script...)
	if n := sends.Load(); n != 2 {
		t.Errorf("%d changes were sent, want two", n)
	}
	rejectedAt(t, tr, 9)
	story(t, tr)
}
