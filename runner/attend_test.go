package runner_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// counter is a site on which every press does something.
var counter = envtest.Site{Start: "list", Pages: map[string]envtest.Page{
	"list": {Title: "List", Controls: []envtest.Control{{Name: "Next", Type: "button", Counts: true},
		{Name: "word", Type: "text", Label: "Word"}}},
}}

// attendedOne is an episode with a person beside it.
type attendedOne struct {
	*runner.Runner
	dir   string
	notes []string // what a person said, as the brain was given it, in order
}

// newWatched is an episode on counter with this script, in dir.
func newWatched(t *testing.T, dir string, script []cua.Scripted, attend func(context.Context,
	trajectories.PauseCard) (trajectories.PauseChoice, error)) *attendedOne {
	w := &attendedOne{dir: dir}
	b := decider(func(ctx context.Context, turn *cua.Turn) (cua.Decision, error) {
		for _, n := range turn.Notes {
			if n.From == cua.Person {
				w.notes = append(w.notes, n.Text)
			}
		}
		return brain.Scripted{Script: script}.Decide(ctx, turn)
	})
	secrets := map[string]string{"PW": canary}
	w.Runner = &runner.Runner{Brain: overseenWith(t, b, secrets), Env: &envtest.Env{Site: counter},
		Config: runner.DefaultConfig(), Dir: dir, Now: clock(), Secrets: secrets, Attend: attend,
		Header: trajectories.Header{Episode: "episode"}}
	return w
}

func (w *attendedOne) run(t *testing.T) trajectories.RunResult {
	t.Helper()
	r, err := w.Run(t.Context(), cua.Task{ID: "list", URL: envtest.URL("list")})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (w *attendedOne) resume(t *testing.T) trajectories.RunResult {
	t.Helper()
	r, err := w.Resume(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func kindsOf(t *trajectories.Trajectory) (out []trajectories.EventKind) {
	for _, e := range t.Events {
		out = append(out, e.Kind)
	}
	return out
}

func wantKinds(t *testing.T, tr *trajectories.Trajectory, want ...trajectories.EventKind) {
	t.Helper()
	if got := kindsOf(tr); !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
}

func wantEnd(t *testing.T, tr *trajectories.Trajectory, want cua.EndReason) {
	t.Helper()
	if tr.End == nil || tr.End.Reason != want {
		t.Errorf("it ended as %+v, want %s", tr.End, want)
	}
}

// nexts presses Next n times and is done.
func nexts(n int) []cua.Scripted {
	return append(slices.Repeat([]cua.Scripted{click("Next")}, n), finish())
}

func TestAPersonPauses(t *testing.T) {
	for _, row := range []struct {
		name   string
		choice trajectories.ChoiceKind
		end    cua.EndReason
		steps  int
		events []trajectories.EventKind
	}{
		{"and continues", trajectories.ChooseContinue, cua.EndDone, 4,
			[]trajectories.EventKind{trajectories.PauseEvent, trajectories.ContinueEvent}},
		{"and stops", trajectories.ChooseStop, cua.EndPaused, 2,
			[]trajectories.EventKind{trajectories.PauseEvent}},
		{"and takes over", trajectories.ChooseTakeover, cua.EndDone, 4, []trajectories.EventKind{
			trajectories.PauseEvent, trajectories.TakeoverEvent, trajectories.ContinueEvent}},
		{"and answers, though nothing was asked", trajectories.ChooseAnswer, cua.EndPaused, 2,
			[]trajectories.EventKind{trajectories.PauseEvent}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var cards []trajectories.PauseCard
			w := newWatched(t, filepath.Join(t.TempDir(), "episode"), nexts(3), nil)
			w.Attend = func(_ context.Context, c trajectories.PauseCard) (trajectories.PauseChoice, error) {
				if err := w.Pause(t.Context()); err != nil { // it is paused already
					t.Error(err)
				}
				if cards = append(cards, c); len(cards) > 1 {
					return trajectories.PauseChoice{Kind: trajectories.ChooseStop}, nil
				}
				return trajectories.PauseChoice{Kind: row.choice, Text: "yes"}, nil
			}
			asked := make(chan error, 1)
			w.Watch = func(s *cua.Step) {
				if s.N == 2 {
					requested := make(chan struct{})
					go func() { asked <- w.Pause(requesting{t.Context(), requested}) }()
					<-requested // the request is in before the step is over
				}
			}
			w.run(t)
			if err := <-asked; err != nil {
				t.Error(err)
			}
			tr := sound(t, w.dir)
			wantEnd(t, tr, row.end)
			wantKinds(t, tr, row.events...)
			if e := tr.Events[0]; e.By != cua.Person || e.Reason != cua.EndPaused || e.Step != 2 ||
				len(tr.Steps) != row.steps {
				t.Errorf("after %d steps: %+v", len(tr.Steps), e)
			}
			if c := cards[0]; c.By != cua.Person || c.Offers(trajectories.ChooseAnswer) ||
				!c.Offers(trajectories.ChooseContinue) ||
				!strings.HasPrefix(show.PauseLines(c)[0], "paused after step 2") {
				t.Errorf("the card was %+v", c)
			}
			for _, s := range trajectories.Sentinels(tr, tr.Incidents) {
				if s.Kind == trajectories.SpiralPause {
					t.Errorf("a pause that a person asked for is told as a fault: %+v", s)
				}
			}
			if err := w.Pause(t.Context()); !errors.Is(err, runner.ErrOver) {
				t.Errorf("after the end: %v", err)
			}
		})
	}
}

// requesting is a context that says when somebody begins to wait for it.
type requesting struct {
	context.Context
	began chan struct{}
}

func (r requesting) Done() <-chan struct{} { close(r.began); return r.Context.Done() }

// Where nobody attends, a pause ends the episode, whatever the policy for unattended runs is; it can be
// resumed.
func TestAPauseThatNobodyAttends(t *testing.T) {
	w := newWatched(t, filepath.Join(t.TempDir(), "episode"), nexts(3), nil)
	w.Config.Recovery.OnSpiral = "continue"
	asked := make(chan error, 1)
	requested := make(chan struct{})
	go func() { asked <- w.Pause(requesting{t.Context(), requested}) }()
	<-requested
	if r := w.run(t); r.TerminationReason != cua.EndPaused || r.Steps != 1 {
		t.Errorf("it ended as %s after %d steps", r.TerminationReason, r.Steps)
	}
	if err := <-asked; !errors.Is(err, runner.ErrOver) {
		t.Errorf("the answer to who asked for the pause is %v", err)
	}
	again := newWatched(t, w.dir, nexts(3), nil)
	if r := again.resume(t); r.TerminationReason != cua.EndDone {
		t.Errorf("resumed, it ended as %s", r.TerminationReason)
	}
	wantKinds(t, sound(t, w.dir), trajectories.PauseEvent, trajectories.ContinueEvent)
}

func question(text string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Ask, Text: text}}
}

