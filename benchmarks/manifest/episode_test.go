package manifest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// talking is a page without a browser: each time it is asked it says the next line, the last one for ever.
type talking struct {
	says  []string // values as JSON; "" is a dialog that is open, ! and a text an error
	lost  bool     // an error is one of the environment
	asked int
	// status is that of the start page; 0 is not known.
	status int
}

func (p *talking) Ask(context.Context, string) (json.RawMessage, error) {
	line := p.says[min(p.asked, len(p.says)-1)]
	p.asked++
	switch {
	case line == "":
		return nil, nil
	case p.lost && line[0] == '!':
		return nil, &cua.Failure{Kind: cua.FailEnv, Detail: line[1:]}
	case line[0] == '!':
		return nil, errors.New(line[1:])
	}
	return json.RawMessage(line), nil
}

func (p *talking) Begin(ctx context.Context, task cua.Task, script string) (cua.Observation,
	json.RawMessage, error) {
	o, err := p.Reset(ctx, task)
	if err != nil {
		return o, nil, err
	}
	value, err := p.Ask(ctx, script)
	return o, value, err
}

func (p *talking) Reset(context.Context, cua.Task) (cua.Observation, error) {
	return cua.Observation{Title: "begun", Status: p.status}, nil
}
func (p *talking) Locate(context.Context, cua.Action) (cua.Target, error) { return cua.Target{}, nil }
func (p *talking) Act(context.Context, cua.Action) (cua.Outcome, error) {
	return cua.Outcome{After: cua.Observation{Title: "acted"}}, nil
}
func (p *talking) Restore(context.Context, cua.Checkpoint, []string) (cua.Outcome, error) {
	return cua.Outcome{}, nil
}
func (p *talking) Denials() []cua.Denial { return nil }
func (p *talking) Close() error          { return nil }

const (
	held    = `{"held":true}`
	notHeld = `{"held":false}`
	threw   = `{"threw":"TypeError: null"}`
)

func start(t *testing.T, page Page, s Success) *Episode {
	t.Helper()
	e, err := Start(page, &Manifest{}, Task{ID: "a", Goal: "Do it.", URL: "http://127.0.0.1:1/{seed}",
		Tags: []string{"x"}, Success: s}, Own, 7)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestWhatAPageSaysJudgesItsEpisode(t *testing.T) {
	for _, row := range []struct {
		name         string
		says         []string
		atEnd, ended bool
		reset, wrong string // of Reset, of Reward
		reward       float64
		wait         time.Duration
	}{
		{name: "it holds after the action", says: []string{notHeld, held}, ended: true, reward: 1},
		{name: "it never holds", says: []string{notHeld}, wait: latePatience},
		{name: "it holds late", says: []string{notHeld, notHeld, notHeld, held}, reward: 1, wait: askEvery},
		{name: "it holds at the end", says: []string{held}, atEnd: true, reward: 1, wait: steadyFor},
		{name: "what it says at the end is of before", says: []string{held, held, held, notHeld}, atEnd: true, wait: latePatience},
		{name: "it holds before anything was done", says: []string{held}, reset: "counts as done before anything was done"},
		{name: "it is no JavaScript", says: []string{"!SyntaxError"}, reset: "SyntaxError"},
		{name: "it comes to a text", says: []string{`{"held":"yes"}`}, reset: `came to "yes"; it must come to true or false`},
		{name: "it comes to nothing", says: []string{`{}`}, reset: "came to nothing"},
		{name: "it throws at the end", says: []string{notHeld, threw}, wrong: "the predicate threw TypeError: null", wait: latePatience},
		{name: "it throws on the way", says: []string{notHeld, threw, held}, reward: 1},
		{name: "a dialog is open", says: []string{notHeld, ""}, wait: latePatience},
		{name: "it comes to a number at the end", says: []string{`{"held":1}`}, atEnd: true, wrong: "came to 1; it must", wait: latePatience},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := start(t, &talking{says: row.says}, Success{Predicate: "x", AtEnd: row.atEnd})
				_, err := e.Reset(t.Context(), e.Task)
				if told(err) != (row.reset != "") || row.reset != "" &&
					!strings.Contains(err.Error(), row.reset) {
					t.Fatalf("reset: %v, want %q", err, row.reset)
				}
				if err != nil {
					return
				}
				began := time.Now()
				out, err := e.Act(t.Context(), cua.Action{Kind: cua.Click})
				if err != nil || out.Failure != nil || out.Terminated != row.ended ||
					row.ended != (out.Reward != nil) || out.After.Title != "acted" {
					t.Errorf("outcome %+v, %v", out, err)
				}
				r, err := e.Reward(t.Context(), cua.EndDone, "")
				if r != row.reward || told(err) != (row.wrong != "") || row.wrong != "" &&
					!strings.Contains(err.Error(), row.wrong) {
					t.Errorf("reward %v, %v; want %v, %q", r, err, row.reward, row.wrong)
				}
				if v := e.Verdict(); v.Judged != (row.wrong == "") || v.Reward != row.reward ||
					time.Since(began) != row.wait {
					t.Errorf("verdict %+v after %v", v, time.Since(began))
				}
			})
		})
	}
}

