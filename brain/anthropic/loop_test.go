package anthropic

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := wiretest.CloseBrowser(); err != nil && code == 0 {
		code = 1
	}
	os.Exit(code)
}

// episode is one task of the embedded suites, to be played over the wire.
type episode struct {
	task, spec string
	view       cua.Size
}

// play plays it with the real runner, the real browser and the real SDK over a real connection.
func (e *episode) play(t *testing.T, f *fake) (tr *trajectories.Trajectory, reward float64) {
	t.Helper()
	service := httptest.NewServer(f)
	t.Cleanup(service.Close)
	s, err := brain.ParseSpec(e.spec)
	if err != nil {
		t.Fatal(err)
	}
	s.Values.Set("base_url", service.URL)
	p := wiretest.Play(t, wiretest.Episode{Task: e.task, Seed: 7, Arm: "default", View: e.view,
		Key: plantedKey, Open: func(o brain.Options) brain.Brain {
			o.Key = func(string) string { return plantedKey }
			b, err := Open(s, o)
			if err != nil {
				t.Fatal(err)
			}
			return b
		}})
	if strings.Contains(e.task, "login") && len(p.Secrets) == 0 {
		t.Error("no secret was planted")
	}
	return p.Trajectory, p.Reward
}

func lines(tr *trajectories.Trajectory) string {
	var b strings.Builder
	for i := range tr.Steps {
		s := &tr.Steps[i]
		fmt.Fprintf(&b, "%d (%d) %s %q → %v, failure %v, %s\n", s.N, s.Decision, s.Proposed.Kind,
			s.Target.Name, s.Effect, s.Failure, s.Feedback)
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
						t.Errorf("step %d continues with decision %d and costs %+v", s.N, s.Decision, s.Usage)
					}
				} else if u := s.Usage; u.InputTokens != 1420 || u.CachedTokens != 1000 ||
					u.CacheWriteTokens != 300 || u.OutputTokens != 45 || u.ReasoningTokens != 12 ||
					u.Attempts != 1 {
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

// The fault of fixation through the wire: the loop is detected, something else is done, the model is told so
// in its own format, and continues from there.
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
			cured := slices.IndexFunc(tr.Steps,
				func(s cua.Step) bool { return s.RecoveryReason == cua.PressReturnForSubmit })
			if cured < 0 || len(tr.Steps[cured].Signals) == 0 {
				t.Errorf("nothing was done about it:\n%s", lines(tr))
			}
			if !strings.Contains(told, row.call) || !strings.Contains(told,
				string(cua.PressReturnForSubmit)) {
				t.Errorf("the model was told %q", told)
			}
			if !slices.ContainsFunc(f.requests,
				func(r json.RawMessage) bool { return strings.Contains(string(r), row.halt) }) {
				t.Error("no call was answered as not executed")
			}
		})
	}
}
