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

// Blob has data written once under its SHA-256 in hex, beside what the caller does next, and returns that
// name. A blob that is there already is left alone. It outlives the process once the next record is in the
// journal, and is on disk with the next intent, event or end; their error is that of the blob.
func (w *Writer) Blob(data []byte) string {
	dir := byHash{filepath.Join(w.dir, BlobsDir), 0o600}
	name := hashOf(data)
	w.beside(func() error { return dir.put(name, data) }, func() error { return syncBlob(dir.dir, name) })
	return name
}

// beside writes a file while the caller goes on, and then brings it to the disk.
func (w *Writer) beside(write, sync func() error) {
	written, synced := make(chan error, 1), make(chan error, 1)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writing, w.syncing = append(w.writing, written), append(w.syncing, synced)
	go func() {
		err := write()
		written <- err
		if err != nil {
			synced <- nil // it is told already
			return
		}
		synced <- sync()
	}()
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

// Synced waits until all blobs are on disk and all checkpoints written. An error that it, or a record, has
// returned is not returned again.
func (w *Writer) Synced() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return cmp.Or(settled(&w.writing), settled(&w.syncing))
}

// settled waits for all of them and returns the first error; the lock of the writer is held.
func settled(all *[]chan error) error {
	var first error
	for _, done := range *all {
		first = cmp.Or(first, <-done)
	}
	*all = nil
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
