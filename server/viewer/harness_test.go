package viewer_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/server"
	"github.com/cua-runner/cua-runner/server/viewer"
	"github.com/cua-runner/cua-runner/trajectories"
)

const (
	token = "the-token-of-the-test"
	// attack would run where a page's words were made markup.
	attack = `</script><img src=x onerror="document.title='owned'">`
	// turned would change the direction of writing, and end a line of a terminal.
	turned = "\u202egnp.exe\u202c \u2066x \u200b\x1b[2J"
)

// flood is a question that a page dictates: hostile, and 100 KB of it.
var flood = "Which word? " + attack + turned + strings.Repeat(" <b>word</b>", 9000)

// pages is the site that episodes run on. What is named by a page is hostile.
var pages = envtest.Site{Start: "list", Pages: map[string]envtest.Page{
	"list": {Title: "List " + attack + turned, Controls: []envtest.Control{
		{Name: "Next " + attack, Type: "button", Counts: true},
		{Name: "word", Type: "text", Label: "Word"}, {Name: "Send", Type: "button", Writes: true}}},
}}

var scripts = map[string][]cua.Scripted{
	"three":  {press("Next"), press("Next"), press("Next"), done},
	"long":   append(slices.Repeat([]cua.Scripted{press("Next")}, 100), done),
	"ask":    {press("Next"), {Action: cua.Action{Kind: cua.Ask, Text: "Which word? " + attack}}, done},
	"flood":  {press("Next"), {Action: cua.Action{Kind: cua.Ask, Text: flood}}, done},
	"send":   {press("Next"), press("Send"), press("Next"), press("Next"), press("Next"), done},
	"corner": slices.Repeat([]cua.Scripted{{Action: cua.Action{Kind: cua.Click, Point: &cua.Point{X: 5, Y: 5}}}}, 100),
	"stuck": append(slices.Repeat([]cua.Scripted{{Action: cua.Action{Kind: cua.Click, Point: &cua.Point{X: 5, Y: 5}},
		Thought: "I press the corner. " + attack}}, 4), done),
}

var done = cua.Scripted{Action: cua.Action{Kind: cua.Done, Success: true, Text: "it is done"}}

func press(name string) cua.Scripted {
	return cua.Scripted{Action: cua.Action{Kind: cua.Click}, On: name}
}

// player plays scripts on the site, one decision for each that is let through.
type player struct {
	gate chan struct{}
	// real is where the site is a real one; nil is the scripted site.
	real   *browser.Browser
	reward func() float64
}

func (p *player) Check(*server.Request) error { return nil }

func (p *player) Play(ctx context.Context, play *server.Play) (trajectories.RunResult, error) {
	b := &gated{Scripted: brain.Scripted{Script: scripts[play.Brain]}, gate: p.gate}
	var env runner.Env = &envtest.Env{Site: pages}
	if p.real != nil {
		u, err := url.Parse(play.Task.URL)
		if err != nil {
			return trajectories.RunResult{}, err
		}
		env, err = p.real.NewSession(ctx, browser.SessionOptions{Viewport: wide, Allow: []string{u.Host},
			Secrets: play.Secrets})
		if err != nil {
			return trajectories.RunResult{}, err
		}
		defer env.Close()
	}
	r := &runner.Runner{Brain: b, Env: env, Config: play.Config, Dir: play.Dir,
		Secrets: play.Secrets, Header: play.Header, MaxSteps: play.MaxSteps}
	r.Header.Brain.Name = play.Brain
	if p.reward != nil {
		r.Reward = func(context.Context, cua.EndReason, string) (*float64, error) {
			return new(p.reward()), nil
		}
	}
	play.Begin(r)
	if play.Resume {
		return r.Resume(ctx)
	}
	return r.Run(ctx, play.Task)
}

type gated struct {
	brain.Scripted
	gate chan struct{}
}

func (g *gated) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	select {
	case <-g.gate:
	case <-ctx.Done():
		return cua.Decision{}, ctx.Err()
	}
	return g.Scripted.Decide(ctx, t)
}

