package runner_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// deadEnd is a site on which nothing comes of anything.
var deadEnd = envtest.Site{Start: "wall", Pages: map[string]envtest.Page{
	"wall": {Title: "Wall", Controls: []envtest.Control{{Name: "Open", Type: "button", Dead: true}}},
}}

// stubborn presses the dead button forever.
func stubborn() runner.Brain {
	var script []cua.Scripted
	for range 60 {
		script = append(script, click("Open"))
	}
	return brain.Scripted{Script: script}
}

// sound holds a journal against all invariants and against its own replay.
func sound(t testing.TB, dir string) *trajectories.Trajectory {
	t.Helper()
	j, err := invariants.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	tr := j.Trajectory
	cfg, err := runner.Recorded(tr.Header)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range runner.Replay(tr, cfg) {
		t.Errorf("step %d, %s: recorded %q, replayed %q", d.Step, d.What, d.Recorded, d.Replayed)
	}
	tr.Incidents = runner.Incidents(tr, runner.DefaultConfig())
	for _, in := range invariants.All() {
		broken, _ := in.Check(j)
		for _, v := range broken {
			t.Errorf("%s, step %d: %s", v.Invariant, v.Step, v.Detail)
		}
	}
	return tr
}

// An unattended run that is stuck for good ends, or continues with fresh counters until a cap ends it, as its
// policy says.
func TestThePolicyForUnattendedRuns(t *testing.T) {
	for _, row := range []struct {
		policy recovery.OnSpiral
		end    cua.EndReason
		steps  int
		pauses bool
	}{
		{recovery.SpiralHalt, cua.EndAsked, 0, false},
		{recovery.SpiralRewind, cua.EndAsked, 0, false}, // nothing has changed that a rewind could undo
		{recovery.SpiralContinue, cua.EndMaxSteps, 40, true},
	} {
		t.Run(string(row.policy), func(t *testing.T) {
			cfg := runner.DefaultConfig()
			cfg.Recovery.OnSpiral, cfg.Recovery.Limits.MaxSteps = row.policy, 40
			dir := filepath.Join(t.TempDir(), "episode")
			r := &runner.Runner{Brain: overseen(t, stubborn()), Env: &envtest.Env{Site: deadEnd}, Config: cfg,
				Dir: dir, Now: clock(), Header: trajectories.Header{Episode: "episode"}}
			result, err := r.Run(context.Background(), cua.Task{ID: "wall", URL: envtest.URL("wall")})
			if err != nil {
				t.Fatal(err)
			}
			tr := sound(t, dir)
			if result.TerminationReason != row.end || row.steps > 0 && result.Steps != row.steps ||
				row.steps == 0 && result.Steps > 20 {
				t.Errorf("it ended as %s after %d steps, want %s", result.TerminationReason,
					result.Steps, row.end)
			}
			var pauses, goesOn []trajectories.Event
			for _, e := range tr.Events {
				switch e.Kind {
				case trajectories.PauseEvent:
					pauses = append(pauses, e)
				case trajectories.ContinueEvent:
					goesOn = append(goesOn, e)
				}
			}
			if len(pauses) != len(goesOn) || row.pauses != (len(pauses) > 1) {
				t.Fatalf("%d pauses, %d times it went on", len(pauses), len(goesOn))
			}
			warned := 0
			for i, e := range goesOn {
				if e.Reason != cua.EndAsked || e.Incident == "" || e.Incident != tr.Steps[e.Step-1].Incident {
					t.Errorf("it went on after %q, incident %q: %+v", e.Reason, e.Incident, e)
				}
				if s := tr.Steps[e.Step-1]; s.Action != nil {
					t.Errorf("step %d was dispatched although it paused", s.N)
				}
				if s := tr.Steps[e.Step]; len(s.Signals)+len(s.Notes) > 0 {
					t.Errorf("step %d has not begun with fresh counters: %+v %+v", s.N, s.Signals, s.Notes)
				}
				if i > 0 && e.Incident == goesOn[i-1].Incident {
					t.Errorf("two incidents are one: %s", e.Incident)
				}
			}
			for _, s := range tr.Steps {
				for _, n := range s.Notes {
					if n.Level == recovery.LastWarning {
						warned++
					}
				}
			}
			if warned == 0 {
				t.Error("it was never warned")
			}
			counted := 0
			for _, s := range result.Sentinels {
				if s.Kind == trajectories.SpiralPause {
					counted++
				}
			}
			if want := max(1, len(pauses)); counted != want {
				t.Errorf("%d sentinels of pauses, want %d", counted, want)
			}
		})
	}
}

