package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cua-runner/cua-runner/trajectories"
)

// ioFault is a system call that fails in a process of the scripted command: in a first process the first of
// these calls, in a second process the second one, and so on.
type ioFault struct {
	name  string
	mode  string // of the scripted command
	call  string
	errno string // a key of errnos
	// file is the path below the folder whose calls are counted. Without it every call of a thread is
	// counted, and those with part in their path fail: temporary files have random names.
	file, part string
	// inFolder stands for a row with each file that the folder then holds as its file.
	inFolder string
	// onward says that the later calls fail too, as on a full disk.
	onward bool
	// scattered says that any thread makes the calls: the first of each thread fails.
	scattered bool
	// also is a second injection, as strace takes it.
	also string
	// says is what the message must name; "" is file.
	says string
}

const (
	journalFile = trajectories.JournalName
	resultsFile = "results.jsonl"
	studyFile   = "study.json"
	cellJournal = "runs/stepper@off.1-1/" + journalFile
	// noCut makes it fail that half a record is cut off. The first ftruncate is that of the empty file.
	noCut = "ftruncate:error=EROFS:when=2+"
)

// errnos are the errors by the names that strace takes.
var errnos = map[string]syscall.Errno{"ENOSPC": syscall.ENOSPC, "EIO": syscall.EIO, "EROFS": syscall.EROFS}

var ioFaults = []ioFault{
	{name: "journal: no new file", mode: modeRun, file: journalFile, call: "openat", errno: "EROFS"},
	{name: "journal: emptying fails", mode: modeRun, file: journalFile, call: "ftruncate", errno: "EIO"},
	{name: "journal: one write finds no room", mode: modeRun, file: journalFile, call: "write",
		errno: "ENOSPC"},
	{name: "journal: the disk stays full", mode: modeRun, file: journalFile, call: "write", errno: "ENOSPC",
		onward: true},
	{name: "journal: write fails", mode: modeRun, file: journalFile, call: "write", errno: "EIO"},
	{name: "journal: sync fails", mode: modeRun, file: journalFile, call: "fsync", errno: "EIO"},
	{name: "journal: syncs fail", mode: modeRun, file: journalFile, call: "fsync", errno: "EIO", onward: true},
	{name: "journal: write and cut fail", mode: modeRun, file: journalFile, call: "write", errno: "EIO",
		also: noCut},
	{name: "journal: sync and cut fail", mode: modeRun, file: journalFile, call: "fsync", errno: "EIO",
		also: noCut},

	{name: "blobs: no name, in an episode", mode: modeFrames, inFolder: "blobs", call: "renameat",
		errno: "EROFS"},
	{name: "blobs: no new file", mode: modeWriter, part: "blobs/.new-", call: "openat", errno: "EROFS"},
	{name: "blobs: no room", mode: modeWriter, part: "blobs/.new-", call: "write", errno: "ENOSPC"},
	{name: "blobs: sync fails, in an episode", mode: modeFrames, inFolder: "blobs", call: "fsync", errno: "EIO"},
	{name: "blobs: no name", mode: modeWriter, part: "blobs/.new-", call: "renameat", errno: "ENOSPC"},
	{name: "blobs: sync of the folder fails", mode: modeFrames, file: "blobs", call: "fsync", errno: "EIO",
		scattered: true},

	{name: "checkpoints: no new file", mode: modeRun, part: "state/.new-", call: "openat", errno: "EROFS"},
	{name: "checkpoints: no room", mode: modeRun, part: "state/.new-", call: "write", errno: "ENOSPC"},
	{name: "checkpoints: write fails", mode: modeRun, part: "state/.new-", call: "write", errno: "EIO"},
	{name: "checkpoints: no name", mode: modeRun, part: "state/.new-", call: "renameat", errno: "EROFS"},

	{name: "study.json: no new file", mode: modeCreate, part: "study/.new-", call: "openat", errno: "EROFS",
		says: studyFile},
	{name: "study.json: no room", mode: modeCreate, part: "study/.new-", call: "write", errno: "ENOSPC",
		says: studyFile},
	{name: "study.json: sync fails", mode: modeCreate, part: "study/.new-", call: "fsync", errno: "EIO",
		says: studyFile},
	{name: "study.json: neither link nor name", mode: modeCreate, file: studyFile, call: "renameat",
		errno: "EIO", also: "linkat:error=EPERM"},
	{name: "study.json: sync of the folder fails", mode: modeCreate, file: ".", call: "fsync", errno: "EIO",
		says: "study"},

	{name: "an old study: not moved, or the new one not", mode: modeReplace, file: ".", call: "renameat",
		errno: "ENOSPC", says: "study"},
	{name: "an old study: not moved back", mode: modeReplace, file: ".", call: "renameat", errno: "ENOSPC",
		onward: true, says: "study"},

	{name: "results: cannot be opened", mode: modeBench, file: resultsFile, call: "openat", errno: "EROFS"},
	{name: "results: cut fails", mode: modeBench, file: resultsFile, call: "ftruncate", errno: "EIO"},
	{name: "results: one write finds no room", mode: modeBench, file: resultsFile, call: "write",
		errno: "ENOSPC"},
	{name: "results: the disk stays full", mode: modeBench, file: resultsFile, call: "write",
		errno: "ENOSPC", onward: true},
	{name: "results: sync fails", mode: modeBench, file: resultsFile, call: "fsync", errno: "EIO"},
	{name: "results: write and cut fail", mode: modeBench, file: resultsFile, call: "write", errno: "EIO",
		also: noCut},
	{name: "results: sync and cut fail", mode: modeBench, file: resultsFile, call: "fsync", errno: "EIO",
		also: noCut},
	{name: "results: no room to drop errors", mode: modeRetry, part: "study/.new-", call: "write",
		errno: "ENOSPC", says: resultsFile},
	{name: "results: no name without errors", mode: modeRetry, file: resultsFile, call: "renameat",
		errno: "EROFS"},
	{name: "a cell's journal: no room", mode: modeBench, file: cellJournal, call: "write", errno: "ENOSPC"},
	{name: "a cell's journal: sync fails", mode: modeBench, file: cellJournal, call: "fsync", errno: "EIO"},
	{name: "a cell's blobs: no name", mode: modeBench, inFolder: "runs/stepper@off.2-1/blobs",
		call: "renameat", errno: "EROFS"},
	{name: "player.json: cannot be opened", mode: modeBench, file: "player.json", call: "openat",
		errno: "EROFS"},
	{name: "player.json: no room", mode: modeBench, file: "player.json", call: "pwrite64", errno: "ENOSPC"},
}

