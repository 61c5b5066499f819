package server

import (
	"bufio"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"mime"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua/redact"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

func joined(names []string) string { return strings.Join(names, ", ") }

// journalLines sends the records as JSON lines.
func (s *Server) journalLines(w http.ResponseWriter, r *http.Request, e *episode) {
	after, ok := afterOf(w, r)
	if !ok {
		return
	}
	j, err := readJournal(e.dir)
	if err != nil {
		problem(r.Context(), Internal, "the journal cannot be read").write(w)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	w.Header().Set("ETag", etag(j.records))
	if j.t == nil {
		return
	}
	f, err := os.Open(e.journalPath())
	if err != nil {
		return
	}
	defer f.Close()
	in := bufio.NewReaderSize(io.LimitReader(f, j.size), 1<<16)
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if err == nil && n > after {
			_, err = io.WriteString(w, redact.VisibleJSON(line))
		}
		if err != nil {
			return
		}
	}
}

// blob sends a frame. Nothing but pictures and texts is sent, and never as a page.
func (s *Server) blob(w http.ResponseWriter, r *http.Request, e *episode) {
	name := r.PathValue("sha256")
	if raw, err := hex.DecodeString(name); err != nil || len(raw) != 32 || strings.ToLower(name) != name {
		notFound(r.Context()).write(w)
		return
	}
	root, err := os.OpenRoot(e.dir)
	if err != nil {
		notFound(r.Context()).write(w)
		return
	}
	defer root.Close()
	f, err := root.Open(path.Join(trajectories.BlobsDir, name))
	if err != nil {
		notFound(r.Context()).write(w)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		notFound(r.Context()).write(w)
		return
	}
	start := make([]byte, 512)
	n, _ := io.ReadFull(f, start)
	kind := http.DetectContentType(start[:n])
	if !strings.HasPrefix(kind, "image/") {
		kind = "text/plain; charset=utf-8"
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	h.Set("ETag", `"`+name+`"`)
	http.ServeContent(w, r, "", info.ModTime(), f)
}

// export sends the episode in one of the formats.
func (s *Server) export(w http.ResponseWriter, r *http.Request, e *episode) {
	format := r.URL.Query().Get("format")
	if format == "" {
		format = "json"
	}
	x, ok := s.o.Exports[format]
	if !ok {
		invalid(r.Context(), "query.format", "unknown format; known: "+
			joined(slices.Sorted(maps.Keys(s.o.Exports)))).write(w)
		return
	}
	j, err := readJournal(e.dir)
	if err != nil {
		problem(r.Context(), Internal, "the journal cannot be read").write(w)
		return
	}
	if j.t == nil {
		p := problem(r.Context(), WrongState, "the episode has not begun")
		p.State, _, _ = e.now()
		p.Allowed = allowed(p.State, nil, false, false)
		p.write(w)
		return
	}
	j.t.Incidents = runner.Incidents(j.t, runner.DefaultConfig())
	h := w.Header()
	h.Set("Content-Type", x.MediaType)
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:")
	h.Set("Content-Disposition", `attachment; filename="`+e.record.ID+"."+format+`"`)
	if err := x.Write(w, j.t); err != nil {
		s.o.Log("exporting episode " + e.record.ID + ": " + err.Error())
	}
}

// lines answers JSON lines as they come, as do does it. 404 if do is nil.
func lines(w http.ResponseWriter, r *http.Request, do Lines) {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if !slices.Contains([]string{"application/jsonl", "application/x-ndjson", "application/json",
		"text/plain"}, kind) {
		problem(r.Context(), MediaType, "the body must be application/jsonl").write(w)
		return
	}
	if do == nil {
		notFound(r.Context()).write(w)
		return
	}
	if r.ContentLength > maxDetect {
		problem(r.Context(), TooLarge, "the body may have 64 MiB").write(w)
		return
	}
	to := http.NewResponseController(w)
	_ = to.EnableFullDuplex()
	h := w.Header()
	h.Set("Content-Type", "application/jsonl")
	h.Set("Cache-Control", "no-store")
	body := &cutBody{in: http.MaxBytesReader(w, r.Body, maxDetect), to: to}
	err := do(r.Context(), body, func(v any) error {
		writeJSON(w, v)
		return to.Flush()
	})
	if err == nil {
		err = body.err // a reader of lines may take it for the end of a bad line
	}
	if err != nil { // the status is sent: the last line says it
		p := problem(r.Context(), Internal, "the rest was not read")
		if big := new(http.MaxBytesError); errors.As(err, &big) {
			p = problem(r.Context(), TooLarge, "the body may have 64 MiB; the rest was not read")
		}
		writeJSON(w, map[string]any{"error": p})
	}
}

func (s *Server) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if len(s.tenants) > 1 && !requestOf(r.Context()).tenant.Metrics {
		problem(r.Context(), NotYoursToDo, "the metrics are of all tenants").write(w)
		return
	}
	s.metrics.handler.ServeHTTP(w, r)
}
