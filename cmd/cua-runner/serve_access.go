package main

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/cua-runner/cua-runner/server"
	"github.com/cua-runner/cua-runner/trajectories"
)

// access is who may use the server; nil says that the server makes a token of its own (ownToken). Nothing is
// written.
func (f *serveFlags) access() ([]server.Tenant, error) {
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return nil, usage("--listen: %w", err)
	}
	switch ip := net.ParseIP(host); {
	case f.running < 0 || f.grace < 0:
		return nil, usage("--max-running and --grace must be 0 or more, not %d and %s", f.running, f.grace)
	case (f.cert == "") != (f.key == ""):
		return nil, usage("--tls-cert and --tls-key belong together")
	case f.tokenFile != "" && f.tenants != "":
		return nil, usage("give --token-file or --tenants, not both")
	case f.tenants == "" && f.tokenFile == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()):
		return nil, usage("--listen %s can be reached by other machines: give --token-file or --tenants",
			f.listen)
	}
	if f.cert != "" {
		if _, err := tls.LoadX509KeyPair(f.cert, f.key); err != nil {
			return nil, usage("--tls-cert, --tls-key: %w", err)
		}
	}
	switch {
	case f.tenants != "":
		return readTenants(f.tenants)
	case f.tokenFile != "":
		return tokenTenant(f.tokenFile)
	}
	return nil, nil
}

// ownToken is who may use the server with the token in DIR/token, which is made where it is missing. undo
// takes back what was made, for a start that fails.
func (f *serveFlags) ownToken() (tenants []server.Tenant, path string, undo func(), err error) {
	path = filepath.Join(f.dir, "token")
	made, err := makeToken(path)
	if err != nil {
		return nil, "", nil, infra(err)
	}
	undo = func() {
		if made {
			_ = os.Remove(path)
		}
	}
	if tenants, err = tokenTenant(path); err != nil {
		undo()
	}
	return tenants, path, undo, err
}

// tokenTenant is the one who has the token in that file.
func tokenTenant(path string) ([]server.Tenant, error) {
	text, err := readPrivate(path)
	if err != nil {
		return nil, usage("the token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < 16 {
		return nil, usage("the token in %s has fewer than 16 characters", path)
	}
	sum := sha256.Sum256([]byte(token))
	return []server.Tenant{{Name: "default", TokenSHA256: hex.EncodeToString(sum[:])}}, nil
}

// makeToken writes a random token into a file; false says that the file was there.
func makeToken(path string) (made bool, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return false, err
	}
	token := hex.EncodeToString([]byte(rand.Text()))
	err = trajectories.WriteBytes(path, trajectories.FileOptions{Mode: 0o600, Sync: true, New: true},
		[]byte(token+"\n"))
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

// readPrivate reads a small file that nobody but its owner may read.
func readPrivate(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("%s must be a regular file of mode 0600", path)
	}
	return io.ReadAll(io.LimitReader(file, maxConfig))
}

func readTenants(path string) (out []server.Tenant, err error) {
	text, err := readPrivate(path)
	if err != nil {
		return nil, usage("--tenants: %w", err)
	}
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil {
		return nil, usage("--tenants: %s: %w", path, err)
	}
	if len(out) == 0 {
		return nil, usage("--tenants: %s names no tenant", path)
	}
	for _, t := range out {
		if t.Running < 0 || t.Queued < 0 {
			return nil, usage("--tenants: %s: tenant %s: running and queued must be 0 or more, not %d and %d",
				path, t.Name, t.Running, t.Queued)
		}
	}
	return out, nil
}
