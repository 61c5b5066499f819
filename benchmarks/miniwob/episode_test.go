package miniwob

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks/folder"
	"github.com/cua-runner/cua-runner/cua"
)

// talking is a page without a browser: each time it is asked it says the next line, the last one for ever.
type talking struct {
	goal  string
	says  []string // verdicts as JSON; "" is a dialog that is open
	fails error
	asked int
	acts  []cua.Kind
}

func (p *talking) Begin(context.Context, cua.Task, string) (cua.Observation, json.RawMessage, error) {
	value, _ := json.Marshal(map[string]string{"goal": p.goal})
	return cua.Observation{Title: "begun"}, value, p.fails
}

func (p *talking) Ask(context.Context, string) (json.RawMessage, error) {
	line := p.says[min(p.asked, len(p.says)-1)]
	p.asked++
	if line == "" {
		return nil, nil
	}
	return json.RawMessage(line), nil
}

func (p *talking) Reset(context.Context, cua.Task) (cua.Observation, error) {
	return cua.Observation{}, errors.New("an episode is begun, not reset")
}

func (p *talking) Locate(context.Context, cua.Action) (cua.Target, error) { return cua.Target{}, nil }

func (p *talking) Act(_ context.Context, a cua.Action) (cua.Outcome, error) {
	p.acts = append(p.acts, a.Kind)
	return cua.Outcome{After: cua.Observation{Title: "acted"}}, nil
}

func (p *talking) Restore(context.Context, cua.Checkpoint, []string) (cua.Outcome, error) {
	return cua.Outcome{}, errors.New("nothing is gone back to")
}

func (p *talking) Denials() []cua.Denial { return nil }
func (p *talking) Close() error          { return nil }

const (
	goesOn = `{"done":false,"raw":0,"timed":0,"reason":""}`
	won    = `{"done":true,"raw":1,"timed":0.75,"reason":"pressed"}`
	partly = `{"done":true,"raw":0.3,"timed":0.2,"reason":""}`
	lost   = `{"done":true,"raw":-1,"timed":-1,"reason":""}`
)

func profile(t *testing.T, name string) Profile {
	t.Helper()
	p, err := FindProfile(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestATaskEndsItsEpisode(t *testing.T) {
	for _, row := range []struct {
		name, task, profile string
		says                []string
		ended               bool
		reward              float64
		verdict             Verdict
		wait                time.Duration
	}{
		{"it continues", "click-test", BrowserGym, []string{goesOn}, false, 0, Verdict{}, 0},
		{"solved", "click-test", BrowserGym, []string{won}, true, 1, Verdict{Ended: true, Raw: 1, Timed: 0.75, Reason: "pressed", Any: true, Full: true}, 0},
		{"solved in part", "click-test", BrowserGym, []string{partly}, true, 1, Verdict{Ended: true, Raw: 0.3, Timed: 0.2, Any: true}, 0},
		{"solved in part, where all counts", "click-test", FaramaBinary, []string{partly}, true, 0, Verdict{Ended: true, Raw: 0.3, Timed: 0.2, Any: true}, 0},
		{"lost", "click-test", BrowserGym, []string{lost}, true, 0, Verdict{Ended: true, Raw: -1, Timed: -1}, 0},
		{"the page was left", "click-test", BrowserGym, []string{`{"left":true}`}, true, 0, Verdict{Ended: true, Reason: "the page was left"}, 0},
		{"a dialog is open", "click-test", BrowserGym, []string{""}, false, 0, Verdict{}, 0},
		{"late, and known for it", "click-pie", BrowserGym, []string{goesOn, goesOn, goesOn, won}, true, 1,
			Verdict{Ended: true, Raw: 1, Timed: 0.75, Reason: "pressed", Any: true, Full: true, LateMS: 60},
			60 * time.Millisecond},
		{"never, and known to be late", "click-pie", BrowserGym, []string{goesOn}, false, 0, Verdict{LateMS: 500}, 500 * time.Millisecond},
		{"late, and not known for it", "click-test", BrowserGym, []string{goesOn, won}, false, 0, Verdict{}, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := Start(t.Context(), &talking{goal: "Win.", says: row.says},
					&Server{&folder.Server{Host: "127.0.0.1:80"}}, row.task, "all", 3,
					profile(t, row.profile), 10)
				if o, err := e.Reset(t.Context(), e.Task); err != nil || o.Title != "begun" ||
					e.Task.Goal != "Win." || e.Task.Seed != 3 || e.Task.MaxSteps != 10 {
					t.Fatalf("reset: %v, %v, task %+v", o.Title, err, e.Task)
				}
				began := time.Now()
				out, err := e.Act(t.Context(), cua.Action{Kind: cua.Click, Point: &cua.Point{}})
				if err != nil || out.Failure != nil || out.Terminated != row.ended ||
					row.ended != (out.Reward != nil) || row.ended && *out.Reward != row.reward {
					t.Errorf("outcome %+v, %v", out, err)
				}
				row.verdict.PageSeed = 71530
				if v := e.Verdict(); v != row.verdict {
					t.Errorf("verdict %+v, want %+v", v, row.verdict)
				}
				if took := time.Since(began); took != row.wait {
					t.Errorf("it took %v, want %v", took, row.wait)
				}
			})
		})
	}
}

