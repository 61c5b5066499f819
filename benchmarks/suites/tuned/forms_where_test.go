package tuned_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
)

// TestAnEditedCellIsKept: by Return and by a press elsewhere, the one on the button that sends among them;
// not by Escape.
func TestAnEditedCellIsKept(t *testing.T) {
	b := browsertest.Launch(t, browser.Options{})
	s, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	task, err := tuned.FindTask("edit-table")
	if err != nil {
		t.Fatal(err)
	}
	key := func(name string) []cua.Scripted {
		return []cua.Scripted{{Action: cua.Action{Kind: cua.Key, Keys: name}}}
	}
	save := cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: "Save changes"}
	for _, c := range []struct {
		name string
		ends []cua.Scripted // what ends the editing of the second cell
		want float64
		sent int // changes that arrive
	}{
		{"Return", key("Return"), 1, 2},
		{"the press on the button", nil, 1, 2},
		{"a press on the heading", []cua.Scripted{{Action: cua.Action{Kind: cua.Click, Point: &cua.Point{X: 430, Y: 117}}}}, 1, 2},
		{"Escape", key("Escape"), 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			st := enter(t, b, s, task, 1)
			if err := st.play(slices.Concat(st.Oracle[:5], c.ends, []cua.Scripted{save})); err != nil {
				t.Fatal(err)
			}
			state := st.State()
			if got := st.Reward(cua.EndDone); got != c.want || len(state.Sent) != 1 ||
				len(state.Sent[0]) != c.sent {
				t.Errorf("it earns %v, and the server saw %+v", got, state)
			}
		})
	}
}

// TestTheFrameIsOfAnotherSite: its document comes from another host than the page, which the task's
// allow-list has; no other task reaches beyond the page's own host.
func TestTheFrameIsOfAnotherSite(t *testing.T) {
	s, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, suite := range tuned.Suites() {
		for _, task := range suite.Tasks {
			in, err := s.Open(task, 1)
			if err != nil {
				t.Fatal(err)
			}
			want, status := []string{s.Host()}, http.StatusNotFound
			if task.Name == "foreign-frame" {
				want, status = append(want, s.Elsewhere()), http.StatusOK
			}
			res, err := http.Get(in.Task.URL + "frame")
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(in.Task.Allow, want) || res.StatusCode != status {
				t.Errorf("%s: allowed %q, its frame is answered with %d", task.Name, in.Task.Allow,
					res.StatusCode)
			}
			if status == http.StatusOK && (!strings.Contains(string(body), "<form") ||
				strings.Contains(string(body), "<header")) {
				t.Errorf("%s: the frame shows %s", task.Name, body)
			}
		}
	}
	b := browsertest.Launch(t, browser.Options{})
	task, err := tuned.FindTask("foreign-frame")
	if err != nil {
		t.Fatal(err)
	}
	st := enter(t, b, s, task, 1)
	for _, f := range st.now.Fields {
		if f.Origin != "http://"+s.Elsewhere() {
			t.Errorf("the field %q is of %q", f.Label, f.Origin)
		}
	}
	if len(st.now.Fields) != 4 {
		t.Errorf("%d fields in sight, want 4", len(st.now.Fields))
	}
}