// maze is a site with a wrong turn: nothing comes of anything behind it.
var maze = envtest.Site{Start: "form", Pages: map[string]envtest.Page{
	"form": {Title: "Form", Controls: []envtest.Control{{Name: "word", Type: "text", Label: "Word"}, {Name: "other", Type: "text", Label: "Other"},
		{Name: "Wrong", Type: "link", To: "wall"}, {Name: "Send", Type: "button", Writes: true}}},
	"wall": {Title: "Wall", Controls: []envtest.Control{{Name: "Open", Type: "button", Dead: true}}},
}}

// person is what a person does at the n-th pause.
type person func(ctx context.Context, n int, env *envtest.Env, r *runner.Runner) (trajectories.PauseChoice,
	error)

// attendedRun plays script, on after the first pause, for a person who chooses by turns as they say.
func attendedRun(t *testing.T, script, after []cua.Scripted, p person) (*trajectories.Trajectory,
	[]trajectories.PauseCard, []string) {
	t.Helper()
	cfg := runner.DefaultConfig()
	cfg.Recovery.Attended, cfg.Recovery.OnSpiral = true, recovery.SpiralHalt
	cfg.Toggles.RescueRewind = false // what goes back here is the person
	env := &envtest.Env{Site: maze}
	dir := filepath.Join(t.TempDir(), "episode")
	var cards []trajectories.PauseCard
	var told []string
	for range 60 - len(script) {
		script = append(script, click("Open"))
	}
	first, second := brain.Scripted{Script: script}, brain.Scripted{Script: after}
	from := 0
	b := decider(func(ctx context.Context, turn *cua.Turn) (cua.Decision, error) {
		for _, n := range turn.Notes {
			if n.From == "runner" {
				told = append(told, n.Text)
			}
		}
		if from > 0 {
			later := *turn
			later.Decision = turn.Number - from
			return second.Decide(ctx, &later)
		}
		return first.Decide(ctx, turn)
	})
	r := &runner.Runner{Brain: overseen(t, b), Env: env, Config: cfg, Dir: dir, Now: clock(),
		Header: trajectories.Header{Episode: "episode", Browser: trajectories.BrowserInfo{Headed: true}}}
	r.Attend = func(ctx context.Context, c trajectories.PauseCard) (trajectories.PauseChoice, error) {
		cards = append(cards, c)
		choice, err := p(ctx, len(cards), env, r)
		from = c.Step
		if choice.Kind == trajectories.ChooseRewind || choice.Kind == "" { // a rewind is the next step
			from++
		}
		return choice, err
	}
	if _, err := r.Run(context.Background(), cua.Task{ID: "maze", URL: envtest.URL("form")}); err != nil {
		t.Fatal(err)
	}
	return sound(t, dir), cards, told
}

