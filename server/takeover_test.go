package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// takeOver asks for the browser of an episode.
func (s *site) takeOver(path, holder string) Ticket {
	s.t.Helper()
	var body any
	if holder != "" {
		body = map[string]any{"holder": holder}
	}
	var t Ticket
	if err := json.Unmarshal(s.do("POST", path+"/takeover", body).want(s.t, 200).body, &t); err != nil {
		s.t.Fatal(err)
	}
	return t
}

func (k Ticket) ticket() string {
	_, t, _ := strings.Cut(k.Socket, "ticket=")
	return t
}

// socket opens the socket of a ticket and waits for the first frame.
func (s *site) socket(k Ticket) *websocket.Conn {
	s.t.Helper()
	c, _, err := websocket.Dial(s.t.Context(), s.url+k.Socket, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.CloseNow() })
	var news pageNews
	_, text, err := c.Read(s.t.Context())
	if err != nil || json.Unmarshal(text, &news) != nil || news.Type != "page" || !news.Frame ||
		news.W != 800 {
		s.t.Fatalf("the socket says %s (%v)", text, err)
	}
	kind, frame, err := c.Read(s.t.Context())
	if err != nil || kind != websocket.MessageBinary || string(frame) != "a frame" {
		s.t.Fatalf("the socket sends %q (%v)", frame, err)
	}
	return c
}

func (s *site) sends(c *websocket.Conn, text string) {
	s.t.Helper()
	if err := c.Write(s.t.Context(), websocket.MessageText, []byte(text)); err != nil {
		s.t.Fatal(err)
	}
}

// gatedSite is a server whose brain decides when it is let through.
func gatedSite(t *testing.T, edit func(*Options)) *site {
	return serve(t, t.TempDir(), func(o *Options) {
		o.Player.(*player).gate = make(chan struct{})
		if edit != nil {
			edit(o)
		}
	})
}

// paused is an episode that is paused after its first step or its second one.
func (s *site) paused() string {
	s.t.Helper()
	path := s.begin(asked("three"))
	s.player.gate <- struct{}{}
	s.pausing(path).want(s.t, 200)
	return path
}

// pausing pauses an episode whose brain decides when it is let through, and gives the answer to that.
func (s *site) pausing(path string) response {
	s.t.Helper()
	e := s.episode(path)
	e.mu.Lock()
	r := e.runner
	e.mu.Unlock()
	noted, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.Pause(noted); err == nil || errors.Is(err, runner.ErrOver) { // it is on record later
		s.t.Fatalf("asking for a pause: %v", err)
	}
	answer := make(chan response, 1)
	go func() { answer <- s.do("POST", path+"/pause", nil) }()
	for { // the pause may come before or after a step
		select {
		case s.player.gate <- struct{}{}:
		case r := <-answer:
			return r
		}
	}
}

func (s *site) journal(path string) *trajectories.Trajectory {
	s.t.Helper()
	t, err := trajectories.Read(s.folder(path))
	if err != nil {
		s.t.Fatal(err)
	}
	return t
}

func (s *site) folder(path string) string {
	return filepath.Join(s.server.o.Dir, "a", strings.TrimPrefix(path, "/v1/cua/"))
}

func kinds(t *trajectories.Trajectory) (out []trajectories.EventKind) {
	for _, e := range t.Events {
		out = append(out, e.Kind)
	}
	return out
}

