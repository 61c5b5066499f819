package formats

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/taletest"
)

var must, compare = taletest.Must, taletest.Compare

// rootData is the testdata of package trajectories, which holds the golden episode.
var rootData = filepath.Join("..", "testdata")

// goldenJournal are the bytes of the golden episode.
func goldenJournal(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(rootData, "episode.jsonl"))
	must(t, err)
	return data
}

// goldenEpisode is the golden episode with its frames and incidents.
func goldenEpisode(t testing.TB) *trajectories.Trajectory {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	taletest.CopyEpisode(t, rootData, dir)
	tr, err := trajectories.Read(dir)
	must(t, err)
	tr.Incidents = taletest.Incidents()
	return tr
}
