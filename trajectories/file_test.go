package trajectories

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A file is replaced whole, made once, or stays what it was; nothing is left beside it.
func TestWriteFile(t *testing.T) {
	torn := errors.New("torn")
	for _, row := range []struct {
		name string
		old  string // "" is no file
		o    FileOptions
		fail bool // after half of the text
		want string
		is   error
	}{
		{"made", "", FileOptions{Mode: 0o644}, false, "new text", nil},
		{"replaced", "old", FileOptions{Mode: 0o600, Sync: true}, false, "new text", nil},
		{"half written", "old", FileOptions{Mode: 0o644}, true, "old", torn},
		{"half written, where none was", "", FileOptions{Mode: 0o644, New: true}, true, "", torn},
		{"made once", "", FileOptions{Mode: 0o640, Sync: true, New: true}, false, "new text", nil},
		{"kept", "old", FileOptions{Mode: 0o644, New: true}, false, "old", fs.ErrExist},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "file")
			if row.old != "" {
				must(t, os.WriteFile(path, []byte(row.old), 0o644))
			}
			err := WriteFile(path, row.o, func(w io.Writer) error {
				if row.fail {
					_, err := io.WriteString(w, "new ")
					return errors.Join(err, torn)
				}
				_, err := io.WriteString(w, "new text")
				return err
			})
			if !errors.Is(err, row.is) {
				t.Fatalf("%v, want %v", err, row.is)
			}
			text, _ := os.ReadFile(path)
			entries, err := os.ReadDir(dir)
			must(t, err)
			if string(text) != row.want || len(entries) > 1 || row.want == "" && len(entries) > 0 {
				t.Errorf("%q and %d files, want %q", text, len(entries), row.want)
			}
			if info, err := os.Stat(path); row.is == nil && (err != nil || info.Mode() != row.o.Mode) {
				t.Errorf("%v, %v", info.Mode(), err)
			}
		})
	}
	var disk *DiskError
	nowhere := filepath.Join(t.TempDir(), "no folder", "file")
	if err := WriteFile(nowhere, FileOptions{}, nil); !errors.As(err, &disk) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// A file is not taken for an empty folder.
func TestWriteFolderKeepsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, []byte("mine"), 0o644))
	err := WriteFolder(path, func(string) error { return nil })
	if got, _ := os.ReadFile(path); !errors.Is(err, syscall.ENOTDIR) || string(got) != "mine" {
		t.Errorf("%v, and the file holds %q", err, got)
	}
}

// A folder appears as a whole, or what was there stays; nothing is left beside it.
func TestWriteFolder(t *testing.T) {
	torn := errors.New("torn")
	for _, row := range []struct {
		name string
		old  string // "" is no folder, "/" an empty one, else one with a file of that name
		fail bool   // after one file
		want string // the file that is in it at the end
		is   error
	}{
		{"made", "", false, "new", nil},
		{"an empty one", "/", false, "new", nil},
		{"half filled", "/", true, "", torn},
		{"one that holds something", "old", false, "old", syscall.ENOTEMPTY},
	} {
		t.Run(row.name, func(t *testing.T) {
			parent := filepath.Join(t.TempDir(), "parent")
			dir := filepath.Join(parent, "folder")
			if row.old != "" {
				must(t, os.MkdirAll(dir, 0o755))
			}
			if row.old != "" && row.old != "/" {
				must(t, os.WriteFile(filepath.Join(dir, row.old), nil, 0o644))
			}
			err := WriteFolder(dir+"/", func(tmp string) error {
				err := os.WriteFile(filepath.Join(tmp, "new"), nil, 0o644)
				if row.fail {
					err = errors.Join(err, torn)
				}
				return err
			})
			if !errors.Is(err, row.is) {
				t.Fatalf("%v, want %v", err, row.is)
			}
			files, _ := filepath.Glob(filepath.Join(dir, "*"))
			all, _ := os.ReadDir(parent)
			if row.want == "" && len(files) > 0 || len(all) != 1 ||
				row.want != "" && (len(files) != 1 || filepath.Base(files[0]) != row.want) {
				t.Errorf("%v and %v beside it, want %q", files, all, row.want)
			}
		})
	}
}
