package runner_test

import (
	"context"
	"encoding/json"
	"fmt"
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
)

// desk is the site of these tests.
var desk = envtest.Site{Start: "form", Pages: map[string]envtest.Page{
	"form": {Title: "Form", Controls: []envtest.Control{{Name: "word", Type: "text", Label: "Word"}, {Name: "Next", Type: "link", To: "next"},
		{Name: "Send", Type: "button", Writes: true}}},
	"next": {Title: "Next", Controls: []envtest.Control{{Name: "other", Type: "text", Label: "Other"}}},
}}

func rewindTo(n int) cua.Scripted { return cua.Scripted{Action: cua.Action{Kind: cua.Rewind, Step: n}} }

func finish() cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Done, Success: true, Text: "42"}}
}

// at the desk runs a script and reads what was recorded.
func atDesk(t *testing.T, change func(*runner.Config), b runner.Brain) (*trajectories.Trajectory,
	*envtest.Env) {
	t.Helper()
	cfg, err := runner.DefaultConfig().Arm("off")
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&cfg)
	}
	env := &envtest.Env{Site: desk}
	dir := filepath.Join(t.TempDir(), "episode")
	r := &runner.Runner{Brain: overseen(t, b), Env: env, Config: cfg, Dir: dir, Now: clock(),
		Header: trajectories.Header{Episode: "episode"}}
	if _, err := r.Run(t.Context(), cua.Task{ID: "desk", URL: envtest.URL("form")}); err != nil {
		t.Fatal(err)
	}
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range runner.Replay(tr, cfg) {
		t.Errorf("step %d, %s: recorded %q, replayed %q", d.Step, d.What, d.Recorded, d.Replayed)
	}
	return tr, env
}

// result is a step's, as the journal has it.
func result(t *testing.T, s cua.Step) string {
	t.Helper()
	text, err := json.Marshal(s.Restored)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestRewind(t *testing.T) {
	const kept = `"cookies":"kept","form":"restored","scroll":"restored","storage":"restored","tabs":"restored","url":"restored"`
	crossing := func(c *runner.Config) { c.Recovery.Policy.AllowCrossing = true }
	for _, row := range []struct {
		name   string
		change func(*runner.Config)
		script []cua.Scripted
		want   string // of the newest rewind
		says   string
	}{
		{"gives the form back", nil, []cua.Scripted{typed("Word", "one"), typed("Word", "two"), click("Next"), rewindTo(2)},
			`{"ok":true,"to_step":2,"facets":{` + kept + `},"crossed":[]}`, "the page is as it was before step 2"},
		{"without state there is nothing to go back to", func(c *runner.Config) { c.Checkpoints.State = false }, []cua.Scripted{typed("Word", "one"), click("Next"), rewindTo(2)},
			`{"ok":false,"error":"no_snapshot"}`, "no checkpoint"},
		{"a step that has not happened", nil, []cua.Scripted{click("Next"), rewindTo(7)}, `{"ok":false,"error":"no_snapshot"}`, "has not happened"},
		{"a step that was gone back past", nil, []cua.Scripted{typed("Word", "one"), click("Next"), typed("Other", "x"), rewindTo(1), rewindTo(3)},
			`{"ok":false,"error":"no_snapshot"}`, "gone back past already"},
		{"one that had to make room", func(c *runner.Config) { c.Checkpoints.Max = 2 },
			[]cua.Scripted{typed("Word", "a"), typed("Word", "b"), typed("Word", "c"), typed("Word", "d"),
				rewindTo(1)},
			`{"ok":false,"error":"snapshot_expired","oldest_available":4}`, "the oldest is the one before step 4"},
		{"one that is pinned stays", func(c *runner.Config) { c.Checkpoints.Max, c.Checkpoints.Pin = 2, []int{1} },
			[]cua.Scripted{typed("Word", "a"), typed("Word", "b"), typed("Word", "c"), typed("Word", "d"),
				rewindTo(1)},
			`{"ok":true,"to_step":1,"facets":{` + kept + `},"crossed":[]}`, "restored"},
		{"past what was sent", nil, []cua.Scripted{typed("Word", "a"), click("Send"), rewindTo(1)},
			`{"ok":false,"error":"irreversible_fence","step":2}`, "step 2 sent something that the server keeps"},
		{"past what was sent with consent", crossing, []cua.Scripted{typed("Word", "a"), click("Send"), rewindTo(1)},
			`{"ok":true,"to_step":1,"facets":{` + kept + `},"crossed":[2]}`, "the server still has what was sent at step 2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			tr, _ := atDesk(t, row.change, brain.Scripted{Script: append(row.script, finish())})
			s := tr.Steps[len(row.script)-1]
			if got := result(t, s); got != row.want {
				t.Errorf("the result is\n%s\nwant\n%s", got, row.want)
			}
			if !strings.Contains(s.Feedback, row.says) {
				t.Errorf("the brain is told %q, want %q in it", s.Feedback, row.says)
			}
			if ok := strings.HasPrefix(row.want, `{"ok":true`); ok != (s.RewoundTo > 0) || ok != (s.Failure == nil) {
				t.Errorf("rewound to %d, failure %v", s.RewoundTo, s.Failure)
			}
		})
	}
}

