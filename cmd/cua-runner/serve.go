package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/egress"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/server"
	"github.com/cua-runner/cua-runner/server/viewer"
	"github.com/cua-runner/cua-runner/trajectories"
)

// serveFlags are those of serve.
type serveFlags struct {
	browser   browserFlags
	model     brainFlags
	dir       string
	listen    string
	hosts     []string
	tokenFile string
	tenants   string
	cert, key string
	brains    []string
	otlp      string
	running   int
	grace     time.Duration
}

func newServe(a *app) *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run episodes for HTTP clients (/v1/cua)",
		Long: `Run episodes that HTTP clients ask for, several at a time. Each one is a run folder below --dir, and the folders are
all that a restarted server needs: what was running is resumed, what was queued is run. docs/server.md describes the API, and
/openapi.json does so for programs.

Every request needs the token, as "Authorization: Bearer TOKEN". Without --token-file and --tenants the server makes one and
keeps it in DIR/token, readable for its owner alone. An address that other machines can reach needs --token-file or --tenants.
Requests may name only the brains that --brain lists.

Ctrl-C or SIGTERM lets the current steps end (--grace) and leaves the episodes for the next start. A second signal ends at once.

Exit codes: 2 bad input, 3 infrastructure (port, disk), 130 and 143 stopped by a signal.`,
		Example: `  cua-runner serve
  cua-runner serve --listen 127.0.0.1:9000 --dir /var/lib/cua-runner
  cua-runner serve --brain anthropic:claude-sonnet-4-5 --brain heuristic --max-running 4
  cua-runner serve --listen 0.0.0.0:8700 --host cua.example.com --token-file /run/secrets/cua --tls-cert c.pem --tls-key k.pem
  cua-runner serve --tenants tenants.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), f) },
	}
	fl := cmd.Flags()
	fl.StringVar(&f.dir, "dir", "served", "`folder` of the episodes; one server at a time uses it")
	fl.StringVar(&f.listen, "listen", "127.0.0.1:8700", "`address` to listen on")
	fl.StringArrayVar(&f.hosts, "host", nil,
		"`name` (host or host:port) under which clients reach the server, beside the address (repeatable)")
	fl.StringVar(&f.tokenFile, "token-file", "", "`file` with the token; nobody but its owner may read it")
	fl.StringVar(&f.tenants, "tenants", "", "JSON `file` of tenants (docs/server.md)")
	fl.StringVar(&f.cert, "tls-cert", "", "PEM `file` of the certificate")
	fl.StringVar(&f.key, "tls-key", "", "PEM `file` of its key")
	fl.StringArrayVar(&f.brains, "brain", []string{"heuristic"},
		"a brain that requests may name (repeatable); the first decides where a request names none")
	fl.StringVar(&f.otlp, "otlp", "",
		"send the OpenTelemetry spans of each episode that ends to the OTLP/HTTP receiver at that `URL`")
	fl.IntVar(&f.running, "max-running", 0, "episodes that run at a time (0: the number of CPUs)")
	fl.DurationVar(&f.grace, "grace", 30*time.Second, "how long current steps may take when the server stops")
	f.browser.addOwn(cmd)
	f.model.add(cmd, "")
	complete(cmd, "brain", brainNames)
	return cmd
}

func (a *app) serve(ctx context.Context, f *serveFlags) error {
	tenants, err := f.access()
	if err != nil {
		return err
	}
	player, err := a.newPlayer(f)
	if err != nil {
		return err
	}
	defer player.spans.open.Wait() // a receiver has otlpPatience
	defer a.closeBrowsers()
	l, err := listen(f.listen)
	if err != nil {
		return err
	}
	defer l.Close()
	view, err := viewer.Handler()
	if err != nil {
		return infra(err)
	}
	token, undo := "", func() {}
	if tenants == nil {
		if tenants, token, undo, err = f.ownToken(); err != nil {
			return err
		}
	}
	s, err := server.New(server.Options{Dir: f.dir, Tenants: tenants, Player: player, View: view,
		Hosts: f.names(l.Addr()),
		Brain: f.brains[0], Running: f.running, Grace: f.grace, Build: build().String(), Exports: exports(),
		Secret: func(name string) string { return os.Getenv(secretVariable(name)) },
		Brains: func() any { return f.brains }, Detect: scoreLines, Guard: guardLines,
		Log: func(line string) { fmt.Fprintln(a.err, "cua-runner: "+tty.Safe(line)) }})
	if err != nil {
		undo()
	}
	if errors.Is(err, server.ErrInUse) {
		return usage("--dir: %w", err)
	} else if err != nil {
		return infra(err)
	}
	a.onSignal(
		"stopping: the current steps end, the episodes are left for the next start (again: stop at once)")
	a.sayServing(f, l.Addr(), token)
	return f.listenUntil(ctx, s, l)
}

// access is who may use the server; nil says that the server makes a token of its own (ownToken). Nothing is
// written.
func (f *serveFlags) access() (tenants []server.Tenant, err error) {
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
		if tenants, err = server.ReadTenants(f.tenants); err != nil {
			return nil, usage("--tenants: %w", err)
		}
	case f.tokenFile != "":
		return tokenTenant(f.tokenFile)
	}
	return tenants, nil
}

// ownToken is who may use the server with the token in DIR/token, which is made where it is missing. undo
// takes back what was made, for a start that fails.
func (f *serveFlags) ownToken() (tenants []server.Tenant, path string, undo func(), err error) {
	path = filepath.Join(f.dir, "token")
	made, err := server.MakeToken(path)
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

// tokenTenant is who has the token in that file, alone.
func tokenTenant(path string) ([]server.Tenant, error) {
	t, err := server.TokenTenant(path)
	if err != nil {
		return nil, usage("%w", err)
	}
	return []server.Tenant{t}, nil
}

// sayServing says where the server is reached; token is the file of the one that it made.
func (a *app) sayServing(f *serveFlags, at net.Addr, token string) {
	base := f.base(at)
	fmt.Fprintf(a.err, "serving %s/v1/cua, episodes in %s\n", base, f.dir)
	host, port, _ := net.SplitHostPort(at.String())
	ip := net.ParseIP(host)
	if ip.IsUnspecified() {
		fmt.Fprintf(a.err, "listening on port %s of every address of this machine; requests must name %s\n",
			port, strings.Join(append([]string{"localhost"}, f.hosts...), " or "))
	}
	if f.cert == "" && !ip.IsLoopback() {
		fmt.Fprintln(a.err, "cua-runner: warning: other machines can reach this address, and the token "+
			"and the pages are sent unencrypted: give --tls-cert and --tls-key")
	}
	if token != "" {
		fmt.Fprintf(a.err, "the token is in %s\n", token)
	}
	fmt.Fprintf(a.err, "viewer: %s\n", viewerLink(base, token))
}

// base is where a person on this machine opens the server. No browser opens the address that stands for all
// of them; a name that clients use may be the one of the certificate.
func (f *serveFlags) base(at net.Addr) string {
	scheme, name := "http", at.String()
	if f.cert != "" {
		scheme = "https"
	}
	if host, port, err := net.SplitHostPort(name); err == nil && net.ParseIP(host).IsUnspecified() {
		name = net.JoinHostPort("localhost", port)
		if len(f.hosts) > 0 {
			name = f.hosts[0]
			if _, _, err := net.SplitHostPort(name); err != nil {
				name = net.JoinHostPort(name, port)
			}
		}
	}
	return scheme + "://" + name
}

// viewerLink is the link to the viewer. It carries the token that the server made itself. A token that was
// given is not printed, because output is often kept in logs: the page asks for it.
func viewerLink(base, made string) string {
	link := base + "/view/"
	if text, err := server.ReadPrivate(made); made != "" && err == nil {
		link += "#token=" + strings.TrimSpace(string(text))
	}
	return link
}

// listen opens the address. One that no machine can have is bad input; one that is taken is the machine's.
func listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	if err == nil {
		return l, nil
	}
	bad, unknown := new(net.AddrError), new(net.DNSError)
	if errors.As(err, &bad) || errors.As(err, &unknown) && unknown.IsNotFound {
		return nil, usage("--listen: %w", err)
	}
	return nil, infra(err)
}

// listenUntil answers requests until ctx ends, and then shuts down.
func (f *serveFlags) listenUntil(ctx context.Context, s *server.Server, l net.Listener) error {
	web := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:    2 * time.Minute,
		MaxHeaderBytes: 64 << 10}
	failed := make(chan error, 1)
	go func() {
		if f.cert != "" {
			failed <- web.ServeTLS(l, f.cert, f.key)
			return
		}
		failed <- web.Serve(l)
	}()
	s.Start()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	s.Drain(context.Background())
	last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = web.Shutdown(last)
	if err != nil && !errors.Is(err, http.ErrServerClosed) {
		return infra(err)
	}
	return nil
}

// names are the values of the header Host that are answered.
func (f *serveFlags) names(at net.Addr) []string {
	_, port, _ := net.SplitHostPort(at.String())
	out := []string{at.String(), "localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port}
	for _, h := range f.hosts {
		h = strings.ToLower(h)
		out = append(out, h)
		if _, _, err := net.SplitHostPort(h); err != nil {
			out = append(out, h+":"+port)
		}
	}
	return out
}

// player plays the episodes of a server: a browser for each tenant.
type player struct {
	app     *app
	flags   *serveFlags
	opener  *opener
	spans   *spanSender
	mu      sync.Mutex
	keepers map[string]*keeper
}

func (a *app) newPlayer(f *serveFlags) (*player, error) {
	f.model.onSafety = safetyHalt // nobody is at a terminal
	o, err := f.model.opener(a, os.Getenv)
	if err != nil {
		return nil, err
	}
	spans, err := a.newSpanSender(f.otlp)
	if err != nil {
		return nil, err
	}
	p := &player{app: a, flags: f, opener: o, spans: spans, keepers: map[string]*keeper{}}
	for _, spec := range f.brains {
		b, err := o.open(spec)
		if err != nil {
			return nil, usage("--brain: %w", err)
		}
		_ = brain.Close(b)
	}
	return p, nil
}

// Check lets only the brains through that the server offers: a request must not name a program or a file.
func (p *player) Check(r *server.Request) error {
	offered := map[string]bool{"": true}
	for _, b := range p.flags.brains {
		offered[b] = true
	}
	known := "unknown brain; known: " + strings.Join(p.flags.brains, ", ")
	if !offered[r.Brain] {
		return &server.Refusal{Location: "body.brain", Message: known}
	}
	if !offered[r.Director] {
		return &server.Refusal{Location: "body.director", Message: known}
	}
	for _, entry := range r.Allow {
		if _, err := egress.ParseEntry(entry); err != nil {
			return &server.Refusal{Location: "body.allow", Message: "host or host:port is wanted"}
		}
	}
	return nil
}

// Play runs or resumes an episode in the tenant's browser.
func (p *player) Play(ctx context.Context, e *server.Play) (trajectories.RunResult, error) {
	p.app.redact.Learn(e.Secrets)
	b, info, err := openBrain(p.opener, e.Brain, nil, e.Task.Seed, nil)
	if err != nil {
		return trajectories.RunResult{}, err
	}
	defer brain.Close(b) //nolint:errcheck // the episode is what counts
	info.Director = e.Director
	b, err = withDirector(p.opener, b, e.Director)
	if err != nil {
		return trajectories.RunResult{}, err
	}
	first := (*runner.Runner).Resume
	if !e.Resume {
		first = func(r *runner.Runner, ctx context.Context) (trajectories.RunResult, error) {
			return r.Run(ctx, e.Task)
		}
	}
	begin := func(env runner.Env) *runner.Runner {
		h := e.Header
		h.Brain, h.Build, h.Host = info, build(), host()
		h = drivenBy(h, env)
		r := &runner.Runner{Brain: p.app.asking(b), Env: env, Config: e.Config, Dir: e.Dir,
			Secrets: e.Secrets,
			Header:  h, MaxSteps: e.MaxSteps}
		e.Begin(r)
		return r
	}
	defer p.spans.ended(e.Dir)
	return p.keeper(e.Tenant).play(ctx, sessionOptions(e.Config, "", e.Secrets), begin, first)
}

// keeper keeps the browser of a tenant.
func (p *player) keeper(tenant string) *keeper {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.keepers[tenant] = cmp.Or(p.keepers[tenant], &keeper{app: p.app, flags: p.flags.browser})
	return p.keepers[tenant]
}
