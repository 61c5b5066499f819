package cdp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// Nobody is the unprivileged user that the browser runs as when we are root.
	Nobody = 65534
	// LockName is the file in a profile folder whose lock shows that the owner lives.
	LockName = "owner.lock"

	profilePrefix = "cua-runner-profile-"
	// unborn is the prefix of a profile folder that has no lock yet.
	unborn = "cua-runner-new-"
	// doomed is the prefix of a folder that is being removed. Any janitor removes what is left of one.
	doomed = "cua-runner-gone-"
	// orphanAge is how old a folder without a lock must be before it counts as left behind.
	orphanAge = time.Hour
)

// Profile is a profile folder and the lock that shows that its owner lives.
type Profile struct {
	// Dir is the path of the folder.
	Dir string

	lock *os.File
}

// NewProfile makes a locked profile folder under root that belongs to user id uid (-1 is
// our own). The lock is held before the folder has the name that a janitor looks for.
func NewProfile(root string, uid int) (*Profile, error) {
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

func claim(tmp string, uid int) (*Profile, error) {
	lock, err := os.OpenFile(filepath.Join(tmp, LockName), os.O_CREATE|os.O_RDWR, 0o600)
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
	return &Profile{Dir: dir, lock: lock}, nil
}

// Remove deletes the folder. Processes of the browser may write to it until the moment they
// die, so it is tried for a while.
func (p *Profile) Remove() error {
	defer p.lock.Close()
	return discard(p.Dir, 2*time.Second)
}

// discard deletes a folder under a name that says that it is to be deleted: who dies half-way
// leaves it for the next janitor, whatever is left in it. That it is gone already is no error.
func discard(dir string, patience time.Duration) error {
	gone := dir
	if _, suffix, ok := strings.Cut(filepath.Base(dir), profilePrefix); ok {
		gone = filepath.Join(filepath.Dir(dir), doomed+suffix)
		if err := os.Rename(dir, gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	deadline := time.Now().Add(patience)
	for {
		err := os.RemoveAll(gone)
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// RemoveOrphans removes the folders under root that a dead process of this user left. Several may work
// in one root at once. The folders of living owners, ours included, are locked.
func RemoveOrphans(root string) error {
	entries, err := os.ReadDir(root)
	errs := []error{err}
	for _, e := range entries {
		name, dir := e.Name(), filepath.Join(root, e.Name())
		switch {
		case strings.HasPrefix(name, profilePrefix):
			errs = append(errs, sweep(dir))
		case strings.HasPrefix(name, doomed) && ownFolder(dir), strings.HasPrefix(name, unborn) &&
			orphaned(dir):
			errs = append(errs, discard(dir, 0))
		}
	}
	return errors.Join(errs...)
}

// sweep removes one profile folder unless its owner lives or is another user.
func sweep(dir string) error {
	path := filepath.Join(dir, LockName)
	lock, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOFOLLOW, 0)
	if errors.Is(err, fs.ErrNotExist) && orphaned(dir) {
		return discard(dir, 0)
	}
	if err != nil {
		return nil // it is young, or not ours to open
	}
	defer lock.Close()
	if owner(path) != os.Geteuid() || syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil
	}
	return discard(dir, 0)
}

// orphaned says whether a folder of ours is so old that nobody is about to lock it.
func orphaned(dir string) bool {
	st, err := os.Lstat(dir)
	return err == nil && ownFolder(dir) && time.Since(st.ModTime()) > orphanAge
}

// ownFolder says whether dir is a folder that this user made for a browser.
func ownFolder(dir string) bool {
	st, err := os.Lstat(dir)
	uid := owner(dir)
	return err == nil && st.IsDir() && (uid == os.Geteuid() || uid == Nobody && os.Geteuid() == 0)
}

// owner is the id of the user that a file belongs to; -1 where it cannot be read.
func owner(path string) int {
	var st syscall.Stat_t
	if syscall.Lstat(path, &st) != nil {
		return -1
	}
	return int(st.Uid)
}
