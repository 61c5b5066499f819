package study_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/report"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// forkPage has a form that is saved with a name alone; SCRIPT is each page's own.
const forkPage = `<!doctype html><html lang="en"><head><title>Card</title></head><body><h1>Card</h1>
<p><button type="button" onclick="more()">More</button> <output></output></p>
<form onsubmit="event.preventDefault(); document.querySelector('h2').textContent = name.value && 'Saved'">
<label>Full name <input name="name"></label> <button>Save</button></form><h2></h2>
<script>const more = () => {}; const name = document.forms[0].elements.name; SCRIPT</script></body></html>`

// forkScripts are the pages' own scripts by task.
var forkScripts = map[string]string{
	"plain":     "",
	"untouched": "",
	"storage":   "sessionStorage.loads = (+sessionStorage.loads || 0) + 1",
	"memory":    "let n = 0; document.querySelector('button').onclick = () => document.querySelector('output').textContent = ++n",
	"sent":      "document.querySelector('button').onclick = () => fetch('/more', {method: 'POST', body: 'n=1'})",
}

// forkTasks are tasks whose script clicks the field again and again, but for untouched, which solves it.
func forkTasks(t *testing.T) *manifest.Manifest {
	t.Helper()
	dir := t.TempDir()
	m := &manifest.Manifest{Version: 1, Site: &manifest.Site{Dir: dir, Posts: []string{"/more"}}}
	write := func(name, script string) {
		text := strings.Replace(forkPage, "SCRIPT", script, 1)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("index.html", "")
	on := func(name string) cua.Scripted {
		return cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: name}
	}
	done := cua.Scripted{Action: cua.Action{Kind: cua.Done, Success: true, Text: "Saved"}}
	for _, id := range []string{"plain", "untouched", "storage", "memory", "sent"} {
		write(id+".html", forkScripts[id])
		script := []cua.Scripted{on("More")}
		if id == "untouched" {
			typing := cua.Action{Kind: cua.Type, Text: "Ada"}
			script = append(script, cua.Scripted{Action: typing, On: "Full name"})
		} else {
			script = append(script, slices.Repeat([]cua.Scripted{on("Full name")}, 8)...)
		}
		m.Tasks = append(m.Tasks, manifest.Task{ID: id, Goal: "Save a card for Ada.", URL: "/" + id + ".html",
			Fields:  []cua.PlanValue{{Label: "Full name", Value: "Ada"}},
			Success: manifest.Success{Text: "Saved"}, Script: append(script, on("Save"), done)})
	}
	return m
}

