package tuned

import (
	"slices"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/suites"
)

// TestFormsAreGivenByTheirFields: whoever fills in the plan values of a task and sends the form has solved
// it; nothing has to be read out of the goal.
func TestFormsAreGivenByTheirFields(t *testing.T) {
	// Controls that the templates themselves have.
	// a box that nobody names; more than one form
	more := []string{"t17-rules", "t18-expired-session", "three-steps"}
	own := map[string]string{"Region": "region", "I accept the terms": "terms"}
	for _, task := range append(formTasks(), trapTasks()...) {
		for seed := range int64(5) {
			v := task.Variant(seed)
			if len(v.Fields) == 0 || slices.Contains(more, task.Name) {
				continue
			}
			sent := map[string]string{}
			for _, f := range v.Fields {
				name := own[f.Label]
				for _, in := range append([]suites.Input{v.Data.Hidden}, v.Data.Inputs...) {
					if in.Label == f.Label {
						name = in.Name
					}
				}
				if name == "" {
					t.Fatalf("%s: no control is called %q", task.Name, f.Label)
				}
				sent[name] = f.Value
			}
			if !v.Solved(suites.State{Sent: []map[string]string{sent}}) {
				t.Errorf("%s, seed %d: the fields give %v, which is not what the server wants", task.Name,
					seed, sent)
			}
			delete(sent, own["I accept the terms"])
			if task.Name == "signup" && v.Solved(suites.State{Sent: []map[string]string{sent}}) {
				t.Errorf("signup, seed %d: solved without its box", seed)
			}
		}
	}
}
