package gemini

import (
	"bytes"
	"context"
	"image"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/formctl"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// open opens the brain at a fake API.
func open(t testing.TB, spec, base string, o brain.Options) brain.Brain {
	t.Helper()
	o.Providers = []brain.Provider{Provider()}
	o.Key = func(name string) string { return map[string]string{variable: plantedKey}[name] }
	sep := "?"
	if strings.Contains(spec, "?") {
		sep = "&"
	}
	b, err := brain.Open(spec+sep+"base_url="+base, o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// play plays an embedded task with the brain in the real browser.
func play(t *testing.T, f *fake, task string, b brain.Brain, c runner.Config) (trajectories.RunResult, *trajectories.Trajectory, float64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	chromium, err := browser.Launch(ctx, browser.Options{Path: os.Getenv("CUA_BROWSER")})
	if err != nil {
		t.Fatal(err)
	}
	defer chromium.Close()
	server, err := benchmarks.Serve()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	what, err := benchmarks.FindTask(task)
	if err != nil {
		t.Fatal(err)
	}
	in, err := server.Open(what, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	secrets := map[string]string{}
	sealed := formctl.Seal(in.Task, secrets)
	env, err := chromium.NewSession(ctx, browser.SessionOptions{Viewport: c.Viewport, SettleCap: time.Minute, Secrets: secrets})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close()
	dir := t.TempDir()
	result, err := (&runner.Runner{Brain: b, Env: env, Config: c, Dir: dir, Secrets: secrets}).Run(ctx, sealed)
	if err != nil {
		t.Fatal(err)
	}
	journal, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	hidden(t, dir, append(slices.Collect(maps.Values(secrets)), plantedKey))
	if len(secrets) == 0 {
		t.Fatal("the task has no secret")
	}
	for _, s := range secrets {
		f.mu.Lock()
		for i, body := range f.bodies {
			if bytes.Contains(body, []byte(s)) || bytes.Contains(body, []byte(plantedKey)) {
				t.Errorf("request %d holds a secret", i)
			}
		}
		f.mu.Unlock()
	}
	return result, journal, in.Reward(result.TerminationReason)
}

// hidden fails the test where a file below dir holds one of the values.
func hidden(t *testing.T, dir string, values []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, v := range values {
			if bytes.Contains(b, []byte(v)) {
				t.Errorf("%s holds a secret", path)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// withoutForms is a config in which nobody fills forms but the model, or what cures its loop.
func withoutForms(t *testing.T) runner.Config {
	t.Helper()
	c, err := runner.DefaultConfig().Ablate("form_controller")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestAWholeTaskThroughTheWire(t *testing.T) {
	for _, row := range []struct {
		name, spec string
		legacy     bool
	}{
		{"newer functions", "gemini:gemini-3.5-flash?marks=1", false},
		{"older functions", "gemini:gemini-2.5-computer-use-preview-10-2025?marks=1", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := &mind{legacy: row.legacy}
			f := &fake{t: t, mind: m.answer}
			api := httptest.NewServer(f)
			defer api.Close()
			prices := model.Prices{USD: map[string]map[string]model.Price{"gemini": {"*": {Input: new(1.0), Output: new(10.0), CacheRead: new(0.1)}}}}
			c := withoutForms(t)
			result, journal, reward := play(t, f, "login", open(t, row.spec, api.URL, brain.Options{Cost: prices.Cost}), c)
			f.valid(t)
			if !result.Success || reward != 1 {
				t.Errorf("ended as %s (%s) with reward %v", result.TerminationReason, result.Detail, reward)
			}
			batched := false
			for i := range journal.Steps {
				s := &journal.Steps[i]
				follows := i > 0 && journal.Steps[i-1].Decision == s.Decision
				batched = batched || follows
				if s.By != strings.SplitN(row.spec, "?", 2)[0] || follows != (s.Usage.Tokens() == 0) {
					t.Errorf("step %d by %s in decision %d used %+v", s.N, s.By, s.Decision, s.Usage)
				}
				if !follows && (s.Usage.USD == nil || s.Usage.ReasoningTokens != 20 || s.Usage.Attempts != 1) {
					t.Errorf("step %d used %+v", s.N, s.Usage)
				}
			}
			if diff := runner.Replay(journal, c); len(diff) > 0 {
				t.Errorf("the journal does not replay: %+v", diff)
			}
			if batched == row.legacy {
				t.Errorf("batches %v", batched)
			}
			for _, size := range m.seen {
				if size != image.Pt(c.Viewport.W, c.Viewport.H) {
					t.Errorf("a picture of %v", size)
				}
			}
			if len(m.seen) < 3 {
				t.Errorf("only %d pictures were sent", len(m.seen))
			}
		})
	}
}

func TestALoopIsCuredThroughTheWire(t *testing.T) {
	m := &mind{fixed: true}
	f := &fake{t: t, mind: m.answer}
	api := httptest.NewServer(f)
	defer api.Close()
	result, journal, reward := play(t, f, "login", open(t, "gemini?marks=1", api.URL, brain.Options{}), withoutForms(t))
	f.valid(t)
	if !result.Success || reward != 1 {
		t.Errorf("ended as %s (%s) with reward %v", result.TerminationReason, result.Detail, reward)
	}
	if result.LoopRecoveries[cua.TypePendingValue] == 0 {
		t.Errorf("no value was typed in place of a press: %v", result.LoopRecoveries)
	}
	told := 0
	for _, e := range m.told {
		if strings.HasPrefix(e, "Not done as asked. The runner did something else instead:") && strings.Contains(e, "type_pending_value") {
			told++
		}
	}
	swaps := 0
	for i := range journal.Steps {
		if journal.Steps[i].Substituted() {
			swaps++
		}
	}
	if told == 0 || told > swaps {
		t.Errorf("%d of %d substitutions were told: %q", told, swaps, m.told)
	}
	if !slices.ContainsFunc(m.instead, func(c any) bool { return c.(map[string]any)["name"] == "type" }) {
		t.Errorf("what was done instead is told as the calls %v", m.instead)
	}
}
