package main

import (
	"io/fs"
	"path/filepath"
	"testing"
)

// private fails where what is below dir is no regular file or folder of its owner alone.
func private(t *testing.T, dir string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = fs.ModeDir | 0o700
		} else {
			files++
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Errorf("%d files below %s: %v", files, dir, err)
	}
}
