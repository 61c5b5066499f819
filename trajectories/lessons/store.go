package lessons

import (
	"errors"
	"fmt"
	"github.com/cua-runner/cua-runner/trajectories"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxFile bounds a lesson file, bytes: some thousands of lessons.
const maxFile = 4 << 20

// Read reads a lesson file. One that is not there is an error that wraps fs.ErrNotExist.
func Read(path string) (*File, error) {
	text, _, err := fileText(path)
	if err != nil {
		return nil, err
	}
	return Parse(text), nil
}

func fileText(path string) ([]byte, fs.FileMode, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("lessons: reading: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, fmt.Errorf("lessons: reading: %w", err)
	}
	if info.IsDir() {
		return nil, 0, fmt.Errorf("lessons: reading: %s is a folder", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("lessons: reading %s: %w", path, err)
	case len(text) > maxFile:
		return nil, 0, fmt.Errorf("lessons: reading %s: longer than %d bytes", path, maxFile)
	}
	return text, info.Mode().Perm(), nil
}

// Update reads the lesson file, lets change change it and puts it in the place of the old one as a
// whole; one that is not there begins empty. Other processes that update it wait: the folder is locked,
// because the file itself is replaced. Nothing is written when change returns an error or changes nothing.
func Update(path string, change func(*File) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil { // a link stays one
		path = real
	}
	unlock, err := lockFolder(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer unlock()
	text, mode, err := fileText(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, mode = nil, 0o600
	} else if err != nil {
		return err
	}
	f := Parse(text)
	if err := change(f); err != nil {
		return err
	}
	out := f.Bytes()
	switch {
	case string(out) == string(text):
		return nil
	case len(out) > maxFile:
		return fmt.Errorf("lessons: writing %s: longer than %d bytes", path, maxFile)
	}
	return trajectories.WriteBytes(path, trajectories.FileOptions{Mode: mode, Sync: true}, out)
}

// lockFolder waits until no other process updates a lesson file in dir.
func lockFolder(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("lessons: writing: %w", err)
	}
	for {
		if err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("lessons: locking %s: %w", dir, err)
	}
	return func() { d.Close() }, nil
}
