package trajectories

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// byHash is a folder of files that are named by the SHA-256, in hex, of what they hold.
type byHash struct {
	dir  string
	mode fs.FileMode // of the files
}

// errOther says that a file does not hold what its name says.
var errOther = errors.New("its content is another")

// isHash reports whether name is one that put gives; anything else is never a path.
func isHash(name string) bool {
	raw, err := hex.DecodeString(name)
	return err == nil && len(raw) == sha256.Size
}

// put writes data once and says under what name. Data that is there already is left alone.
func (c byHash) put(data []byte) (name string, err error) {
	sum := sha256.Sum256(data)
	name = hex.EncodeToString(sum[:])
	path := filepath.Join(c.dir, name)
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) {
		return name, nil
	}
	return name, WriteBytes(path, FileOptions{Mode: c.mode}, data)
}

// get reads the file of that name, of which isHash must hold; errOther where it holds something else, or more
// than most bytes.
func (c byHash) get(name string, most int64) ([]byte, error) {
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe is not waited for
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errOther
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != name {
		return nil, errOther
	}
	return data, nil
}
