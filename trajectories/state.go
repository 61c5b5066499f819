package trajectories

import (
	"encoding/json"
	"errors"
	"fmt"
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
	dir := filepath.Join(w.dir, StateDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", &DiskError{"create", dir, err}
	}
	return byHash{dir: dir, mode: stateMode}.put(text)
}

// DropState removes a checkpoint that has to make room. One that is not there is no error.
func (w *Writer) DropState(name string) error {
	if !isHash(name) {
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
	if !isHash(name) {
		return nil, fmt.Errorf("trajectories: reading a checkpoint: %q is no name of one: %w", name,
			ErrNoState)
	}
	text, err := byHash{dir: filepath.Join(dir, StateDir)}.get(name, maxState)
	if err != nil && !errors.Is(err, errOther) {
		return nil, fmt.Errorf("trajectories: reading a checkpoint: %w: %w", ErrNoState, err)
	}
	var p cua.PageState
	if err != nil || json.Unmarshal(text, &p) != nil {
		return nil, fmt.Errorf("trajectories: reading checkpoint %s: %w: %w", name, errOther, ErrNoState)
	}
	return &p, nil
}

// HasState reports whether the checkpoint is there, whatever it holds.
func (w *Writer) HasState(name string) bool {
	return hasState(w.dir, name)
}

func hasState(dir, name string) bool {
	if !isHash(name) {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, StateDir, name))
	return err == nil
}

// HasState reports whether the checkpoint of that name is in the run folder, whatever it holds.
func (t *Trajectory) HasState(name string) bool { return hasState(t.Dir, name) }
