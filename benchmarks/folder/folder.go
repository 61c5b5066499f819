// Package folder serves a folder of the user's on loopback, to be read: nothing of it is written and nothing
// outside of it is reached.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"
)

// Server is a folder on a free port of 127.0.0.1.
type Server struct {
	// Host is the host and port that the server answers at.
	Host string
	http *http.Server
	root *os.Root
}

// Serve answers what is asked of dir by the handler that made gives for its files. Close ends it. A folder
// that cannot be opened and a port that cannot be had are errors.
func Serve(dir string, made func(files fs.FS) http.Handler) (*Server, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("serving %s: %w", dir, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		root.Close()
		return nil, fmt.Errorf("serving %s: %w", dir, err)
	}
	s := &Server{Host: l.Addr().String(), root: root, http: &http.Server{ReadHeaderTimeout: 10 * time.Second,
		Handler: made(root.FS())}}
	go s.http.Serve(l) //nolint:errcheck // it ends with ErrServerClosed when Close is called
	return s, nil
}

// Refused answers what is no reading, and reports whether it did.
func Refused(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return false
	}
	http.Error(w, "the folder is served to be read", http.StatusMethodNotAllowed)
	return true
}

// Close stops the server.
func (s *Server) Close() error { return errors.Join(s.http.Close(), s.root.Close()) }
