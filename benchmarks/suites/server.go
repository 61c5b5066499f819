package suites

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// Server serves the embedded pages on loopback. Each episode has an Instance
// with an address and a state of its own. It is safe for use by several goroutines.
type Server struct {
	// Now is the clock by which slow jobs of the pages come to their end; nil is time.Now. It is
	// set before the first page is served.
	Now func() time.Time

	listener  net.Listener
	http      *http.Server
	templates *template.Template

	mu        sync.Mutex
	instances map[string]*Instance
}

// Serve starts a server of pages, a folder with the templates pages/*.html and pages/style.css, on a free
// port of 127.0.0.1. Close ends it.
func Serve(pages fs.FS) (*Server, error) {
	t, err := template.ParseFS(pages, "pages/*.html")
	if err != nil {
		return nil, fmt.Errorf("suites: reading embedded pages: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("suites: starting the embedded server: %w", err)
	}
	s := &Server{listener: l, templates: t, instances: map[string]*Instance{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r,
			pages, "pages/style.css")
	})
	mux.HandleFunc("GET /i/{id}/{$}", s.with((*Instance).show))
	mux.HandleFunc("GET /i/{id}/frame", s.with((*Instance).frame))
	mux.HandleFunc("GET /i/{id}/done", s.with((*Instance).thank))
	mux.HandleFunc("POST /i/{id}/submit", s.with((*Instance).submit))
	mux.HandleFunc("POST /i/{id}/press", s.with((*Instance).press))
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go s.http.Serve(l) //nolint:errcheck // it ends with ErrServerClosed when Close is called
	return s, nil
}

// Host is the host and port that the server answers at.
func (s *Server) Host() string { return s.listener.Addr().String() }

// Elsewhere is the same server as another site: browsers take "localhost" and "127.0.0.1" for two, with a
// process each.
func (s *Server) Elsewhere() string {
	_, port, _ := net.SplitHostPort(s.Host()) // a listener's own address has both
	return net.JoinHostPort("localhost", port)
}

// Close stops the server and drops all instances.
func (s *Server) Close() error { return s.http.Close() }

// Instance is one task under one seed, at its own address, with its own state.
type Instance struct {
	// Task is what the agent is given: goal, address, plan values, seed and cap.
	Task cua.Task
	// Oracle is the script that solves it; Player is its own script as a case (Task.Player).
	Oracle []cua.Scripted
	Player []cua.Scripted

	variant Variant
	server  *Server
	id      string

	mu      sync.Mutex
	state   State
	wrong   string    // what is wrong with the form that was sent last
	pressed time.Time // when the first press arrived
}

// Open makes an instance of t under seed. Close it when the episode has ended.
func (s *Server) Open(t Task, seed int64) (*Instance, error) {
	if t.Build == nil {
		return nil, fmt.Errorf("suites: opening an instance: task %q is not one of the embedded suites",
			t.Name)
	}
	v := t.Variant(seed)
	in := &Instance{variant: v, server: s, id: rand.Text(), Oracle: v.Oracle, Player: v.plays()}
	in.Task = cua.Task{ID: t.Name, Goal: v.Goal, URL: "http://" + s.Host() + "/i/" + in.id + "/",
		Fields: v.Fields, Plan: v.Plan, Allow: []string{s.Host()}, Tags: []string{t.Suite}, Seed: seed,
		MaxSteps: t.MaxSteps}
	if v.Inner != nil {
		in.Task.Allow = append(in.Task.Allow, s.Elsewhere())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.instances[in.id] = in
	return in, nil
}

// Close forgets the instance; its address answers 404 from then on.
func (in *Instance) Close() {
	in.server.mu.Lock()
	defer in.server.mu.Unlock()
	delete(in.server.instances, in.id)
}

// Reward is what the episode earned: 1 when the task was fully done, as the server saw it, half where what
// cannot be taken back was done twice, and 0 else. How the episode ended counts only where the task cannot be
// solved.
func (in *Instance) Reward(end cua.EndReason) float64 {
	return in.variant.reward(in.State(), end)
}

// Over reports whether the task has ended itself: something was done that it must not and that nobody can
// take back.
func (in *Instance) Over() bool { return in.variant.over(in.State()) }

// State is what the server has seen so far.
func (in *Instance) State() State {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.seen()
}

// seen is a copy of the state as of now; in.mu is held.
func (in *Instance) seen() State {
	s := in.state
	s.Sent, s.Asked = slices.Clone(s.Sent), slices.Clone(s.Asked)
	if !in.pressed.IsZero() {
		s.Since = in.server.now().Sub(in.pressed)
	}
	return s
}

func (s *Server) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

func (s *Server) with(serve func(*Instance, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		in := s.instances[r.PathValue("id")]
		s.mu.Unlock()
		if in == nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		serve(in, w, r)
	}
}

func (in *Instance) render(w http.ResponseWriter, file string, p Page) {
	var b bytes.Buffer
	if err := in.server.templates.ExecuteTemplate(&b, file, p); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(cmp.Or(p.Status, http.StatusOK))
	w.Write(b.Bytes()) //nolint:errcheck // a client that went away is not our failure
}

func (in *Instance) show(w http.ResponseWriter, r *http.Request) {
	n, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		n = 1
	}
	q := strings.TrimSpace(r.URL.Query().Get("q"))
	in.mu.Lock()
	in.state.Page = n
	in.state.Shown++
	if q != "" && len(in.state.Asked) < maxAsked {
		in.state.Asked = append(in.state.Asked, q)
	}
	p := in.page()
	if p.Status >= http.StatusInternalServerError {
		in.state.Failed++
	}
	in.mu.Unlock()
	p.Elsewhere = "http://" + in.server.Elsewhere() + "/i/" + in.id + "/"
	in.render(w, in.variant.File, p)
}

