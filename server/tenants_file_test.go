package server

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// A file of tenants or of a token is read when it is whole, and its owner's alone.
func TestPrivateFiles(t *testing.T) {
	tenants := func(path string) (any, error) { return ReadTenants(path) }
	token := func(path string) (any, error) { return TokenTenant(path) }
	for _, row := range []struct {
		name, text string
		mode       os.FileMode
		read       func(string) (any, error)
		says       string // "" is no error
		want       any
	}{
		{"tenants", `[{"name": "a", "token_sha256": "00", "running": 2}, {"name": "b", "queued": 3, "metrics": true}]` + "\n", 0o600, tenants, "",
			[]Tenant{{Name: "a", TokenSHA256: "00", Running: 2}, {Name: "b", Queued: 3, Metrics: true}}},
		{"no tenant", `[]`, 0o600, tenants, "names no tenant", nil},
		{"an unknown field", `[{"nam": "a"}]`, 0o600, tenants, `unknown field "nam"`, nil},
		{"half a list", `[{"name": "a"}`, 0o600, tenants, "unexpected EOF", nil},
		{"text after the list", `[{"name": "a"}] rubbish`, 0o600, tenants, "nothing is expected after the list", nil},
		{"two lists", `[{"name": "a"}][]`, 0o600, tenants, "nothing is expected after the list", nil},
		{"a cap below zero", `[{"name": "a", "queued": -1}]`, 0o600, tenants, "tenant a: running, queued and max_cost_usd must be 0 or more, not 0, -1 and 0", nil},
		{"a cost below zero", `[{"name": "a", "max_cost_usd": -5}]`, 0o600, tenants, "must be 0 or more, not 0, 0 and -5", nil},
		{"tenants that others may read", `[{"name": "a"}]`, 0o640, tenants, "must be a regular file of mode 0600", nil},
		{"a token", " 0123456789abcdef\n", 0o600, token, "", Tenant{Name: "default", TokenSHA256: hashOf("0123456789abcdef")}},
		{"a short token", "0123456789abcde\n\n", 0o600, token, "has fewer than 16 characters", nil},
		{"a token that others may read", "0123456789abcdef", 0o604, token, "the token: ", nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(row.text), row.mode); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, row.mode); err != nil {
				t.Fatal(err)
			}
			got, err := row.read(path)
			if (err == nil) != (row.says == "") || err != nil && !strings.Contains(err.Error(), row.says) {
				t.Errorf("%v, want %q", err, row.says)
			}
			if row.want != nil && !reflect.DeepEqual(got, row.want) {
				t.Errorf("%+v, want %+v", got, row.want)
			}
		})
	}
}

// A token is made once; it is that of the tenant "default".
func TestMakeToken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "below", "token")
	var text []byte
	for _, want := range []bool{true, false} {
		if made, err := MakeToken(path); made != want || err != nil {
			t.Errorf("made %v, %v, want %v", made, err, want)
		}
		before := text
		var err error
		if text, err = ReadPrivate(path); err != nil || before != nil && string(text) != string(before) {
			t.Errorf("the file was changed, or %v", err)
		}
	}
	want := Tenant{Name: "default", TokenSHA256: hashOf(strings.TrimSpace(string(text)))}
	if got, err := TokenTenant(path); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}
