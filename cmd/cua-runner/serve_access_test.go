package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Limits below zero would let no episode run: they are refused before anything is served.
func TestServeRefusesLimitsBelowZero(t *testing.T) {
	tenants := filepath.Join(t.TempDir(), "tenants.json")
	if err := os.WriteFile(tenants, []byte(`[{"name":"a","token_sha256":"00","running":1,"queued":-1}]`),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, says string
		args       []string
	}{
		{"episodes at a time", "--max-running", []string{"--max-running=-1"}},
		{"grace", "--grace", []string{"--grace=-5s"}},
		{"a tenant's queue", "tenant a: running and queued must be 0 or more", []string{"--tenants", tenants}},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "served")
			code, _, stderr := command(t, append([]string{"serve", "--dir", dir, "--listen", "127.0.0.1:0"},
				row.args...)...)
			if code != exitUsage || !strings.Contains(stderr, row.says) {
				t.Errorf("exit code %d: %q", code, stderr)
			}
			if _, err := os.Stat(dir); err == nil {
				t.Error("a folder was made")
			}
		})
	}
}
