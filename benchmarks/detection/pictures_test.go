package detection_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

var pictures = flag.String("pictures", "", "folder to write the pictures of docs/detection.md to")

// film is one picture: steps of a real run on an embedded page, side by side.
type film struct {
	name  string    // of the file
	shape cua.Shape // that the picture is about; "" is a run in which none may hold
	task  string
	seed  int64
	steps int
	// part is what is shown of the page, CSS px; one that does not say where it is lies around the first
	// press.
	part cua.Box
	// script is what is done, given the task's own player; nil is that player.
	script func(player []cua.Scripted) []cua.Scripted
	// query goes behind the address of the task.
	query string
	// trail shows the earlier presses too.
	trail bool
}

func films() []film {
	var (
		whole  = cua.Box{W: 1280, H: 800}
		heart  = cua.Box{X: 335, Y: 62, W: 460, H: 330} // of a page whose content stands in the middle
		fields = cua.Box{X: 318, Y: 62, W: 604, H: 330}
		below  = cua.Box{X: 318, Y: 290, W: 604, H: 330}
		around = cua.Box{W: 360, H: 225}
	)
	return []film{
		{name: "effect", task: "h2-next-month", seed: 1, steps: 10, part: heart},
		{name: "repeat", shape: cua.ShapeRepeat, task: "s1-dead-button", seed: 3, steps: 10, part: around},
		{name: "drift", shape: cua.ShapeDrift, task: "s2-jitter", seed: 1, steps: 10, part: cua.Box{W: 160, H: 100}, trail: true},
		{name: "frozen", shape: cua.ShapeFrozen, task: "s8-all-in-vain", seed: 1, steps: 10, part: whole},
		{name: "cycle", shape: cua.ShapeCycle, task: "s4-three-pages", seed: 1, steps: 10, part: heart},
		{name: "revisit", shape: cua.ShapeRevisit, task: "s3-two-pages", seed: 1, steps: 10, part: heart, script: backAndForth, query: "?page=1"},
		{name: "spiral", shape: cua.ShapeSpiral, task: "address", seed: 1, steps: 10, part: below, script: chooseAgain},
		{name: "failures", shape: cua.ShapeFailures, task: "s9-errors", seed: 1, steps: 10, part: fields},
		{name: "streak", shape: cua.ShapeStreak, task: "login", seed: 1, steps: 5, part: fields, script: typeAgain},
		{name: "stall", shape: cua.ShapeStall, task: "s1-dead-button", seed: 2, steps: 10, part: around, script: waitOn},
		{name: "stagnation", shape: cua.ShapeStagnation, task: "h5-endless-list", seed: 1, steps: 18, part: heart, script: upAndDown},
	}
}

// backAndForth goes from one page to the other and back, each time in another way, so that no period
// can be made out.
func backAndForth(player []cua.Scripted) []cua.Scripted {
	there, on := player[0], player[1]
	back, reload := cua.Scripted{Action: cua.Action{Kind: cua.Back}},
		cua.Scripted{Action: cua.Action{Kind: cua.Reload}}
	return []cua.Scripted{there, back, there, on, there, reload, on, there, back, there}
}

func chooseAgain([]cua.Scripted) (out []cua.Scripted) {
	for i := range 10 {
		out = append(out, cua.Scripted{Action: cua.Action{Kind: cua.Select,
			Text: []string{"Canada", "Norway"}[i%2]}, On: "Country"})
	}
	return out
}

// upAndDown scrolls one page down and up, by other amounts each time, so that no period can be made out.
func upAndDown([]cua.Scripted) (out []cua.Scripted) {
	for i := range 18 {
		dy := []float64{150, 250, -400}[i%3] + float64(i%5-i%4)
		out = append(out, cua.Scripted{Action: cua.Action{Kind: cua.Scroll, DY: dy}})
	}
	return out
}

func typeAgain([]cua.Scripted) (out []cua.Scripted) {
	for _, name := range []string{"m.keller", "mira.k", "mkeller", "keller.mira", "mira"} {
		out = append(out, cua.Scripted{Action: cua.Action{Kind: cua.Type, Text: name, Clear: true},
			On: "Username"})
	}
	return out
}

func waitOn(player []cua.Scripted) []cua.Scripted {
	pause := cua.Scripted{Action: cua.Action{Kind: cua.Wait, MS: 20000}}
	return append([]cua.Scripted{player[0]}, slices.Repeat([]cua.Scripted{pause}, 9)...)
}

// TestPictures makes the pictures of docs/detection.md: each is a strip of frames of a run that is
// played for it, in which the detectors find what the picture is about.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("no folder is given: make pictures writes them")
	}
	b := browsertest.Launch(t, browser.Options{})
	for _, f := range films() {
		t.Run(f.name, func(t *testing.T) {
			s := f.strip(t, f.play(t, b))
			if soft, _ := s.first(cua.NoteLevel); f.shape != "" && soft == 0 || f.shape == "" &&
				s.Others != "" {
				t.Errorf("the run does not show what it is for: %+v", s)
			}
			raw := photograph(t, b, s)
			if len(raw) > 120<<10 {
				t.Errorf("%d bytes are too many for a page", len(raw))
			}
			if err := os.WriteFile(filepath.Join(*pictures, f.name+".png"), raw, 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// impatient is a session in which long waits pass twenty times as fast: nothing on the page is
// waited for.
type impatient struct{ *browser.Session }

func (s impatient) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	if a.Kind == cua.Wait && a.MS >= 1000 {
		a.MS /= 20
	}
	return s.Session.Act(ctx, a)
}

// play runs the film's steps through the whole machine, with nothing on but the detectors.
func (f film) play(t *testing.T, b *browser.Browser) *trajectories.Trajectory {
	t.Helper()
	task, err := tuned.FindTask(f.task)
	if err != nil {
		t.Fatal(err)
	}
	server, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	in, err := server.Open(task, f.seed)
	if err != nil {
		t.Fatal(err)
	}
	session, err := b.NewSession(t.Context(), browser.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	script := in.Player
	if f.script != nil {
		script = f.script(script)
	}
	in.Task.MaxSteps = f.steps
	in.Task.URL += f.query
	dir := filepath.Join(t.TempDir(), "episode")
	r := runner.Runner{Brain: studytest.Overseen(t, brain.Scripted{Script: script}), Env: impatient{session},
		Config: detecting(t), Dir: dir, Header: trajectories.Header{Episode: "episode",
			Brain: trajectories.BrainInfo{Name: "player"}}}
	if _, err := r.Run(t.Context(), in.Task); err != nil {
		t.Fatal(err)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
