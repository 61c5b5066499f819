package runner_test

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

// noteTexts are what the turn of a step said.
func noteTexts(s cua.Step) string {
	var out []string
	for _, n := range s.Notes {
		out = append(out, n.From+": "+n.Text)
	}
	return strings.Join(out, "\n")
}

// The first turn after a rewind says what was undone, who did it, and asks for another way; no later turn
// does.
func TestWhatARewindUndidIsTold(t *testing.T) {
	for _, row := range []struct {
		name   string
		script []cua.Scripted
		says   string
	}{
		{"one step", []cua.Scripted{typed("Word", "a"), rewindTo(1)}, `You went back to before step 1. Undone: step 1: type "Word". Try another way.`},
		{"alike ones together, without what was typed", []cua.Scripted{typed("Word", "hush"), click("Next"), wait(5), wait(5), rewindTo(1)},
			`You went back to before step 1. Undone: steps 1 to 4: type "Word"; click "Next"; wait ×2. Try another way.`},
	} {
		t.Run(row.name, func(t *testing.T) {
			tr, _ := atDesk(t, nil, brain.Scripted{Script: append(row.script, wait(5), finish())})
			n := len(row.script)
			if got := noteTexts(tr.Steps[n]); got != "runner: "+row.says {
				t.Errorf("the next turn says\n%s\nwant\n%s", got, row.says)
			}
			if got := noteTexts(tr.Steps[n+1]); got != "" {
				t.Errorf("the turn after it says %s", got)
			}
			h := tr.HistoryAt(n + 1)
			text := brain.PromptOf(&cua.Turn{History: h, Now: h.Now()}, brain.DefaultPrompt()).Text
			if line := "undone: step"; strings.Count(text, line) != 1 || strings.Contains(text, "hush") {
				t.Errorf("the prompt does not name what was undone once, or says what was typed:\n%s", text)
			}
		})
	}
}

// A person's words while the brain thinks, and the rewind that they want, are in the very next turn that is
// answered; what the runner had to say in the turn that was given up is too.
func TestAPersonsSentenceReachesTheNextTurn(t *testing.T) {
	cfg, err := runner.DefaultConfig().Arm("off")
	if err != nil {
		t.Fatal(err)
	}
	thinking, answered := make(chan struct{}), make(chan string, 1)
	script := brain.Scripted{Script: []cua.Scripted{typed("Word", "a"), click("Next")}}
	b := decider(func(ctx context.Context, turn *cua.Turn) (cua.Decision, error) {
		switch turn.Number {
		case 3:
			close(thinking)
			<-ctx.Done()
			return cua.Decision{}, ctx.Err()
		case 4:
			answered <- brain.PromptOf(turn, brain.DefaultPrompt()).Text
			return finishing(), nil
		}
		return script.Decide(ctx, turn)
	})
	dir := filepath.Join(t.TempDir(), "episode")
	r := &runner.Runner{Brain: overseen(t, b), Env: &envtest.Env{Site: desk}, Config: cfg, Dir: dir,
		Header: trajectories.Header{Episode: "episode"}, Secrets: map[string]string{"PIN": "48151623"}}
	if err := r.Tell("too early"); err != runner.ErrOver {
		t.Errorf("before the episode: %v", err)
	}
	over := make(chan error, 1)
	go func() {
		_, err := r.Run(t.Context(), cua.Task{ID: "desk", URL: envtest.URL("form")})
		over <- err
	}()
	<-thinking
	if err := r.Tell("it broke the form,\n use the other link"); err != nil {
		t.Error(err)
	}
	if err := r.Tell("the PIN is 48151623"); err == nil || strings.Contains(err.Error(), "48151623") {
		t.Errorf("a secret: %v", err)
	}
	if got, err := r.Rewind(t.Context(), runner.RewindRequest{}); err != nil || got.OK != cua.RestoredAll ||
		got.ToStep != 2 {
		t.Errorf("the rewind came to %+v, %v", got, err)
	}
	prompt := <-answered
	for _, part := range []string{
		"Note: The person who watches this run says: it broke the form, use the other link\n",
		`Note: A person went back to before step 2. Undone: step 2: click "Next". Try another way.`} {
		if strings.Count(prompt, part) != 1 {
			t.Errorf("no %q in\n%s", part, prompt)
		}
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range runner.Replay(tr, cfg) {
		t.Errorf("step %d, %s: recorded %q, replayed %q", d.Step, d.What, d.Recorded, d.Replayed)
	}
	if err := r.Tell("too late"); err != runner.ErrOver {
		t.Errorf("after the episode: %v", err)
	}
}
