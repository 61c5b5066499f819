package study

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// An attempt that stopped in a send is told of in the result of its cell and in the report, and so is a
// browser that is not the one that began the study.
func TestAnAttemptThatStoppedInASend(t *testing.T) {
	s := create(t, 1)
	cells, err := s.Plan.Cells()
	if err != nil {
		t.Fatal(err)
	}
	c := cells[0]
	w, err := trajectories.Create(s.EpisodeDir(c.Episode(1)), trajectories.Header{Episode: c.Episode(1),
		Task: cua.Task{ID: c.Task}, Config: json.RawMessage(`{}`)})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{w.Start(cua.Observation{URL: "http://a.test/"}),
		w.Intent(cua.Intent{Number: 1, Action: cua.Action{Kind: cua.Click}, Submit: true}), w.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	here := trajectories.BrowserInfo{Name: "Chrome", Version: "140", Remote: "ws://far.test"}
	f := &studytest.Pressings{T: t, Broken: map[string]int{}}
	if err := Play(t.Context(), s, Options{Factory: f, Browser: here}); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Results {
		want := 0
		if r.Cell == c {
			want = 1
		}
		run, err := trajectories.Read(s.EpisodeDir(r.Episode))
		if err != nil || !run.Header.Browser.Same(here) || r.Browser != here.String() {
			t.Errorf("%s: %v; the browsers %+v, %q", r.Episode, err, run.Header.Browser, r.Browser)
		}
		if r.Cut != want || r.PossiblySent != want || r.Interrupted != want {
			t.Errorf("%s: %d interrupted intents, %d possibly sent", r.Episode, r.Cut, r.PossiblySent)
		}
	}
	said := map[string]string{}
	for _, w := range reportOf(t, s).Warnings {
		said[w.Code] = w.Text
	}
	const cut = "1 interrupted intent, 1 of them possibly sent a form"
	if !strings.Contains(said["interrupted_intents"], cut) ||
		!strings.Contains(said["other_browser"], "Chrome 140 at ws://far.test") {
		t.Errorf("the report says %q", said)
	}
}
