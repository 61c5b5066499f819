package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Mount is a folder of Site.Libraries that pages load files from. Nothing in it can be opened as a page.
type Mount struct {
	// Path is where it is served: a slash and one name.
	Path string `json:"path"`
	// Dir is the folder, relative to Site.Libraries.
	Dir string `json:"dir"`
}

var mountForm = regexp.MustCompile(`^/[A-Za-z0-9_-]+$`)

// mounts reads the mounts of a site; nil where there are none.
func (r *reader) mounts(n *node) []Mount {
	var out []Mount
	for _, n := range r.list(n) {
		f := r.fields(n, "path", "dir")
		m := Mount{Path: f.text("path", true), Dir: f.text("dir", true)}
		if at := f.by["path"]; m.Path != "" && !mountForm.MatchString(m.Path) {
			r.fault(at.line, at.path, "%q must be a slash and one name", m.Path)
		}
		if at := f.by["dir"]; m.Dir != "" && !filepath.IsLocal(m.Dir) {
			r.fault(at.line, at.path, "%q is not inside of the libraries", m.Dir)
		}
		out = append(out, m)
	}
	return out
}

// checkMounts reports whether each folder is there, and how to get it where it is not.
func (s *Site) checkMounts() error {
	for _, m := range s.Mounts {
		how := "give its folder with --libraries DIR"
		if s.Install != "" {
			how = fmt.Sprintf("install it with %s DIR, then give it with --libraries DIR", s.Install)
		}
		if s.Libraries == "" {
			return fmt.Errorf("manifest: the pages load what is not part of them: %s", how)
		}
		dir := filepath.Join(s.Libraries, m.Dir)
		st, err := os.Stat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("manifest: the pages load files from %s, which does not exist: %s", dir, how)
		case err != nil:
			return fmt.Errorf("manifest: looking for what the pages load: %w", err)
		case !st.IsDir():
			return fmt.Errorf("manifest: the pages load files from %s, which is no folder: %s", dir, how)
		}
	}
	return nil
}

// mounted is a mount that is served.
type mounted struct {
	http.Handler
	prefix string
	root   *os.Root
}

func (s *Site) openMounts() ([]mounted, error) {
	var out []mounted
	for _, m := range s.Mounts {
		root, err := os.OpenRoot(filepath.Join(s.Libraries, m.Dir))
		if err != nil {
			for _, o := range out {
				o.root.Close() //nolint:errcheck // what went wrong is err
			}
			return nil, fmt.Errorf("manifest: opening what is served under %s: %w", m.Path, err)
		}
		out = append(out, mounted{http.StripPrefix(m.Path, http.FileServerFS(root.FS())), m.Path + "/", root})
	}
	return out, nil
}

// mount is what answers r in place of the site's own folder; nil is none.
func (v *served) mount(r *http.Request) http.Handler {
	if opened(r) {
		return nil
	}
	for _, m := range v.mounts {
		if strings.HasPrefix(r.URL.Path, m.prefix) {
			return m
		}
	}
	return nil
}
