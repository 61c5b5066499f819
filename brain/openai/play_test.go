package openai_test

import (
	"net/http/httptest"
	"os"
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

// TestPlaysATask: the real runner, browser and SDK bring an embedded task to its end with a model that looks at what it is
// sent, and every request is valid.
func TestPlaysATask(t *testing.T) {
	for _, row := range []struct{ name, task, options, arm string }{
		{"computer", "login", "", "off"},
		{"computer, in the default assembly", "login", "", "default"},
		{"computer, all sent each time", "login", "&state=client", "off"},
		{"computer, functions between", "address", "", "off"},
		{"preview", "login", "&tool=preview", "off"},
		{"scaled down", "signup", "&long_edge=700", "off"},
		{"marks drawn", "placeholders", "&marks=draw", "off"},
		{"begun anew after two turns", "signup", "&fold=2", "off"},
		{"begun anew, all sent each time", "signup", "&fold=2&state=client", "default"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newFake(t)
			s := httptest.NewServer(f)
			defer s.Close()
			p := wiretest.Play(t, wiretest.Episode{Task: row.task, Seed: 3, Arm: row.arm, Brain: f.brain(row.options, nil, s.URL+"/v1", brain.Options{}), Eyes: f.eyes})
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
