package temporal

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/trajectories"
)

// movedName is the file of an episode that says which of its blobs are in a bucket.
const movedName = "blobs.json"

// moved is what that file holds.
type moved struct {
	// At is Bucket.Address.
	At    string   `json:"at"`
	Names []string `json:"names"`
}

// MoveBlobs moves the blobs of the episodes of the study in dir into the bucket. A process that dies in here
// has lost none: what is removed was written before, and is named in the episode.
func (b *Bucket) MoveBlobs(ctx context.Context, dir string) error {
	runs, err := os.ReadDir(filepath.Join(dir, benchmarks.RunsName))
	if err != nil {
		return err
	}
	for _, e := range runs {
		if err := b.moveEpisode(ctx, filepath.Join(dir, benchmarks.RunsName, e.Name())); err != nil {
			return fmt.Errorf("moving the blobs of %s: %w", e.Name(), err)
		}
	}
	return nil
}

func (b *Bucket) moveEpisode(ctx context.Context, episode string) error {
	entries, err := os.ReadDir(filepath.Join(episode, trajectories.BlobsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its process died as it began
	}
	if err != nil {
		return err
	}
	before, err := readMoved(episode)
	if err != nil {
		return err
	}
	if before.At != "" && before.At != b.Address() {
		return fmt.Errorf("its blobs are in %s already, and not in %s", before.At, b.Address())
	}
	var paths []string
	list := moved{b.Address(), before.Names}
	for _, e := range entries {
		if !isBlob(e.Name()) {
			continue // a file that was being written
		}
		path := filepath.Join(episode, trajectories.BlobsDir, e.Name())
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := b.put(ctx, e.Name(), data); err != nil {
			return err
		}
		paths, list.Names = append(paths, path), append(list.Names, e.Name())
	}
	if len(paths) == 0 {
		return nil
	}
	slices.Sort(list.Names)
	list.Names = slices.Compact(list.Names)
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	o := trajectories.FileOptions{Mode: 0o600, Sync: true}
	if err := trajectories.WriteBytes(filepath.Join(episode, movedName), o, append(text, '\n')); err != nil {
		return err
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// readMoved is what an episode says of its blobs; the zero value is that all are in its folder.
func readMoved(episode string) (m moved, err error) {
	text, err := os.ReadFile(filepath.Join(episode, movedName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return m, fmt.Errorf("reading %s: %w", filepath.Join(episode, movedName), err)
	}
	return m, nil
}

func isBlob(name string) bool {
	raw, err := hex.DecodeString(name)
	return err == nil && len(raw) == 32
}

// FetchBlobs brings the blobs of the episodes of the study in dir back from where they are (OpenBucket), and
// counts them. The bucket keeps them. If it fails, the blobs that were brought stay.
func FetchBlobs(ctx context.Context, dir string, getenv func(string) string) (n int, err error) {
	runs, err := os.ReadDir(filepath.Join(dir, benchmarks.RunsName))
	if err != nil {
		return 0, err
	}
	for _, e := range runs {
		fetched, err := fetchEpisode(ctx, filepath.Join(dir, benchmarks.RunsName, e.Name()), getenv)
		n += fetched
		if err != nil {
			return n, fmt.Errorf("fetching the blobs of %s: %w", e.Name(), err)
		}
	}
	return n, nil
}

func fetchEpisode(ctx context.Context, episode string, getenv func(string) string) (n int, err error) {
	m, err := readMoved(episode)
	if err != nil || m.At == "" {
		return 0, err
	}
	b, err := OpenBucket(m.At, getenv)
	if err != nil {
		return 0, err
	}
	for _, name := range m.Names {
		if !isBlob(name) {
			return n, fmt.Errorf("%s names %q, which is no blob", movedName, name)
		}
		path := filepath.Join(episode, trajectories.BlobsDir, name)
		if _, err := os.Stat(path); err == nil {
			continue
		}
		data, err := b.get(ctx, name)
		if err != nil {
			return n, err
		}
		if err := trajectories.WriteBytes(path, trajectories.FileOptions{Mode: 0o600}, data); err != nil {
			return n, err
		}
		n++
	}
	return n, os.Remove(filepath.Join(episode, movedName))
}