func TestAPersonChooses(t *testing.T) {
	lost := []cua.Scripted{typed("Word", "one"), click("Wrong")}
	kinds := func(tr *trajectories.Trajectory) (out []trajectories.EventKind) {
		for _, e := range tr.Events {
			out = append(out, e.Kind)
		}
		return out
	}
	end := func(t *testing.T, tr *trajectories.Trajectory, want cua.EndReason) {
		t.Helper()
		if tr.End == nil || tr.End.Reason != want {
			t.Errorf("it ended as %+v, want %s", tr.End, want)
		}
	}
	one := func(c trajectories.PauseChoice) person {
		return func(context.Context, int, *envtest.Env, *runner.Runner) (trajectories.PauseChoice, error) {
			return c, nil
		}
	}
	t.Run("stop", func(t *testing.T) {
		tr, cards, _ := attendedRun(t, lost, nil,
			one(trajectories.PauseChoice{Kind: trajectories.ChooseStop}))
		end(t, tr, cua.EndPaused)
		c := cards[0]
		if len(cards) != 1 || c.Reason != cua.EndPaused || c.Incident == nil || c.Incident.Steps() < 3 ||
			len(c.Asked) == 0 || c.Step != len(tr.Steps) {
			t.Errorf("the card was %+v", c)
		}
		want := []trajectories.PauseChoice{{Kind: trajectories.ChooseRewind, Step: 2},
			{Kind: trajectories.ChooseTakeover}, {Kind: trajectories.ChooseContinue},
			{Kind: trajectories.ChooseStop}}
		if !reflect.DeepEqual(c.Choices, want) {
			t.Errorf("the choices were %+v, want %+v", c.Choices, want)
		}
		if again, ok := trajectories.PauseCardOf(tr, runner.Incidents(tr, runner.DefaultConfig())); !ok ||
			!again.Ended || again.Reason != c.Reason || again.Detail != c.Detail {
			t.Errorf("from the journal the card is %+v", again)
		}
		if got := kinds(tr); !slices.Equal(got, []trajectories.EventKind{trajectories.PauseEvent}) {
			t.Errorf("events %v", got)
		}
	})
	t.Run("nobody answers", func(t *testing.T) {
		tr, _, _ := attendedRun(t, lost, nil,
			func(context.Context, int, *envtest.Env, *runner.Runner) (trajectories.PauseChoice, error) {
				return trajectories.PauseChoice{}, errors.New("gone")
			})
		end(t, tr, cua.EndPaused)
	})
	t.Run("go back and try another way", func(t *testing.T) {
		tr, _, _ := attendedRun(t, lost, []cua.Scripted{typed("Other", "x"), finish()},
			one(trajectories.PauseChoice{Kind: trajectories.ChooseRewind, Step: 2}))
		end(t, tr, cua.EndDone)
		s := tr.Steps[len(tr.Steps)-3]
		if s.By != cua.Person || s.RewoundTo != 2 || s.Restored.OK != cua.RestoredAll ||
			s.After.Title != "Form" || len(s.Signals) > 0 {
			t.Errorf("the step after the pause is %+v", s)
		}
		if got := kinds(tr); !slices.Equal(got, []trajectories.EventKind{trajectories.PauseEvent,
			trajectories.ContinueEvent}) {
			t.Errorf("events %v", got)
		}
	})
	t.Run("go back past what was sent", func(t *testing.T) {
		script := []cua.Scripted{typed("Word", "one"), click("Send"), click("Wrong")}
		tr, cards, _ := attendedRun(t, script, []cua.Scripted{finish()},
			func(_ context.Context, n int, _ *envtest.Env, _ *runner.Runner) (trajectories.PauseChoice,
				error) {
				return trajectories.PauseChoice{Kind: trajectories.ChooseRewind, Step: 1, Consent: n > 1}, nil
			})
		if len(cards) != 2 || cards[1].Refused == nil || cards[1].Refused.Error != cua.IrreversibleFence ||
			cards[1].Refused.Step != 2 {
			t.Fatalf("without consent: %+v", cards)
		}
		s := tr.Steps[len(tr.Steps)-2]
		if s.Restored == nil || !slices.Equal(s.Restored.Crossed, []int{2}) ||
			!strings.Contains(s.Feedback, "the server still has what was sent at step 2") {
			t.Errorf("with consent: %+v, %q", s.Restored, s.Feedback)
		}
	})
	t.Run("what is gone cannot be gone back to", func(t *testing.T) {
		tr, cards, _ := attendedRun(t, lost, nil,
			func(_ context.Context, n int, _ *envtest.Env, _ *runner.Runner) (trajectories.PauseChoice,
				error) {
				if n == 1 {
					return trajectories.PauseChoice{Kind: trajectories.ChooseRewind, Step: 99}, nil
				}
				return trajectories.PauseChoice{Kind: trajectories.ChooseStop}, nil
			})
		if len(cards) != 2 || cards[1].Refused == nil || cards[1].Refused.Error != cua.NoSnapshot {
			t.Errorf("%+v", cards)
		}
		end(t, tr, cua.EndPaused)
	})
	t.Run("take over", func(t *testing.T) {
		tr, _, told := attendedRun(t, lost, []cua.Scripted{typed("Other", "x"), finish()},
			func(ctx context.Context, _ int, env *envtest.Env, _ *runner.Runner) (trajectories.PauseChoice,
				error) {
				out, err := env.Act(ctx, cua.Action{Kind: cua.Navigate, URL: envtest.URL("form")})
				if err != nil || out.Failure != nil {
					t.Fatalf("%+v, %v", out.Failure, err)
				}
				if out, err = env.Act(ctx, cua.Action{Kind: cua.Type, Into: out.After.Fields[0].ID,
					Text: "by hand"}); err != nil || out.Failure != nil {
					t.Fatalf("%+v, %v", out.Failure, err)
				}
				return trajectories.PauseChoice{Kind: trajectories.ChooseTakeover}, nil
			})
		end(t, tr, cua.EndDone)
		if got := kinds(tr); !slices.Equal(got, []trajectories.EventKind{trajectories.PauseEvent,
			trajectories.TakeoverEvent, trajectories.ContinueEvent}) {
			t.Errorf("events %v", got)
		}
		if ev := tr.Events[1]; ev.After == nil || ev.After.Title != "Form" ||
			!slices.Contains(ev.Changes, cua.ChangeURL) {
			t.Errorf("the takeover is %+v", ev)
		}
		if len(told) != 1 || !strings.Contains(told[0], `"Word" is filled in now`) || !strings.Contains(told[0], envtest.URL("form")) || strings.Contains(told[0], "by hand") {
			t.Errorf("the brain was told %q", told)
		}
		marks := map[trajectories.SentinelKind]int{}
		for _, s := range trajectories.Sentinels(tr, tr.Incidents) {
			marks[s.Kind]++
		}
		if marks[trajectories.Takeover] != 1 || marks[trajectories.SpiralPause] != 1 {
			t.Errorf("sentinels %v", marks)
		}
	})
	t.Run("continue, and it is stuck again", func(t *testing.T) {
		tr, cards, _ := attendedRun(t, lost, slices.Repeat([]cua.Scripted{click("Open")}, 40),
			func(_ context.Context, n int, _ *envtest.Env, _ *runner.Runner) (trajectories.PauseChoice,
				error) {
				return trajectories.PauseChoice{Kind: map[bool]trajectories.ChoiceKind{
					true: trajectories.ChooseContinue, false: trajectories.ChooseStop}[n == 1]}, nil
			})
		if len(cards) != 2 || cards[0].Incident.ID == cards[1].Incident.ID {
			t.Errorf("%d cards: %+v", len(cards), cards)
		}
		end(t, tr, cua.EndPaused)
	})
	t.Run("somebody asks for a rewind elsewhere meanwhile", func(t *testing.T) {
		answers := make(chan cua.Restored, 1)
		tr, _, _ := attendedRun(t, lost, []cua.Scripted{typed("Other", "x"), finish()},
			func(ctx context.Context, _ int, _ *envtest.Env, r *runner.Runner) (trajectories.PauseChoice,
				error) {
				go func() {
					got, err := r.Rewind(context.Background(), runner.RewindRequest{Step: 2})
					if err != nil {
						t.Error(err)
					}
					answers <- got
				}()
				<-ctx.Done()
				return trajectories.PauseChoice{}, ctx.Err()
			})
		if got := <-answers; got.OK != cua.RestoredAll {
			t.Errorf("it came to %+v", got)
		}
		end(t, tr, cua.EndDone)
	})
}