// holdsInFiles says which file below dir holds text.
func holdsInFiles(t *testing.T, dir, text string) (in string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(text)) {
			in = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// A person takes the browser, acts and gives it back: the page is observed, the brain is told, and what was
// typed is nowhere.
func TestATakeover(t *testing.T) {
	s := gatedSite(t, nil)
	path := s.paused()
	k := s.takeOver(path, "")
	if e := s.await(path, Paused); e["controlled"] != true {
		t.Errorf("the episode says %v of who has the browser", e["controlled"])
	}
	c := s.socket(k)
	s.sends(c, `{"type":"text","text":"the-typed-canary"}`)
	s.sends(c, `{"type":"key","key":"Enter"}`)
	for _, want := range []cua.Input{{Type: cua.InputText, Text: "the-typed-canary"},
		{Type: cua.InputKey, Key: "Enter"}} {
		if got := <-s.player.inputs; got.Type != want.Type || got.Text != want.Text || got.Key != want.Key {
			t.Errorf("the page got %+v, want %+v", got, want)
		}
	}
	s.do("POST", path+"/handback", map[string]any{"holder": k.Holder}).want(t, 200)
	if _, _, err := c.Read(t.Context()); err == nil {
		t.Error("the socket is open after the browser was given back")
	}
	close(s.player.gate)
	e := s.await(path, Ended)
	if e["controlled"] != nil {
		t.Error("an ended episode is under control")
	}
	tr := s.journal(path)
	want := []trajectories.EventKind{trajectories.PauseEvent, trajectories.TakeoverEvent,
		trajectories.ContinueEvent}
	if got := kinds(tr); !slices.Equal(got, want) {
		t.Errorf("events %v, want %v", got, want)
	}
	at := tr.Events[1]
	if len(at.Changes) == 0 || at.After == nil {
		t.Errorf("the takeover says nothing of what changed: %+v", at)
	}
	told := slices.ContainsFunc(tr.Steps[at.Step].Notes, func(n cua.Note) bool {
		return strings.HasPrefix(n.Text, "A person had the browser since your last step.")
	})
	if !told {
		t.Errorf("the brain was told %v", tr.Steps[at.Step].Notes)
	}
	if in := holdsInFiles(t, s.server.o.Dir, "the-typed-canary"); in != "" {
		t.Errorf("what was typed is in %s", in)
	}
	if strings.Contains(s.log.String(), "canary") || strings.Contains(s.log.String(), k.Holder) {
		t.Errorf("the log says %s", s.log)
	}
}

// The clients that may open the socket of a takeover.
func TestTicketsOfATakeover(t *testing.T) {
	late := time.Now()
	s := gatedSite(t, func(o *Options) { o.Now = func() time.Time { return late } })
	path := s.paused()
	k := s.takeOver(path, "")
	for _, row := range []struct {
		name, path string
	}{
		{"no ticket", path + "/live"},
		{"another ticket", path + "/live?ticket=x"},
		{"the ticket for another episode", "/v1/cua/" + strings.Repeat("0", 26) + "/live?ticket=" + k.ticket()},
		{"the holder as ticket", path + "/live?ticket=" + k.Holder},
	} {
		_, resp, err := websocket.Dial(t.Context(), s.url+row.path, nil)
		if err == nil || resp == nil || resp.StatusCode != 401 {
			t.Errorf("%s: %v %v, want 401", row.name, resp, err)
		}
	}
	refuses := func(what string, k Ticket, status int, header http.Header) {
		t.Helper()
		_, resp, err := websocket.Dial(t.Context(), s.url+k.Socket,
			&websocket.DialOptions{HTTPHeader: header})
		if err == nil || resp.StatusCode != status {
			t.Errorf("%s: %v, want %d", what, err, status)
		}
	}
	refuses("a socket of another origin", k, 403, http.Header{"Origin": {"https://elsewhere.test"}})
	k = s.takeOver(path, k.Holder)
	s.socket(k)
	refuses("a ticket is used twice", k, 401, nil)
	k = s.takeOver(path, k.Holder)
	late = late.Add(31 * time.Second)
	refuses("a ticket is used too late", k, 401, nil)
}

// While a person has the browser nobody else chooses, and a second person watches.
func TestOneController(t *testing.T) {
	s := gatedSite(t, nil)
	path := s.paused()
	k := s.takeOver(path, "")
	s.socket(k)
	for _, row := range []struct {
		verb string
		body any
		want int
	}{
		{"continue", nil, 409}, {"pause", nil, 409}, {"rewind", map[string]any{}, 409},
		{"answer", map[string]any{"text": "x"}, 409}, {"takeover", nil, 409},
		{"takeover", map[string]any{"holder": "somebody"}, 409},
		{"handback", map[string]any{"holder": "somebody"}, 403},
		{"tell", map[string]any{"text": "Look twice."}, 200},
	} {
		got := s.do("POST", path+"/"+row.verb, row.body).want(t, row.want)
		var p Problem
		if row.want == 409 && (json.Unmarshal(got.body, &p) != nil ||
			!slices.Contains(p.Allowed, "handback")) {
			t.Errorf("%s: allowed is %v", row.verb, p.Allowed)
		}
	}
	s.do("POST", path+"/stop", nil).want(t, 200)
	if e := s.await(path, Ended); e["controlled"] != nil {
		t.Error("an ended episode is under control")
	}
}

// A person who lost the socket continues where they were, with the same browser.
func TestALostSocketIsTakenUp(t *testing.T) {
	s := gatedSite(t, nil)
	path := s.paused()
	first := s.takeOver(path, "")
	old := s.socket(first)
	again := s.socket(s.takeOver(path, first.Holder)) // the first is not closed yet, as after a reload
	if _, _, err := old.Read(t.Context()); err == nil {
		t.Error("the socket before is still open")
	}
	s.sends(again, `{"type":"paste","text":"still here"}`)
	if got := <-s.player.inputs; got.Text != "still here" {
		t.Errorf("the page got %+v", got)
	}
	again.CloseNow()
	third := s.socket(s.takeOver(path, first.Holder))
	s.do("POST", path+"/handback", map[string]any{"holder": first.Holder}).want(t, 200)
	if _, _, err := third.Read(t.Context()); err == nil {
		t.Error("the socket is open after the browser was given back")
	}
}

// A person who does not come back loses the browser: the episode stays paused, and what was done is on
// record.
func TestATakeoverLapses(t *testing.T) {
	for _, row := range []struct {
		name string
		used bool
		want []trajectories.EventKind
	}{
		{"after the socket was lost", true, []trajectories.EventKind{trajectories.PauseEvent, trajectories.TakeoverEvent}},
		{"before a socket was open", false, []trajectories.EventKind{trajectories.PauseEvent}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := gatedSite(t, nil)
			path := s.paused()
			e := s.server.tenants[0].find(strings.TrimPrefix(path, "/v1/cua/"))
			keep := func(d time.Duration) { e.set(func() { s.server.keep = d }) }
			if row.used {
				c := s.socket(s.takeOver(path, ""))
				keep(time.Millisecond)
				c.CloseNow()
			} else {
				keep(time.Millisecond)
				s.takeOver(path, "")
			}
			for changed := e.wait(); e.controlled(); changed = e.wait() {
				<-changed
			}
			keep(keepControl)
			s.await(path, Paused)
			if got := kinds(s.journal(path)); !slices.Equal(got, row.want) {
				t.Errorf("events %v, want %v", got, row.want)
			}
			s.socket(s.takeOver(path, "")) // another person may have it now
		})
	}
}

