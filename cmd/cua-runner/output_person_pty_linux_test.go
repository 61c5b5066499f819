package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// openTerminal opens a pseudoterminal: what a person sees and types at, and what a program has as its
// terminal.
func openTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudoterminal here: %v", err)
	}
	t.Cleanup(func() { person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}

// The streams of a command are the terminal that they write to.
func TestStreamsThatAreATerminal(t *testing.T) {
	_, program := openTerminal(t)
	for name, stream := range map[string]any{"the file": program, "standard output": &output{Writer: program},
		"standard error": &cleaned{redact.NewWriter(program, redact.New(nil)), program}} {
		if !tty.Is(stream) {
			t.Errorf("%s is no terminal", name)
		}
	}
}

// sitting reads the terminal until the program has left it, and types the next of lines at each card. It
// returns all that was to be seen.
func sitting(person *os.File, lines ...string) string {
	var all, since bytes.Buffer
	piece := make([]byte, 4096)
	for {
		n, err := person.Read(piece)
		all.Write(piece[:n])
		since.Write(piece[:n])
		if err != nil {
			return all.String()
		}
		if len(lines) > 0 && bytes.Contains(since.Bytes(), []byte("your choice")) {
			since.Reset()
			fmt.Fprintln(person, lines[0])
			lines = lines[1:]
		}
	}
}

// On a real terminal, with the program as a process of its own: a brain of its own process is rolled back
// three times while it thinks and answers the next turn each time; then the card is shown, and a free
// sentence that is typed there is in the brain's next request.
func TestAPersonAtARealTerminal(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	self, err := exec.LookPath("cua-runner") // the test binary, by testscript.Main
	if err != nil {
		t.Fatal(err)
	}
	person, program := openTerminal(t)
	tmp := t.TempDir()
	log, pipe, prog, dir := filepath.Join(tmp, "log"), filepath.Join(tmp, "pipe"),
		filepath.Join(tmp, "brain.py"), filepath.Join(tmp, "run")
	if err := errors.Join(os.WriteFile(prog, []byte(thinker), 0o600),
		syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "run", labyrinth(t), "--goal", "get through the door", "--ablate",
		"rescue_rewind", "--brain", "exec:python3 "+prog+" "+log+" "+pipe, "--out", dir)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = tmp, program, program, program
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close() // the program has its own
	var typing sync.WaitGroup
	typing.Go(func() {
		thinks, err := os.Open(pipe)
		if err != nil {
			return
		}
		defer thinks.Close()
		for lines, n := bufio.NewScanner(thinks), 0; lines.Scan(); n++ {
			fmt.Fprintln(person, []string{"/rollback", "undo that",
				"please undo that, it broke the form"}[n%3])
		}
	})
	seen := sitting(person, "look for another way in", "stop")
	var left *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &left) || left.ExitCode() != exitFailed {
		t.Errorf("it left with %v:\n%s", err, seen)
	}
	if f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
		f.Close() // lets go whoever waits for a brain that never came
	}
	typing.Wait()
	tr, back := soundRun(t, dir), 0
	for i := range tr.Steps {
		if s := &tr.Steps[i]; s.RewoundTo > 0 && s.By == cua.Person {
			back++
		}
	}
	if back != 3 || tr.End.Reason.Infrastructure() {
		t.Errorf("%d rewinds by a person, and it ended as %s: %s\n%s", back, tr.End.Reason,
			tr.End.Detail, seen)
	}
	if !strings.Contains(seen, "/rollback undoes the newest step") || !strings.Contains(seen, "your choice") {
		t.Errorf("no card was seen:\n%s", seen)
	}
	asked := requests(t, log)
	for text, want := range map[string]int{": A person went back to before step": 3,
		"says: please undo that, it broke the form": 1,
		"says: look for another way in":             1} {
		if n := strings.Count(asked, text); n != want {
			t.Errorf("%q is in %d notes, want %d:\n%s", text, n, want, asked)
		}
	}
}
