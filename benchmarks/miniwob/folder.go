package miniwob

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"

	"github.com/cua-runner/cua-runner/benchmarks/folder"
)

// coreFile is by what a folder is known to hold the benchmark.
const coreFile = "core/core.js"

// places are where the pages may be in a folder: it is the root of the repository, or one of the folders
// below it.
var places = []string{".", "html", "miniwob/html"}

// Checkout is the benchmark as it is in a folder.
type Checkout struct {
	// Root is the folder that holds core/ and the pages' folder, absolute.
	Root string
	// Core is the SHA-256 of core/core.js, in hex: two checkouts that differ in it are two benchmarks.
	Core string
}

// Open finds the benchmark in dir: the root of the repository, miniwob/ in it or miniwob/html/. A folder
// without core/core.js, or without a page, is an error that says where it was looked for.
func Open(dir string) (*Checkout, error) {
	for _, place := range places {
		root, err := filepath.Abs(filepath.Join(dir, place))
		if err != nil {
			return nil, fmt.Errorf("miniwob: opening %s: %w", dir, err)
		}
		core, err := os.ReadFile(filepath.Join(root, coreFile))
		if errors.Is(err, fs.ErrPermission) {
			return nil, fmt.Errorf("miniwob: opening %s: %w", dir, err)
		}
		if err != nil {
			continue
		}
		if pages, _ := filepath.Glob(filepath.Join(root, "miniwob", "*.html")); len(pages) == 0 {
			return nil, fmt.Errorf("miniwob: %s has %s and no page of a task: no file matches miniwob/*.html",
				root, coreFile)
		}
		sum := sha256.Sum256(core)
		return &Checkout{Root: root, Core: hex.EncodeToString(sum[:])}, nil
	}
	return nil,
		fmt.Errorf("miniwob: %s is no MiniWoB++ folder: there is no %s in it, in html/ or in miniwob/html/",
			dir, coreFile)
}

// Missing are those of tasks that the folder has no page for.
func (c *Checkout) Missing(tasks []string) []string {
	var out []string
	for _, t := range tasks {
		if st, err := os.Stat(filepath.Join(c.Root, "miniwob", t+".html")); err != nil ||
			!st.Mode().IsRegular() {
			out = append(out, t)
		}
	}
	return out
}

// Server serves a checkout on a free port of 127.0.0.1, read-only and nothing outside of its folder.
type Server struct{ *folder.Server }

// Serve starts a server. Close ends it.
func (c *Checkout) Serve() (*Server, error) {
	s, err := folder.Serve(c.Root, func(root fs.FS) http.Handler {
		files := http.FileServerFS(root)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !folder.Refused(w, r) {
				files.ServeHTTP(w, r)
			}
		})
	})
	if err != nil {
		return nil, fmt.Errorf("miniwob: %w", err)
	}
	return &Server{s}, nil
}

// URL is the address of a task's page.
func (s *Server) URL(task string) string { return "http://" + s.Host + "/miniwob/" + task + ".html" }
