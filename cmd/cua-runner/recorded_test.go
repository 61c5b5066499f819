package main

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/trajectories"
)

// TestARecordedBrainIsNotRunUnasked: what a folder names as its brain is opened only where it is ours, or where the user says so.
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
	} {
		t.Run(row.name, func(t *testing.T) {
			o, err := (&brainFlags{recorded: row.recorded}).opener(&app{}, func(string) string { return "" })
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

// TestABrainIsClosedThroughWhatWrapsIt: faults, a director and a budget hand the end on, so no process outlives its episode.
func TestABrainIsClosedThroughWhatWrapsIt(t *testing.T) {
	var closed []string
	faulty, err := brain.WithFaults(held{name: "brain", closed: &closed}, brain.Faults{})
	if err != nil {
		t.Fatal(err)
	}
	b := (&app{}).asking(metered{brain.Directed{Brain: faulty, Director: held{name: "director", closed: &closed}}, nil})
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
