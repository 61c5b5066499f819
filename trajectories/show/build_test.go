package show

import (
	"path/filepath"
	"testing"

	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/taletest"
)

var must, compare = taletest.Must, taletest.Compare

// goldenEpisode is the golden episode with its frames and incidents.
func goldenEpisode(t testing.TB) *trajectories.Trajectory {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	taletest.CopyEpisode(t, filepath.Join("..", "testdata"), dir)
	tr, err := trajectories.Read(dir)
	must(t, err)
	tr.Incidents = taletest.Incidents()
	return tr
}