// recordedFor plays the tasks in the arm default and is the plan of their forks in default and off.
func recordedFor(t *testing.T, f solving) benchmarks.Plan {
	t.Helper()
	p := listed(t, manifest.Own, forkTasks(t))
	p.Arms, p.Base = []benchmarks.Arm{{Name: "default", Config: runner.DefaultConfig()}}, "default"
	s, err := study.Create(filepath.Join(t.TempDir(), "recorded"), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := study.Play(t.Context(), s, study.Options{Factory: f, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if p, err = study.PlanForks(s, nil, "off"); err != nil {
		t.Fatal(err)
	}
	return p
}

func openFork(t *testing.T, p benchmarks.Plan) *benchmarks.Study {
	t.Helper()
	s, err := study.Create(filepath.Join(t.TempDir(), "forks"), p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An episode is played on from before its first intervention in both arms. A state that could not be
// restored, or a form that was sent before, excludes the pair, and an episode without an intervention has no
// fork.
func TestForksOfAStudy(t *testing.T) {
	f := solving{oracle: true}
	f.b = browsertest.Launch(t, browser.Options{})
	p := recordedFor(t, f)
	s := openFork(t, p)
	if err := study.Play(t.Context(), s, study.Options{Factory: f, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if p.Forks.Untouched != 1 {
		t.Errorf("%d episodes without an intervention, want that of untouched", p.Forks.Untouched)
	}
	for _, row := range []struct {
		task string
		lost benchmarks.ForkLoss // "" is a pair that counts
	}{
		{"plain", ""}, {"storage", cua.FacetStorage}, {"memory", benchmarks.LostPage},
	} {
		t.Run(row.task, func(t *testing.T) {
			for _, arm := range []string{"default", "off"} {
				r := forkResult(t, s, row.task, arm)
				if len(r.Forked.Lost) > 1 || row.lost != "" != slices.Contains(r.Forked.Lost, row.lost) {
					t.Errorf("%s lost %v, want %q", arm, r.Forked.Lost, row.lost)
				}
				if row.lost == "" && (r.Lenient != (arm == "default") || r.Forked.Again != r.Lenient) {
					t.Errorf("%s: solved %v, the gate ruled again %v", arm, r.Lenient, r.Forked.Again)
				}
				soundFork(t, s, r)
			}
		})
	}
	t.Run("sent", func(t *testing.T) {
		x := p.Forks.Excluded
		if len(x) != 1 || x[0].Task != "manifest.sent" || x[0].Why != benchmarks.LostSent {
			t.Errorf("excluded %+v", x)
		}
	})
	t.Run("report", func(t *testing.T) { reportedForks(t, s) })
}

// forkResult is the result of the task in the arm.
func forkResult(t *testing.T, s *benchmarks.Study, task, arm string) benchmarks.Result {
	t.Helper()
	i := slices.IndexFunc(s.Results, func(r benchmarks.Result) bool {
		return r.Task == "manifest."+task && r.Arm == arm
	})
	if i < 0 || s.Results[i].Forked == nil {
		t.Fatalf("no fork of %s in %s", task, arm)
	}
	return s.Results[i]
}

// soundFork holds the journal of r against the invariants, its config, and the one that it was forked from.
func soundFork(t *testing.T, s *benchmarks.Study, r benchmarks.Result) {
	t.Helper()
	if len(r.Broken) > 0 || r.Checked == 0 {
		t.Errorf("%s breaks %v", r.Episode, r.Broken)
	}
	tr, err := trajectories.Read(s.EpisodeDir(r.Episode))
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := runner.Recorded(tr.Header)
	if err != nil {
		t.Fatal(err)
	}
	if d := runner.Replay(tr, cfg); len(d) > 0 {
		t.Errorf("%s replays otherwise: %v", r.Episode, d)
	}
	at, _ := s.Plan.ForkOf(r.Cell)
	of := tr.Header.Fork
	if of == nil || of.Episode != at.Episode || of.Step != at.Step || len(tr.Steps) < at.Step ||
		tr.Header.Arm != r.Arm {
		t.Fatalf("the header of %s has %+v, want step %d of %s", r.Episode, of, at.Step, at.Episode)
	}
	for i := range at.Step {
		o := tr.Steps[i].After
		if !tr.HasBlob(o.FrameSHA) || !strings.HasPrefix(o.URL, tr.Header.Task.URL) {
			t.Errorf("step %d of %s lacks its frame, or is at %s and not at %s", i+1, r.Episode, o.URL,
				tr.Header.Task.URL)
		}
	}
}

func reportedForks(t *testing.T, s *benchmarks.Study) {
	rep, err := report.Of(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Worth) != 1 {
		t.Fatalf("worth of %d codes", len(rep.Worth))
	}
	w := rep.Worth[0]
	if w.Arm != "default" || w.Gate != "force_fill" || w.Forks != 1 || w.With.Yes != 1 ||
		w.Without.Yes != 0 || w.Better != 1 || w.Worse != 0 || w.Verdict() != "unproven" {
		t.Errorf("worth %+v: %s", w, w.Verdict())
	}
	for _, why := range []string{"sent", "page", "storage"} {
		if w.Excluded[why] != 1 || len(w.Excluded) != 3 {
			t.Errorf("excluded %v", w.Excluded)
		}
	}
	var b strings.Builder
	if err := rep.WriteText(&b); err != nil || !strings.Contains(b.String(), "3 of 4 forks are excluded") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// A study of forks that was stopped goes on with what is missing, and makes a new attempt at a fork of which
// half a journal was copied.
func TestAStoppedStudyOfForksGoesOn(t *testing.T) {
	f := solving{oracle: true}
	f.b = browsertest.Launch(t, browser.Options{})
	s := openFork(t, recordedFor(t, f))
	cells, err := s.Plan.Cells()
	if err != nil || len(cells) != 6 {
		t.Fatalf("%d cells, %v", len(cells), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = study.Play(ctx, s, study.Options{Factory: f, Progress: func(p study.Progress) {
		if p.Done == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("a cancelled study: %v", err)
	}
	if s, err = benchmarks.Open(s.Dir); err != nil || len(s.Results) != 2 {
		t.Fatalf("%d results, %v", len(s.Results), err)
	}
	torn := halfCopied(t, s, cells[5])
	if err := study.Play(t.Context(), s, study.Options{Factory: f, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	missing, err := s.Missing()
	if err != nil || len(missing) > 0 || len(s.Results) != 6 {
		t.Fatalf("%d results, %d missing, %v", len(s.Results), len(missing), err)
	}
	for _, r := range s.Results {
		if r.Cell == torn && (r.Interrupted != 1 || !strings.HasSuffix(r.Episode, "-2")) {
			t.Errorf("after half a copy: %+v", r)
		}
		if r.Forked == nil || r.Steps <= r.Forked.Step {
			t.Errorf("%s has %d steps and was forked as %+v", r.Episode, r.Steps, r.Forked)
		}
	}
}

// halfCopied leaves what a process that is killed while it copies the steps of a fork leaves.
func halfCopied(t *testing.T, s *benchmarks.Study, c benchmarks.Cell) benchmarks.Cell {
	t.Helper()
	at, ok := s.Plan.ForkOf(c)
	if !ok {
		t.Fatalf("%v is no fork", c)
	}
	from := filepath.Join(s.Plan.Forks.Study, benchmarks.RunsName, at.Episode, trajectories.JournalName)
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	dir := s.EpisodeDir(c.Episode(1))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(dir, trajectories.JournalName)
	if err := os.WriteFile(journal, text[:len(text)/3], 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}
