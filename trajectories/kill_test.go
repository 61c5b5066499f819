package trajectories

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// The test binary runs itself as the process that is killed or runs out of disk.
const (
	childTask  = "TRAJECTORIES_TEST_CHILD"
	childDir   = "TRAJECTORIES_TEST_DIR"
	childLimit = "TRAJECTORIES_TEST_FSIZE"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(childLimit); text != "" {
		n, _ := strconv.ParseUint(text, 10, 64)
		if err := syscall.Setrlimit(1 /* RLIMIT_FSIZE */, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	switch os.Getenv(childTask) {
	case "fill":
		fill(os.Getenv(childDir))
	case "steps":
		steps(os.Getenv(childDir))
	}
	os.Exit(m.Run())
}

// steps continues with a journal and prints each step's number once it is on disk. It never ends.
func steps(dir string) {
	w, t, err := Reopen(dir)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrNoHeader) {
		if w, err = Create(dir, Header{Episode: "e"}); err == nil {
			t = &Trajectory{}
		}
	} else if err == nil && t.Interrupted != nil {
		err = w.Event(Event{Kind: InterruptedEvent, Intent: t.Interrupted})
	}
	if err == nil && t.Start.URL == "" {
		err = w.Start(cua.Observation{URL: "http://a/"})
	}
	a := &cua.Action{Kind: cua.Wait, MS: 1}
	for n := 1; err == nil; n++ {
		if n <= len(t.Steps) {
			continue
		}
		if err = w.Intent(cua.Intent{Number: n, Action: *a}); err != nil {
			break
		}
		if _, err = w.Blob([]byte(strconv.Itoa(n))); err != nil {
			break
		}
		s := &cua.Step{N: n, Action: a, Thought: strings.Repeat("words ", rand.Intn(8000))}
		s.After.FrameSHA = strconv.Itoa(n)
		if err = w.Step(s); err == nil {
			fmt.Println(n)
		}
	}
	fmt.Println("failed:", err)
	os.Exit(1)
}

// TestKilledAtRandom kills each journal ten times: a long one takes long to read.
func TestKilledAtRandom(t *testing.T) {
	journals, kills := 10, 10
	if testing.Short() {
		journals = 1
	}
	all, torn, interrupted := 0, 0, 0
	for range journals {
		dir, acked := filepath.Join(t.TempDir(), "run"), 0
		for range kills {
			last := killOnce(t, dir)
			acked = max(acked, last)
			tr, err := Read(dir)
			if errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrNoHeader) {
				continue
			}
			must(t, err)
			if tr.Torn {
				torn++
			}
			if tr.Interrupted != nil {
				interrupted++
			}
			// A step may be on disk whose number was not printed any more, but only one.
			if got := len(tr.Steps); got != acked && got != acked+1 {
				t.Fatalf("%d steps acknowledged, %d in the journal", acked, got)
			}
			acked = len(tr.Steps)
		}
		w, tr, err := Reopen(dir)
		must(t, err)
		must(t, w.Close())
		for i, s := range tr.Steps {
			if s.N != i+1 || s.After.FrameSHA != strconv.Itoa(i+1) {
				t.Fatalf("place %d holds step %d", i+1, s.N)
			}
		}
		all += len(tr.Steps)
	}
	if kills *= journals; all < kills/2 {
		t.Errorf("%d kills let %d steps through: the test shows nothing", kills, all)
	}
	t.Logf("%d kills, %d steps, %d torn tails, %d interrupted intents", kills, all, torn, interrupted)
}

// killOnce lets a child write until it has printed a random number of steps, kills it at once
// or while it is at the next one, and returns the last number that it printed.
func killOnce(t *testing.T, dir string) int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childTask+"=steps", childDir+"="+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	in := bufio.NewScanner(out)
	last := 0
	for range rand.Intn(6) {
		if !in.Scan() {
			break
		}
		last = number(t, in.Text())
	}
	for range rand.Intn(200_000) { // some of the next step's time, no sleep
		_ = os.Getpid()
	}
	must(t, cmd.Process.Kill())
	for in.Scan() {
		last = number(t, in.Text())
	}
	_, _ = io.Copy(io.Discard, out)
	_ = cmd.Wait()
	return last
}

func number(t *testing.T, line string) int {
	t.Helper()
	n, err := strconv.Atoi(line)
	if err != nil {
		t.Fatalf("the child said %q", line)
	}
	return n
}
