package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// ioFault is a system call that fails in a process of the scripted command, each time that the process makes it in turn:
// first the first time, then in another process the second time, and so on.
type ioFault struct {
	name  string
	mode  string // of the scripted command
	call  string
	errno syscall.Errno
	// file is the path below the folder whose calls are counted. Without it all calls of a thread are counted, and those
	// fail that have part in their path: temporary files have random names.
	file, part string
	// inFolder stands for a row with each file that the folder then holds as its file.
	inFolder string
	// onward says that the later calls fail too, as on a full disk.
	onward bool
	// also is a second injection, as strace takes it.
	also string
	// says is what the message must name; "" is file.
	says string
}

const (
	journalFile = trajectories.JournalName
	resultsFile = "results.jsonl"
	cellJournal = "runs/stepper@off.1-1/" + journalFile
	// noCut makes it fail that half a record is cut off. The first ftruncate is that of the empty file.
	noCut = "ftruncate:error=EROFS:when=2+"
)

var ioFaults = []ioFault{
	{name: "journal: no new file", mode: modeRun, file: journalFile, call: "openat", errno: syscall.EROFS},
	{name: "journal: emptying fails", mode: modeRun, file: journalFile, call: "ftruncate", errno: syscall.EIO},
	{name: "journal: one write finds no room", mode: modeRun, file: journalFile, call: "write", errno: syscall.ENOSPC},
	{name: "journal: the disk stays full", mode: modeRun, file: journalFile, call: "write", errno: syscall.ENOSPC, onward: true},
	{name: "journal: write fails", mode: modeRun, file: journalFile, call: "write", errno: syscall.EIO},
	{name: "journal: sync fails", mode: modeRun, file: journalFile, call: "fsync", errno: syscall.EIO},
	{name: "journal: syncs fail", mode: modeRun, file: journalFile, call: "fsync", errno: syscall.EIO, onward: true},
	{name: "journal: write and cut fail", mode: modeRun, file: journalFile, call: "write", errno: syscall.EIO, also: noCut},
	{name: "journal: sync and cut fail", mode: modeRun, file: journalFile, call: "fsync", errno: syscall.EIO, also: noCut},

	{name: "blobs: no name, in an episode", mode: modeFrames, inFolder: "blobs", call: "renameat", errno: syscall.EROFS},
	{name: "blobs: no new file", mode: modeWriter, part: "blobs/.new-", call: "openat", errno: syscall.EROFS},
	{name: "blobs: no room", mode: modeWriter, part: "blobs/.new-", call: "write", errno: syscall.ENOSPC},
	{name: "blobs: sync fails", mode: modeWriter, part: "blobs/.new-", call: "fsync", errno: syscall.EIO},
	{name: "blobs: no name", mode: modeWriter, part: "blobs/.new-", call: "renameat", errno: syscall.ENOSPC},
	{name: "blobs: sync of the folder fails", mode: modeWriter, file: "blobs", call: "fsync", errno: syscall.EIO},

	{name: "checkpoints: no new file", mode: modeRun, part: "state/.new-", call: "openat", errno: syscall.EROFS},
	{name: "checkpoints: no room", mode: modeRun, part: "state/.new-", call: "write", errno: syscall.ENOSPC},
	{name: "checkpoints: write fails", mode: modeRun, part: "state/.new-", call: "write", errno: syscall.EIO},
	{name: "checkpoints: no name", mode: modeRun, part: "state/.new-", call: "renameat", errno: syscall.EROFS},

	{name: "study.json: no new file", mode: modeCreate, part: "study/.new-", call: "openat", errno: syscall.EROFS, says: "study.json"},
	{name: "study.json: no room", mode: modeCreate, part: "study/.new-", call: "write", errno: syscall.ENOSPC, says: "study.json"},
	{name: "study.json: sync fails", mode: modeCreate, part: "study/.new-", call: "fsync", errno: syscall.EIO, says: "study.json"},
	{name: "study.json: neither link nor name", mode: modeCreate, file: "study.json", call: "renameat", errno: syscall.EIO,
		also: "linkat:error=EPERM"},
	{name: "study.json: sync of the folder fails", mode: modeCreate, file: ".", call: "fsync", errno: syscall.EIO, says: "study"},

	{name: "an old study: not moved, or the new one not", mode: modeReplace, file: ".", call: "renameat",
		errno: syscall.ENOSPC, says: "study"},
	{name: "an old study: not moved back", mode: modeReplace, file: ".", call: "renameat", errno: syscall.ENOSPC,
		onward: true, says: "study"},

	{name: "results: cannot be opened", mode: modeBench, file: resultsFile, call: "openat", errno: syscall.EROFS},
	{name: "results: cut fails", mode: modeBench, file: resultsFile, call: "ftruncate", errno: syscall.EIO},
	{name: "results: one write finds no room", mode: modeBench, file: resultsFile, call: "write", errno: syscall.ENOSPC},
	{name: "results: the disk stays full", mode: modeBench, file: resultsFile, call: "write", errno: syscall.ENOSPC, onward: true},
	{name: "results: sync fails", mode: modeBench, file: resultsFile, call: "fsync", errno: syscall.EIO},
	{name: "results: write and cut fail", mode: modeBench, file: resultsFile, call: "write", errno: syscall.EIO, also: noCut},
	{name: "results: sync and cut fail", mode: modeBench, file: resultsFile, call: "fsync", errno: syscall.EIO, also: noCut},
	{name: "results: no room to drop errors", mode: modeRetry, part: "study/.new-", call: "write", errno: syscall.ENOSPC, says: resultsFile},
	{name: "results: no name without errors", mode: modeRetry, file: resultsFile, call: "renameat", errno: syscall.EROFS},
	{name: "a cell's journal: no room", mode: modeBench, file: cellJournal, call: "write", errno: syscall.ENOSPC},
	{name: "a cell's journal: sync fails", mode: modeBench, file: cellJournal, call: "fsync", errno: syscall.EIO},
	{name: "a cell's blobs: no name", mode: modeBench, inFolder: "runs/stepper@off.2-1/blobs", call: "renameat", errno: syscall.EROFS},
	{name: "player.json: cannot be opened", mode: modeBench, file: "player.json", call: "openat", errno: syscall.EROFS},
	{name: "player.json: no room", mode: modeBench, file: "player.json", call: "pwrite64", errno: syscall.ENOSPC},
}

