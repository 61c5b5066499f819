package miniwob

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
)

// open is the page of a task of the fixture in a browser, begun.
func open(t *testing.T, task string) *Episode {
	t.Helper()
	b := browsertest.Launch(t, browser.Options{})
	p := profile(t, BrowserGym)
	s, err := b.NewSession(t.Context(), browser.SessionOptions{Viewport: p.Viewport, NoState: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c, err := Open("testdata")
	if err != nil {
		t.Fatal(err)
	}
	server, err := c.Serve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	e := Start(t.Context(), s, server, task, "all", 0, p, 10)
	if _, err := e.Reset(t.Context(), e.Task); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEveryTaskOfASubsetHasASolver(t *testing.T) {
	e := open(t, "click-test")
	said, err := e.Ask(t.Context(), solving()+"('', '')")
	if err != nil {
		t.Fatal(err)
	}
	var solved []string
	if err := json.Unmarshal(said, &solved); err != nil {
		t.Fatal(err)
	}
	subsets := map[string]Group{}
	for _, g := range Subsets() {
		subsets[g.Name] = g
	}
	for _, name := range []string{"smoke", "forms", "loops", "controls"} {
		t.Run(name, func(t *testing.T) {
			if len(subsets[name].Tasks) == 0 {
				t.Fatal("there is no such subset")
			}
			for _, task := range subsets[name].Tasks {
				if !slices.Contains(solved, task) {
					t.Errorf("%s: no solver", task)
				}
			}
		})
	}
	for _, task := range solved {
		if !slices.Contains(known(), task) {
			t.Errorf("a solver for %s, which is no task", task)
		}
	}
}

func TestWhereNoSolverKnowsTheEpisodeIsGivenUp(t *testing.T) {
	e := open(t, "click-test")
	e.name = "no-such-task"
	d, err := e.Solver().Decide(t.Context(), nil)
	if err != nil || d.Action.Kind != cua.Done || d.Action.Success {
		t.Errorf("%+v, %v; want it given up", d.Action, err)
	}
}
