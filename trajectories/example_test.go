package trajectories_test

import (
	"fmt"
	"log"

	"github.com/cua-runner/cua-runner/trajectories"
)

// A journal is read whole. Each step says what was proposed, what was dispatched, and which row of the rescue
// table replaced it, if one did.
func ExampleRead() {
	t, err := trajectories.Read("testdata/episode.jsonl")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(t.Header.Task.Goal)
	for i := range t.Steps {
		if s := &t.Steps[i]; s.RecoveryReason != "" {
			fmt.Printf("step %d: %s instead of %s: %s\n", s.N, s.Action.Kind, s.Proposed.Kind,
				s.RecoveryReason)
		}
	}
	// Output:
	// Sign in as ada and say who is signed in.
	// step 4: type instead of click: type_pending_value
	// step 7: key instead of click: press_return_for_submit
}
