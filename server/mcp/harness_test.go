package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/server/mcp"
	"github.com/cua-runner/cua-runner/trajectories"
	"github.com/cua-runner/cua-runner/trajectories/invariants"
)

// site are the pages of the tests.
var site = map[string]string{
	"/form": `<title>Form</title><form onsubmit="event.preventDefault(); out.textContent = 'Hello ' + who.value">
		<label>Name <input id=who></label><label>Size <select><option>small<option>large</select></label>
		<label><input type=checkbox> News</label><button>Send</button></form><p id=out></p>
		<a href="/other">Other page</a>`,
	"/other": `<title>Other</title><h1>Another page</h1>`,
	"/dead": `<title>Dead</title><form onsubmit="event.preventDefault()"><label>Name <input id=a></label>
		<label>City <input id=b></label><button type=button>Save</button></form>
		<script>a.focus()</script>`,
	"/sign-up": `<title>Sign up</title><form action=/other><label>Name <input name=who></label>
		<button>Send</button></form>`,
	"/login":   `<title>Login</title><form><label>Password <input type=password></label><button>Go</button></form>`,
	"/counter": `<title>Counter</title><p id=n>0</p><button onclick="n.textContent++">More</button>`,
	"/gone":    `<title>Gone</title><button onclick="this.outerHTML = '<button>Second</button>'">First</button>`,
	"/confirm": `<title>Confirm</title><button onclick="out.textContent = confirm('Sure?')">Ask</button><p id=out></p>`,
}

// chromium is the one browser of this test binary.
var chromium browsertest.Shared

func TestMain(m *testing.M) {
	if at := os.Getenv(pipeTo); at != "" {
		if err := pipe(at); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	shop().Close()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// shop serves site to all tests.
var shop = sync.OnceValue(func() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := site[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>", page)
	}))
})

// pages is the address of site.
func pages(t *testing.T) string {
	t.Helper()
	return shop().URL
}

// served is a server whose episodes are played in real Chromium.
type served struct {
	*mcp.Server
	mu   sync.Mutex
	dirs []string    // of its episodes
	over chan string // the folder of each that has ended
}

func serve(t *testing.T, r mcp.Recovery, change ...func(*mcp.Options)) *served {
	t.Helper()
	c, err := r.Config(mcp.Limits(runner.DefaultConfig()))
	if err != nil {
		t.Fatal(err)
	}
	b, out, s := chromium.Get(t), t.TempDir(), &served{over: make(chan string, 100)}
	play := func(ctx context.Context, p *mcp.Play) (trajectories.RunResult, error) {
		s.mu.Lock()
		dir := filepath.Join(out, fmt.Sprint("episode", len(s.dirs)))
		s.dirs = append(s.dirs, dir)
		s.mu.Unlock()
		p.Begin(dir)
		secrets := map[string]string{}
		env, err := b.NewSession(ctx, browser.SessionOptions{Viewport: c.Viewport, Open: true,
			Secrets: secrets, SettleCap: time.Minute})
		if err != nil {
			return trajectories.RunResult{}, err
		}
		defer func() {
			env.Close()
			s.over <- dir
		}()
		r := &runner.Runner{Brain: p.Brain, Env: env, Config: p.Config, Dir: dir, Secrets: secrets,
			Watch: p.Watch, Attend: p.Attend, Header: trajectories.Header{Episode: "test", Arm: "default",
				Attempt: 1, Brain: trajectories.BrainInfo{Name: "mcp"}}}
		return r.Run(ctx, p.Task)
	}
	o := mcp.Options{Config: c, Version: "test", Play: play}
	o.Task.Allow = []string{strings.TrimPrefix(pages(t), "http://")}
	for _, f := range change {
		f(&o)
	}
	s.Server = mcp.New(o)
	t.Cleanup(s.Close)
	return s
}

