package server

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// A server that has no folder and runs nothing shows the episode that another part of the program plays.
func TestShown(t *testing.T) {
	s := serve(t, "", nil)
	s.do("POST", "/v1/cua", asked("three")).want(t, 403)
	for _, id := range []string{"", "x", strings.Repeat("Z", 26)} {
		if _, err := s.server.Show(Shown{ID: id}); err == nil {
			t.Errorf("the id %q is shown", id)
		}
	}
	for n, row := range []struct {
		name     string
		cancel   context.CancelCauseFunc
		pause    int // the status of POST pause while it runs
		attended bool
		readOnly bool
	}{
		{"one that can be watched alone", nil, 403, false, true},
		{"one that a person takes part in", func(error) {}, 409, true, false}, // it has no runner yet
	} {
		t.Run(row.name, func(t *testing.T) {
			id := strings.Repeat("0", 25) + string(rune('0'+n))
			dir := filepath.Join(t.TempDir(), "run")
			w, err := s.server.Show(Shown{ID: id, Dir: dir, Cancel: row.cancel,
				Request: Request{Instruction: "press Next", URL: envtest.URL("list")}})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.server.Show(Shown{ID: id}); err == nil {
				t.Error("the id is shown twice")
			}
			self := "/v1/cua/" + id
			s.do("POST", self+"/pause", nil).want(t, row.pause)
			r := &runner.Runner{Brain: brain.Scripted{Script: scripts["three"]},
				Env: &envtest.Env{Site: counter}, Config: runner.DefaultConfig(),
				Dir: dir, Header: trajectories.Header{ID: id}}
			w.Begin(r)
			if (r.Attend != nil) != row.attended || r.Stage == nil {
				t.Error("the server is not where it was to be beside the runner")
			}
			v := s.do("GET", self, nil).want(t, 200).episode(t)
			if v["state"] != "running" || (v["read_only"] == true) != row.readOnly {
				t.Errorf("before it runs it is %v", v)
			}
			task := cua.Task{Goal: "press Next", URL: envtest.URL("list")}
			if _, err := r.Run(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			w.End()
			v = s.do("GET", self, nil).want(t, 200).episode(t)
			if v["state"] != "ended" || v["read_only"] != true ||
				v["result"].(map[string]any)["steps"] != 4.0 {
				t.Errorf("ended it is %v", v)
			}
			for _, verb := range []string{"/resume", "/stop", "/takeover"} {
				s.do("POST", self+verb, nil).want(t, 403)
			}
			s.do("DELETE", self, nil).want(t, 403)
			s.do("GET", self+"/export?format=json", nil).want(t, 200)
		})
	}
}