func TestAVerdictThatComesAfterTheLastStepCounts(t *testing.T) {
	e := Start(t.Context(), &talking{goal: "Win.", says: []string{goesOn, won}},
		&Server{&folder.Server{Host: "127.0.0.1:80"}}, "click-test", "all", 0, profile(t, BrowserGym), 10)
	if out, err := e.Act(t.Context(), cua.Action{Kind: cua.Click}); err != nil || out.Terminated {
		t.Fatalf("%+v, %v", out, err)
	}
	if r, err := e.Reward(t.Context()); err != nil || r != 1 {
		t.Errorf("reward %v, %v; want 1", r, err)
	}
}

func TestATaskWithoutAVerdictIsAFault(t *testing.T) {
	e := Start(t.Context(), &talking{goal: "Win.", says: []string{`{"done":true,"raw":null,"timed":null}`}}, &Server{&folder.Server{Host: "127.0.0.1:80"}}, "find-word", "all", 0, profile(t, BrowserGym), 10)
	out, err := e.Act(t.Context(), cua.Action{Kind: cua.Click})
	if err != nil || out.Failure == nil || out.Failure.Kind != cua.FailEnv || out.Terminated {
		t.Errorf("outcome %+v, %v; want a fault of the environment", out, err)
	}
}

func TestAPageThatDoesNotStartFailsTheReset(t *testing.T) {
	broken := errors.New("no core")
	e := Start(t.Context(), &talking{fails: broken}, &Server{&folder.Server{Host: "127.0.0.1:80"}},
		"click-test", "all", 0, profile(t, BrowserGym), 10)
	if _, err := e.Reset(t.Context(), e.Task); !errors.Is(err, broken) {
		t.Errorf("reset: %v, want the fault", err)
	}
	if r, err := e.Reward(t.Context()); r != 0 || err != nil {
		t.Errorf("reward %v, %v", r, err)
	}
	if d, err := e.Solver().Decide(t.Context(), nil); err != nil || d.Action.Kind != cua.Done ||
		d.Action.Success {
		t.Errorf("a page that did not start: %+v, %v; want it given up", d.Action, err)
	}
}

func TestWhatTheBenchmarkHasNot(t *testing.T) {
	page := &talking{goal: "Win.", says: []string{goesOn}}
	e := Start(t.Context(), page, &Server{&folder.Server{Host: "127.0.0.1:80"}}, "click-test", "all", 0,
		profile(t, BrowserGym), 10)
	for _, k := range []cua.Kind{cua.Navigate, cua.Back, cua.Forward, cua.Reload, cua.NewTab, cua.SwitchTab,
		cua.CloseTab} {
		out, err := e.Act(t.Context(), cua.Action{Kind: k})
		if err != nil || out.Failure == nil || out.Failure.Kind != cua.FailExec ||
			out.After.Title != "begun" || len(page.acts) > 0 {
			t.Errorf("%s: %+v, %v", k, out, err)
		}
	}
	if out, err := e.Restore(t.Context(), cua.Checkpoint{}, nil); err != nil || out.Failure == nil {
		t.Errorf("restore: %+v, %v", out, err)
	}
	if out, err := e.Act(t.Context(), cua.Action{Kind: cua.Observe}); err != nil || out.Failure != nil ||
		page.asked > 0 {
		t.Errorf("a look: %+v, %v, asked %d times; want it done and nothing asked", out, err, page.asked)
	}
}
