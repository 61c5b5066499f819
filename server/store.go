package server

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/cua-runner/cua-runner/trajectories"
)

// Names in the server's folder.
const (
	keyName     = "server.key"
	lockName    = "server.lock"
	requestName = "request.json"
	// goneSuffix marks a folder that is being deleted.
	goneSuffix = ".deleted"
)

// ErrInUse says that another server uses the folder.
var ErrInUse = errors.New("another server uses the folder")

// record is request.json: an episode that was accepted.
type record struct {
	ID      string    `json:"id"`
	Created time.Time `json:"created"`
	// Key and Body are the digests of the idempotency key and of the body that came with it; "" is no key.
	Key     string  `json:"key_digest,omitzero"`
	Body    string  `json:"body_digest,omitzero"`
	Request Request `json:"request"`
}

var episodeID = regexp.MustCompile(`^[0-9a-v]{26}$`)

// lockFolder makes the folder and locks it until the file is closed.
func lockFolder(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrInUse
		}
		return nil, fmt.Errorf("server: locking %s: %w", dir, err)
	}
	return f, nil
}

// serverKey is the random key of the folder, made at the first start.
func serverKey(dir string) ([]byte, error) {
	path := filepath.Join(dir, keyName)
	key, err := os.ReadFile(path)
	switch {
	case err == nil && len(key) == sha256.Size:
		return key, nil
	case err == nil:
		return nil, fmt.Errorf("server: %s has %d bytes and not %d", path, len(key), sha256.Size)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("server: %w", err)
	}
	key = make([]byte, sha256.Size)
	if _, err := rand.Read(key); err != nil {
		return nil, err
	}
	return key, trajectories.WriteBytes(path, trajectories.FileOptions{Mode: 0o600, Sync: true, New: true},
		key)
}

// digest is a digest that only who has the key can make.
func digest(key []byte, parts ...[]byte) string {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// accept writes the episode's folder. When it returns nil the episode is on disk, also after a power failure.
func accept(tenantDir string, r record) error {
	dir := filepath.Join(tenantDir, r.ID)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	text, err := json.Marshal(r)
	if err == nil {
		err = trajectories.WriteBytes(filepath.Join(dir, requestName),
			trajectories.FileOptions{Mode: 0o600, Sync: true, New: true}, append(text, '\n'))
	}
	if err == nil {
		err = syncFolder(tenantDir)
	}
	if err != nil {
		os.RemoveAll(dir) //nolint:errcheck // what is left is no episode: the next start removes it
	}
	return err
}

func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// folders reads the episodes of a tenant's folder, and removes what a crash has left half made or half
// deleted.
func folders(dir string) (out []record, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if id, gone := strings.CutSuffix(e.Name(), goneSuffix); gone && episodeID.MatchString(id) {
			if err := os.RemoveAll(path); err != nil {
				return nil, err
			}
		}
		if !e.IsDir() || !episodeID.MatchString(e.Name()) {
			continue
		}
		switch r, err := readRecord(path); {
		case errors.Is(err, fs.ErrNotExist): // it was never accepted
			if err := os.RemoveAll(path); err != nil {
				return nil, err
			}
		case err != nil:
			return nil, fmt.Errorf("reading %s: %w", filepath.Join(path, requestName), err)
		default:
			out = append(out, r)
		}
	}
	return out, nil
}

// readRecord reads the request.json of an episode's folder.
func readRecord(dir string) (r record, err error) {
	text, err := os.ReadFile(filepath.Join(dir, requestName))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err == nil && r.ID != filepath.Base(dir) {
		err = errors.New("it is of another episode")
	}
	return r, err
}

// remove deletes the folder of an episode. After a crash in between it is gone all the same.
func remove(dir string) error {
	gone := dir + goneSuffix
	if err := os.Rename(dir, gone); err != nil {
		return err
	}
	if err := syncFolder(filepath.Dir(dir)); err != nil {
		return err
	}
	return os.RemoveAll(gone)
}

// journal is what an episode's journal says now.
type journal struct {
	// t is the trajectory; nil where the episode has not begun.
	t *trajectories.Trajectory
	// records is how many whole records there are, size how many bytes they take.
	records int
	size    int64
}

// readJournal reads the whole records of the journal in dir. A journal whose process died within its header
// is none.
func readJournal(dir string) (*journal, error) {
	path := filepath.Join(dir, trajectories.JournalName)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &journal{}, nil
	}
	if err != nil {
		return nil, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	if len(text) == 0 {
		return &journal{}, nil
	}
	t, err := trajectories.Decode(bytes.NewReader(text), path, dir)
	if err != nil {
		return nil, err
	}
	return &journal{t: t, records: bytes.Count(text, []byte("\n")), size: int64(len(text))}, nil
}
