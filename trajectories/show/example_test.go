package show_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/show"
)

// A progress display prints a line for each step; here its parts stand below each other. Text of pages and
// brains cannot move the cursor.
func ExampleStepLine() {
	t, err := trajectories.Read("../testdata/episode.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	for part := range strings.SplitSeq(show.StepLine(&t.Steps[3]), "  ") {
		fmt.Println(part)
	}
	// Output:
	// click 320,178 (User name)
	// → type 320,178 "ada"
	// [rescue: type_pending_value]
	// effect: form pixels
	// signals: repeat:soft:3 drift:note:3
}
