package trajectories

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/faulttable"
)

// TestFaultTable plays the rows of the fault table that are about journals (make faults).
func TestFaultTable(t *testing.T) {
	row := faulttable.Row{N: 15, Fault: "a disk that takes no more, in the middle of a write",
		Want: "0 acknowledged steps lost, no torn line, 0 temporary files"}
	row.Run(t, func(t *testing.T) (string, time.Duration) {
		dir := filepath.Join(t.TempDir(), "run")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childTask+"=fill", childDir+"="+dir, childLimit+"=200000")
		began := time.Now()
		out, err := cmd.Output()
		took := time.Since(began)
		must(t, err)
		var n int
		if _, err := fmt.Sscan(string(out), &n); err != nil || n == 0 {
			t.Fatalf("the child said %q", out)
		}
		tr, err := Read(dir)
		must(t, err)
		left, err := filepath.Glob(filepath.Join(dir, BlobsDir, ".*"))
		must(t, err)
		lost := n - len(tr.Steps)
		return fmt.Sprintf("%d acknowledged steps lost, %s, %d temporary files", lost, torn(tr),
			len(left)), took
	})
	const kills = 30
	row = faulttable.Row{N: 16, Fault: fmt.Sprintf("a journal whose writer is killed %d times", kills),
		Want: "0 acknowledged steps lost, 0 steps out of order, no torn line once it is open again"}
	row.Run(t, func(t *testing.T) (string, time.Duration) {
		dir := filepath.Join(t.TempDir(), "run")
		acknowledged, lost, tails := 0, 0, 0
		for range kills {
			acknowledged = max(acknowledged, killOnce(t, dir))
			tr, err := Read(dir)
			if errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrNoHeader) {
				continue
			}
			must(t, err)
			lost += max(0, acknowledged-len(tr.Steps))
			if tr.Torn {
				tails++
			}
		}
		w, _, err := Reopen(dir)
		must(t, err)
		must(t, w.Close())
		tr, err := Read(dir)
		must(t, err)
		disorder := 0
		for i, s := range tr.Steps {
			if s.N != i+1 {
				disorder++
			}
		}
		t.Logf("%d kills, %d steps, %d torn tails", kills, len(tr.Steps), tails)
		if len(tr.Steps) == 0 {
			t.Error("no step was ever acknowledged")
		}
		return fmt.Sprintf("%d acknowledged steps lost, %d steps out of order, %s once it is open again",
			lost, disorder, torn(tr)), 0
	})
	row = faulttable.Row{N: 16, Fault: "a journal whose last line is half there",
		Want: "2 of 3 steps, continues with 3"}
	row.Run(t, halfLine)
}

// halfLine cuts the last record of a journal in two and continues with what is left.
func halfLine(t *testing.T) (string, time.Duration) {
	w, _ := started(t, t.TempDir())
	for n := 1; n <= 3; n++ {
		must(t, w.Step(&cua.Step{N: n}))
	}
	must(t, w.Close())
	info, err := os.Stat(w.path)
	must(t, err)
	must(t, os.Truncate(w.path, info.Size()-10))
	again, tr, err := Reopen(w.dir)
	must(t, err)
	got := fmt.Sprintf("%d of 3 steps", len(tr.Steps))
	must(t, again.Step(&cua.Step{N: 3}))
	must(t, again.Close())
	if tr, err = Read(w.dir); err == nil {
		got += fmt.Sprintf(", continues with %d", len(tr.Steps))
	}
	return got, 0
}

// torn reports whether a journal ends in the middle of a line.
func torn(tr *Trajectory) string {
	if tr.Torn {
		return "a torn line"
	}
	return "no torn line"
}
