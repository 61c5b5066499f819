package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of tenants or of a token is read when it is whole, and its owner's alone.
func TestPrivateFiles(t *testing.T) {
	tenants := func(path string) error { _, err := ReadTenants(path); return err }
	token := func(path string) error { _, err := TokenTenant(path); return err }
	for _, row := range []struct {
		name, text string
		mode       os.FileMode
		read       func(string) error
		says       string // "" is no error
	}{
		{"tenants", `[{"name": "a", "token_sha256": "00", "running": 2}]`, 0o600, tenants, ""},
		{"no tenant", `[]`, 0o600, tenants, "names no tenant"},
		{"an unknown field", `[{"nam": "a"}]`, 0o600, tenants, `unknown field "nam"`},
		{"a cap below zero", `[{"name": "a", "queued": -1}]`, 0o600, tenants, "tenant a: running and queued must be 0 or more, not 0 and -1"},
		{"tenants that others may read", `[{"name": "a"}]`, 0o640, tenants, "must be a regular file of mode 0600"},
		{"a token", " 0123456789abcdef\n", 0o600, token, ""},
		{"a short token", "0123456789abcde\n\n", 0o600, token, "has fewer than 16 characters"},
		{"a token that others may read", "0123456789abcdef", 0o604, token, "the token: "},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(row.text), row.mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, row.mode); err != nil {
				t.Fatal(err)
			}
			err := row.read(path)
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("%v, want %q", err, row.says)
			}
		})
	}
}

// A token is made once; it is that of the tenant "default".
func TestMakeToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "token")
	for _, want := range []bool{true, false} {
		if made, err := MakeToken(path); made != want || err != nil {
			t.Errorf("made %v, %v, want %v", made, err, want)
		}
	}
	if got, err := TokenTenant(path); err != nil || got.Name != "default" || len(got.TokenSHA256) != 64 {
		t.Errorf("%+v, %v", got, err)
	}
}
