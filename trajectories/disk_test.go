package trajectories

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"pgregory.net/rapid"
)

// failing is a journal file that fails where it is told to.
type failing struct {
	LogFile
	room        int // bytes that still fit; -1 is no bound
	sync, trunc error
	silent      bool // a short write says nothing
}

func (f *failing) Write(p []byte) (int, error) {
	if f.room < 0 || len(p) <= f.room {
		if f.room > 0 {
			f.room -= len(p)
		}
		return f.LogFile.Write(p)
	}
	n, err := f.LogFile.Write(p[:f.room])
	if err == nil && !f.silent {
		err = syscall.ENOSPC
	}
	return n, err
}

func (f *failing) Sync() error {
	if f.sync != nil {
		return f.sync
	}
	return f.LogFile.Sync()
}

func (f *failing) Truncate(n int64) error {
	if f.trunc != nil {
		return f.trunc
	}
	return f.LogFile.Truncate(n)
}

// started is a writer with a header and a start, and its journal so far.
func started(t testing.TB, dir string) (*Writer, []byte) {
	t.Helper()
	w, err := Create(dir, Header{Episode: "e"})
	must(t, err)
	must(t, w.Start(cua.Observation{URL: "http://a/"}))
	text, err := os.ReadFile(w.path)
	must(t, err)
	return w, text
}

func TestDiskFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		f    failing
		is   error
		op   string
	}{
		{"full at once", failing{room: 0}, syscall.ENOSPC, "append"},
		{"full after a part", failing{room: 10}, syscall.ENOSPC, "append"},
		{"short write without an error", failing{room: 10, silent: true}, io.ErrShortWrite, "append"},
		{"sync fails", failing{room: -1, sync: syscall.EIO}, syscall.EIO, "sync"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, before := started(t, t.TempDir())
			good := w.log.f
			c.f.LogFile = good
			w.log.f = &c.f
			err := w.Step(&cua.Step{N: 1})
			if c.op == "sync" { // a step waits for the next record
				must(t, err)
				before, _ = os.ReadFile(w.path)
				err = w.Intent(cua.Intent{Number: 2})
			}
			var disk *DiskError
			if !errors.As(err, &disk) || !errors.Is(err, c.is) || disk.Op != c.op || disk.Path != w.path ||
				!strings.Contains(err.Error(), w.path) {
				t.Fatalf("%v", err)
			}
			if after, _ := os.ReadFile(w.path); !bytes.Equal(after, before) {
				t.Errorf("the journal was not brought back: %d bytes, want %d", len(after), len(before))
			}
			w.log.f = good // room again: the same record is still the next one
			if c.op != "sync" {
				must(t, w.Step(&cua.Step{N: 1}))
			}
			must(t, w.End(End{Reason: cua.EndEnvError}))
			must(t, w.Close())
			tr, err := Read(w.dir)
			if err != nil || len(tr.Steps) != 1 || tr.Torn {
				t.Error(err)
			}
		})
	}
}

// counting is a journal file that counts what is brought to the disk.
type counting struct {
	LogFile
	syncs int
}

func (f *counting) Sync() error {
	f.syncs++
	return f.LogFile.Sync()
}

// An intent is on disk when it was written, and with it the step before: one sync a step.
func TestOneSyncAStep(t *testing.T) {
	w, _ := started(t, t.TempDir())
	f := &counting{LogFile: w.log.f}
	w.log.f = f
	for n := 1; n <= 5; n++ {
		must(t, w.Intent(cua.Intent{Number: n}))
		if f.syncs != n {
			t.Errorf("%d syncs when intent %d was written", f.syncs, n)
		}
		must(t, w.Step(&cua.Step{N: n}))
	}
	must(t, w.End(End{Reason: cua.EndDone}))
	if f.syncs != 6 {
		t.Errorf("%d syncs for 5 steps and the end", f.syncs)
	}
}