func told(err error) bool { return err != nil }

func TestABrowserThatIsGoneIsAFault(t *testing.T) {
	e := start(t, &talking{says: []string{"!the browser is gone"}, lost: true}, Success{Predicate: "x"})
	out, err := e.Act(t.Context(), cua.Action{Kind: cua.Click})
	if err != nil || out.Failure == nil || out.Failure.Kind != cua.FailEnv ||
		!strings.Contains(out.Failure.Detail, "the browser is gone") {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestAnAnswerCountsWhereTheAgentSaysThatItIsDone(t *testing.T) {
	for _, row := range []struct {
		name, answer string
		end          cua.EndReason
		want         float64
	}{
		{"the answer", "42", cua.EndDone, 1},
		{"in a sentence", "The answer\nis 42.", cua.EndDone, 1},
		{"another", "41", cua.EndDone, 0},
		{"none", "", cua.EndDone, 0},
		{"an end that is no answer", "no effect 42 times", cua.EndLoop, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			page := &talking{says: []string{held}}
			e := start(t, page, Success{Answer: "42"})
			if _, err := e.Reset(t.Context(), e.Task); err != nil {
				t.Fatal(err)
			}
			if out, err := e.Act(t.Context(), cua.Action{Kind: cua.Click}); err != nil || out.Terminated ||
				page.asked > 0 {
				t.Errorf("%+v, %v, asked %d times", out, err, page.asked)
			}
			if r, err := e.Reward(t.Context(), row.end, row.answer); err != nil || r != row.want ||
				!e.Verdict().Judged {
				t.Errorf("reward %v, %v", r, err)
			}
		})
	}
}

// shop is an oracle: it keeps what it was sent and answers as it is told to.
type shop struct {
	mu                    sync.Mutex
	calls                 []string
	reset, state, verdict string // bodies; a number is a status, "hang" never answers
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var sent struct {
		Task string
		Seed int64
		Run  string
	}
	if r.Method == http.MethodPost {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	what := strings.Split(r.URL.Path, "/")[1]
	s.mu.Lock()
	s.calls = append(s.calls, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, what, sent.Task)))
	body := map[string]string{"reset": s.reset, "state": s.state, "verdict": s.verdict}[what]
	s.mu.Unlock()
	var status int
	switch _, err := fmt.Sscanf(body, "%d", &status); {
	case body == "hang":
		<-r.Context().Done()
	case err == nil && status >= 100:
		w.WriteHeader(status)
	default:
		fmt.Fprint(w, body)
	}
}

