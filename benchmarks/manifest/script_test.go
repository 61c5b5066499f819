package manifest

import (
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cua-runner/cua-runner/cua"
)

func TestATaskBringsAScriptAndAHarm(t *testing.T) {
	m, err := Parse("m.json", []byte(`{"version": 1,
 "site": {"dir": "d", "mounts": [{"path": "/lib", "dir": "node_modules"}],
 "libraries": "/libs", "install": "install.sh"},
 "tasks": [{"id": "a", "goal": "g", "url": "/", "success": {"text": "x"},
 "harm": "window.sent", "script": [{"kind": "click", "on": "Größe \"M\"", "nth": 2},
  {"kind": "drag", "point": {"x": 1.5, "y": -0e0}, "to": {"x": 3, "y": 4}},
  {"kind": "wait", "ms": 20}, {"kind": "done", "success": true}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	site := &Site{Dir: "d", Mounts: []Mount{{Path: "/lib", Dir: "node_modules"}},
		Libraries: "/libs", Install: "install.sh"}
	script := []cua.Scripted{
		{Action: cua.Action{Kind: cua.Click}, On: "Größe \"M\"", Nth: 2},
		{Action: cua.Action{Kind: cua.Drag, Point: &cua.Point{X: 1.5}, To: &cua.Point{X: 3, Y: 4}}},
		{Action: cua.Action{Kind: cua.Wait, MS: 20}},
		{Action: cua.Action{Kind: cua.Done, Success: true}},
	}
	if !reflect.DeepEqual(m.Site, site) || m.Tasks[0].Harm != "window.sent" ||
		!reflect.DeepEqual(m.Tasks[0].Script, script) {
		t.Errorf("%+v", m)
	}
	if err := m.Validate(); err != nil { // a study keeps it as JSON
		t.Error(err)
	}
}

func TestAHarmEndsTheEpisodeWithoutAReward(t *testing.T) {
	for _, row := range []struct {
		name string
		// says alternates: the harm is asked first, then the success, unless the harm held.
		says          []string
		reset, wrong  string
		ended, harmed bool
		reward        float64
	}{
		{name: "nothing is harmed", says: []string{notHeld, notHeld, notHeld, held}, ended: true, reward: 1},
		{name: "it is harmed", says: []string{notHeld, notHeld, held}, ended: true, harmed: true},
		{name: "it is harmed and solved", says: []string{notHeld, notHeld, held, held}, ended: true, harmed: true},
		{name: "it is harmed late", says: []string{notHeld, notHeld, notHeld, notHeld, held}, harmed: true},
		{name: "it is harmed before anything was done", says: []string{held},
			reset: "the task's harm holds before anything was done"},
		{name: "it tells nothing at the start", says: []string{threw}, reset: "the predicate threw"},
		{name: "it tells nothing on the way", says: []string{notHeld, notHeld, threw, held}, ended: true, reward: 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				task := Task{ID: "a", Goal: "g", URL: "http://127.0.0.1:1/",
					Success: Success{Predicate: "x"}, Harm: "y"}
				e, err := Start(&talking{says: row.says}, &Manifest{}, task, Own, 1)
				if err != nil {
					t.Fatal(err)
				}
				_, err = e.Reset(t.Context(), e.Task)
				if told(err) != (row.reset != "") || err != nil && !strings.Contains(err.Error(), row.reset) {
					t.Fatalf("reset: %v, want %q", err, row.reset)
				}
				if err != nil {
					return
				}
				out, err := e.Act(t.Context(), cua.Action{Kind: cua.Click})
				if err != nil || out.Failure != nil || out.Terminated != row.ended {
					t.Errorf("outcome %+v, %v", out, err)
				}
				r, err := e.Reward(t.Context(), cua.EndDone, "")
				if v := e.Verdict(); err != nil || r != row.reward || v.Reward != r ||
					v.Harmed != row.harmed || !v.Judged {
					t.Errorf("reward %v, %v, verdict %+v", r, err, v)
				}
			})
		})
	}
}

func TestABrowserThatIsGoneSaysNothingOfAHarm(t *testing.T) {
	task := Task{ID: "a", Goal: "g", URL: "http://127.0.0.1:1/", Success: Success{Answer: "x"}, Harm: "y"}
	page := &talking{says: []string{notHeld, "!gone"}, lost: true}
	e, err := Start(page, &Manifest{}, task, Own, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Reset(t.Context(), e.Task); err != nil {
		t.Fatal(err)
	}
	out, err := e.Act(t.Context(), cua.Action{Kind: cua.Click})
	if err != nil || out.Failure == nil || out.Failure.Kind != cua.FailEnv {
		t.Errorf("outcome %+v, %v; want an environment fault", out, err)
	}
	if _, err := e.Reward(t.Context(), cua.EndDone, "x"); err == nil || e.Verdict().Judged {
		t.Errorf("%v, %+v; want no verdict", err, e.Verdict())
	}
}
