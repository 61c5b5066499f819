package browser

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	profilePrefix = "cua-runner-profile-"
	// unborn is the prefix of a profile folder that has no lock yet.
	unborn   = "cua-runner-new-"
	lockName = "owner.lock"
	// unbornAge is how old a folder without a lock must be before it counts as left behind.
	unbornAge = time.Hour
)

// profile is a profile folder and the lock that shows that its owner lives.
type profile struct {
	dir  string
	lock *os.File
}

// newProfile makes a locked profile folder under root that belongs to user id uid (-1 is
// our own). The lock is held before the folder has the name that a janitor looks for.
func newProfile(root string, uid int) (*profile, error) {
	tmp, err := os.MkdirTemp(root, unborn)
	if err != nil {
		return nil, fmt.Errorf("browser: making a profile folder: %w", err)
	}
	p, err := claim(tmp, uid)
	if err != nil {
		os.RemoveAll(tmp)
		return nil, fmt.Errorf("browser: making a profile folder: %w", err)
	}
	return p, nil
}

func claim(tmp string, uid int) (*profile, error) {
	lock, err := os.OpenFile(filepath.Join(tmp, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(lock, "%d\n", os.Getpid())
	dir := filepath.Join(filepath.Dir(tmp), profilePrefix+strings.TrimPrefix(filepath.Base(tmp), unborn))
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil && uid >= 0 {
		err = os.Chown(tmp, uid, uid)
	}
	if err == nil {
		err = os.Rename(tmp, dir)
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return &profile{dir: dir, lock: lock}, nil
}

// remove deletes the folder. Processes of the browser may write to it until the moment they
// die, so it is tried for a while.
func (p *profile) remove() error {
	defer p.lock.Close()
	return removeAll(p.dir, 2*time.Second)
}

func removeAll(dir string, patience time.Duration) error {
	deadline := time.Now().Add(patience)
	for {
		err := os.RemoveAll(dir)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// janitor removes the profile folders under root whose owners are dead, and says how many.
// The folders of living owners, ours included, are locked.
func janitor(root string) (removed int, err error) {
	var errs []error
	dirs, err := filepath.Glob(filepath.Join(root, profilePrefix+"*"))
	errs = append(errs, err)
	for _, dir := range dirs {
		gone, err := sweep(dir)
		errs = append(errs, err)
		if gone {
			removed++
		}
	}
	young, err := filepath.Glob(filepath.Join(root, unborn+"*"))
	errs = append(errs, err)
	for _, dir := range young {
		st, err := os.Lstat(dir)
		if err == nil && st.IsDir() && time.Since(st.ModTime()) > unbornAge {
			errs = append(errs, os.RemoveAll(dir))
			removed++
		}
	}
	return removed, errors.Join(errs...)
}

// sweep removes one profile folder unless its owner lives. A folder that is not ours to
// open is somebody else's.
func sweep(dir string) (bool, error) {
	lock, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return false, nil
	}
	defer lock.Close()
	if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return false, nil
	}
	return true, removeAll(dir, 0)
}