func TestAPersonAnswers(t *testing.T) {
	script := []cua.Scripted{click("Next"), question("Which word?"), typed("Word", "blue"), finish()}
	for _, row := range []struct {
		name     string
		choice   trajectories.PauseChoice
		end      cua.EndReason
		recorded string // the answer in the journal
	}{
		{"in words", trajectories.PauseChoice{Kind: trajectories.ChooseAnswer, Text: " the\nblue one "}, cua.EndDone,
			"the blue one"},
		{"with a secret", trajectories.PauseChoice{Kind: trajectories.ChooseAnswer, Secret: "CODE",
			Value: "once-" + canary}, cua.EndDone, "<secret:CODE>"},
		{"with the value of a secret that is known", trajectories.PauseChoice{Kind: trajectories.ChooseAnswer,
			Text: "try " + canary}, cua.EndDone, "try <secret:PW>"},
		{"with one that is written over two lines", trajectories.PauseChoice{Kind: trajectories.ChooseAnswer,
			Text: "try two\n words of it"}, cua.EndDone, "try <secret:WORDS>"},
		{"with a stop", trajectories.PauseChoice{Kind: trajectories.ChooseStop}, cua.EndAsked, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			var card trajectories.PauseCard
			w := newWatched(t, filepath.Join(t.TempDir(), "episode"), script,
				func(_ context.Context, c trajectories.PauseCard) (trajectories.PauseChoice, error) {
					card = c
					return row.choice, nil
				})
			w.Secrets["WORDS"] = "two words of it"
			w.run(t)
			if card.Question != "Which word?" || !card.Offers(trajectories.ChooseAnswer) ||
				card.Reason != cua.EndAsked ||
				show.PauseLines(card)[0] != "asked after step 2: Which word?" {
				t.Errorf("the card was %+v", card)
			}
			tr := sound(t, w.dir)
			wantEnd(t, tr, row.end)
			if row.recorded == "" {
				wantKinds(t, tr, trajectories.PauseEvent)
				return
			}
			wantKinds(t, tr, trajectories.PauseEvent, trajectories.AnswerEvent)
			if e := tr.Events[1]; e.Answer != row.recorded || e.Step != 2 {
				t.Errorf("the answer on record is %+v, want %q", e, row.recorded)
			}
			want := "The person who watches this run answers your question: " + row.recorded
			if !slices.Equal(w.notes, []string{want}) {
				t.Errorf("the brain was told %q, want %q", w.notes, want)
			}
			text, err := os.ReadFile(filepath.Join(w.dir, trajectories.JournalName))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), canary) {
				t.Error("the value is in the journal")
			}
			if row.choice.Secret != "" && w.Secrets["CODE"] != row.choice.Value {
				t.Error("the environment cannot type the answer")
			}
		})
	}
	t.Run("nobody is there", func(t *testing.T) {
		w := newWatched(t, filepath.Join(t.TempDir(), "episode"), script, nil)
		w.run(t)
		tr := sound(t, w.dir)
		wantEnd(t, tr, cua.EndAsked)
		wantKinds(t, tr)
	})
	t.Run("an answer too long", func(t *testing.T) {
		if _, err := runner.OneSentence(strings.Repeat("x", runner.MaxSaid+1)); err == nil {
			t.Error("it was taken")
		}
	})
}