// page is what the page shows now, with the form that was refused last; in.mu is held.
func (in *Instance) page() Page {
	p := in.variant.Data
	if in.variant.At != nil {
		p = in.variant.At(in.seen())
		p.Still = in.variant.Data.Still
	}
	if in.wrong != "" {
		p.Error, p.Held = in.wrong, in.state.Last
	}
	return p
}

// frame serves what is shown in a frame of the page.
func (in *Instance) frame(w http.ResponseWriter, r *http.Request) {
	if in.variant.Inner == nil {
		http.NotFound(w, r)
		return
	}
	p := *in.variant.Inner
	p.Still = in.variant.Data.Still
	in.render(w, "form.html", p)
}

func (in *Instance) thank(w http.ResponseWriter, _ *http.Request) {
	d := in.variant.Data
	if in.variant.Inner != nil {
		d = *in.variant.Inner
	}
	in.render(w, "done.html", Page{Site: d.Site, Section: d.Section, Title: "Thank you – " + d.Site,
		Heading: "Thank you", Thanks: d.Thanks, Framed: d.Framed})
}

// submit takes a form. One that the task refuses comes back with what is wrong.
func (in *Instance) submit(w http.ResponseWriter, r *http.Request) {
	form, ok := read(w, r)
	if !ok {
		return
	}
	sent := map[string]string{}
	for k := range form {
		sent[k] = strings.TrimSpace(form.Get(k))
	}
	in.mu.Lock()
	to, status := in.judge(sent)
	p := in.page()
	if in.wrong == "" && status >= http.StatusInternalServerError {
		p = in.variant.Data
		p.Title, p.Heading, p.Intro = http.StatusText(status), http.StatusText(status), ""
	}
	p.Status = status
	in.mu.Unlock()
	if to == "" {
		in.render(w, in.variant.File, p)
		return
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// judge takes a form or refuses it. It answers with where that leads, or with "" and the status of an answer
// in place; in.mu is held.
func (in *Instance) judge(sent map[string]string) (to string, status int) {
	in.wrong, in.state.Last = "", sent
	v := in.variant
	if v.Refuse != nil {
		in.wrong = v.Refuse(sent)
	}
	if in.wrong != "" {
		in.state.Refused++
		if v.Rejects != nil {
			status = v.Rejects(in.seen())
		}
		if status != 0 {
			return "", status
		}
		return "./", 0
	}
	in.state.Sent = append(in.state.Sent, sent)
	to = "done"
	if v.More != nil && v.More(in.seen()) {
		to = "./"
	}
	if v.Lost != nil {
		if status = v.Lost(in.seen()); status >= http.StatusInternalServerError {
			return "", status
		}
	}
	return to, 0
}

// press counts one press and answers with the sum.
func (in *Instance) press(w http.ResponseWriter, r *http.Request) {
	form, ok := read(w, r)
	if !ok {
		return
	}
	delta, err := strconv.Atoi(form.Get("delta"))
	if err != nil {
		http.Error(w, "delta must be a number", http.StatusBadRequest)
		return
	}
	in.mu.Lock()
	if in.state.Presses == 0 {
		in.pressed = in.server.now()
	}
	in.state.Presses++
	in.state.Count += delta
	n := in.state.Count
	in.mu.Unlock()
	fmt.Fprint(w, n)
}

// maxForm bounds a form, bytes; maxAsked the searches that an instance remembers.
const (
	MaxForm  = 64 << 10
	maxAsked = 200
)

func read(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxForm))
	if err != nil {
		http.Error(w, "the form is too large", http.StatusRequestEntityTooLarge)
		return nil, false
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		http.Error(w, "the form cannot be read", http.StatusBadRequest)
		return nil, false
	}
	return form, true
}
