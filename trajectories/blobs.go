package trajectories

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// maxBlob bounds what Blob reads, bytes: a frame of the largest viewport is far below it.
const maxBlob = 64 << 20

// Blob writes data once under its SHA-256 in hex and returns that name. A blob that is there
// already is left alone. When it returns the blob is on disk.
func (w *Writer) Blob(data []byte) (string, error) {
	return byHash{filepath.Join(w.dir, BlobsDir), 0o600, true}.put(data)
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
	data, err := byHash{dir: filepath.Join(t.Dir, BlobsDir)}.get(sha, maxBlob)
	switch {
	case errors.Is(err, errOther):
		return nil, fmt.Errorf("trajectories: reading blob %s: %w", sha, err)
	case err != nil:
		return nil, fmt.Errorf("trajectories: reading blob: %w", err)
	}
	return data, nil
}

// hasBlob says whether the blob is there; it does not read it.
func (t *Trajectory) hasBlob(sha string) bool {
	if !isHash(sha) {
		return false
	}
	info, err := os.Lstat(filepath.Join(t.Dir, BlobsDir, sha))
	return err == nil && info.Mode().IsRegular()
}