func TestNothingIsWrittenAfterHalfALine(t *testing.T) {
	w, before := started(t, t.TempDir())
	good := w.log.f
	w.log.f = &failing{LogFile: good, room: 10, trunc: syscall.EIO}
	if err := w.Step(&cua.Step{N: 1}); !errors.Is(err, syscall.ENOSPC) || !errors.Is(err, syscall.EIO) {
		t.Fatalf("%v, want both causes", err)
	}
	w.log.f = good
	if err := w.Step(&cua.Step{N: 1}); !errors.Is(err, syscall.EIO) {
		t.Errorf("went on: %v", err)
	}
	must(t, w.Close())
	_, tr, err := Reopen(w.dir)
	if err != nil || !tr.Torn || tr.Dropped != 10 {
		t.Errorf("%+v %v", tr, err)
	}
	if after, _ := os.ReadFile(w.path); !bytes.Equal(after, before) {
		t.Error("not repaired")
	}
}

// flaky is a disk on which each write may fail after any byte.
type flaky struct {
	LogFile
	t *rapid.T
}

func (f flaky) Write(p []byte) (int, error) {
	n := rapid.IntRange(0, 3*len(p)).Draw(f.t, "bytes that fit")
	if n >= len(p) {
		return f.LogFile.Write(p)
	}
	n, err := f.LogFile.Write(p[:n])
	return n, errors.Join(err, syscall.ENOSPC)
}

func (f flaky) Sync() error { return nil } // the disk's cache is not what is tested here

func TestFlakyDiskLosesNoAcknowledgedStep(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		run := filepath.Join(dir, fmt.Sprint(n))
		w, err := Create(run, Header{Episode: "e"})
		if err != nil {
			t.Fatal(err)
		}
		w.log.f = flaky{w.log.f, t}
		want := 0
		started := false
		for range rapid.IntRange(0, 30).Draw(t, "records") {
			if !started {
				started = w.Start(cua.Observation{}) == nil
			} else if w.Step(&cua.Step{N: want + 1, Thought: strings.Repeat("x", want)}) == nil {
				want++
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		tr, err := Read(run)
		if err != nil || len(tr.Steps) != want || tr.Torn {
			t.Fatalf("%d steps, want %d, torn %v: %v", len(tr.Steps), want, tr.Torn, err)
		}
	})
}

// fill is what the child of the two tests below does: steps until the disk takes no more. It
// prints how many were acknowledged.
func fill(dir string) {
	w, err := Create(dir, Header{Episode: "e"})
	if err == nil {
		err = w.Start(cua.Observation{})
	}
	n := 0
	for err == nil {
		if err = w.Step(&cua.Step{N: n + 1, Thought: strings.Repeat("words ", 500)}); err == nil {
			n++
		}
	}
	var disk *DiskError
	if !errors.As(err, &disk) {
		fmt.Println("not a disk error:", err)
		os.Exit(1)
	}
	if _, err := w.Blob(bytes.Repeat([]byte{1}, 1<<20)); !errors.As(err, &disk) {
		fmt.Println("blob on a full disk:", err)
		os.Exit(1)
	}
	fmt.Println(n)
	os.Exit(0)
}

func checkFilled(t *testing.T, dir string, cause syscall.Errno, limit bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childTask+"=fill", childDir+"="+dir)
	if limit {
		cmd.Env = append(cmd.Env, childLimit+"=200000")
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var n int
	if _, err := fmt.Sscan(string(out), &n); err != nil || n < 10 {
		t.Fatalf("%d steps fitted: %v", n, err)
	}
	tr, err := Read(dir)
	if err != nil || len(tr.Steps) != n || tr.Torn {
		t.Fatalf("%d steps, %d acknowledged: %v (%v)", len(tr.Steps), n, err, cause)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, BlobsDir, ".*")); len(left) > 0 {
		t.Errorf("half a blob stays: %v", left)
	}
}

func TestFileSizeLimit(t *testing.T) {
	checkFilled(t, filepath.Join(t.TempDir(), "run"), syscall.EFBIG, true)
}

func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("cannot mount a small disk here (TestFileSizeLimit covers the path): %v", err)
	}
	defer syscall.Unmount(dir, 0)
	checkFilled(t, filepath.Join(dir, "run"), syscall.ENOSPC, false)
}
