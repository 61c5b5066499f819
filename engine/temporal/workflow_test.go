package temporal

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/testsuite"
)

// counted are activities that play nothing and count what they are asked for.
type counted struct {
	mu      sync.Mutex
	batches []BatchInput
	cells   []int
	refuse  int // the cell that is refused; -1 is none
}

func (c *counted) missing(_ context.Context, in BatchInput) ([]int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.batches = append(c.batches, in)
	var out []int
	for i := in.From; i < in.To; i++ {
		if i%2 == 0 { // the others have a result
			out = append(out, i)
		}
	}
	return out, nil
}

func (c *counted) cell(_ context.Context, in CellInput) (CellOutput, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cells = append(c.cells, in.Number)
	if in.Number == c.refuse {
		return CellOutput{}, never(codeRefused, errors.New("refused"))
	}
	return CellOutput{}, nil
}

// A study is played in batches of a bounded size, each cell that has no result once; a cell that cannot be
// played ends it.
func TestBatches(t *testing.T) {
	for _, row := range []struct {
		name    string
		cells   int
		batches []int // their sizes
		refuse  int
	}{
		{"one cell", 1, []int{1}, -1},
		{"a full batch", BatchCells, []int{BatchCells}, -1},
		{"one more", BatchCells + 1, []int{BatchCells, 1}, -1},
		{"more than run at once", 5*BatchCells + 7, []int{500, 500, 500, 500, 500, 7}, -1},
		{"a cell that is refused", 20 * BatchCells, nil, 500},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := &counted{refuse: row.refuse}
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			var w *Worker
			env.RegisterWorkflow(BatchWorkflow)
			env.OnActivity(w.Missing, mock.Anything, mock.Anything).Return(c.missing)
			env.OnActivity(w.Cell, mock.Anything, mock.Anything).Return(c.cell)
			env.RegisterActivity(w.Missing)
			env.RegisterActivity(w.Cell)
			env.ExecuteWorkflow(StudyWorkflow, StudyInput{Dir: "study", ID: "1", Cells: row.cells})
			if !env.IsWorkflowCompleted() {
				t.Fatal("the workflow did not end")
			}
			if err := env.GetWorkflowError(); (err != nil) != (row.refuse >= 0) {
				t.Fatalf("it ended with %v", err)
			}
			if row.refuse >= 0 {
				if n := len(c.batches); n == 20 {
					t.Error("all batches were begun")
				}
				return
			}
			var sizes []int
			slices.SortFunc(c.batches, func(a, b BatchInput) int { return a.From - b.From })
			for _, b := range c.batches {
				sizes = append(sizes, b.To-b.From)
			}
			slices.Sort(c.cells)
			if len(c.cells) != (row.cells+1)/2 || len(slices.Compact(c.cells)) != len(c.cells) ||
				!slices.Equal(sizes, row.batches) {
				t.Errorf("%d cells in batches of %v, want %d in %v", len(c.cells), sizes, (row.cells+1)/2,
					row.batches)
			}
		})
	}
}