// A message that is no input closes the socket and says why.
func TestBadInputsOfATakeover(t *testing.T) {
	s := gatedSite(t, nil)
	path := s.paused()
	k := s.takeOver(path, "")
	for _, row := range []struct{ name, text, says string }{
		{"no JSON", "{", "JSON"},
		{"an unknown type", `{"type":"evaluate","text":"1"}`, "type"},
		{"an unknown button", `{"type":"down","button":"fourth"}`, "button"},
		{"an unknown modifier", `{"type":"key","key":"a","modifiers":["Hyper"]}`, "modifiers"},
		{"an empty text", `{"type":"text"}`, "text"},
		{"a long key", `{"type":"key","key":"` + strings.Repeat("x", 100) + `"}`, "key"},
	} {
		c := s.socket(s.takeOver(path, k.Holder))
		s.sends(c, row.text)
		_, _, err := c.Read(t.Context())
		if websocket.CloseStatus(err) != websocket.StatusPolicyViolation ||
			!strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// A server that shuts down lets the page go and leaves the episode paused.
func TestDrainingEndsATakeover(t *testing.T) {
	s := gatedSite(t, nil)
	path := s.paused()
	c := s.socket(s.takeOver(path, ""))
	s.server.Drain(context.Background())
	if _, _, err := c.Read(t.Context()); err == nil {
		t.Error("the socket is open")
	}
	if tr := s.journal(path); tr.End != nil || tr.Paused() == nil {
		t.Errorf("the episode is not paused: %+v", tr.End)
	}
}
