// Package viewer is the live viewer of package server: one page, its scripts and its styles, with no data in
// them. The page follows the events of an episode through the API and offers what a person can do about it.
//
// It shows a running episode and an ended one alike. The drawing of a step has the style of the page that
// cua-runner export --format html writes, and the same words.
//
//	view, err := viewer.Handler()
//	server.New(server.Options{View: view, …})
//
// The link to it is /view/#token=TOKEN, or /view/?id=ID#token=TOKEN of one episode. The part after # stays in
// the browser: the page keeps it for its tab and takes it out of the address.
package viewer

import (
	"bytes"
	"embed"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/trajectories/show"
)

//go:embed page.html *.css *.js
var files embed.FS

// policy lets the page load its own files, fetch from its own origin, and show the frames that it fetched.
// Nothing inline runs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var kinds = map[string]string{
	"html": "text/html; charset=utf-8",
	"css":  "text/css; charset=utf-8",
	"js":   "text/javascript; charset=utf-8",
}

// Handler serves the page at / and its files beside it, to anybody: they hold no data. The error says that
// the program was built without one of them.
func Handler() (http.Handler, error) {
	style, err := show.CardStyle()
	if err != nil {
		return nil, fmt.Errorf("viewer: reading the style of the steps: %w", err)
	}
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("viewer: reading its files: %w", err)
	}
	mux := http.NewServeMux()
	serve(mux, "cards.css", []byte(style))
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, fmt.Errorf("viewer: reading its files: %w", err)
		}
		serve(mux, e.Name(), text)
	}
	return mux, nil
}

// serve answers with a file, which may be kept but is asked for again.
func serve(mux *http.ServeMux, name string, text []byte) {
	pattern := "GET /" + name
	if name == "page.html" {
		pattern = "GET /{$}"
	}
	_, ending, _ := strings.Cut(name, ".")
	mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", kinds[ending])
		h.Set("Content-Security-Policy", policy)
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
	})
}