// Whichever call fails on whichever file, what was written stays whole, the exit code is that of an
// infrastructure fault, the message names file and error, and going on ends with everything there once.
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
	probe := exec.Command(path, "-f", "--seccomp-bpf", "-qq", "-o", os.DevNull,
		"-e", "inject=fsync:error=EIO", "true")
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
	args := []string{"-f", "--seccomp-bpf", "-qq", "-y", "-o", log, "-e", "signal=none", "-e",
		"trace=" + f.call}
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
	// With more processors the runtime wakes its poller by writes that would be counted with the others.
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
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
	if f.scattered && len(out) > 0 {
		return []int{1}
	}
	if len(out) == 0 {
		t.Fatalf("the process never calls %s on %s%s: %+v", f.call, f.file, f.part, got)
	}
	return out
}

// play makes each of the calls fail, in a process of its own.
func (f ioFault) play(t *testing.T, strace string) {
	turns := f.turns(t, strace)
	for i, n := range turns {
		when := strconv.Itoa(n)
		if f.onward {
			when += "+"
		}
		dir := newFolder(t, f.mode)
		got := f.run(t, strace, dir, fmt.Sprintf("%s:error=%s:when=%s", f.call, f.errno, when))
		at := fmt.Sprintf("call %d of %d", i+1, len(turns))
		if !slices.ContainsFunc(got.calls, func(c string) bool {
			return strings.Contains(c, "(INJECTED)") && strings.Contains(c, f.call) &&
				strings.Contains(c, f.part)
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

// seals reports whether the episode can still be sealed as an infrastructure fault: its journal takes what
// follows.
func (f ioFault) seals(first, last bool) bool {
	if f.mode != modeRun && f.mode != modeFrames {
		return false
	}
	return f.file != journalFile || !f.onward && f.also == "" && !first && !last
}
