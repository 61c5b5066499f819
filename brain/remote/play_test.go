package remote_test

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

// TestAProcessPlaysATask: the real runner and browser bring an embedded task to its end with a process that
// speaks the protocol, in each space and with each way of handing over what is seen. The Go brain is this
// binary; the two of docs/examples need their interpreters, and where there is none only they are left out.
func TestAProcessPlaysATask(t *testing.T) {
	for _, row := range []struct {
		name, task, arm, command, needs string
		// batches says that more than one action of an answer is played; in the default assembly form control
		// types after the first.
		batches bool
	}{
		{"several actions an answer", "login", "off", self(t, "batch"), "", true},
		{"in the default assembly", "address", "default", self(t, "batch"), "", false},
		{"on a grid, a small picture as base64", "address", "off", self(t, "grid"), "", true},
		{"in pixels of a small picture", "login", "off", self(t, "small"), "", true},
		{"without pictures, one action an answer", "login", "off", self(t, "blind"), "", false},
		{"the example in Python", "address", "default", "python3 ../../docs/examples/brain.py", "python3", false},
		{"the example in Node", "address", "default", "node ../../docs/examples/brain.mjs", "node", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.needs != "" {
				if _, err := exec.LookPath(row.needs); err != nil {
					t.Skipf("no %s here: the example was not run", row.needs)
				}
			}
			p := wiretest.Play(t, wiretest.Episode{Task: row.task, Seed: 4, Arm: row.arm,
				Open: opens(t, "exec:"+row.command, inherited)})
			if p.Reward != 1 || p.End.Reason != cua.EndDone {
				t.Errorf("reward %v, end %s (%s)", p.Reward, p.End.Reason, p.End.Detail)
			}
			decisions := 0
			for _, s := range p.Steps {
				decisions = max(decisions, s.Decision)
			}
			if row.batches && decisions >= len(p.Steps) {
				t.Errorf("%d steps of %d answers: nothing was played as a batch", len(p.Steps), decisions)
			}
			t.Logf("%d steps, %d answers", len(p.Steps), decisions)
		})
	}
}

// TestAFixationIsCured: a process that presses one field again and again is found out, something else is done
// in its place, and it is told so in last_results.
func TestAFixationIsCured(t *testing.T) {
	f := newServer(t)
	cured := false
	f.mind = func(a asked) string {
		for _, r := range a.Params.LastResults {
			cured = cured || r.Fate == "substituted" && strings.HasPrefix(r.Text, "Not done as asked.")
		}
		if cured {
			return a.mind(true)
		}
		for _, x := range a.Params.Observation.Fields {
			if x.Label == "Username" {
				return `{"actions":[{"kind":"click","x":` + itoa(x.X) + `,"y":` + itoa(x.Y) + `}]}`
			}
		}
		return a.mind(true)
	}
	p := wiretest.Play(t, wiretest.Episode{Task: "login", Seed: 5, Arm: "-form_controller",
		Open: opens(t, "http:"+f.URL, nil)})
	if p.Reward != 1 || !cured {
		t.Errorf("reward %v, cured %v, end %s (%s)", p.Reward, cured, p.End.Reason, p.End.Detail)
	}
}

// TestTheNodeExampleServes: the same example as a server, with a token.
func TestTheNodeExampleServes(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node here: the example was not run")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "node", "../../docs/examples/brain.mjs", "0")
	cmd.Env = []string{"PATH=" + inherited("PATH"), "CUA_BRAIN_TOKEN=" + token}
	listening, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { cancel(); cmd.Wait() }() //nolint:errcheck // it was killed
	var said bytes.Buffer
	for !strings.HasSuffix(said.String(), "\n") {
		one := make([]byte, 1)
		if _, err := listening.Read(one); err != nil {
			t.Fatalf("%v: %s", err, &said)
		}
		said.Write(one)
	}
	port := strings.TrimSpace(strings.TrimPrefix(said.String(), "listening on "))
	p := wiretest.Play(t, wiretest.Episode{Task: "login", Seed: 4, Arm: "off",
		Open: opens(t, "http://127.0.0.1:"+port+"/", tokenAlone), Key: token})
	if p.Reward != 1 || p.End.Reason != cua.EndDone {
		t.Errorf("reward %v, end %s (%s)", p.Reward, p.End.Reason, p.End.Detail)
	}
}

// opens is what opens the brain of spec, with the variables that key has.
func opens(t *testing.T, spec string, key func(string) string) func(brain.Options) brain.Brain {
	return func(o brain.Options) brain.Brain {
		o.Key = key
		return open(t, spec, o)
	}
}
