package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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
		{"a tenant's queue", "tenant a: running, queued and max_cost_usd must be 0 or more", []string{"--tenants", tenants}},
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

// A start that fails says whose fault it is by its exit code, and leaves no token.
func TestServeFailedStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	used := filepath.Join(t.TempDir(), "served")
	if err := os.MkdirAll(used, 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := os.Create(filepath.Join(used, "server.lock"))
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	fresh := func() string { return filepath.Join(t.TempDir(), "served") }
	const any = "127.0.0.1:0"
	for _, row := range []struct {
		name, dir, listen string
		more              []string
		code              int
		says              string
	}{
		{"a port above 65535", fresh(), "127.0.0.1:99999", nil, exitUsage, "--listen: "},
		{"a port by a name that nothing has", fresh(), "127.0.0.1:nosuchservice", nil, exitUsage, "--listen: "},
		{"a port that is taken", fresh(), taken.Addr().String(), nil, exitInfra, "address already in use"},
		{"a folder that is taken", used, any, nil, exitUsage, "another server uses the folder"},
		{"a certificate that is not there", fresh(), any, []string{"--tls-cert", "no.pem", "--tls-key", "no.pem"}, exitUsage, "--tls-cert, --tls-key: "},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, _, stderr := command(t, append([]string{"serve", "--dir", row.dir, "--listen", row.listen},
				row.more...)...)
			if code != row.code || !strings.Contains(stderr, row.says) ||
				strings.Contains(stderr, "serving") {
				t.Errorf("exit code %d, want %d and %q: %q", code, row.code, row.says, stderr)
			}
			if _, err := os.Stat(filepath.Join(row.dir, "token")); err == nil {
				t.Error("a token was left behind")
			}
		})
	}
}

// The links that are printed can be opened, also where the server listens on every address, which is said.
func TestServeSaysWhereItIsReached(t *testing.T) {
	for _, row := range []struct {
		name, listens string
		hosts         []string
		cert          string
		base          string
		everywhere    bool
		warns         bool
	}{
		{"loopback", "127.0.0.1:8700", nil, "", "http://127.0.0.1:8700", false, false},
		{"loopback, IPv6", "[::1]:8700", nil, "", "http://[::1]:8700", false, false},
		{"every address", "0.0.0.0:8700", nil, "", "http://localhost:8700", true, true},
		{"every address, IPv6", "[::]:8700", nil, "c.pem", "https://localhost:8700", true, false},
		{"a name of it", "[::]:8700", []string{"cua.test"}, "c.pem", "https://cua.test:8700", true, false},
		{"a name with a port", "0.0.0.0:8700", []string{"cua.test:443"}, "c.pem", "https://cua.test:443", true, false},
		{"one address", "10.1.2.3:8700", []string{"cua.test"}, "", "http://10.1.2.3:8700", false, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			at, err := net.ResolveTCPAddr("tcp", row.listens)
			if err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			f := &serveFlags{dir: "served", hosts: row.hosts, cert: row.cert}
			(&app{err: &said}).sayServing(f, at, "")
			text := said.String()
			if !strings.HasPrefix(text, "serving "+row.base+"/v1/cua, ") ||
				!strings.Contains(text, "\nviewer: "+row.base+"/view/\n") ||
				strings.Contains(text, "of every address") != row.everywhere ||
				strings.Contains(text, "unencrypted") != row.warns {
				t.Error(text)
			}
		})
	}
}
