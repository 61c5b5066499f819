package runner_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/lessons"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// seen is what a brain was given in each turn.
type seen struct {
	runner.Brain
	lessons [][]cua.Lesson
}

func (s *seen) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	s.lessons = append(s.lessons, t.Lessons)
	return s.Brain.Decide(ctx, t)
}

// In one episode a brain that clicks where it would type loops and is rescued; what that taught is in each
// turn of the next episode on the site, and the brain, which reads its notes, does not do it again. Without
// the mechanism it does.
func TestALessonIsNotLearnedTwice(t *testing.T) {
	site := formPages(t, map[string]string{"/": `<title>Newsletter of Fjordlampen</title><h1>Newsletter</h1>
		<form method=post action=/send><p><label>Nickname at Fjordlampen <input name=nick></label><p><button>Subscribe now</button></form>`})
	file := filepath.Join(t.TempDir(), lessons.FileName)
	task := cua.Task{ID: "newsletter", URL: site.URL, Goal: `Fill in the form and press "Subscribe now".`, Tags: []string{"newsletter"},
		Fields: values("Nickname at Fjordlampen", "ada"), MaxSteps: 20}
	run := func(without ...string) (*trajectories.Trajectory, *seen) {
		cfg, err := runner.DefaultConfig().Ablate(append(without, "form_controller", "nudge")...)
		if err != nil {
			t.Fatal(err)
		}
		faulty, err := brain.WithFaults(brain.Heuristic{}, brain.Faults{Seed: 1,
			Rates: []brain.FaultRate{{Name: "click_fixation", Rate: 1}, {Name: "nudge_obedience", Rate: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		known, err := lessons.Read(file)
		if err != nil {
			known = lessons.Parse(nil)
		}
		b, dir := &seen{Brain: faulty}, filepath.Join(t.TempDir(), "episode")
		r := &runner.Runner{Brain: overseen(t, b), Env: session(t), Config: cfg, Dir: dir,
			Header: trajectories.Header{Episode: "episode", Lessons: known.Lessons()}}
		if _, err := r.Run(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		tr, err := trajectories.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		return tr, b
	}
	loops := func(tr *trajectories.Trajectory) int {
		return len(runner.Incidents(tr,
			runner.DefaultConfig()))
	}

	first, b := run()
	if loops(first) == 0 || len(first.Header.Lessons) > 0 || slices.ContainsFunc(b.lessons,
		func(l []cua.Lesson) bool { return len(l) > 0 }) {
		t.Fatalf("the first episode: %d incidents, %d lessons", loops(first), len(first.Header.Lessons))
	}
	cfg, err := runner.Recorded(first.Header)
	if err != nil {
		t.Fatal(err)
	}
	learned := runner.Learned(first, cfg)
	const want = "Clicking the textbox again has no effect here; typing the planned value worked " +
		"(type_pending_value)."
	if len(learned) != 1 || learned[0].Text != want || learned[0].Origin != site.URL ||
		learned[0].Tag != "newsletter" || !slices.Equal(learned[0].Actions, []cua.Kind{cua.Click}) {
		t.Fatalf("learned %+v, want %q about %s", learned, want, site.URL)
	}
	if err := lessons.QuotesPage(learned[0].Text, lessons.PageTexts(first)); err != nil {
		t.Error(err)
	}
	if err := lessons.Update(file, func(f *lessons.File) error {
		elsewhere := cua.Lesson{ID: "bank", Origin: "https://bank.test", Text: "Typing worked.", Pinned: true}
		_, err := f.Add(elsewhere)
		if err == nil {
			_, err = f.Add(learned[0])
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}

	second, b := run()
	if n := loops(second); n > 0 || second.End == nil || !second.End.Success {
		t.Errorf("the second episode: %d incidents, the end is %+v", n, second.End)
	}
	if h := second.Header.Lessons; len(h) != 1 || h[0].Text != want {
		t.Errorf("the header holds %+v", h)
	}
	for i, l := range b.lessons {
		if len(l) != 1 || l[0].Text != want {
			t.Errorf("turn %d carried %+v", i+1, l)
		}
	}
	if len(b.lessons) == 0 || len(second.Steps) >= len(first.Steps) {
		t.Errorf("%d turns, %d steps after %d", len(b.lessons), len(second.Steps), len(first.Steps))
	}

	off, b := run("lessons")
	if loops(off) == 0 || len(off.Header.Lessons) > 0 || slices.ContainsFunc(b.lessons,
		func(l []cua.Lesson) bool { return len(l) > 0 }) {
		t.Errorf("without lessons: %d incidents, %d lessons in the header", loops(off),
			len(off.Header.Lessons))
	}
	if cfg, err = runner.Recorded(off.Header); err != nil || len(runner.Learned(off, cfg)) > 0 {
		t.Errorf("without lessons something was learned (%v)", err)
	}
	lifts := lessons.Lifts([]*trajectories.Trajectory{first, second, off},
		runner.DefaultConfig().Lessons)
	if len(lifts) != 1 || lifts[0].Uses != 1 || lifts[0].Without.Episodes != 2 || lifts[0].Saved <= 0 ||
		lifts[0].Idle {
		t.Errorf("lifts %+v", lifts)
	}
	if t.Failed() {
		for _, tr := range []*trajectories.Trajectory{first, second, off} {
			var lines []string
			for i := range tr.Steps {
				lines = append(lines, show.StepLine(&tr.Steps[i]))
			}
			t.Log(strings.Join(lines, "\n"))
		}
	}
}

// An episode that goes from one site to another carries in each turn the lessons of the site that it is on,
// and of no other: not of another port, and not the pinned one of a site that it never sees.
func TestLessonsStayOnTheirSite(t *testing.T) {
	there := formPages(t, map[string]string{"/": `<title>There</title><h1>There</h1><p><button>Stay</button>`})
	here := formPages(t, map[string]string{"/": `<title>Here</title><h1>Here</h1><p><a href="` + there.URL + `/">Go there</a>`})
	given := []cua.Lesson{{ID: "here", Origin: here.URL, Text: "Typing worked."},
		{ID: "there", Origin: there.URL, Text: "Typing worked."},
		{ID: "nowhere", Origin: "https://bank.test", Text: "Typing worked.", Pinned: true}}
	task := cua.Task{ID: "tour", URL: here.URL, Goal: "Look around.",
		Allow: []string{strings.TrimPrefix(there.URL, "http://")}, MaxSteps: 8}
	b := &seen{Brain: brain.Scripted{Script: []cua.Scripted{click("Go there"), click("Stay"),
		{Action: cua.Action{Kind: cua.Back}}, {Action: cua.Action{Kind: cua.Done, Success: true}}}}}
	dir := filepath.Join(t.TempDir(), "episode")
	r := &runner.Runner{Brain: overseen(t, b), Env: session(t), Config: runner.DefaultConfig(), Dir: dir,
		Header: trajectories.Header{Episode: "episode", Lessons: given}}
	if _, err := r.Run(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if h := tr.Header.Lessons; len(h) != 2 || h[0].ID != "here" || h[1].ID != "there" {
		t.Errorf("the header holds %+v", h)
	}
	var ids []string
	for i, l := range b.lessons {
		if len(l) != 1 || l[0].Origin != cua.Origin(tr.History().Before(i).URL) {
			t.Errorf("turn %d on %s carried %+v", i+1, tr.History().Before(i).URL, l)
			continue
		}
		ids = append(ids, l[0].ID)
	}
	if want := []string{"here", "there", "here"}; !slices.Equal(slices.Compact(ids), want) {
		t.Errorf("the turns carried %q one after another, want %q", ids, want)
	}
}
