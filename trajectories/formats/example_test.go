package formats_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// Journals, the neutral form and histories of browser-use are read alike: Auto tells them apart.
func ExampleRuns() {
	for run, err := range formats.Runs("../testdata/episode.jsonl", formats.Auto, nil, nil) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(run.Format, run.ID, len(run.History.Steps), "steps")
	}
	// Output:
	// cua t1-login@default.3-1 8 steps
}

// A CSV file has a line for each step.
func ExampleWriteCSV() {
	t, err := trajectories.Read("../testdata/episode.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	var csv strings.Builder
	if err := formats.WriteCSV(&csv, []*trajectories.Trajectory{t}); err != nil {
		log.Fatal(err)
	}
	head, _, _ := strings.Cut(csv.String(), "\n")
	fmt.Println(strings.Join(strings.Split(head, ",")[:6], " "))
	// Output:
	// episode task arm seed step decision
}