// Past a hundred checkpoints the oldest is gone and is said to be, and no more are on disk; equal ones are
// kept once.
func TestAHundredCheckpointsAreKept(t *testing.T) {
	var script []cua.Scripted
	for i := range 110 {
		script = append(script, typed("Word", fmt.Sprintf("%d ", i)))
	}
	script = append(script, wait(5), wait(5), rewindTo(3), rewindTo(60), finish())
	tr, _ := atDesk(t, func(c *runner.Config) { c.Recovery.Limits.MaxSteps = 200 },
		brain.Scripted{Script: script})
	// 111 states were seen: the start's and one after each word; the waits saw none that was new.
	if got := result(t, tr.Steps[112]); got != `{"ok":false,"error":"snapshot_expired","oldest_available":12}` {
		t.Errorf("going back to step 3: %s", got)
	}
	if r := tr.Steps[113].Restored; r == nil || r.OK != cua.RestoredAll || tr.Steps[113].RewoundTo != 60 {
		t.Errorf("going back to step 60: %+v", r)
	}
	files, err := os.ReadDir(filepath.Join(tr.Dir, trajectories.StateDir))
	if err != nil || len(files) > 100 || len(files) < 99 {
		t.Errorf("%d checkpoints are on disk: %v", len(files), err)
	}
}

// A checkpoint is for its owner alone, and what it holds is nowhere else: not in the journal, and in no turn.
func TestCheckpointsArePrivate(t *testing.T) {
	var turns strings.Builder
	script := brain.Scripted{Script: []cua.Scripted{typed("Word", "a private word"), click("Next"), finish()}}
	b := decider(func(ctx context.Context, turn *cua.Turn) (cua.Decision, error) {
		shown := *turn
		shown.History = cua.History{Start: turn.History.Start}
		for _, s := range turn.History.Steps {
			s.Action, s.Proposed = nil, cua.Action{} // the brain's own words
			shown.History.Steps = append(shown.History.Steps, s)
			if s.After.State != nil {
				t.Error("a step in the history carries the session")
			}
		}
		fmt.Fprintf(&turns, "%+v", shown)
		return script.Decide(ctx, turn)
	})
	tr, _ := atDesk(t, nil, b)
	if strings.Contains(turns.String(), "a private word") {
		t.Error("a brain was shown what a checkpoint holds")
	}
	dir := filepath.Join(tr.Dir, trajectories.StateDir)
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v: %v", info.Mode(), err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	holds := false
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v: %v", f.Name(), info.Mode(), err)
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		holds = holds || strings.Contains(string(text), "a private word")
	}
	if !holds {
		t.Error("no checkpoint holds what was typed")
	}
	if !slices.ContainsFunc(files,
		func(f os.DirEntry) bool { return f.Name() == tr.Steps[0].After.Checkpoint }) {
		t.Errorf("step 1 names the checkpoint %q", tr.Steps[0].After.Checkpoint)
	}
}

// decider is a function as a brain.
type decider func(context.Context, *cua.Turn) (cua.Decision, error)

func (f decider) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) { return f(ctx, t) }

// slowly is an environment whose restore waits to be let go.
type slowly struct {
	*envtest.Env
	restoring, release chan struct{}
}

func (s slowly) Restore(ctx context.Context, c cua.Checkpoint, facets []string) (cua.Outcome, error) {
	close(s.restoring)
	<-s.release
	return s.Env.Restore(ctx, c, facets)
}

func TestOneRewindAtATime(t *testing.T) {
	cfg, err := runner.DefaultConfig().Arm("off")
	if err != nil {
		t.Fatal(err)
	}
	env := slowly{&envtest.Env{Site: desk}, make(chan struct{}), make(chan struct{})}
	asked := make(chan struct{})
	script := brain.Scripted{Script: []cua.Scripted{typed("Word", "a"), click("Send")}}
	b := decider(func(ctx context.Context, turn *cua.Turn) (cua.Decision, error) {
		switch turn.Number {
		case 3:
			close(asked)
			<-ctx.Done()
			return cua.Decision{}, ctx.Err()
		case 4:
			return finishing(), nil
		}
		return script.Decide(ctx, turn)
	})
	r := &runner.Runner{Brain: overseen(t, b), Env: env, Config: cfg,
		Dir: filepath.Join(t.TempDir(), "episode"), Header: trajectories.Header{Episode: "episode"}}
	over := make(chan error, 1)
	go func() {
		_, err := r.Run(t.Context(), cua.Task{ID: "desk", URL: envtest.URL("form")})
		over <- err
	}()
	<-asked
	first := make(chan cua.Restored, 1)
	go func() {
		got, err := r.Rewind(t.Context(), runner.RewindRequest{Step: 1, Consent: true})
		if err != nil {
			t.Error(err)
		}
		first <- got
	}()
	<-env.restoring
	if got, err := r.Rewind(t.Context(), runner.RewindRequest{Step: 1}); err != nil ||
		got.Error != cua.RewindBusy || got.OK != cua.RestoredNone {
		t.Errorf("meanwhile: %+v, %v", got, err)
	}
	close(env.release)
	if got := <-first; got.OK != cua.RestoredAll || !slices.Equal(got.Crossed, []int{2}) {
		t.Errorf("the first came to %+v", got)
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
}

func finishing() cua.Decision {
	return cua.Decision{Action: cua.Action{Kind: cua.Done, Success: true, Text: "42"}}
}
