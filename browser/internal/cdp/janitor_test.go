package cdp

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// aged gives a folder the age of one that nobody works on.
func aged(t *testing.T, dir string) {
	t.Helper()
	hours := time.Now().Add(-2 * orphanAge)
	if err := os.Chtimes(dir, hours, hours); err != nil {
		t.Fatal(err)
	}
}

// The janitor removes what dead runners of this user left, and nothing else.
func TestJanitor(t *testing.T) {
	const stranger = 4711
	rows := []struct {
		name, prefix string
		lock         bool // it has a lock file
		alive        bool // which is held
		old          bool
		foreign      bool // it is another user's
		stays        bool
	}{
		{name: "of a living runner", prefix: profilePrefix, lock: true, alive: true, stays: true},
		{name: "of a living runner, hours old", prefix: profilePrefix, lock: true, alive: true, old: true,
			stays: true},
		{name: "of a dead runner", prefix: profilePrefix, lock: true},
		{name: "without a lock, young", prefix: profilePrefix, stays: true},
		{name: "without a lock, old", prefix: profilePrefix, old: true},
		{name: "being made", prefix: unborn, stays: true},
		{name: "being made for hours", prefix: unborn, old: true},
		{name: "half removed", prefix: doomed},
		{name: "half removed, with its lock", prefix: doomed, lock: true},
		{name: "of another program", prefix: "cua-runner-", old: true, stays: true},
		{name: "of another user, dead", prefix: profilePrefix, lock: true, foreign: true, stays: true},
		{name: "of another user, old and without a lock", prefix: profilePrefix, old: true, foreign: true,
			stays: true},
		{name: "of another user, being made for hours", prefix: unborn, old: true, foreign: true, stays: true},
		{name: "of another user, half removed", prefix: doomed, foreign: true, stays: true},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if r.foreign && os.Geteuid() != 0 {
				t.Skip("only root can make the folder of another user")
			}
			root := t.TempDir()
			dir := filepath.Join(root, r.prefix+"1")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			files := []string{dir}
			if r.lock {
				lock, err := os.Create(filepath.Join(dir, LockName))
				if err != nil {
					t.Fatal(err)
				}
				defer lock.Close()
				files = append(files, lock.Name())
				if r.alive {
					if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
						t.Fatal(err)
					}
				}
			}
			if r.old {
				aged(t, dir)
			}
			for _, f := range files {
				if r.foreign {
					if err := os.Chown(f, stranger, stranger); err != nil {
						t.Fatal(err)
					}
				}
			}
			err := RemoveOrphans(root)
			left, _ := os.ReadDir(root)
			if err != nil || (len(left) == 1) != r.stays {
				t.Errorf("left %v, want it to stay: %v (%v)", left, r.stays, err)
			}
		})
	}
}

// Runners that sweep one root at once, while others start and end in it, remove each dead profile
// and no living one.
func TestJanitorsAtOnce(t *testing.T) {
	root := t.TempDir()
	for range 50 {
		dead, err := NewProfile(root, -1)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dead.Dir, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		dead.lock.Close() // as the kernel does when the owner dies
	}
	living := make([]*Profile, 20)
	var work sync.WaitGroup
	for range 8 {
		work.Go(func() {
			for range 5 {
				if err := RemoveOrphans(root); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range living {
		work.Go(func() {
			brief, err := NewProfile(root, -1)
			if err == nil {
				err = brief.Remove()
			}
			if err == nil {
				living[i], err = NewProfile(root, -1)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	work.Wait()
	left, err := os.ReadDir(root)
	if err != nil || len(left) != len(living) {
		t.Errorf("%d folders are left, want those of %d living owners (%v)", len(left), len(living), err)
	}
	for _, p := range living {
		if p == nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(p.Dir, LockName)); err != nil {
			t.Error(err)
		}
		if err := p.Remove(); err != nil {
			t.Error(err)
		}
	}
}
