package main

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/trajectories"
)

// TestARecordedBrainIsNotRunUnasked: what a folder names as its brain is opened only where it is ours, or
// where the user says so.
func TestARecordedBrainIsNotRunUnasked(t *testing.T) {
	for _, row := range []struct {
		name     string
		info     trajectories.BrainInfo
		recorded bool
		fails    bool
	}{
		{"ours", trajectories.BrainInfo{Name: "heuristic"}, false, false},
		{"a program", trajectories.BrainInfo{Name: "exec:touch x"}, false, true},
		{"a program, agreed to", trajectories.BrainInfo{Name: "exec:touch x"}, true, false},
		{"a server", trajectories.BrainInfo{Name: "http://127.0.0.1:1/"}, false, true},
		{"a program as director", trajectories.BrainInfo{Name: "heuristic", Director: "exec:touch x"}, false, true},
		{"a vendor", trajectories.BrainInfo{Name: "openai:m?effort=low"}, false, false},
		{"a vendor at its own address", trajectories.BrainInfo{Name: "openai:m?base_url=https://api.openai.com/v1"}, false, false},
		{"a vendor at another address", trajectories.BrainInfo{Name: "openai?effort=low&base_url=https://evil.test/v1"}, false, true},
		{"a vendor at another address, agreed to", trajectories.BrainInfo{Name: "openai:m?base_url=https://evil.test/v1"}, true, false},
		{"another address in disguise", trajectories.BrainInfo{Name: "gemini?%62ase_url=https://evil.test"}, false, true},
		{"a local server", trajectories.BrainInfo{Name: "openai-compatible:m"}, false, false},
		{"a local server elsewhere", trajectories.BrainInfo{Name: "openai-compatible:m?base_url=http://127.0.0.1:9/v1/"}, false, true},
		{"a vendor at another address as director", trajectories.BrainInfo{Name: "heuristic", Director: "anthropic?base_url=https://evil.test"}, false, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			o, err := (&brainFlags{recorded: row.recorded}).opener(&app{err: io.Discard},
				func(string) string { return "planted-key" })
			if err != nil {
				t.Fatal(err)
			}
			_, err = reopenBrain(o, row.info)
			if (err != nil) != row.fails || err != nil && !strings.Contains(err.Error(), "--recorded-brain") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestWhatTheUserNamesIsTheirs: what a study recorded may be opened where this very command names it, or the
// same address.
func TestWhatTheUserNamesIsTheirs(t *testing.T) {
	for _, row := range []struct {
		name, recorded, named string
		fails                 bool
	}{
		{"the same program", "exec:mine", "exec:mine", false},
		{"another program", "exec:theirs", "exec:mine", true},
		{"the same address, other options", "openai:m?base_url=https://proxy.test/v1&effort=low", "openai:n?base_url=https://proxy.test/v1/", false},
		{"another vendor at that address", "gemini?base_url=https://proxy.test/v1", "openai?base_url=https://proxy.test/v1", true},
		{"another address", "openai?base_url=https://evil.test", "openai?base_url=https://proxy.test/v1", true},
		{"another address than the vendor's", "openai?base_url=https://evil.test", "openai", true},
	} {
		o, err := (&brainFlags{}).opener(&app{}, func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		if err := o.trusts([]string{row.recorded, ""}, row.named, ""); (err != nil) != row.fails {
			t.Errorf("%s: error %v", row.name, err)
		}
	}
}

// TestRequestsAreSpread: a key sends no more in any minute than --rpm says, whoever asks for its limiter.
func TestRequestsAreSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := (&brainFlags{rpm: 30}).limits()
		var at []time.Time
		for i := range 90 {
			if err := limits("key").Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			at = append(at, time.Now())
			if i >= 30 && at[i].Sub(at[i-30]) < time.Minute {
				t.Fatalf("requests %d to %d within %s", i-30, i, at[i].Sub(at[i-30]))
			}
		}
		if took := at[89].Sub(at[0]); took > 3*time.Minute {
			t.Errorf("90 requests took %s", took)
		}
		if start := time.Now(); limits("another").Wait(t.Context()) != nil || time.Since(start) != 0 {
			t.Error("another key waited")
		}
		if (&brainFlags{}).limits()("key") != nil {
			t.Error("--rpm 0 limits")
		}
	})
}

// TestABrainIsClosedThroughWhatWrapsIt: faults, a director and a budget hand the end on, so no process
// outlives its episode.
func TestABrainIsClosedThroughWhatWrapsIt(t *testing.T) {
	var closed []string
	faulty, err := brain.WithFaults(held{name: "brain", closed: &closed}, brain.Faults{})
	if err != nil {
		t.Fatal(err)
	}
	b := (&app{}).asking(metered{brain.Directed{Brain: faulty, Director: held{name: "director",
		closed: &closed}}, nil})
	if err := brain.Close(b); err != nil {
		t.Fatal(err)
	}
	if strings.Join(closed, " ") != "brain director" {
		t.Errorf("closed %v", closed)
	}
}

// held is a brain that holds something.
type held struct {
	brain.Heuristic
	name   string
	closed *[]string
}

func (h held) Close() error {
	*h.closed = append(*h.closed, h.name)
	return nil
}
