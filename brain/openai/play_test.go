package openai_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
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

// TestPlaysATask: the real runner, browser and SDK bring an embedded task to its end with a model that looks
// at what it is sent, and every request is valid.
func TestPlaysATask(t *testing.T) {
	for _, row := range []struct{ name, task, options, arm string }{
		{"computer", "login", "", "off"},
		{"computer, in the default assembly", "login", "", "default"},
		{"computer, all sent each time", "login", "&state=client", "off"},
		{"computer, functions between", "address", "", "off"},
		{"preview", "login", "&tool=preview", "off"},
		{"scaled down", "signup", "&long_edge=700", "off"},
		{"marks drawn", "placeholders", "&marks=1", "off"},
		{"started over after two turns", "signup", "&fold=2", "off"},
		{"started over, all sent each time", "signup", "&fold=2&state=client", "default"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newFake(t)
			s := httptest.NewServer(f)
			defer s.Close()
			p := wiretest.Play(t, wiretest.Episode{Task: row.task, Seed: 3, Arm: row.arm,
				Open: f.opens(row.options, s.URL), Key: key, Eyes: f.eyes})
			if p.Reward != 1 || p.End.Reason != cua.EndDone {
				t.Errorf("reward %v, end %s (%s)", p.Reward, p.End.Reason, p.End.Detail)
			}
			shared := 0
			for i, s := range p.Steps {
				if i > 0 && s.Decision == p.Steps[i-1].Decision {
					shared++
				}
			}
			if shared == 0 && row.arm == "off" && row.name != "preview" {
				t.Error("no batch was played")
			}
			t.Logf("%d steps, %d requests", len(p.Steps), len(f.bodies))
		})
	}
}

// swapped is how a model is told that something else was done.
const swapped = "Not done as asked. The runner did something else instead: \""

// TestAFixationIsCured: a model that presses one field again and again is found out, another thing is done in
// its place, it is told so in the vendor's format, and goes on to the end. The fake holds every request
// against schema and rules.
func TestAFixationIsCured(t *testing.T) {
	for _, options := range []string{"", "&state=client", "&tool=preview"} {
		t.Run("openai"+options, func(t *testing.T) {
			f := newFake(t)
			f.mind = func(page cua.Observation, said string) []cua.Action {
				if told := `as a call of yours: {"action`; strings.Contains(said, "click: "+swapped) {
					if !strings.Contains(said, told) {
						t.Errorf("it is not told as a call of the vendor's: %s", said)
					}
					return wiretest.Fill(wiretest.Plan(said), page)
				}
				return wiretest.Fixated("Username", page)
			}
			s := httptest.NewServer(f)
			defer s.Close()
			p := wiretest.Play(t, wiretest.Episode{Task: "login", Seed: 5, Arm: "-form_controller",
				Open: f.opens(options, s.URL), Key: key, Eyes: f.eyes})
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
	f := newFake(t)
	s := httptest.NewServer(f)
	defer s.Close()
	f.turns[2] = func(w http.ResponseWriter, r *http.Request) bool {
		status(http.StatusTooManyRequests, "", "")(f, w, r)
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
