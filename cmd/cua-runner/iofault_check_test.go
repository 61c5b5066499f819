package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// checkMessage wants the infrastructure's exit code and one message that names the file and the error.
func (f ioFault) checkMessage(t *testing.T, at string, got ended) {
	t.Helper()
	file := f.says
	if file == "" {
		file = f.file + strings.TrimSuffix(f.part, ".new-")
	}
	if got.code != exitInfra {
		t.Errorf("%s: exit code %d, want %d", at, got.code, exitInfra)
	}
	named := strings.Contains(got.stderr, file) && strings.Contains(got.stderr, errnos[f.errno].Error())
	if !named || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%s: %q, want one line that names %s and %q", at, got.stderr, file, errnos[f.errno])
	}
}

// checkFolder looks at what a process left whose call failed after so many that did not; last says that
// no more would have followed.
func (f ioFault) checkFolder(t *testing.T, at, dir string, before int, last bool) {
	t.Helper()
	checkWhole(t, at, dir)
	f.checkRecords(t, at, dir, before)
	switch f.mode {
	case modeRun, modeFrames, modeWriter:
		f.checkJournal(t, at, dir, f.seals(before == 0, last))
	default:
		f.checkStudy(t, at, dir)
	}
}

// checkRecords wants the file to hold all records that were written and synced, each with one call of
// either kind.
func (f ioFault) checkRecords(t *testing.T, at, dir string, before int) {
	t.Helper()
	if !strings.HasSuffix(f.file, ".jsonl") || f.call != "write" && f.call != "fsync" {
		return
	}
	text, err := os.ReadFile(filepath.Join(dir, f.file))
	n := bytes.Count(text, []byte("\n"))
	more := f.file == resultsFile && f.also == "" && n > before // a journal says more: that the episode ended
	if err != nil || n < before || more {
		t.Errorf("%s: %d records are left, %d were acknowledged (%v)", at, n, before, err)
	}
}

// checkJournal wants a journal that can be read, or none; seals says that it must end as an
// infrastructure fault.
func (f ioFault) checkJournal(t *testing.T, at, dir string, seals bool) {
	t.Helper()
	tr, err := trajectories.Read(dir)
	none := errors.Is(err, fs.ErrNotExist) || errors.Is(err, trajectories.ErrNoHeader)
	switch {
	case none && !seals:
	case err != nil || tr.Torn:
		t.Errorf("%s: the journal: %v", at, err)
	case seals && (tr.End == nil || tr.End.Reason != cua.EndEnvError):
		t.Errorf("%s: the journal ends with %+v, want %s", at, tr.End, cua.EndEnvError)
	}
}

// checkStudy wants a study that can be read, with the results that it had; one that was
// begun just now may be absent.
func (f ioFault) checkStudy(t *testing.T, at, dir string) {
	t.Helper()
	had := 0
	if f.mode == modeRetry || f.mode == modeReplace {
		had = cells
	}
	if _, err := os.Stat(dir); err != nil && f.mode == modeReplace {
		dir = setAside(t, at, dir)
	}
	_, err := os.Stat(filepath.Join(dir, studyFile))
	if errors.Is(err, fs.ErrNotExist) && f.mode == modeCreate {
		return
	}
	if s, err := benchmarks.Open(dir); err != nil || s.Torn || len(s.Results) < had {
		t.Errorf("%s: the study is not what it was: %v", at, err)
	}
}

// setAside is where the study of dir is that could not be moved back.
func setAside(t *testing.T, at, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".study.replaced-*", "old"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: the old study is in none of %q (%v)", at, found, err)
	}
	return found[0]
}

// checkWhole wants no temporary file below dir, and each file that is named by its hash to hold what its
// name says.
func checkWhole(t *testing.T, at, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasPrefix(d.Name(), ".new-") {
			t.Errorf("%s: %s is left", at, path)
		}
		if in := filepath.Base(filepath.Dir(path)); in != trajectories.BlobsDir &&
			in != trajectories.StateDir {
			return nil
		}
		text, err := os.ReadFile(path)
		if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != d.Name() {
			t.Errorf("%s: %s holds half of what it should", at, path)
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s: %v", at, err)
	}
}

// goOn starts the process again, without a fault, and looks at what is there in the end.
func (f ioFault) goOn(t *testing.T, at, dir string) {
	t.Helper()
	mode := f.mode
	if mode == modeCreate || mode == modeReplace || mode == modeBench {
		mode = modeGoOn
		if _, err := os.Stat(filepath.Join(dir, studyFile)); err != nil {
			mode = modeBench
		}
	}
	if got := spoken(t, exec.Command(scriptedName, mode, dir)); got.code != exitOK {
		t.Errorf("%s: going on: exit code %d: %s", at, got.code, got.stderr)
		return
	}
	checkWhole(t, at, dir)
	switch f.mode {
	case modeRun, modeFrames, modeWriter:
		checkEpisode(t, at, dir)
		return
	}
	s, err := benchmarks.Open(dir) // a cell that is there twice is an error
	if err != nil || s.Torn || len(s.Results) != cells {
		t.Errorf("%s: gone on, the study: %v", at, err)
		return
	}
	for _, r := range s.Results {
		checkEpisode(t, at, s.EpisodeDir(r.Episode))
	}
}

// checkEpisode wants a whole episode with each click once and all that its journal names.
func checkEpisode(t *testing.T, at, dir string) {
	t.Helper()
	tr, err := trajectories.Read(dir)
	if err != nil || tr.Torn || tr.End == nil || tr.End.Reason != cua.EndDone {
		t.Errorf("%s: gone on, the journal: %v", at, err)
		return
	}
	n := 0
	for i, s := range tr.Steps {
		if s.N != i+1 {
			t.Errorf("%s: place %d holds step %d", at, i+1, s.N)
		}
		if s.Action != nil && s.Action.Kind == cua.Click {
			n++
		}
		if name := s.After.FrameSHA; name != "" {
			if _, err := tr.Blob(name); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		}
		if name := s.After.Checkpoint; name != "" {
			if _, err := trajectories.ReadState(dir, name); err != nil {
				t.Errorf("%s: %v", at, err)
			}
		}
	}
	if n != clicks {
		t.Errorf("%s: %d clicks on record, want %d", at, n, clicks)
	}
}
