package compat_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := wiretest.CloseBrowser(); err != nil && code == 0 {
		code = 1
	}
	os.Exit(code)
}

// TestPlaysATask: for each profile the real runner, browser and SDK bring an embedded task to its end with a
// model of that family that looks at what it is sent, and every request is valid.
func TestPlaysATask(t *testing.T) {
	for _, row := range []struct {
		name, task, options, arm string
		speak                    dialect
		grid                     int
	}{
		{"default", "address", "", "off", flatTools, 1000},
		{"default, as JSON", "login", "&format=json", "off", flatJSON, 1000},
		{"default, in words", "login", "&format=text", "off", flatJSON, 1000},
		{"default, in the default assembly", "login", "&fold=3", "default", flatTools, 1000},
		{"qwen25vl", "login", "&profile=qwen25vl", "off", qwen, 0},
		{"qwen3vl", "login", "&profile=qwen3vl", "off", qwen, 1000},
		{"fara", "login", "&profile=fara", "off", qwen, 0},
		{"uitars", "login", "&profile=uitars", "off", tars, 0},
		{"holo", "address", "&profile=holo", "off", holo, 1000},
		{"pixels of a small picture", "login", "&coordinates=pixels&long_edge=640&marks=1", "off", flatTools, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newFake(t, row.speak, row.grid)
			s := httptest.NewServer(f)
			defer s.Close()
			p := wiretest.Play(t, wiretest.Episode{Task: row.task, Seed: 4, Arm: row.arm,
				Open: f.opens(row.options, s.URL), Key: key, Eyes: f.eyes})
			if p.Reward != 1 || p.End.Reason != cua.EndDone {
				t.Errorf("reward %v, end %s (%s)", p.Reward, p.End.Reason, p.End.Detail)
			}
			t.Logf("%d steps, %d requests", len(p.Steps), len(f.bodies))
		})
	}
}

// swapped is how a model is told that something else was done.
const swapped = "Not done as asked. The runner did something else instead: \""

// TestAFixationIsCured: a model that presses one field again and again is found out, another thing is done in
// its place, it is told so in its family's format, and goes on to the end. The fake holds every request
// against schema and rules.
func TestAFixationIsCured(t *testing.T) {
	for _, row := range []struct {
		options string
		speak   dialect
		grid    int
		told    string // what was done instead, in the family's words
	}{
		{"", flatTools, 1000, `{"name":"computer_use","arguments":{"action":`},
		{"&profile=uitars", tars, 0, "click(point='<point>"},
		{"&profile=holo", holo, 1000, `,"tool_name":"click",`},
	} {
		t.Run("openai-compatible"+row.options, func(t *testing.T) {
			f := newFake(t, row.speak, row.grid)
			f.mind = func(page cua.Observation, said string) []cua.Action {
				if strings.Contains(said, swapped) {
					if _, told, _ := strings.Cut(said, model.AsCall); !strings.Contains(told, row.told) {
						t.Errorf("it is not told in the family's words: %s", said)
					}
					return wiretest.Fill(wiretest.Plan(said), page)
				}
				return wiretest.Fixated("Username", page)
			}
			s := httptest.NewServer(f)
			defer s.Close()
			p := wiretest.Play(t, wiretest.Episode{Task: "login", Seed: 5, Arm: "-form_controller",
				Open: f.opens(row.options, s.URL), Key: key, Eyes: f.eyes})
			if p.Reward != 1 || p.End.Reason != cua.EndDone {
				t.Errorf("reward %v, end %s (%s)", p.Reward, p.End.Reason, p.End.Detail)
			}
			signals, swaps := 0, 0
			for _, s := range p.Steps {
				signals += len(s.Signals)
				if s.Substituted() {
					swaps++
				}
			}
			if signals == 0 || swaps == 0 {
				t.Errorf("%d signals, %d substitutions in %d steps", signals, swaps, len(p.Steps))
			}
		})
	}
}

// TestSecretsStayWhereTheyBelong: the key is in the header of requests alone, and the value of a secret in
// the page alone.
func TestSecretsStayWhereTheyBelong(t *testing.T) {
	const secret = "tangerine-4711-planted"
	f := newFake(t, flatTools, 1000)
	s := httptest.NewServer(f)
	defer s.Close()
	f.turns[2] = func(w http.ResponseWriter, _ *http.Request) bool {
		w.WriteHeader(http.StatusTooManyRequests)
		w.Write([]byte(`{"error":{"message":"no, ` + key + `"}}`)) //nolint:errcheck // a client that went away is noticed elsewhere
		return true
	}
	p := wiretest.Play(t, wiretest.Episode{Task: "login", Seed: 3, Arm: "off", Open: f.opens("", s.URL),
		Key: key, Eyes: f.eyes, Secrets: map[string]string{"PASSWORD": secret},
		Change: func(task *cua.Task) {
			task.Goal = strings.ReplaceAll(task.Goal, task.Fields[1].Value, "<secret:PASSWORD>")
			task.Fields[1].Value = "<secret:PASSWORD>"
		}})
	typed := false
	for _, s := range p.Steps {
		typed = typed || s.Proposed.Text == "<secret:PASSWORD>" && s.Effect.Any()
	}
	if !typed || p.Log == "" {
		t.Errorf("typed %v, logged %q", typed, p.Log)
	}
}

// opens is what opens the brain that asks f at url.
func (f *fake) opens(options, url string) func(brain.Options) brain.Brain {
	return func(o brain.Options) brain.Brain { return f.brain(options, o.Transport, url+"/v1", o) }
}
