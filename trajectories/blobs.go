package trajectories

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// maxBlob bounds what Blob reads, bytes: a frame of the largest viewport is far below it.
const maxBlob = 64 << 20

// Blob writes data once under its SHA-256 in hex and returns that name. A blob that is there
// already is left alone. When it returns the blob is on disk.
func (w *Writer) Blob(data []byte) (string, error) {
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	dir := filepath.Join(w.dir, BlobsDir)
	path := filepath.Join(dir, name)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) {
		return name, nil
	}
	if err := writeWhole(dir, path, data); err != nil {
		return "", &DiskError{"write blob", path, err}
	}
	return name, nil
}

// writeWhole makes path appear with all of data or not at all.
func writeWhole(dir, path string, data []byte) (err error) {
	f, err := os.CreateTemp(dir, ".blob-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return err
	}
	if err = f.Chmod(0o644); err != nil {
		return err
	}
	if err = f.Sync(); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	if err = os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDirs(dir)
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
	if raw, err := hex.DecodeString(sha); err != nil || len(raw) != sha256.Size {
		return nil, fmt.Errorf("trajectories: reading blob: %q is no blob name", sha)
	}
	root, err := os.OpenRoot(filepath.Join(t.Dir, BlobsDir))
	if err != nil {
		return nil, fmt.Errorf("trajectories: reading blob: %w", err)
	}
	defer root.Close()
	f, err := root.Open(sha)
	if err != nil {
		return nil, fmt.Errorf("trajectories: reading blob: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxBlob+1))
	if err != nil {
		return nil, fmt.Errorf("trajectories: reading blob: %w", err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != sha {
		return nil, fmt.Errorf("trajectories: reading blob %s: its content is another", sha)
	}
	return data, nil
}
