package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// counter is a site on which every press does something.
var counter = envtest.Site{Start: "list", Pages: map[string]envtest.Page{
	"list": {Title: "List", Controls: []envtest.Control{{Name: "Next", Type: "button", Counts: true},
		{Name: "word", Type: "text", Label: "Word"}, {Name: "Send", Type: "button", Writes: true}}},
}}

// scripts are the brains of these tests by name.
var scripts = map[string][]cua.Scripted{
	"three": {press("Next"), press("Next"), press("Next"), done()},
	"ask":   {press("Next"), {Action: cua.Action{Kind: cua.Ask, Text: "Which word?"}}, done()},
	"send":  {press("Next"), press("Send"), press("Next"), press("Next"), done()},
	"long":  append(slices.Repeat([]cua.Scripted{press("Next")}, 400), done()),
}

func press(name string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: name}
}

func done() cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Done, Success: true, Text: "done"}}
}

// player plays scripts on a scripted site.
type player struct {
	// gate is received from before each decision; nil lets all through.
	gate chan struct{}
	// opens is received from before each runner; nil lets all through.
	opens chan struct{}
	// fail is what Play answers; nil plays.
	fail error
	// inputs are what a person who has the browser does; a press of a key presses Next.
	inputs chan cua.Input

	mu    sync.Mutex
	plays []*Play
}

func (p *player) Check(r *Request) error {
	if _, ok := scripts[r.Brain]; !ok && r.Brain != "" {
		return &Refusal{"body.brain", "unknown brain"}
	}
	return nil
}

func (p *player) Play(ctx context.Context, play *Play) (trajectories.RunResult, error) {
	p.mu.Lock()
	p.plays = append(p.plays, play)
	p.mu.Unlock()
	if p.fail != nil {
		return trajectories.RunResult{}, p.fail
	}
	if p.opens != nil {
		select {
		case <-p.opens:
		case <-ctx.Done():
			return trajectories.RunResult{}, ctx.Err()
		}
	}
	b := gated{brain.Scripted{Script: scripts[play.Brain]}, p.gate}
	env := &lent{Env: envtest.Env{Site: counter}, inputs: p.inputs}
	r := &runner.Runner{Brain: b, Env: env, Config: play.Config, Dir: play.Dir,
		Secrets: play.Secrets, Header: play.Header, MaxSteps: play.MaxSteps}
	r.Header.Brain.Name = play.Brain
	play.Begin(r)
	if play.Resume {
		return r.Resume(ctx)
	}
	return r.Run(ctx, play.Task)
}

// lent is a scripted site that a person can be given.
type lent struct {
	envtest.Env
	inputs chan cua.Input
}

// TakeOver shows one frame and takes inputs.
func (l *lent) TakeOver(ctx context.Context, inputs <-chan cua.Input, show func(cua.LiveView)) error {
	show(cua.LiveView{JPEG: []byte("a frame"), AtMS: 1, View: cua.Size{W: 800, H: 600}, Tab: 1, Tabs: 1})
	for {
		select {
		case in := <-inputs:
			if in.Type == cua.InputKey {
				if _, err := l.Act(ctx, cua.Action{Kind: cua.Click, Into: "button|Next"}); err != nil {
					return err
				}
			}
			l.inputs <- in
		case <-ctx.Done():
			return nil
		}
	}
}

// gated is a brain that decides once it is let through.
type gated struct {
	brain.Scripted
	gate chan struct{}
}

func (g gated) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	if g.gate != nil {
		select {
		case <-g.gate:
		case <-ctx.Done():
			return cua.Decision{}, ctx.Err()
		}
	}
	return g.Scripted.Decide(ctx, t)
}

// site is a server under test.
type site struct {
	t      *testing.T
	server *Server
	player *player
	url    string
	token  string
	log    *bytes.Buffer
	logMu  sync.Mutex
}

