package main

import (
	"crypto/rand"
	"crypto/sha256"
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

// access is who may use the server, and the file of the token that the server made.
func (f *serveFlags) access() (tenants []server.Tenant, made string, err error) {
	host, _, err := net.SplitHostPort(f.listen)
	if err != nil {
		return nil, "", usage("--listen: %w", err)
	}
	switch ip := net.ParseIP(host); {
	case f.running < 0 || f.grace < 0:
		return nil, "", usage("--max-running and --grace must be 0 or more, not %d and %s", f.running,
			f.grace)
	case (f.cert == "") != (f.key == ""):
		return nil, "", usage("--tls-cert and --tls-key belong together")
	case f.tokenFile != "" && f.tenants != "":
		return nil, "", usage("give --token-file or --tenants, not both")
	case f.tenants != "":
		tenants, err := readTenants(f.tenants)
		return tenants, "", err
	case f.tokenFile == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()):
		return nil, "", usage("--listen %s can be reached by other machines: give --token-file or --tenants",
			f.listen)
	}
	path := f.tokenFile
	if path == "" {
		path = filepath.Join(f.dir, "token")
		if err := makeToken(path); err != nil {
			return nil, "", infra(err)
		}
		made = path
	}
	text, err := readPrivate(path)
	if err != nil {
		return nil, "", usage("the token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < 16 {
		return nil, "", usage("the token in %s has fewer than 16 characters", path)
	}
	sum := sha256.Sum256([]byte(token))
	return []server.Tenant{{Name: "default", TokenSHA256: hex.EncodeToString(sum[:])}}, made, nil
}

// makeToken writes a random token into a file that is not there yet.
func makeToken(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	token := hex.EncodeToString([]byte(rand.Text()))
	err := trajectories.WriteBytes(path, trajectories.FileOptions{Mode: 0o600, Sync: true, New: true},
		[]byte(token+"\n"))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
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
