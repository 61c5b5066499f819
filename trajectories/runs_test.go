package trajectories

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const shortRun = `{"id":"a","steps":[{"index":0,"action_type":"click","x":1,"y":2}]}`

func gzipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	must(t, err)
	must(t, w.Close())
	return b.Bytes()
}

// collect reads all of path: what each run is called, and each error.
func collect(path string, f Format, in string) (ids, errs []string) {
	for run, err := range Runs(path, f, strings.NewReader(in)) {
		if err != nil {
			errs = append(errs, err.Error())
			continue
		}
		ids = append(ids, run.ID)
	}
	return ids, errs
}

func TestRunsReadsPlainAndPacked(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "a.jsonl"), []byte(shortRun+"\n"+shortRun), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "b.jsonl.gz"), gzipped(t, shortRun+"\n"), 0o644))
	ids, errs := collect(dir, FormatAuto, "")
	if len(ids) != 3 || len(errs) != 0 {
		t.Errorf("%q %q", ids, errs)
	}
}