// Whichever call fails on whichever file, what was written stays whole, the fault is the infrastructure's and is named,
// and going on ends with everything there once.
func TestNthCallFails(t *testing.T) {
	strace := straceAt(t)
	for _, f := range ioFaults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for _, f := range f.files(t, strace) {
				f.play(t, strace)
			}
		})
	}
}

// straceAt is the path of strace. The test is skipped where there is none or it may trace nothing.
func straceAt(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts hundreds of processes")
	}
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed: it makes single system calls fail")
	}
	probe := exec.Command(path, "-f", "--seccomp-bpf", "-qq", "-o", os.DevNull, "-e", "inject=fsync:error=EIO", "true")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("strace may trace nothing here: %v: %s", err, bytes.TrimSpace(out))
	}
	return path
}

// files are f with each file of f.inFolder, or f alone.
func (f ioFault) files(t *testing.T, strace string) []ioFault {
	if f.inFolder == "" {
		return []ioFault{f}
	}
	dir := newFolder(t, f.mode)
	if got := f.run(t, strace, dir, ""); got.code != exitOK {
		t.Fatalf("without a fault: %+v", got)
	}
	entries, err := os.ReadDir(filepath.Join(dir, f.inFolder))
	if err != nil || len(entries) <= clicks {
		t.Fatalf("%d files in %s (%v)", len(entries), f.inFolder, err)
	}
	var out []ioFault
	for _, e := range entries {
		one := f
		one.file = filepath.Join(f.inFolder, e.Name())
		out = append(out, one)
	}
	return out
}