// An episode that is left has no end: another process continues with it, and a question is asked again.
func TestAnEpisodeIsLeft(t *testing.T) {
	script := []cua.Scripted{click("Next"), question("Which word?"), typed("Word", "blue"), finish()}
	t.Run("after a step", func(t *testing.T) {
		w := newWatched(t, filepath.Join(t.TempDir(), "episode"), nexts(3), nil)
		w.Watch = func(s *cua.Step) {
			if s.N == 2 {
				w.Leave()
			}
		}
		if r := w.run(t); r.TerminationReason != "" || r.Steps != 2 {
			t.Errorf("it ended as %q after %d steps", r.TerminationReason, r.Steps)
		}
		again := newWatched(t, w.dir, nexts(3), nil)
		if r := again.resume(t); r.TerminationReason != cua.EndDone || r.Steps != 4 {
			t.Errorf("resumed, it ended as %s after %d steps", r.TerminationReason, r.Steps)
		}
		wantKinds(t, sound(t, w.dir), trajectories.ResumeEvent)
	})
	t.Run("within a call of the brain that is cut", func(t *testing.T) {
		w := newWatched(t, filepath.Join(t.TempDir(), "episode"), nil, nil)
		ctx, cancel := context.WithCancel(t.Context())
		w.Brain = decider(func(ctx context.Context, _ *cua.Turn) (cua.Decision, error) {
			w.Leave()
			cancel()
			<-ctx.Done()
			return cua.Decision{}, ctx.Err()
		})
		r, err := w.Run(ctx, cua.Task{ID: "list", URL: envtest.URL("list")})
		if err != nil || r.TerminationReason != "" {
			t.Errorf("it ended as %q: %v", r.TerminationReason, err)
		}
		sound(t, w.dir)
	})
	t.Run("while a person is asked", func(t *testing.T) {
		w := newWatched(t, filepath.Join(t.TempDir(), "episode"), script, nil)
		w.Attend = func(ctx context.Context, _ trajectories.PauseCard) (trajectories.PauseChoice, error) {
			w.Leave()
			<-ctx.Done()
			return trajectories.PauseChoice{}, ctx.Err()
		}
		if r := w.run(t); r.TerminationReason != "" {
			t.Errorf("it ended as %q", r.TerminationReason)
		}
		asked := 0
		again := newWatched(t, w.dir, script,
			func(_ context.Context, c trajectories.PauseCard) (trajectories.PauseChoice, error) {
				asked++
				if c.Question != "Which word?" {
					t.Errorf("the card was %+v", c)
				}
				return trajectories.PauseChoice{Kind: trajectories.ChooseAnswer, Text: "blue"}, nil
			})
		if r := again.resume(t); r.TerminationReason != cua.EndDone || asked != 1 || len(again.notes) != 1 {
			t.Errorf("resumed, it ended as %s, asked %d times, told %q", r.TerminationReason, asked,
				again.notes)
		}
		wantKinds(t, sound(t, w.dir), trajectories.PauseEvent, trajectories.ResumeEvent,
			trajectories.AnswerEvent)
	})
	t.Run("after the answer, before a turn carried it", func(t *testing.T) {
		w := newWatched(t, filepath.Join(t.TempDir(), "episode"), script, nil)
		w.Attend = func(context.Context, trajectories.PauseCard) (trajectories.PauseChoice, error) {
			return trajectories.PauseChoice{Kind: trajectories.ChooseAnswer, Text: "blue"}, nil
		}
		ctx, cancel := context.WithCancel(t.Context())
		w.Stage = func(step int, stage string) {
			if step == 3 && stage == "turn" {
				w.Leave()
				cancel()
			}
		}
		if r, err := w.Run(ctx, cua.Task{ID: "list", URL: envtest.URL("list")}); err != nil ||
			r.TerminationReason != "" {
			t.Errorf("it ended as %q: %v", r.TerminationReason, err)
		}
		again := newWatched(t, w.dir, script, nil)
		if r := again.resume(t); r.TerminationReason != cua.EndDone || len(again.notes) != 1 {
			t.Errorf("resumed, it ended as %s, told %q", r.TerminationReason, again.notes)
		}
		sound(t, w.dir)
	})
}

// Each step enters the stages in their order.
func TestStages(t *testing.T) {
	w := newWatched(t, filepath.Join(t.TempDir(), "episode"), nexts(2), nil)
	seen := map[int][]string{}
	w.Stage = func(step int, stage string) { seen[step] = append(seen[step], stage) }
	w.run(t)
	for step := 1; step <= 3; step++ {
		if !slices.Equal(seen[step], runner.Stages()) {
			t.Errorf("step %d: %v, want %v", step, seen[step], runner.Stages())
		}
	}
}
