package server

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/cua-runner/cua-runner/trajectories"
)

// Tenant is who may use the server, with a folder of its own.
type Tenant struct {
	// Name is also that of the folder: 1 to 60 small letters, digits, dots, lines and underscores.
	Name string `json:"name"`
	// TokenSHA256 is the SHA-256 of the token in hex.
	TokenSHA256 string `json:"token_sha256"`
	// Running and Queued cap the episodes that run and wait; 0 is 4 and 64.
	Running int `json:"running,omitzero"`
	Queued  int `json:"queued,omitzero"`
	// Metrics says that the tenant may read the metrics, which are of all tenants; a tenant alone always may.
	Metrics bool `json:"metrics,omitzero"`
	// MaxCostUSD caps the cost of each episode, US dollars; 0 is no cap.
	MaxCostUSD float64 `json:"max_cost_usd,omitzero"`
	// Allow are the hosts that start pages may be on and that requests may allow. nil is any where there is
	// one tenant alone, and any public host where there are several: a tenant is not to reach the server's
	// own network.
	Allow []string `json:"allow,omitzero"`
	// Brains are the brains that may decide; nil is any that the server offers.
	Brains []string `json:"brains,omitzero"`
	// Secrets are the names of the server's secrets that may be used; nil is all where there is one tenant
	// alone, and none where there are several.
	Secrets []string `json:"secrets,omitzero"`
}

// ReadTenants reads the file of tenants at path: a list of them in JSON. An empty list, an unknown field and
// a cap below zero are errors.
func ReadTenants(path string) (out []Tenant, err error) {
	text, err := ReadPrivate(path)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: nothing is expected after the list of tenants", path)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s names no tenant", path)
	}
	for _, t := range out {
		if t.Running < 0 || t.Queued < 0 || t.MaxCostUSD < 0 {
			return nil, fmt.Errorf("%s: tenant %s: running, queued and max_cost_usd must be 0 or more, "+
				"not %d, %d and %g", path, t.Name, t.Running, t.Queued, t.MaxCostUSD)
		}
	}
	return out, nil
}

// TokenTenant is the tenant "default", who has the token in the file at path: 16 bytes or more, without the
// white space around it. Nobody but its owner may read the file.
func TokenTenant(path string) (Tenant, error) {
	text, err := ReadPrivate(path)
	if err != nil {
		return Tenant{}, fmt.Errorf("the token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if len(token) < 16 {
		return Tenant{}, fmt.Errorf("the token in %s has fewer than 16 characters", path)
	}
	sum := sha256.Sum256([]byte(token))
	return Tenant{Name: "default", TokenSHA256: hex.EncodeToString(sum[:])}, nil
}

// MakeToken writes a random token into a new file at path, with the folders above it; false says that the
// file was there. Errors are those of the disk.
func MakeToken(path string) (made bool, err error) {
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

// maxPrivate bounds what ReadPrivate reads, bytes.
const maxPrivate = 1 << 20

// ReadPrivate reads a file that nobody but its owner may read. It is an error if others may read it, if it is
// no regular file, and if it is larger than 1 MiB.
func ReadPrivate(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe is not waited for
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
	if info.Size() > maxPrivate {
		return nil, fmt.Errorf("%s has %d bytes, at most %d", path, info.Size(), maxPrivate)
	}
	return io.ReadAll(io.LimitReader(file, maxPrivate))
}
