package trajectories

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata and schema.json; commit the change only if you understand it")

// compare checks got against a golden file, or rewrites it.
func compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	must(t, err)
	if !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("%s differs at byte %d:\ngot  …%.120q\nwant …%.120q", path, at, got[at:], want[at:])
	}
}

func TestGoldenJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeEpisode(t, dir)
	got, err := os.ReadFile(filepath.Join(dir, JournalName))
	must(t, err)
	compare(t, filepath.Join("testdata", "episode.jsonl"), got)
}
