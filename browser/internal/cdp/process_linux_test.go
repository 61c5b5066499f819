package cdp

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The remaining processes of a browser that is ended are ended with it: what is stopped, and what left its
// group.
func TestNothingOutlivesTheBrowser(t *testing.T) {
	dir := t.TempDir()
	p, tr, err := Start("/bin/sh", []string{"-c", `
		sh -c 'kill -STOP $$' &
		setsid sh -c '>away; exec sleep 1000' &
		exec sleep 1000`}, dir, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for began := time.Now(); ; {
		_, err := os.Stat(filepath.Join(dir, "away"))
		n := len(remains(p.PID(), dir)) // one that changes its program has no command line for a moment
		if err == nil && n == 3 {
			break
		}
		if time.Since(began) > time.Minute {
			t.Fatalf("%d processes run, want 3; the one that leaves the group: %v", n, err)
		}
	}
	p.WaitOrKill(0)
	if left := remains(p.PID(), dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	p.WaitOrKill(0) // nothing is left to end
}
