package trajectories

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/cua-runner/cua-runner/cua"
)

// MaxBlob bounds what Blob reads, bytes: a frame of the largest viewport is far below it.
const MaxBlob = 64 << 20

// Blob writes data once under its SHA-256 in hex and returns that name. A blob that is there
// already is left alone. Like a step it outlives the process when it returns, and is on disk with the next
// intent, event or end.
func (w *Writer) Blob(data []byte) (string, error) {
	dir := filepath.Join(w.dir, BlobsDir)
	name, err := byHash{dir, 0o600}.put(data)
	if err != nil {
		return name, err
	}
	done := make(chan error, 1)
	go func() { done <- syncBlob(dir, name) }() // the disk is waited for beside what the caller does next
	w.mu.Lock()
	defer w.mu.Unlock()
	w.syncing = append(w.syncing, done)
	return name, nil
}

// syncBlob makes a blob and its name last.
func syncBlob(dir, name string) error {
	path := filepath.Join(dir, name)
	f, err := os.Open(path)
	if err == nil {
		err = f.Sync()
		f.Close()
	}
	if err == nil {
		err = syncDirs(dir)
	}
	if err != nil {
		return &DiskError{"sync", path, err}
	}
	return nil
}

// Synced waits until all blobs are on disk. An error that it, or a record, has returned is not returned
// again.
func (w *Writer) Synced() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.synced()
}

// synced is Synced with the lock held.
func (w *Writer) synced() error {
	var first error
	for _, done := range w.syncing {
		first = cmp.Or(first, <-done)
	}
	w.syncing = nil
	return first
}

// syncDirs makes new names in the folders last.
func syncDirs(dirs ...string) error {
	for _, dir := range dirs {
		d, err := os.Open(dir)
		if err != nil {
			return err
		}
		err = d.Sync()
		d.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// Blob reads a blob by its name and checks that it holds what its name says. A name is 64
// hex digits; anything else is an error, never a path.
func (t *Trajectory) Blob(sha string) ([]byte, error) {
	if !isHash(sha) {
		return nil, fmt.Errorf("trajectories: reading blob: %q is no blob name", sha)
	}
	data, err := byHash{dir: filepath.Join(t.Dir, BlobsDir)}.get(sha, MaxBlob)
	switch {
	case errors.Is(err, errOther):
		return nil, fmt.Errorf("trajectories: reading blob %s: %w", sha, err)
	case err != nil:
		return nil, fmt.Errorf("trajectories: reading blob: %w", err)
	}
	return data, nil
}

// hasBlob reports whether the blob is there; it does not read it.
func (t *Trajectory) HasBlob(sha string) bool {
	if !isHash(sha) {
		return false
	}
	info, err := os.Lstat(filepath.Join(t.Dir, BlobsDir, sha))
	return err == nil && info.Mode().IsRegular()
}

// Prompt is the text that the brain was sent for step s, as far as it had not been sent before; "" where none
// was kept. The error is that of a blob that cannot be read.
func (t *Trajectory) Prompt(s *cua.Step) (string, error) {
	if s.PromptSHA == "" {
		return "", nil
	}
	text, err := t.Blob(s.PromptSHA)
	return string(text), err
}
