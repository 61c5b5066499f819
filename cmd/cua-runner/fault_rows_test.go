package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua/faulttable"
	"github.com/cua-runner/cua-runner/trajectories"
)

// TestFaultTable plays the rows of the fault table that are about the program (make faults).
func TestFaultTable(t *testing.T) {
	const clean = "journal ends as cancelled, 0 profiles, 0 processes"
	row := func(fault, want string) faulttable.Row {
		return faulttable.Row{N: 19, Fault: fault, Want: want + ", " + clean, Within: 10 * time.Second}
	}
	row("Ctrl-C", "exit 130").Run(t, signalled(syscall.SIGINT))
	row("SIGTERM", "exit 143").Run(t, signalled(syscall.SIGTERM))
	row("Ctrl-C while a page loads without end", "exit 130").Run(t,
		func(t *testing.T) (string, time.Duration) {
			asked := make(chan struct{}, 1)
			return signalledAt(t, endless(t, asked), asked, &lineWatch{}, syscall.SIGINT)
		})
	twice := faulttable.Row{N: 19, Fault: "Ctrl-C twice", Within: 3 * time.Second,
		Want: "exit 130, journal can be read, 0 profiles, 0 processes"}
	twice.Run(t, signalled(syscall.SIGINT, syscall.SIGINT))
	full := faulttable.Row{N: 15, Fault: "a run into a folder on a full disk",
		Want: "exit 3, journal can be read"}
	full.Run(t, fullDisk)
}

// stuckArgs are those of a run that would not end.
func stuckArgs(page, out string) []string {
	return loginArgs(page, out, "--arm", "off", "--fault", "click_fixation=1", "--max-steps", "100000")
}

// endless is the address of a page that is never sent; asked hears that it was asked for.
func endless(t *testing.T, asked chan<- struct{}) string {
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// signalled runs an episode that would not end, and sends it the signals at its second step.
func signalled(signals ...syscall.Signal) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		second := make(chan struct{})
		stderr := &lineWatch{text: "  2  ", once: func() { close(second) }}
		return signalledAt(t, loginPage(t), second, stderr, signals...)
	}
}

// signalledAt runs an episode in a process of its own, and sends it the signals when it is ready for them.
func signalledAt(t *testing.T, page string, ready <-chan struct{}, stderr io.Writer,
	signals ...syscall.Signal) (string, time.Duration) {
	t.Helper()
	out, tmp := filepath.Join(t.TempDir(), "run"), profiles(t)
	cmd := exec.Command("cua-runner", stuckArgs(page, out)...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatalf("it ended before: %v", err)
	}
	began := time.Now()
	for _, s := range signals {
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	err := <-ended
	took := time.Since(began)
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("it ended with %v", err)
	}
	got := fmt.Sprintf("exit %d, %s", exit.ExitCode(), journal(out, len(signals) < 2))
	left, err := filepath.Glob(filepath.Join(tmp, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s, %d profiles, %d processes", got, len(left), startedIn(tmp)), took
}

// startedIn counts the processes of browsers that have their profile below dir, once those that were
// killed have gone, 2 s at most.
func startedIn(dir string) (n int) {
	late := time.NewTimer(2 * time.Second)
	defer late.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		n = 0
		found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, path := range found {
			if line, err := os.ReadFile(path); err == nil && strings.Contains(string(line), dir) {
				n++
			}
		}
		if n == 0 {
			return 0
		}
		select {
		case <-tick.C:
		case <-late.C:
			return n
		}
	}
}

// journal says how a journal ends, or only that it can be read.
func journal(dir string, end bool) string {
	tr, err := trajectories.Read(dir)
	switch {
	case err != nil:
		return err.Error()
	case !end:
		return "journal can be read"
	case tr.End == nil:
		return "journal has no end"
	}
	return "journal ends as " + string(tr.End.Reason)
}

// fullDisk runs an episode whose folder is on a disk with room for a few steps.
func fullDisk(t *testing.T) (string, time.Duration) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("cannot mount a small disk here: %v", err)
	}
	defer syscall.Unmount(disk, 0) //nolint:errcheck // the folder goes with the test
	out := filepath.Join(disk, "run")
	began := time.Now()
	code, _, stderr := command(t, stuckArgs(loginPage(t), out)...)
	took := time.Since(began)
	t.Logf("it said: %s", stderr)
	return fmt.Sprintf("exit %d, %s", code, journal(out, false)), took
}
