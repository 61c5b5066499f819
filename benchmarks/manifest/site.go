package manifest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks/folder"
)

// indexFile is what a path is answered with that the folder has no page for.
const indexFile = "index.html"

// Site is a folder with an application that runs in the browser alone: what a build of it leaves. Each
// episode has a server and with it an origin of its own, so that nothing is left in the browser's stores.
type Site struct {
	// Dir holds index.html, which is the answer to every address that is opened and is no other page of the
	// folder: what else is in the folder can be loaded by pages and not be read as one.
	Dir string `json:"dir"`
	// Index is the SHA-256 of index.html in hex, by which the folder is known again; "" is not asked for.
	Index string `json:"index_sha256,omitzero"`
	// Seeded puts a script into each page that makes Math.random a function of the episode's seed.
	Seeded bool `json:"seeded,omitzero"`
	// Posts are paths that are answered {"success":true} to a POST; any other POST is refused.
	Posts []string `json:"posts,omitzero"`
	// Mounts are folders of Libraries that pages load from.
	Mounts []Mount `json:"mounts,omitzero"`
	// Libraries is the folder that Mounts are in, on the machine that plays the tasks; "" is none.
	Libraries string `json:"libraries,omitzero"`
	// Install names the program that makes Libraries, for the error where it is missing.
	Install string `json:"install,omitzero"`
}

// unbuilt finds a script in a page that no browser runs: the folder is what a build is made of.
var unbuilt = regexp.MustCompile(`(?i)<script[^>]*\ssrc="([^"]+\.(?:tsx?|jsx))"`)

// OpenSite is the site in dir, known by its index.html. A folder without one is an error, and so is the
// source of a site.
func OpenSite(dir string) (*Site, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("manifest: opening %s: %w", dir, err)
	}
	index, err := os.ReadFile(filepath.Join(abs, indexFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("manifest: %s is no built site: there is no %s in it", dir, indexFile)
	}
	if err != nil {
		return nil, fmt.Errorf("manifest: opening %s: %w", dir, err)
	}
	if script := unbuilt.FindSubmatch(index); script != nil {
		return nil,
			fmt.Errorf("manifest: %s is the source of a site and no build of it: its %s loads %s, which no "+
				"browser runs; give the folder that the build makes, often dist", dir, indexFile, script[1])
	}
	return &Site{Dir: abs, Index: digest(index)}, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Check reports whether the folder is there and the one that it was, and whether what is mounted is there.
func (s *Site) Check() error {
	now, err := OpenSite(s.Dir)
	if err == nil && s.Index != "" && now.Index != s.Index {
		err = fmt.Errorf("manifest: %s is not the site that it was: its %s is another", s.Dir, indexFile)
	}
	if err == nil {
		err = s.checkMounts()
	}
	return err
}

// served is a site on a free port of 127.0.0.1.
type served struct {
	*Site
	*folder.Server
	root   fs.FS
	files  http.Handler
	seed   int64
	mounts []mounted
}

func (s *Site) serve(seed int64) (*served, error) {
	v := &served{Site: s, seed: seed}
	server, err := folder.Serve(s.Dir, func(root fs.FS) http.Handler {
		v.root, v.files = root, http.FileServerFS(root)
		return v
	})
	if err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	v.Server = server
	if v.mounts, err = s.openMounts(); err != nil {
		server.Close() //nolint:errcheck // what went wrong is err
		return nil, err
	}
	return v, nil
}

// Close stops the server and gives the folders back.
func (v *served) Close() error {
	errs := []error{v.Server.Close()}
	for _, m := range v.mounts {
		errs = append(errs, m.root.Close())
	}
	return errors.Join(errs...)
}

// ServeHTTP answers a page with its file or with index.html, and what pages load with its file.
func (v *served) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && slices.Contains(v.Posts, r.URL.Path) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"success":true}`)) //nolint:errcheck // a client that went away is not our failure
		return
	}
	if folder.Refused(w, r) {
		return
	}
	if m := v.mount(r); m != nil {
		m.ServeHTTP(w, r)
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	st, err := fs.Stat(v.root, name)
	there := err == nil && st.Mode().IsRegular()
	page := strings.HasSuffix(name, ".html")
	if there && !page && !opened(r) {
		v.files.ServeHTTP(w, r)
		return
	}
	if !there || !page {
		name = indexFile
	}
	text, err := fs.ReadFile(v.root, name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Write(v.seededPage(text)) //nolint:errcheck // a client that went away is not our failure
}

// opened reports whether the answer is shown as a page of its own: by what every browser that knows of the
// header says.
func opened(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "document", "iframe", "frame", "object", "embed":
		return true
	}
	return false
}

// random makes Math.random the generator mulberry32, begun with the seed.
const random = `<script>(() => { let s = SEED >>> 0; Math.random = () => { s = (s + 0x6D2B79F5) >>> 0;
let t = Math.imul(s ^ (s >>> 15), s | 1); t ^= t + Math.imul(t ^ (t >>> 7), t | 61); return ((t ^ (t >>> 14)) >>> 0) / 4294967296; }; })();</script>`

var headTag = regexp.MustCompile(`(?i)<head(\s[^>]*)?>`)

// seededPage puts the script before all others.
func (v *served) seededPage(text []byte) []byte {
	if !v.Seeded {
		return text
	}
	script := strings.Replace(random, "SEED", strconv.FormatUint(uint64(uint32(v.seed)), 10), 1)
	at := 0
	if found := headTag.FindIndex(text); found != nil {
		at = found[1]
	}
	return bytes.Join([][]byte{text[:at], []byte(script), text[at:]}, nil)
}
