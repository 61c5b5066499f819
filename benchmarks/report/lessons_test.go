package report

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/lessons"
)

// lessonStudy is played with one lesson about its pages and one about another site, beside the same without
// lessons.
func lessonStudy(t *testing.T) *benchmarks.Study {
	t.Helper()
	p := studytest.Plan(2)
	off, err := runner.DefaultConfig().Ablate("lessons")
	if err != nil {
		t.Fatal(err)
	}
	p.Arms = []benchmarks.Arm{{Name: "default", Config: runner.DefaultConfig()}, {Name: "-lessons",
		Config: off}}
	p.Base = "default"
	p.Lessons = []cua.Lesson{{ID: "here", Origin: "http://127.0.0.1:9", Text: "Typing <b>worked</b>."},
		{ID: "elsewhere", Origin: "https://bank.test", Text: "Typing worked."}}
	s, err := study.Create(filepath.Join(t.TempDir(), "study"), p)
	if err != nil {
		t.Fatal(err)
	}
	f := &studytest.Pressings{T: t, Broken: map[string]int{}}
	if err := study.Play(t.Context(), s, study.Options{Factory: f, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	return s
}

// The report of a study computes from results what the command lessons report computes from the journals.
func TestReportOfLessons(t *testing.T) {
	s := lessonStudy(t)
	var ts []*trajectories.Trajectory
	for _, r := range s.Results {
		tr, err := trajectories.Read(s.EpisodeDir(r.Episode))
		if err != nil {
			t.Fatal(err)
		}
		ts = append(ts, tr)
	}
	rep, err := Of(s)
	if err != nil {
		t.Fatal(err)
	}
	c := runner.DefaultConfig().Lessons
	want := lessons.Lifts(ts, c)
	if rep.Lessons == nil || len(want) != 1 || len(rep.Lessons.Each) != 1 {
		t.Fatalf("lessons %+v, want %+v", rep.Lessons, want)
	}
	got := rep.Lessons.Each[0]
	want[0].Lesson.Origin = got.Lesson.Origin // that of this server's port
	if got.Lesson.ID != "here" || got.Uses != 6 || got.With.Episodes != 6 || got.Without.Episodes != 6 ||
		got.Idle ||
		got.With != want[0].With || got.Without != want[0].Without || got.Success != want[0].Success ||
		got.Saved != want[0].Saved {
		t.Errorf("the report says %+v, the journals %+v", got, want[0])
	}
	if any := rep.Lessons.Any; any.Uses != 6 || any.With != got.With {
		t.Errorf("any: %+v", any)
	}
	// More cells alike: after ten uses it is marked.
	s.Plan.Arms[0].Config.Lessons.Uses = 6
	if rep, err = Of(s); err != nil || !rep.Lessons.Each[0].Idle {
		t.Fatalf("after its uses it is not marked: %+v, %v", rep.Lessons, err)
	}
	var md, page strings.Builder
	if err := errors.Join(rep.WriteMarkdown(&md), WritePage(&page, s, PageOptions{})); err != nil {
		t.Fatal(err)
	}
	text, js, rows := formats(t, rep)
	if joined := strings.Join(strings.Fields(text), " "); !strings.Contains(joined,
		"Lessons: success and steps with and without them") || !strings.Contains(joined, "no lift") {
		t.Errorf("text\n%s", text)
	}
	if !strings.Contains(md.String(), "| any of them | 6 | 6 of 6 succeeded, ") ||
		!strings.Contains(md.String(), "| no lift |") {
		t.Errorf("markdown\n%s", md.String())
	}
	if !strings.Contains(page.String(), "<h2>Lessons</h2>") || !strings.Contains(page.String(),
		"here Typing &lt;b&gt;worked&lt;/b&gt;.") || strings.Contains(page.String(), "<b>worked") {
		t.Error("the page does not show the lessons, or not as text")
	}
	if got := column(t, rows, "arm", "lessons"); got["default 1"] != 6 || got["-lessons 0"] != 6 {
		t.Errorf("CSV %v", got)
	}
	var back Report
	if err := json.Unmarshal([]byte(js), &back); err != nil || back.Lessons == nil ||
		back.Lessons.Each[0].Lesson.Text != "Typing <b>worked</b>." || !back.Lessons.Each[0].Idle {
		t.Errorf("JSON comes back with %+v (%v)", back.Lessons, err)
	}
}

// A study without lessons says nothing of them; one that was scored before they were kept says so.
func TestReportWithoutLessons(t *testing.T) {
	s := mechanismStudy(t)
	rep, err := Of(s)
	if err != nil || rep.Lessons != nil {
		t.Fatalf("lessons %+v, %v", rep.Lessons, err)
	}
	s.Plan.Lessons = []cua.Lesson{{ID: "a", Origin: "https://a.test", Text: "Typing worked."}}
	if rep, err = Of(s); err != nil || rep.Lessons == nil || len(rep.Lessons.Each) > 0 ||
		!slices.ContainsFunc(rep.Warnings, func(w benchmarks.Warning) bool {
			return w.Code == "lessons_unknown" &&
				strings.HasPrefix(w.Text, "42 cells")
		}) {
		t.Errorf("lessons %+v, warnings %+v, %v", rep.Lessons, rep.Warnings, err)
	}
}