func TestAnOracleJudgesItsEpisode(t *testing.T) {
	for _, row := range []struct {
		name                         string
		shop                         *shop
		timeout                      int
		resetFault, fault, noVerdict string
		ended                        bool
		reward                       float64
		reason, calls                string
	}{
		{name: "it continues, and earned half", shop: &shop{state: `{"over": false}`, verdict: `{"reward": 0.5, "reason": "half"}`}, reward: 0.5, reason: "half",
			calls: "POST reset a, GET state, GET verdict"},
		{name: "it is over", shop: &shop{state: `{"over": true, "sent": 1}`, verdict: `{"reward": 1}`}, ended: true, reward: 1, calls: "POST reset a, GET state, GET verdict"},
		{name: "it cannot be reset", shop: &shop{reset: "500"}, resetFault: "oracle: reset: POST http://"},
		{name: "it says nothing when it is reset", shop: &shop{reset: "hang"}, timeout: 1, resetFault: "no answer within 1ms"},
		{name: "no state", shop: &shop{state: "404"}, fault: "it answered 404 Not Found"},
		{name: "a state that is none", shop: &shop{state: "[]"}, fault: "state: the answer is no object with over"},
		{name: "over without a verdict", shop: &shop{state: `{"over": true}`, verdict: "{}"}, fault: "there is no verdict"},
		{name: "no verdict at the end", shop: &shop{state: "{}", verdict: `{"reward": null}`}, noVerdict: "no reward from 0 to 1: there is no verdict"},
		{name: "a verdict beyond its range", shop: &shop{state: "{}", verdict: `{"reward": 2}`}, noVerdict: "no reward from 0 to 1"},
		{name: "a verdict that fails", shop: &shop{state: "{}", verdict: "503"}, noVerdict: "it answered 503"},
		{name: "a verdict that is no JSON", shop: &shop{state: "{}", verdict: "yes"}, noVerdict: "oracle: verdict: invalid character"},
		{name: "a verdict without an end", shop: &shop{state: "{}", verdict: `"` + strings.Repeat("x", maxAnswer) + `"`}, noVerdict: "more than 1048576 bytes"},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := httptest.NewServer(row.shop)
			defer server.Close()
			e := start(t, &talking{}, Success{HTTP: &Oracle{Reset: server.URL + "/reset",
				State: server.URL + "/state/{run}", Verdict: server.URL + "/verdict/{run}/{seed}",
				TimeoutMS: row.timeout}})
			_, err := e.Reset(t.Context(), e.Task)
			if !saysOf(err, row.resetFault) {
				t.Fatalf("reset: %v, want %q", err, row.resetFault)
			}
			if err != nil {
				return
			}
			out, err := e.Act(t.Context(), cua.Action{Kind: cua.Click})
			if err != nil {
				t.Fatal(err)
			}
			if (out.Failure != nil) != (row.fault != "") || out.Failure != nil &&
				(out.Failure.Kind != cua.FailEnv || !strings.Contains(out.Failure.Detail, row.fault)) {
				t.Fatalf("outcome %+v, want %q", out.Failure, row.fault)
			}
			if out.Terminated != row.ended || row.fault != "" {
				if row.fault == "" {
					t.Errorf("terminated %v", out.Terminated)
				}
				return
			}
			r, err := e.Reward(t.Context(), cua.EndMaxSteps, "")
			if r != row.reward || !saysOf(err, row.noVerdict) ||
				e.Verdict().Judged != (row.noVerdict == "") || e.Verdict().Reason != row.reason {
				t.Errorf("reward %v, %v, %+v; want %v, %q", r, err, e.Verdict(), row.reward, row.noVerdict)
			}
			if got := strings.Join(row.shop.calls, ", "); row.calls != "" && got != row.calls {
				t.Errorf("calls %s, want %s", got, row.calls)
			}
		})
	}
}

// saysOf reports whether err is nil where nothing is wanted, and has the text else.
func saysOf(err error, want string) bool {
	return err == nil && want == "" || err != nil && want != "" && strings.Contains(err.Error(), want)
}

func TestEachAttemptHasAnAddressOfItsOwn(t *testing.T) {
	a, b := &Episode{}, &Episode{}
	for _, e := range []**Episode{&a, &b} {
		var err error
		if *e, err = Start(&talking{}, &Manifest{}, Task{ID: "a", URL: "http://h/{run}/{seed}"}, Own,
			7); err != nil {
			t.Fatal(err)
		}
	}
	if a.Task.URL == b.Task.URL || !strings.HasSuffix(a.Task.URL, "/7") || a.Host() != "h" ||
		a.Task.ID != "manifest.a" || a.Task.MaxSteps != defaultCap {
		t.Errorf("%+v and %+v", a.Task, b.Task)
	}
}