// client is a client of a server. It holds every result against the schema of its tool.
type client struct {
	t       *testing.T
	session *sdk.ClientSession
	schemas map[string]*jsonschema.Schema
	// sizes are the characters of each result: its text, or its structured content if that is longer.
	sizes []int
	times []time.Duration // of each call
}

// cost says what the calls since the last one cost.
func (c *client) cost() (median int, words string) {
	total := 0
	for _, n := range c.sizes {
		total += n
	}
	slices.Sort(c.sizes)
	slices.Sort(c.times)
	n := len(c.sizes)
	median = c.sizes[n/2]
	words = fmt.Sprintf("%d results, %d characters; median %d, largest %d; median time %d ms", n, total,
		median, c.sizes[n-1], c.times[n/2].Milliseconds())
	c.sizes, c.times = nil, nil
	return median, words
}

func connect(t *testing.T, transport sdk.Transport, version string, o *sdk.ClientOptions) *client {
	t.Helper()
	self := &sdk.Implementation{Name: "client", Version: "1"}
	session, err := sdk.NewClient(self, o).Connect(t.Context(), transport,
		&sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	c := &client{t: t, session: session, schemas: map[string]*jsonschema.Schema{}}
	for tool, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(tool.OutputSchema)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(tool.Name, doc); err != nil {
			t.Fatal(err)
		}
		if c.schemas[tool.Name], err = compiler.Compile(tool.Name); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// inProcess is a client of s within the process.
func inProcess(t *testing.T, s *served) *client {
	t.Helper()
	return inProcessWith(t, s, "", nil)
}

func inProcessWith(t *testing.T, s *served, version string, o *sdk.ClientOptions) *client {
	t.Helper()
	ours, theirs := sdk.NewInMemoryTransports()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- s.Serve(ctx, theirs) }()
	c := connect(t, ours, version, o)
	t.Cleanup(func() {
		cancel()
		<-done
	})
	return c
}

type args = map[string]any

// call calls a tool and checks the form of its result.
func (c *client) call(tool string, arguments args) (mcp.Result, string) {
	c.t.Helper()
	began := time.Now()
	got, err := c.session.CallTool(c.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		c.t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	var r mcp.Result
	text := got.Content[0].(*sdk.TextContent).Text
	if got.StructuredContent == nil {
		if !got.IsError {
			c.t.Fatalf("%s: no structured content: %s", tool, text)
		}
		return r, text
	}
	raw, err := json.Marshal(got.StructuredContent)
	if err != nil {
		c.t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.schemas[tool].Validate(v); err != nil {
		c.t.Errorf("%s: the result does not have its schema: %v", tool, err)
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		c.t.Fatal(err)
	}
	c.times = append(c.times, time.Since(began))
	c.sizes = append(c.sizes, max(len([]rune(text)), len([]rune(string(raw)))))
	return r, text
}

// must is a call that is done as it was asked for.
func (c *client) must(tool string, arguments args) (mcp.Result, string) {
	c.t.Helper()
	r, text := c.call(tool, arguments)
	if r.Outcome != mcp.Done {
		c.t.Fatalf("%s %v: outcome %q: %s", tool, arguments, r.Outcome, text)
	}
	return r, text
}

// ref finds the ref of an element in a snapshot.
func ref(t *testing.T, snapshot, element string) string {
	t.Helper()
	_, rest, ok := strings.Cut(snapshot, "- "+element+" [ref=")
	if !ok {
		t.Fatalf("the snapshot shows no %s:\n%s", element, snapshot)
	}
	out, _, _ := strings.Cut(rest, "]")
	return out
}

// sound reports what the invariants say about the journals of s, whose browsers are closed.
func (s *served) sound(t *testing.T) (out []*trajectories.Trajectory) {
	t.Helper()
	for _, dir := range s.dirs {
		j, err := invariants.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range invariants.All() {
			broken, _ := in.Check(j)
			for _, v := range broken {
				t.Errorf("%s: %+v", in.Name, v)
			}
		}
		out = append(out, j.Trajectory)
	}
	return out
}
