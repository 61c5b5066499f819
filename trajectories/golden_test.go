package trajectories

import (
	"bytes"
	"io"
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

func TestGoldenPages(t *testing.T) {
	tr := goldenEpisode(t)
	for _, c := range []struct {
		file  string
		write func(w io.Writer) error
	}{
		{"show.txt", func(w io.Writer) error { return WriteTable(w, tr, TableOptions{}) }},
		{"show-100.txt", func(w io.Writer) error { return WriteTable(w, tr, TableOptions{Width: 100}) }},
		{"episode.html", func(w io.Writer) error { return WriteHTML(w, tr) }},
		{"show-step-4.txt", func(w io.Writer) error { return WriteTable(w, tr, TableOptions{Step: 4}) }},
	} {
		t.Run(c.file, func(t *testing.T) {
			var b bytes.Buffer
			must(t, c.write(&b))
			compare(t, filepath.Join("testdata", c.file), b.Bytes())
		})
	}
}
