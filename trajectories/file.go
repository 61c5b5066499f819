package trajectories

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// FileOptions say how WriteFile makes a file.
type FileOptions struct {
	// Mode is that of the file.
	Mode fs.FileMode
	// Sync says that the file and its name are on disk when WriteFile returns.
	Sync bool
	// New says that a file that is there already is kept: the error wraps fs.ErrExist.
	New bool
}

// WriteFile makes path appear with all that write writes, or not at all: it writes a temporary file beside it
// and gives that the name. An error of write is returned as it is, any other is a *DiskError.
func WriteFile(path string, o FileOptions, write func(io.Writer) error) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, ".new-*") // for the owner alone from the first byte on
	if err != nil {
		return &DiskError{"create", path, err}
	}
	defer os.Remove(tmp.Name())
	if err := write(tmp); err != nil {
		tmp.Close()
		return err
	}
	err = tmp.Chmod(o.Mode)
	if o.Sync {
		err = cmp.Or(err, tmp.Sync())
	}
	if err = cmp.Or(err, tmp.Close()); err != nil {
		return &DiskError{"write", path, err}
	}
	if err := o.name(tmp.Name(), path); err != nil {
		return &DiskError{"create", path, err}
	}
	if o.Sync {
		if err := syncDirs(dir); err != nil {
			return &DiskError{"sync", dir, err}
		}
	}
	return nil
}

// WriteBytes is WriteFile of data; all its errors are a *DiskError.
func WriteBytes(path string, o FileOptions, data []byte) error {
	return WriteFile(path, o, func(w io.Writer) error {
		if _, err := w.Write(data); err != nil {
			return &DiskError{"write", path, err}
		}
		return nil
	})
}

// WriteFolder makes dir appear with all that fill writes into its folder, or leaves what was there. dir must
// be empty or not there.
func WriteFolder(dir string, fill func(tmp string) error) error {
	dir = filepath.Clean(dir)
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return &fs.PathError{Op: "write", Path: dir, Err: syscall.ENOTDIR}
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), ".new-*") // beside it: a rename does not cross disks
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := fill(tmp); err != nil {
		return err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.Rename(tmp, dir)
}

// name gives the finished file at tmp its name.
func (o FileOptions) name(tmp, path string) error {
	if !o.New {
		return os.Rename(tmp, path)
	}
	err := os.Link(tmp, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	// A file system without links: the name is taken by an empty file first.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, o.Mode)
	if err != nil {
		return err
	}
	if err = cmp.Or(f.Close(), os.Rename(tmp, path)); err != nil {
		os.Remove(path) // the empty one
	}
	return err
}

// LogFile is what a Log needs of its file.
type LogFile interface {
	io.Writer
	Sync() error
	Truncate(size int64) error
}

// Log appends records to a file. A record is in the file as a whole, or the file is as it was before.
type Log struct {
	f      LogFile
	path   string
	size   int64 // of the good records
	broken error // set when the file could not be brought back to size
}

// NewLog appends to f, which is open at path for appending and holds size bytes of good records.
func NewLog(f LogFile, path string, size int64) *Log { return &Log{f: f, path: path, size: size} }

// Append writes one record and syncs it, with those that Put wrote before it.
func (l *Log) Append(record []byte) error { return l.write(record, true) }

// Put writes one record, which the next Append brings to the disk: what dies with the process alone loses
// nothing.
func (l *Log) Put(record []byte) error { return l.write(record, false) }

// write writes one record. After an error, which is a *DiskError, the file is cut to the records before;
// where that fails nothing more is written: a record after half of one would be lost with it.
func (l *Log) write(record []byte, sync bool) error {
	if l.broken != nil {
		return l.broken
	}
	n, err := l.f.Write(record)
	op := "append"
	if err == nil && n < len(record) {
		err = io.ErrShortWrite
	}
	if err == nil && sync {
		op, err = "sync", l.f.Sync()
	}
	if err == nil {
		l.size += int64(len(record))
		return nil
	}
	if cut := l.back(); cut != nil {
		err = fmt.Errorf("%w; then %w", err, cut)
	}
	return &DiskError{op, l.path, err}
}

// back cuts the file to its good records.
func (l *Log) back() error {
	if err := l.f.Truncate(l.size); err != nil {
		l.broken = &DiskError{"truncate", l.path, err}
		return l.broken
	}
	return nil
}
