package trajectories

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cua-runner/cua-runner/trajectories/taletest"
)

var compare = taletest.Compare

func TestGoldenJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeEpisode(t, dir)
	got, err := os.ReadFile(filepath.Join(dir, JournalName))
	must(t, err)
	compare(t, filepath.Join("testdata", "episode.jsonl"), got)
}

// goldenEpisode is the golden episode, written and read again.
func goldenEpisode(t testing.TB) *Trajectory {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	writeEpisode(t, dir)
	tr, err := Read(dir)
	must(t, err)
	tr.Incidents = taletest.Incidents()
	return tr
}
