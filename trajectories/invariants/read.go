package invariants

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cua-runner/cua-runner/trajectories"
)

// Read reads a journal to be checked; path is the run folder or the journal itself. What breaks the grammar is
// no error here: it ends the trajectory, stays among the records, and invariant grammar names it. A file that is
// no journal, or has a line that is no record before ones that are, is a *trajectories.SyntaxError.
func Read(path string) (*Journal, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, trajectories.JournalName)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("invariants: opening journal: %w", err)
	}
	return decode(text, file)
}

func decode(text []byte, name string) (*Journal, error) {
	t, records, err := trajectories.DecodeRecords(text, name)
	if err != nil {
		return nil, err
	}
	return &Journal{Trajectory: t, Records: records, Text: text}, nil
}
