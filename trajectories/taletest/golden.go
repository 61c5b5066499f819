package taletest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

var update = flag.Bool("update", false,
	"rewrite testdata and schemas; commit the change only if you understand it")

// Must fails the test at once.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Compare checks got against a golden file. With -update it rewrites the file instead.
func Compare(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		Must(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	Must(t, err)
	if !bytes.Equal(got, want) {
		at := 0
		for at < min(len(got), len(want)) && got[at] == want[at] {
			at++
		}
		t.Errorf("%s differs at byte %d:\ngot  …%.120q\nwant …%.120q", path, at, got[at:], want[at:])
	}
}

// CopyEpisode makes dir the run folder of the golden episode, as the tests of package trajectories write it.
// The folder testdata is that of package trajectories.
func CopyEpisode(t testing.TB, testdata, dir string) {
	t.Helper()
	journal, err := os.ReadFile(filepath.Join(testdata, "episode.jsonl"))
	Must(t, err)
	frames, err := filepath.Glob(filepath.Join(testdata, "frames", "*.png"))
	Must(t, err)
	Must(t, os.MkdirAll(filepath.Join(dir, "blobs"), 0o755))
	Must(t, os.WriteFile(filepath.Join(dir, "journal.jsonl"), journal, 0o600))
	for _, f := range frames {
		data, err := os.ReadFile(f)
		Must(t, err)
		sum := sha256.Sum256(data)
		Must(t, os.WriteFile(filepath.Join(dir, "blobs", hex.EncodeToString(sum[:])), data, 0o644))
	}
}

// Incidents are what package detector might find in the golden episode.
func Incidents() []cua.Incident {
	return []cua.Incident{{ID: "i4", Shapes: []cua.Shape{cua.ShapeRepeat}, First: 4, Last: 7, Tokens: 5140,
		USD: new(0.01), Seconds: 0.146, Outcome: cua.OutcomeRecovered,
		Tried: []cua.Attempt{{Step: 4, Reason: cua.TypePendingValue, Effect: true},
			{Step: 7, Reason: cua.PressReturnForSubmit, Effect: true}}}}
}