// newFolder is where a process of that mode works.
func newFolder(t *testing.T, mode string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "study")
	if mode == modeRetry || mode == modeReplace { // of a study that was played
		cmd := exec.Command(scriptedName, modeBench, dir)
		if mode == modeRetry {
			cmd.Env = append(os.Environ(), scriptedDown+"=1")
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}

// ended is how a process ended.
type ended struct {
	code   int
	stderr string
	calls  []string // those that strace wrote down
}

// run runs the scripted command under strace; inject is what it is told to inject, "" is nothing.
func (f ioFault) run(t *testing.T, strace, dir, inject string) ended {
	t.Helper()
	log := filepath.Join(t.TempDir(), "strace")
	args := []string{"-f", "--seccomp-bpf", "-qq", "-y", "-o", log, "-e", "signal=none", "-e", "trace=" + f.call}
	if f.file != "" {
		args = append(args, "-P", filepath.Join(dir, f.file))
	}
	if inject != "" {
		args = append(args, "-e", "inject="+inject)
		if call, _, more := strings.Cut(f.also, ":"); more {
			args = append(args, "-e", "inject="+f.also)
			args[slices.Index(args, "trace="+f.call)] += "," + call
		}
	}
	cmd := exec.Command(strace, append(args, scriptedName, f.mode, dir)...)
	got := spoken(t, cmd)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	got.calls = strings.Split(strings.TrimSpace(string(text)), "\n")
	return got
}

// spoken runs cmd to its end.
func spoken(t *testing.T, cmd *exec.Cmd) ended {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return ended{code: cmd.ProcessState.ExitCode(), stderr: stderr.String()}
}

// turns are the numbers of the calls that can fail: each among the calls of its thread.
func (f ioFault) turns(t *testing.T, strace string) []int {
	t.Helper()
	var inject string
	if f.also != "" { // the second alone, as renameat is called only where linkat fails
		inject = f.also
	}
	dir := newFolder(t, f.mode)
	got := f.run(t, strace, dir, inject)
	count := map[string]int{}
	var out []int
	for _, line := range got.calls {
		thread, call, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(strings.TrimSpace(call), f.call+"(") {
			continue
		}
		count[thread]++
		if strings.Contains(call, f.part) {
			out = append(out, count[thread])
		}
	}
	if len(out) == 0 {
		t.Fatalf("the process never calls %s on %s%s: %+v", f.call, f.file, f.part, got)
	}
	return out
}

// play makes the process's calls fail in turn.
func (f ioFault) play(t *testing.T, strace string) {
	turns := f.turns(t, strace)
	for i, n := range turns {
		when := strconv.Itoa(n)
		if f.onward {
			when += "+"
		}
		dir := newFolder(t, f.mode)
		got := f.run(t, strace, dir, fmt.Sprintf("%s:error=%s:when=%s", f.call, errnoName[f.errno], when))
		at := fmt.Sprintf("call %d of %d", i+1, len(turns))
		if !slices.ContainsFunc(got.calls, func(c string) bool {
			return strings.Contains(c, "(INJECTED)") && strings.Contains(c, f.call) && strings.Contains(c, f.part)
		}) {
			t.Fatalf("%s did not fail: %q", at, got.calls)
		}
		f.checkMessage(t, at, got)
		f.checkFolder(t, at, dir, i, i == len(turns)-1)
		f.goOn(t, at, dir)
		if t.Failed() {
			t.Fatalf("%s: it said %s", at, got.stderr)
		}
	}
	t.Logf("%s of %s%s: %d processes", f.call, f.file, f.part, len(turns))
}

// seals says whether the episode can still be sealed as an infrastructure fault: its journal takes what follows.
func (f ioFault) seals(first, last bool) bool {
	if f.mode != modeRun && f.mode != modeFrames {
		return false
	}
	return f.file != journalFile || !f.onward && f.also == "" && !first && !last
}

// errnoName is what strace calls them.
var errnoName = map[syscall.Errno]string{syscall.ENOSPC: "ENOSPC", syscall.EIO: "EIO", syscall.EROFS: "EROFS"}

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
	if !strings.Contains(got.stderr, file) || !strings.Contains(got.stderr, f.errno.Error()) || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%s: %q, want one line that names %s and %q", at, got.stderr, file, f.errno)
	}
}

// checkFolder looks at what a process left whose call failed after so many that did not; last says that no more follow.
func (f ioFault) checkFolder(t *testing.T, at, dir string, before int, last bool) {
	t.Helper()
	checkWhole(t, at, dir)
	if f.call == "write" || f.call == "fsync" { // one for each record
		text, _ := os.ReadFile(filepath.Join(dir, f.file)) // a folder, or none: no file of records
		if n := bytes.Count(text, []byte("\n")); n < before && strings.HasSuffix(f.file, ".jsonl") {
			t.Errorf("%s: %d records are left of %d", at, n, before)
		}
	}
	switch f.mode {
	case modeRun, modeFrames, modeWriter:
		tr, err := trajectories.Read(dir)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, trajectories.ErrNoHeader) {
			return
		}
		if err != nil || tr.Torn {
			t.Errorf("%s: the journal: %v", at, err)
			return
		}
		if f.seals(before == 0, last) && (tr.End == nil || tr.End.Reason != cua.EndEnvError) {
			t.Errorf("%s: the journal ends with %+v, want %s", at, tr.End, cua.EndEnvError)
		}
	default:
		if _, err := os.Stat(dir); err != nil && f.mode == modeReplace {
			dir = setAside(t, at, dir)
		}
		text, err := os.ReadFile(filepath.Join(dir, "study.json"))
		if errors.Is(err, fs.ErrNotExist) && f.mode == modeCreate {
			return
		}
		s, open := benchmarks.Open(dir)
		if err != nil || open != nil || s.Torn {
			t.Errorf("%s: the study of %d bytes: %v, %v", at, len(text), err, open)
		}
		if (f.mode == modeRetry || f.mode == modeReplace) && len(s.Results) != 2 {
			t.Errorf("%s: %d results, want the 2 that were there", at, len(s.Results))
		}
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

// checkWhole wants no temporary file below dir, and each file that is named by its hash to hold what its name says.
func checkWhole(t *testing.T, at, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if strings.HasPrefix(d.Name(), ".new-") {
			t.Errorf("%s: %s is left", at, path)
		}
		if in := filepath.Base(filepath.Dir(path)); in != trajectories.BlobsDir && in != trajectories.StateDir {
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
		if _, err := os.Stat(filepath.Join(dir, "study.json")); err != nil {
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
	if err != nil || s.Torn || len(s.Results) != 2 {
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
