package wiretest

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/benchmarks/suites/tuned"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// chromium is the only real browser of a test binary.
var chromium browsertest.Shared

// CloseBrowser closes the browser of Play. A TestMain calls it after the tests.
func CloseBrowser() error { return chromium.Close() }

// Episode describes how an embedded task is run.
type Episode struct {
	// Task is the name of the task, and Seed its seed.
	Task string
	Seed int64
	// Open opens the brain. Its requests are checked (Tap), so it must use the transport of its options.
	// Key is the planted key; "" means none.
	Open func(brain.Options) brain.Brain
	Key  string
	// Eyes record the pages for a fake model; nil records nothing.
	Eyes *Eyes
	// View is the viewport; the zero value is the config's.
	View cua.Size
	// Arm is the arm; "" means everything on.
	Arm string
	// Change modifies the task before the run; it may be nil. Secrets are its secrets by name.
	Change  func(*cua.Task)
	Secrets map[string]string
}

// Played is the result of an episode.
type Played struct {
	*trajectories.Trajectory
	// Dir is the folder of the episode, and Reward the reward of the server.
	Dir    string
	Reward float64
	// Secrets are those of the task and those that the runner created. Log is the log of the brain.
	Secrets map[string]string
	Log     string
}

// settle is the time limit for the effects of an action. Only a failure uses it up.
const settle = time.Minute

// Play runs an embedded task with the real runner in the real browser.
func Play(t testing.TB, e Episode) Played {
	t.Helper()
	b := chromium.Get(t)
	server, err := suites.Serve(tuned.Pages)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	task, err := tuned.FindTask(e.Task)
	if err != nil {
		t.Fatal(err)
	}
	in, err := server.Open(task, e.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if e.Change != nil {
		e.Change(&in.Task)
	}
	defer in.Close()
	secrets := map[string]string{} // the runner adds what it seals
	maps.Copy(secrets, e.Secrets)
	e.Secrets = secrets
	session, err := b.NewSession(t.Context(), browser.SessionOptions{Viewport: e.View,
		SettleCap: settle, Secrets: secrets})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	return run(t, e, in, session)
}

func run(t testing.TB, e Episode, in *suites.Instance, env runner.Env) Played {
	t.Helper()
	cfg := runner.DefaultConfig()
	if e.Arm != "" {
		var err error
		if cfg, err = cfg.Arm(e.Arm); err != nil {
			t.Fatal(err)
		}
	}
	if e.Eyes != nil {
		env = e.Eyes.Watch(env)
	}
	cfg.Viewport = cmp.Or(e.View, cfg.Viewport)
	tap := &Tap{Key: e.Key, Secrets: e.Secrets}
	out := Played{Dir: filepath.Join(t.TempDir(), "episode"), Secrets: e.Secrets}
	r := runner.Runner{Brain: &envtest.Overseen{Brain: e.Open(brain.Options{Transport: tap, Log: tap.Log}),
		Secrets: e.Secrets, Fault: func(what string) { t.Error(what) }}, Env: env, Config: cfg, Dir: out.Dir,
		Secrets: e.Secrets, Header: trajectories.Header{Episode: "episode", Arm: e.Arm,
			Brain: trajectories.BrainInfo{Name: "fake"}},
		Reward: func(_ context.Context, end cua.EndReason, _ string) (*float64, error) {
			out.Reward = in.Reward(end)
			return &out.Reward, nil
		}}
	if _, err := r.Run(t.Context(), in.Task); err != nil {
		t.Fatal(err)
	}
	tr, err := trajectories.Read(out.Dir)
	if err != nil {
		t.Fatal(err)
	}
	out.Trajectory, out.Log = tr, strings.Join(tap.lines, "\n")
	for _, d := range runner.Replay(tr, cfg) {
		t.Errorf("step %d, %s: recorded %q, replayed %q", d.Step, d.What, d.Recorded, d.Replayed)
	}
	kept := slices.Collect(maps.Values(e.Secrets))
	if e.Key != "" {
		kept = append(kept, e.Key)
		if tap.Requests() == 0 {
			t.Error("no request was read on its way")
		}
	}
	NotIn(t, out.Dir, kept...)
	prompts(t, out)
	for _, what := range tap.Faults() {
		t.Error(what)
	}
	return out
}

// base64 matches an encoded picture in a text.
var base64 = regexp.MustCompile(`[A-Za-z0-9+/_=-]{256,}`)

// prompts checks that each new decision has the text of its request, and an action from an earlier reply
// has none. The first text contains the task, and no text contains a picture.
func prompts(t testing.TB, p Played) {
	t.Helper()
	bytes, asked := 0, 0
	for i := range p.Steps {
		s := &p.Steps[i]
		text, err := p.Prompt(s)
		if err != nil {
			t.Errorf("the prompt of step %d: %v", s.N, err)
		}
		if first := i == 0 || s.Decision != p.Steps[i-1].Decision; first != (text != "") {
			t.Errorf("step %d: decision %d, %d bytes were sent", s.N, s.Decision, len(text))
		}
		if text != "" {
			asked++
		}
		if bytes += len(text); i == 0 && !strings.Contains(text, p.Header.Task.Goal) {
			t.Errorf("the task is not in the first prompt:\n%s", text)
		}
		if base64.MatchString(text) {
			t.Errorf("step %d: a picture is in the prompt:\n%s", s.N, text)
		}
	}
	if asked > 0 {
		journal, _ := os.Stat(filepath.Join(p.Dir, trajectories.JournalName))
		t.Logf("%d bytes of prompts in %d decisions, %d bytes of journal in %d steps", bytes, asked,
			journal.Size(), len(p.Steps))
	}
}

// NotIn checks that no file below dir contains one of the texts, and that there are files.
func NotIn(t testing.TB, dir string, texts ...string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		for _, x := range texts {
			if bytes.Contains(data, []byte(x)) {
				t.Errorf("%s holds %s", path, x)
			}
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files looked at: %v", files, err)
	}
}
