package runner_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// An episode's header holds what it can be given: nothing of another origin, nothing with one of its secrets,
// which may come to light only in the task's text.
func TestHeaderLessons(t *testing.T) {
	e := readEpisode(t, "testdata/pager_is_left_alone.txtar")
	origin := cua.Origin(e.task.URL)
	lesson := func(id, origin, text string) cua.Lesson {
		return cua.Lesson{ID: id, Origin: origin,
			Text: text}
	}
	given := []cua.Lesson{lesson("good", origin, "Typing worked."),
		lesson("bank", "https://bank.test", "Typing worked."), lesson("leak", origin,
			"Say opensesame first.")}
	for _, row := range []struct {
		name   string
		config runner.Config
		want   []string
	}{
		{"on", e.config, []string{"good"}},
		{"off", func() runner.Config { c, err := e.config.Ablate("lessons"); check(t, err); return c }(), nil},
		{"none a turn", func() runner.Config { c, err := e.config.Set("lessons.top=0"); check(t, err); return c }(), nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			r, _ := e.runner(t, dir)
			task := e.task
			r.Config, r.Header.Lessons, r.Secrets = row.config, given, map[string]string{}
			task.Goal += ` Log in as "alice" with password "opensesame".`
			if _, err := r.Run(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			tr, err := trajectories.Read(dir)
			check(t, err)
			var ids []string
			for _, l := range tr.Header.Lessons {
				ids = append(ids, l.ID)
			}
			if !slices.Equal(ids, row.want) {
				t.Errorf("the header holds %q, want %q", ids, row.want)
			}
			if text, err := os.ReadFile(filepath.Join(dir, trajectories.JournalName)); err != nil ||
				bytes.Contains(text, []byte("opensesame")) {
				t.Errorf("the secret is in the journal (%v)", err)
			}
		})
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What a turn carries follows from the header and the history: the lessons about what was just done come
// first.
func TestTurnLessons(t *testing.T) {
	all := []cua.Lesson{
		{ID: "scroll", Origin: "https://shop.test", Actions: []cua.Kind{cua.Scroll}, Text: "x"},
		{ID: "click", Origin: "https://shop.test", Actions: []cua.Kind{cua.Click}, Text: "x"},
		{ID: "bank", Origin: "https://bank.test", Text: "x"},
	}
	cfg, err := runner.DefaultConfig().Set("lessons.top=1")
	check(t, err)
	for _, row := range []struct {
		name, page string
		last       cua.Kind
		config     runner.Config
		want       string
	}{
		{"after a scroll", "https://shop.test/a", cua.Scroll, cfg, "scroll"},
		{"after a click", "https://shop.test/a", cua.Click, cfg, "click"},
		{"on another site", "https://bank.test/a", cua.Click, cfg, "bank"},
		{"off", "https://shop.test/a", cua.Click, func() runner.Config { c, err := cfg.Ablate("lessons"); check(t, err); return c }(), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			turn := &cua.Turn{Now: cua.Observation{URL: row.page},
				History: cua.History{Steps: []cua.Step{{Proposed: cua.Action{Kind: row.last}}}}}
			got := ""
			for _, l := range runner.Assemble(row.config).Lessons(all, turn) {
				got += l.ID
			}
			if got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