// site is a server with the viewer.
type site struct {
	t    *testing.T
	url  string
	gate chan struct{}
	dir  string

	player *player
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// serve starts a server; between, where given, answers its requests with the help of its handler.
func serve(t *testing.T, between ...func(http.Handler) http.Handler) *site {
	t.Helper()
	view, err := viewer.Handler()
	must(t, err)
	s := &site{t: t, gate: make(chan struct{}), dir: t.TempDir()}
	s.player = &player{gate: s.gate}
	sum := sha256.Sum256([]byte(token))
	srv, err := server.New(server.Options{Dir: s.dir, Player: s.player, View: view,
		Tenants:        []server.Tenant{{Name: "a", TokenSHA256: hex.EncodeToString(sum[:])}},
		PostsPerSecond: 1e6, PostsBurst: 1e6, Running: 4, Build: "test", Grace: 1})
	must(t, err)
	handler := srv.Handler()
	for _, f := range between {
		handler = f(handler)
	}
	web := httptest.NewServer(handler)
	s.url = web.URL
	t.Cleanup(func() { srv.Drain(context.Background()); web.Close() })
	srv.Start()
	return s
}

// begin starts an episode that waits before its first decision, and returns its id.
func (s *site) begin(script string) string {
	s.t.Helper()
	return s.beginAt(script, envtest.URL("list"))
}

// beginAt is begin for another start page.
func (s *site) beginAt(script, url string) string {
	s.t.Helper()
	body := `{"instruction":"Press Next until it is done.","url":"` + url +
		`","brain":"` + script + `","ablate":["loop_recovery","breaker"]}`
	e := s.api("POST", "/v1/cua", body)
	return e["id"].(string)
}

// api sends a request as another client would.
func (s *site) api(method, path, body string) map[string]any {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	must(s.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(r)
	must(s.t, err)
	defer resp.Body.Close()
	doc := map[string]any{}
	must(s.t, json.NewDecoder(resp.Body).Decode(&doc))
	if resp.StatusCode >= 300 {
		s.t.Fatalf("%s %s: %v", method, path, doc)
	}
	return doc
}

// let lets n decisions through.
func (s *site) let(n int) {
	s.t.Helper()
	// A run that ended early must not hang the test.
	ctx, cancel := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer cancel()
	for range n {
		select {
		case s.gate <- struct{}{}:
		case <-ctx.Done():
			s.t.Fatal("nobody decides")
		}
	}
}

// chromium is the one browser of these tests.
func chromium(t *testing.T) *browser.Browser { t.Helper(); return zoomed(t, 1) }

// zoomed is one whose pixels are so many times as large; flags are Chromium's.
func zoomed(t *testing.T, scale float64, flags ...string) *browser.Browser {
	t.Helper()
	return browsertest.Launch(t, browser.Options{Scale: scale, Flags: flags})
}

// person is somebody before a viewer.
type person struct {
	*browser.Session
	t *testing.T
}

// at opens the viewer of an episode; "" is the list.
func (s *site) at(b *browser.Browser, id string, size cua.Size) person {
	s.t.Helper()
	session, err := b.NewSession(s.t.Context(), browser.SessionOptions{Viewport: size})
	must(s.t, err)
	s.t.Cleanup(func() { session.Close() })
	query := ""
	if id != "" {
		query = "?id=" + id
	}
	_, err = session.Reset(s.t.Context(), cua.Task{URL: s.url + "/view/" + query + "#token=" + token})
	must(s.t, err)
	return person{session, s.t}
}

var wide = cua.Size{W: 1280, H: 800}

// ask is a JavaScript expression's value as JSON.
func (p person) ask(expression string) string {
	p.t.Helper()
	raw, err := p.Ask(p.t.Context(), expression)
	must(p.t, err)
	return string(raw)
}

// sees waits until an expression holds.
func (p person) sees(expression string) {
	p.t.Helper()
	look := `new Promise((done) => { let n = 0; const look = () => {
		if (` + expression + `) done(true); else if (++n > 100) done(false); else setTimeout(look, 25); }; look(); })`
	for range 8 {
		if p.ask(look) == "true" {
			return
		}
	}
	p.t.Fatalf("never: %s\n%s", expression, p.ask("document.body.innerText"))
}

func (p person) do(a cua.Action) {
	p.t.Helper()
	out, err := p.Act(p.t.Context(), a)
	must(p.t, err)
	if out.Failure != nil {
		p.t.Fatal(out.Failure)
	}
}

func (p person) keys(keys ...string) {
	p.t.Helper()
	for _, k := range keys {
		p.do(cua.Action{Kind: cua.Key, Keys: k})
	}
}

func (p person) types(text string) { p.t.Helper(); p.do(cua.Action{Kind: cua.Type, Text: text}) }

// presses waits until a button can be pressed and presses it with the mouse.
func (p person) presses(selector string) {
	p.t.Helper()
	q := `document.querySelector(` + quoted(selector) + `)`
	p.sees(q + `?.checkVisibility() && !` + q + `.disabled`)
	raw := p.ask(`(() => { const e = ` + q + `; e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect(); return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()`)
	var at cua.Point
	must(p.t, json.Unmarshal([]byte(raw), &at))
	p.do(cua.Action{Kind: cua.Click, Point: &at})
}

// pauses presses Pause and waits until the server has taken it: a step that is let through before that is
// followed by another.
func (p person) pauses() {
	p.t.Helper()
	p.presses("#pause")
	p.sees(`document.getElementById("notice").textContent.includes("It pauses after the current step.")`)
}

func quoted(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

// state waits for the word of the state.
func (p person) state(word string) {
	p.t.Helper()
	p.sees(`document.getElementById("state").textContent === ` + quoted(word))
}

const steps = `document.querySelectorAll("#strip .step").length`
