package trajectories

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxLessons bounds a lesson file, bytes: some thousands of lessons.
const maxLessons = 4 << 20

// ReadLessons reads a lesson file. One that is not there is an error that wraps fs.ErrNotExist.
func ReadLessons(path string) (*LessonFile, error) {
	text, _, err := lessonText(path)
	if err != nil {
		return nil, err
	}
	return ParseLessons(text), nil
}

func lessonText(path string) ([]byte, fs.FileMode, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("trajectories: reading lessons: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, fmt.Errorf("trajectories: reading lessons: %w", err)
	}
	if info.IsDir() {
		return nil, 0, fmt.Errorf("trajectories: reading lessons: %s is a folder", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxLessons+1))
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("trajectories: reading %s: %w", path, err)
	case len(text) > maxLessons:
		return nil, 0, fmt.Errorf("trajectories: reading %s: longer than %d bytes", path, maxLessons)
	}
	return text, info.Mode().Perm(), nil
}

// UpdateLessons reads the lesson file, lets change change it and puts it in the place of the old one as a
// whole; one that is not there begins empty. Other processes that update it wait: the folder is locked,
// because the file itself is replaced. Nothing is written when change returns an error or changes nothing.
func UpdateLessons(path string, change func(*LessonFile) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil { // a link stays one
		path = real
	}
	unlock, err := lockFolder(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer unlock()
	text, mode, err := lessonText(path)
	if errors.Is(err, fs.ErrNotExist) {
		text, mode = nil, 0o644
	} else if err != nil {
		return err
	}
	f := ParseLessons(text)
	if err := change(f); err != nil {
		return err
	}
	out := f.Bytes()
	switch {
	case string(out) == string(text):
		return nil
	case len(out) > maxLessons:
		return fmt.Errorf("trajectories: writing %s: longer than %d bytes", path, maxLessons)
	}
	return WriteBytes(path, FileOptions{Mode: mode, Sync: true}, out)
}

// lockFolder waits until no other process updates a lesson file in dir.
func lockFolder(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, fmt.Errorf("trajectories: writing lessons: %w", err)
	}
	for {
		if err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		d.Close()
		return nil, fmt.Errorf("trajectories: locking %s: %w", dir, err)
	}
	return func() { d.Close() }, nil
}
