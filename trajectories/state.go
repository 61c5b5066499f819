package trajectories

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cua-runner/cua-runner/cua"
)

// maxState bounds a checkpoint, bytes: what a page may tell of itself is far below it.
const maxState = 64 << 20

// ErrNoState says that there is no such checkpoint, or that it is not what its name says.
var ErrNoState = errors.New("no such checkpoint")

// stateMode is for the owner alone: a checkpoint is a person's session.
const stateMode fs.FileMode = 0o600

// State writes a checkpoint once under the SHA-256 of its text and returns that name. It is not synced: one
// that a power failure takes is told by its name, and said to be missing.
func (w *Writer) State(p *cua.PageState) (string, error) {
	text, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("trajectories: writing a checkpoint: %w", err)
	}
	sum := sha256.Sum256(text)
	name := hex.EncodeToString(sum[:])
	dir := filepath.Join(w.dir, StateDir)
	path := filepath.Join(dir, name)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(text)) {
		return name, nil
	}
	if err := writeState(dir, path, text); err != nil {
		return "", &DiskError{"write checkpoint", path, err}
	}
	return name, nil
}

// writeState makes path appear with all of text or not at all.
func writeState(dir, path string, text []byte) (err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".state-*") // for the owner alone from the first byte on
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err = f.Chmod(stateMode); err != nil {
		return err
	}
	if _, err = f.Write(text); err != nil {
		return err
	}
	if err = f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// DropState removes a checkpoint that has to make room. One that is not there is no error.
func (w *Writer) DropState(name string) error {
	if !isState(name) {
		return fmt.Errorf("trajectories: removing a checkpoint: %q is no name of one", name)
	}
	path := filepath.Join(w.dir, StateDir, name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &DiskError{"remove checkpoint", path, err}
	}
	return nil
}

// ReadState reads a checkpoint of the run folder dir by its name. The error wraps ErrNoState when it is
// not there, or does not hold what its name says.
func ReadState(dir, name string) (*cua.PageState, error) {
	if !isState(name) {
		return nil, fmt.Errorf("trajectories: reading a checkpoint: %q is no name of one: %w", name, ErrNoState)
	}
	root, err := os.OpenRoot(filepath.Join(dir, StateDir))
	if err != nil {
		return nil, fmt.Errorf("trajectories: reading a checkpoint: %w: %w", ErrNoState, err)
	}
	defer root.Close()
	f, err := root.Open(name)
	if err != nil {
		return nil, fmt.Errorf("trajectories: reading a checkpoint: %w: %w", ErrNoState, err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxState+1))
	if err != nil {
		return nil, fmt.Errorf("trajectories: reading a checkpoint: %w: %w", ErrNoState, err)
	}
	var p cua.PageState
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != name || json.Unmarshal(text, &p) != nil {
		return nil, fmt.Errorf("trajectories: reading checkpoint %s: its content is another: %w", name, ErrNoState)
	}
	return &p, nil
}

// isState says whether name is one that State gives; anything else is never a path.
func isState(name string) bool {
	raw, err := hex.DecodeString(name)
	return err == nil && len(raw) == sha256.Size
}

// HasState says whether the checkpoint is there, whatever it holds.
func (w *Writer) HasState(name string) bool {
	if !isState(name) {
		return false
	}
	_, err := os.Stat(filepath.Join(w.dir, StateDir, name))
	return err == nil
}
