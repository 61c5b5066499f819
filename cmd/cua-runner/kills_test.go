package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/benchmarks"
)

// killed is a study that is played by a process of its own, which can be killed.
type killed struct {
	t      *testing.T
	dir    string
	cmd    *exec.Cmd
	ended  chan error
	stderr bytes.Buffer
}

// play starts the process, or starts another one that continues.
func (k *killed) play() {
	k.t.Helper()
	args := []string{"bench", "--resume", k.dir, "--workers", "2"}
	if k.cmd == nil {
		args = []string{"bench", "--suite", "forms", "--task", "login,address,placeholders",
			"--brain", "oracle", "--arms", "default,off", "--seeds", "2", "--workers", "2", "--out", k.dir}
	}
	k.stderr.Reset()
	k.cmd = exec.Command("cua-runner", args...) // this test's own binary, by testscript.Main
	k.cmd.Stderr = &k.stderr
	if err := k.cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	ended := make(chan error, 1)
	k.ended = ended
	go func(cmd *exec.Cmd) { ended <- cmd.Wait() }(k.cmd)
}

// lines is how many cells are committed.
func (k *killed) lines() int {
	text, err := os.ReadFile(filepath.Join(k.dir, "results.jsonl"))
	if err != nil {
		return 0
	}
	return bytes.Count(text, []byte("\n"))
}

// await asks often whether something is so. It fails when the process ends before.
func (k *killed) await(what string, is func() bool) {
	k.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case err := <-k.ended:
			k.t.Fatalf("the process ended before %s: %v\n%s", what, err, k.stderr.String())
		case <-tick.C:
		}
	}
}

// browser is the process of the browser that the study drives now; 0 is none.
func (k *killed) browser() int { return browserOf(k.t, k.cmd.Process.Pid) }

// withPipes starts cmd with pipes to its standard input and from its standard output.
func withPipes(t *testing.T, cmd *exec.Cmd) (to io.WriteCloser, from io.ReadCloser) {
	t.Helper()
	to, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if from, err = cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return to, from
}

// browserOf is the process of the browser that the process drives; 0 is none.
func browserOf(t *testing.T, parent int) int { return childOf(t, parent, "--remote-debugging-pipe") }

// childOf is the process id of a child of parent whose command line contains a text; 0 is none.
func childOf(t *testing.T, parent int, says string) int {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // the name before may hold anything
		fields := strings.Fields(rest)
		if len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		line, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err == nil && strings.Contains(string(line), says) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			return pid
		}
	}
	return 0
}

// Whatever is killed while a study runs, its process or its browser, each cell is there once in the end, and
// each attempt is recorded.
func TestKillsLoseAndDoubleNoCell(t *testing.T) {
	if testing.Short() {
		t.Skip("plays a study in real browsers")
	}
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("the browser is found by /proc")
	}
	const cells = 12
	k := &killed{t: t, dir: filepath.Join(t.TempDir(), "study")}
	t.Setenv("TMPDIR", profiles(t))
	k.play()
	t.Cleanup(func() { k.cmd.Process.Kill() })
	for _, event := range []struct {
		at      int // cells
		process bool
	}{{2, false}, {4, true}, {7, false}, {9, true}} {
		k.await(fmt.Sprintf("cell %d", event.at), func() bool { return k.lines() >= event.at })
		if event.process {
			if err := k.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-k.ended
			k.play()
			continue
		}
		pid := 0
		k.await("a browser", func() bool { pid = k.browser(); return pid > 0 })
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	if err := <-k.ended; err != nil {
		t.Fatalf("%v\n%s", err, k.stderr.String())
	}
	checkAttempts(t, k.dir, cells)
}

// checkAttempts holds a finished study against its folders.
func checkAttempts(t *testing.T, dir string, cells int) {
	t.Helper()
	s, err := benchmarks.Open(dir) // a cell that is there twice is an error
	if err != nil {
		t.Fatal(err)
	}
	missing, err := s.Missing()
	if err != nil || len(missing) > 0 || len(s.Results) != cells {
		t.Errorf("%d results, missing %v, %v", len(s.Results), missing, err)
	}
	attempts := 0
	for _, r := range s.Results {
		n := r.Faulted + r.Interrupted + r.SharedDeaths + r.Overloads
		if !r.End.Infrastructure() {
			n++
		}
		attempts += n
		if !strings.HasSuffix(r.Episode, fmt.Sprintf("-%d", n)) {
			t.Errorf("%s is the result of %d attempts", r.Episode, n)
		}
		if !r.Lenient {
			t.Errorf("%s was not solved: %s, %s", r.Episode, r.End, r.Detail)
		}
	}
	folders, err := os.ReadDir(filepath.Join(dir, "runs"))
	if err != nil || len(folders) != attempts {
		t.Errorf("%d folders of episodes, %d attempts recorded (%v)", len(folders), attempts, err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left in the temporary folder: %v, %v", left, err)
	}
	t.Logf("%d cells, %d attempts", len(s.Results), attempts)
}
