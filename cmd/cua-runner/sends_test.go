package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

var kills = flag.Int("kills", 4, "how many runs of a form TestKilledSends kills")

// counting is a server with a form for each run. It counts what was sent.
type counting struct {
	*httptest.Server
	arrived chan int // the number of a run whose form was sent, at most once each
	mu      sync.Mutex
	sent    map[int]int
}

// formPage has five fields and a button. Where script is true a script sends the form, and the page stays.
func formPage(script bool) string {
	page := `<!doctype html><title>Order</title><h1>Order</h1><form method=post action=send>`
	for _, label := range orderFields {
		page += fmt.Sprintf(`<p><label>%s <input name=%q></label>`, label, strings.ToLower(label))
	}
	page += `<p><button>Send</button></form><p id=said>`
	if script {
		page += `<script>document.forms[0].onsubmit = async e => { e.preventDefault()
await fetch('send', {method: 'POST', body: new FormData(e.target)})
e.target.remove(); document.getElementById('said').textContent = 'Thank you, we have your order.' }</script>`
	}
	return page
}

var orderFields = []string{"Name", "Street", "City", "Phone", "Company"}

func newCounting(t *testing.T) *counting {
	t.Helper()
	c := &counting{arrived: make(chan int, 1000), sent: map[int]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{run}/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w,
			formPage(false))
	})
	mux.HandleFunc("GET /{run}/script", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w,
			formPage(true))
	})
	mux.HandleFunc("GET /{run}/thanks", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Thanks</title><h1>Thank you, we have your order.</h1>`)
	})
	mux.HandleFunc("POST /{run}/send", func(w http.ResponseWriter, r *http.Request) {
		var run int
		fmt.Sscan(r.PathValue("run"), &run)
		c.mu.Lock()
		c.sent[run]++
		first := c.sent[run] == 1
		c.mu.Unlock()
		if first {
			c.arrived <- run
		}
		http.Redirect(w, r, "thanks", http.StatusSeeOther)
	})
	c.Server = httptest.NewServer(mux)
	t.Cleanup(c.Close)
	return c
}

func (c *counting) count(run int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sent[run]
}

// order is one run of the form, in processes of its own.
type order struct {
	t      *testing.T
	server *counting
	run    int
	dir    string
}

func (o *order) args() []string {
	url := fmt.Sprintf("%s/%d/", o.server.URL, o.run)
	if o.run%3 == 0 {
		url += "script"
	}
	args := []string{"run", url, "--goal", "Fill in the form and send it", "--out", o.dir, "--json"}
	for _, label := range orderFields {
		args = append(args, "--field", label+"=the "+strings.ToLower(label))
	}
	return args
}

// fate says when a run is killed: so long after its start, after the intent of the send is on record, or
// after the form has reached the server. Nil is never.
type fate struct{ start, intent, sent *time.Duration }

// play runs a command to its end, or kills it. It reports whether it was killed and how long the form took;
// 0 is not known.
func (o *order) play(args []string, f fate) (killed bool, took time.Duration) {
	o.t.Helper()
	cmd := exec.Command("cua-runner", args...) // this test's own binary, by testscript.Main
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		o.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var kill, look <-chan time.Time
	if f.start != nil {
		kill = time.After(*f.start)
	}
	if f.intent != nil {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		look = tick.C
	}
	for {
		select {
		case <-look:
			if o.intends() {
				kill, look = time.After(*f.intent), nil
			}
		case run := <-o.server.arrived:
			if run != o.run { // it left when its process was dead
				continue
			}
			if took = time.Since(began); f.sent != nil {
				kill = time.After(*f.sent)
			}
		case <-kill:
			killed = true
			cmd.Process.Kill() //nolint:errcheck // it may have ended by itself
		case err := <-ended:
			if code := cmd.ProcessState.ExitCode(); code >= 0 && code != exitOK && code != exitFailed {
				o.t.Fatalf("run %d, %v: %v\n%s", o.run, args[:1], err, stderr.String())
			}
			return killed && cmd.ProcessState.ExitCode() < 0, took
		}
	}
}

// read is the journal of the run; nil is that it never began.
func (o *order) read() *trajectories.Trajectory {
	t, err := trajectories.Read(o.dir)
	if err != nil {
		return nil
	}
	return t
}

// intends reports whether the journal ends with an intent that sends the form.
func (o *order) intends() bool {
	t := o.read()
	return t != nil && t.Interrupted != nil && t.Interrupted.Submit
}

// begun reports whether an intent that sends the form is on record.
func begun(t *trajectories.Trajectory) bool {
	sends := t.Interrupted != nil && t.Interrupted.Submit
	for i := range t.Steps {
		sends = sends || t.Steps[i].Submits()
	}
	for _, e := range t.Events {
		sends = sends || e.Intent != nil && e.Intent.Submit
	}
	return sends
}

// answered reports whether a step on record sent the form and was answered well.
func answered(t *trajectories.Trajectory) bool {
	for i := range t.Steps {
		if s := &t.Steps[i]; s.Submits() && slices.ContainsFunc(s.After.Writes, cua.Write.OK) {
			return true
		}
	}
	return false
}

// TestKilledSends kills runs that fill in a form and send it once: half of them within 200 ms after the form
// has reached the server, a quarter within 20 ms after the intent of the send is on record, and a quarter at
// any time before. Then it resumes them. No form is sent twice: the run is done, or it asks. No form is lost:
// what was never begun is sent, and what was asked about is sent once the run goes on. -kills says how many.
func TestKilledSends(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a form in real browsers")
	}
	server := newCounting(t)
	dir := t.TempDir()
	chance := rand.New(rand.NewPCG(7, 11))
	within := func(most time.Duration) *time.Duration {
		return new(time.Duration(chance.Int64N(int64(
			most))))
	}
	whole := &order{t, server, 0, filepath.Join(dir, "0")}
	_, usual := whole.play(whole.args(), fate{})
	if n := server.count(0); n != 1 || usual == 0 {
		t.Fatalf("without a kill the form was sent %d times", n)
	}
	counts := map[string]int{}
	for run, n := 0, 0; n < *kills; {
		run++
		o := &order{t, server, run, filepath.Join(dir, fmt.Sprint(run))}
		f, when := fate{sent: within(200 * time.Millisecond)}, "after the send"
		switch n % 4 {
		case 1:
			f, when = fate{intent: within(20 * time.Millisecond)}, "after the intent"
		case 3:
			f, when = fate{start: within(usual)}, "at any time"
		}
		killed, took := o.play(o.args(), f)
		if took > 0 {
			usual = took // other programs have the machine too
		}
		if !killed { // it was faster
			when = "not killed"
		} else {
			n++
		}
		counts[when+": "+o.goesOn(killed)]++
	}
	text, err := json.MarshalIndent(counts, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d kills: %s", *kills, text)
}

// goesOn resumes the run after a kill, checks the outcome and says it in words.
func (o *order) goesOn(killed bool) string {
	o.t.Helper()
	was := o.read()
	switch {
	case was == nil:
		o.play(o.args(), fate{})
	case was.End == nil:
		o.play([]string{"resume", o.dir, "--json"}, fate{})
	}
	now, n := o.read(), o.server.count(o.run)
	if n > 1 {
		o.t.Errorf("run %d: the form was sent %d times", o.run, n)
		return "doubled"
	}
	o.checked()
	switch {
	case n == 1 && now.End.Reason == cua.EndDone && !killed:
		return "ended before the kill"
	case n == 1 && was != nil && answered(was): // a brain may not see that all is done; nothing is sent again
		return "answer on record, " + string(now.End.Reason)
	case n == 1 && now.End.Reason == cua.EndDone && (was == nil || !begun(was)):
		return "not begun, then sent"
	case now.End.Reason != cua.EndAsked || now.End.Code != cua.UncertainSend || was == nil || !begun(was):
		o.t.Errorf("run %d: sent %d times, ended as %s %s: %s", o.run, n, now.End.Reason, now.End.Code,
			now.End.Detail+now.End.Answer)
		return "lost"
	case n == 1:
		return "asked, was sent"
	}
	o.play([]string{"resume", o.dir, "--json"}, fate{}) // somebody has looked and continues
	if now, n = o.read(), o.server.count(o.run); now.End.Reason != cua.EndDone || n != 1 {
		o.t.Errorf("run %d: after the question it was sent %d times and ended as %s", o.run, n,
			now.End.Reason)
		return "lost"
	}
	o.checked()
	return "asked, was not sent, sent once somebody went on"
}

// checked holds the journal against all invariants.
func (o *order) checked() {
	o.t.Helper()
	j, err := invariants.Read(o.dir)
	if err != nil {
		o.t.Fatal(err)
	}
	for _, in := range invariants.All() {
		broken, _ := in.Check(j)
		for _, v := range broken {
			o.t.Errorf("run %d: %s, step %d: %s", o.run, v.Invariant, v.Step, v.Detail)
		}
	}
}