const aToken = "token-of-the-first-tenant"

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// serve starts a server in dir; edit changes its options.
func serve(t *testing.T, dir string, edit func(*Options)) *site {
	t.Helper()
	s := &site{t: t, player: &player{inputs: make(chan cua.Input, 100)}, token: aToken, log: &bytes.Buffer{}}
	o := Options{Dir: dir, Tenants: []Tenant{{Name: "a", TokenSHA256: hashOf(aToken)}}, Player: s.player,
		Brain: "three", PostsPerSecond: 1e6, PostsBurst: 1e6, Running: 4, Build: "test",
		Exports: map[string]Export{"json": {MediaType: "application/json",
			Write: func(w io.Writer, t *trajectories.Trajectory) error {
				return json.NewEncoder(w).Encode(t.Header.ID)
			}}},
		Secret: func(name string) string { return map[string]string{"OURS": "from-the-server"}[name] },
		Log: func(line string) {
			s.logMu.Lock()
			defer s.logMu.Unlock()
			fmt.Fprintln(s.log, line)
		}}
	if edit != nil {
		edit(&o)
	}
	var err error
	if s.server, err = New(o); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.server.Handler())
	s.url = web.URL
	t.Cleanup(func() {
		now, cancel := context.WithCancel(context.Background())
		cancel() // steps are cut at once
		s.server.Drain(now)
		web.Close()
	})
	s.server.Start()
	return s
}

// response is an answer to a request.
type response struct {
	*http.Response
	body []byte
}

// do sends a request; body is JSON, or nil. headers are pairs.
func (s *site) do(method, path string, body any, headers ...string) response {
	s.t.Helper()
	var in io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		in = strings.NewReader(b)
	default:
		text, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		in = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, in)
	if err != nil {
		s.t.Fatal(err)
	}
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	s.conforms(r, resp, text)
	return response{resp, text}
}

// want checks the status.
func (r response) want(t *testing.T, status int) response {
	t.Helper()
	if r.StatusCode != status {
		t.Fatalf("%s %s: %d, want %d: %s", r.Request.Method, r.Request.URL.Path, r.StatusCode, status, r.body)
	}
	return r
}

// episode is the body as one.
func (r response) episode(t *testing.T) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := json.Unmarshal(r.body, &out); err != nil {
		t.Fatalf("%v: %s", err, r.body)
	}
	return out
}

// asked is a request for an episode with this brain.
func asked(brain string) map[string]any {
	return map[string]any{"instruction": "press Next", "url": envtest.URL("list"), "brain": brain}
}

// create runs an episode to its end.
func (s *site) ended(request map[string]any) map[string]any {
	s.t.Helper()
	return s.do("POST", "/v1/cua", request, "Prefer", "wait=60").want(s.t, 200).episode(s.t)
}

// begin starts an episode and returns its path.
func (s *site) begin(request map[string]any, headers ...string) string {
	s.t.Helper()
	r := s.do("POST", "/v1/cua", request, headers...).want(s.t, 202)
	return r.Header.Get("Location")
}

// episode is the one of that path, whose ever it is.
func (s *site) episode(path string) *episode {
	s.t.Helper()
	for _, t := range s.server.tenants {
		if e := t.find(strings.TrimPrefix(path, "/v1/cua/")); e != nil {
			return e
		}
	}
	s.t.Fatalf("there is no episode %s", path)
	return nil
}

// await waits until the episode is in that state.
func (s *site) await(path string, state State) map[string]any {
	s.t.Helper()
	e := s.episode(path)
	for {
		changed := e.wait()
		now, _, _ := e.now()
		if now == state {
			return s.do("GET", path, nil).want(s.t, 200).episode(s.t)
		}
		if now == Ended {
			s.t.Fatalf("the episode ended; %s was waited for", state)
		}
		select {
		case <-changed:
		case <-s.t.Context().Done():
			s.t.Fatal("the test is over")
		}
	}
}

func listenLoopback() (net.Listener, error) { return net.Listen("tcp", "127.0.0.1:0") }
