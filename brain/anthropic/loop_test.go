package anthropic

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// chromium is the one real browser of this test binary.
var chromium struct {
	sync.Once
	b   *browser.Browser
	err error
}

func launched(t testing.TB) *browser.Browser {
	t.Helper()
	chromium.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		chromium.b, chromium.err = browser.Launch(ctx, browser.Options{Path: os.Getenv("CUA_BROWSER")})
	})
	if chromium.err != nil {
		t.Fatal(chromium.err)
	}
	return chromium.b
}

func TestMain(m *testing.M) {
	code := m.Run()
	if chromium.b != nil {
		if err := chromium.b.Close(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// episode is one task of the embedded suites, to be played over the wire.
type episode struct {
	task, spec string
	view       cua.Size
	logged     strings.Builder
}

// play plays it with the real runner, the real browser and the real SDK over a real connection.
func (e *episode) play(t *testing.T, f *fake) (tr *trajectories.Trajectory, reward float64) {
	t.Helper()
	service := httptest.NewServer(f)
	t.Cleanup(service.Close)
	site, err := benchmarks.Serve()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = site.Close() })
	task, err := benchmarks.FindTask(e.task)
	if err != nil {
		t.Fatal(err)
	}
	in, err := site.Open(task, 7)
	if err != nil {
		t.Fatal(err)
	}
	s, err := brain.ParseSpec(e.spec)
	if err != nil {
		t.Fatal(err)
	}
	s.Values.Set("base_url", service.URL)
	b, err := Open(s, brain.Options{Key: func(string) string { return plantedKey }, Log: func(line string) { e.logged.WriteString(line) }})
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := runner.DefaultConfig().Arm("default")
	if err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{}
	cfg.Viewport = e.view
	if e.view == (cua.Size{}) {
		cfg.Viewport = runner.DefaultConfig().Viewport
	}
	env, err := launched(t).NewSession(t.Context(), browser.SessionOptions{Viewport: e.view, Secrets: secrets, SettleCap: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = env.Close() })
	dir := filepath.Join(t.TempDir(), "episode")
	r := &runner.Runner{Brain: &envtest.Overseen{Brain: b, Secrets: secrets, Fault: func(what string) { t.Error(what) }}, Env: env, Config: cfg, Dir: dir, Secrets: secrets,
		Header: trajectories.Header{Episode: "episode", Arm: "default", Brain: trajectories.BrainInfo{Name: Name}}}
	if _, err := r.Run(t.Context(), in.Task); err != nil {
		t.Fatal(err)
	}
	if tr, err = trajectories.Read(dir); err != nil {
		t.Fatal(err)
	}
	for _, d := range runner.Replay(tr, cfg) {
		t.Errorf("step %d, %s: recorded %q, replayed %q", d.Step, d.What, d.Recorded, d.Replayed)
	}
	e.clean(t, f, filepath.Dir(dir), secrets)
	return tr, in.Reward(tr.End.Reason)
}

// clean checks that the key is in no file, no log line and no request, and that no secret's value is.
func (e *episode) clean(t *testing.T, f *fake, dir string, secrets map[string]string) {
	t.Helper()
	places := map[string]string{"the log": e.logged.String()}
	for i, r := range f.requests {
		places[fmt.Sprintf("request %d", i+1)] = string(r)
	}
	if err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		places[path] = string(raw)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for name, value := range secrets {
		t.Logf("the secret %s, %d characters, is looked for in %d places", name, len(value), len(places))
	}
	for place, text := range places {
		if strings.Contains(text, plantedKey) {
			t.Errorf("the key is in %s", place)
		}
		for name, value := range secrets {
			if strings.Contains(text, value) {
				t.Errorf("the secret %s is in %s", name, place)
			}
		}
	}
	if strings.Contains(e.task, "login") && len(secrets) == 0 {
		t.Error("no secret was planted")
	}
}

func lines(tr *trajectories.Trajectory) string {
	var b strings.Builder
	for i := range tr.Steps {
		s := &tr.Steps[i]
		fmt.Fprintf(&b, "%d (%d) %s %q → %v, failure %v, %s\n", s.N, s.Decision, s.Proposed.Kind, s.Target.Name, s.Effect, s.Failure, s.Feedback)
	}
	return b.String()
}

func TestATaskIsSolvedOverTheWire(t *testing.T) {
	for _, row := range []struct {
		name    string
		episode episode
		model   func(*fake) func(seen) say
	}{
		{"the browser toolset, by references", episode{task: "login", spec: "anthropic"}, func(f *fake) func(seen) say { return reader(f, "Sign in", "Welcome back") }},
		{"the browser toolset, four fields of selects and texts", episode{task: "placeholders", spec: "anthropic:claude-opus-5-5"}, func(f *fake) func(seen) say { return reader(f, "Send", "Your badge is on its way") }},
		{"the computer toolset, by the picture", episode{task: "login", spec: "anthropic?tool=computer&effort=low&thinking=adaptive"}, func(f *fake) func(seen) say { return looker(f, false) }},
		{"the computer toolset, a picture made smaller", episode{task: "login", spec: "anthropic?tool=computer", view: cua.Size{W: 2400, H: 1300}}, func(f *fake) func(seen) say { return looker(f, false) }},
		{"the older tool", episode{task: "login", spec: "anthropic:claude-opus-4-6?tool=computer_20251124"}, func(f *fake) func(seen) say { return looker(f, true) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newFake(t, nil)
			f.model = row.model(f)
			tr, reward := row.episode.play(t, f)
			if reward < 1 || tr.End.Reason != cua.EndDone {
				t.Errorf("reward %v, end %+v\n%s", reward, tr.End, lines(tr))
			}
			decisions, continued := map[int]int{}, 0
			for i := range tr.Steps {
				s := &tr.Steps[i]
				if decisions[s.Decision]++; decisions[s.Decision] > 1 {
					continued++
					if s.Usage != (cua.Usage{}) {
						t.Errorf("step %d goes on with decision %d and costs %+v", s.N, s.Decision, s.Usage)
					}
				} else if u := s.Usage; u.InputTokens != 1420 || u.CachedTokens != 1000 || u.CacheWriteTokens != 300 || u.OutputTokens != 45 || u.ReasoningTokens != 12 || u.Attempts != 1 {
					t.Errorf("step %d costs %+v", s.N, u)
				}
			}
			if continued == 0 {
				t.Error("no reply was played as a batch")
			}
			t.Logf("%d requests, %d steps", len(f.requests), len(tr.Steps))
		})
	}
}

// The fault of fixation through the wire: the loop is detected, something else is done, the model is told so in its own
// format, and goes on from there.
func TestFixationIsCuredOverTheWire(t *testing.T) {
	for _, row := range []struct {
		spec, call, halt string
		model            func(*fake, *string) func(seen) say
	}{
		{"anthropic", `key {"text":"Return"}`, browserHalt, stubbornReader},
		{"anthropic?tool=computer", `key {"text":"Return"}`, computerHalt, func(f *fake, told *string) func(seen) say { return stubbornLooker(f, false, told) }},
		{"anthropic:claude-opus-4-6?tool=computer_20251124", `computer {"action":"key","text":"Return"}`, computerHalt,
			func(f *fake, told *string) func(seen) say { return stubbornLooker(f, true, told) }},
	} {
		t.Run(row.spec, func(t *testing.T) {
			f := newFake(t, nil)
			var told string
			f.model = row.model(f, &told)
			e := episode{task: "t4-dead-submit", spec: row.spec}
			tr, reward := e.play(t, f)
			if reward < 1 || tr.End.Reason != cua.EndDone {
				t.Errorf("reward %v, end %+v", reward, tr.End)
			}
			cured := slices.IndexFunc(tr.Steps, func(s cua.Step) bool { return s.RecoveryReason == cua.PressReturnForSubmit })
			if cured < 0 || len(tr.Steps[cured].Signals) == 0 {
				t.Errorf("nothing was done about it:\n%s", lines(tr))
			}
			if !strings.Contains(told, row.call) || !strings.Contains(told, string(cua.PressReturnForSubmit)) {
				t.Errorf("the model was told %q", told)
			}
			if !slices.ContainsFunc(f.requests, func(r json.RawMessage) bool { return strings.Contains(string(r), row.halt) }) {
				t.Error("no call was answered as not executed")
			}
		})
	}
}
