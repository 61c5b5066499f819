package trajectories_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/formats"
	"github.com/cua-runner/cua-runner/trajectories/show"
	"github.com/cua-runner/cua-runner/trajectories/taletest"
)

var must, compare = taletest.Must, taletest.Compare

// goldenJournal are the bytes of the golden episode.
func goldenJournal(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "episode.jsonl"))
	must(t, err)
	return data
}

// goldenEpisode is the golden episode with its frames and incidents.
func goldenEpisode(t testing.TB) *trajectories.Trajectory {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	taletest.CopyEpisode(t, "testdata", dir)
	tr, err := trajectories.Read(dir)
	must(t, err)
	tr.Incidents = taletest.Incidents()
	return tr
}

// Nothing that leaves a run folder carries what a checkpoint holds.
func TestNoExportCarriesState(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	taletest.CopyEpisode(t, "testdata", dir)
	w, tr, err := trajectories.Reopen(dir)
	must(t, err)
	name, err := w.State(trajectories.SomeState())
	must(t, err)
	must(t, w.Close())
	tr.Start.Checkpoint, tr.Start.State = name, trajectories.SomeState()
	for i := range tr.Steps {
		tr.Steps[i].After.Checkpoint, tr.Steps[i].After.State = name, trajectories.SomeState()
	}
	for form, write := range map[string]func(io.Writer) error{
		"json":    func(w io.Writer) error { return formats.WriteJSON(w, []*trajectories.Trajectory{tr}, true) },
		"jsonl":   func(w io.Writer) error { return formats.WriteJSONL(w, []*trajectories.Trajectory{tr}, true) },
		"csv":     func(w io.Writer) error { return formats.WriteCSV(w, []*trajectories.Trajectory{tr}) },
		"neutral": func(w io.Writer) error { return formats.WriteNeutral(w, []*trajectories.Trajectory{tr}) },
		"html":    func(w io.Writer) error { return show.WriteHTML(w, tr) },
	} {
		var b bytes.Buffer
		must(t, write(&b))
		if b.Len() == 0 || strings.Contains(b.String(), "a private") {
			t.Errorf("%s has %d bytes, and what a checkpoint holds among them", form, b.Len())
		}
	}
}
