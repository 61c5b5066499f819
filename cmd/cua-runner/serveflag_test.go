package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// onlooker is a client of the viewer that a command has printed the link of.
type onlooker struct {
	t     *testing.T
	link  *url.URL
	token string
}

// look reads the link out of what a command has said.
func look(t *testing.T, said string) *onlooker {
	t.Helper()
	_, rest, _ := strings.Cut(said, "viewer: ")
	text, _, whole := strings.Cut(rest, "\n")
	u, err := url.Parse(text)
	if err != nil || !whole || !strings.HasPrefix(u.Fragment, "token=") || u.Hostname() != "127.0.0.1" {
		t.Errorf("no link to a viewer in %q (%v)", said, err)
		return &onlooker{t: t, link: &url.URL{}}
	}
	return &onlooker{t, u, strings.TrimPrefix(u.Fragment, "token=")}
}

// send sends a request, body is JSON or "", and checks the status of the answer.
func (o *onlooker) send(want int, method, path, body string) map[string]any {
	o.t.Helper()
	out := map[string]any{}
	r, err := http.NewRequestWithContext(o.t.Context(), method, "http://"+o.link.Host+path,
		strings.NewReader(body))
	if err != nil {
		o.t.Error(err)
		return out
	}
	r.Header.Set("Authorization", "Bearer "+o.token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		o.t.Error(err)
		return out
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if resp.StatusCode != want || err != nil {
		o.t.Errorf("%s %s: %d, want %d (%v): %s", method, path, resp.StatusCode, want, err, text)
	}
	_ = json.Unmarshal(text, &out) // a page is none
	return out
}

// gone fails where the port is still listened on.
func (o *onlooker) gone() {
	o.t.Helper()
	if c, err := net.Dial("tcp", o.link.Host); err == nil {
		c.Close()
		o.t.Errorf("%s is still listened on", o.link.Host)
	}
}

const aRequest = `{"instruction":"x","url":"http://127.0.0.1:1/"}`

// A run with --serve is watched, paused and stopped at its viewer, which ends with it.
func TestRunWithAViewer(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	came := make(chan struct{})
	stderr := &lineWatch{text: "  2  ", once: func() { close(came) }}
	a := testApp(t, &bytes.Buffer{}, stderr)
	var o *onlooker
	var events []byte
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		<-came
		stderr.mu.Lock()
		o = look(t, stderr.buf.String())
		stderr.mu.Unlock()
		self := "/v1/cua/" + o.link.Query().Get("id")
		o.send(200, "GET", "/view/", "")
		if v := o.send(200, "GET", self, ""); v["state"] != "running" || v["read_only"] != nil {
			t.Errorf("while it runs it is %v", v)
		}
		o.send(403, "POST", "/v1/cua", aRequest)
		o.send(404, "GET", "/v1/cua/"+strings.Repeat("0", 26), "")
		if v := o.send(200, "POST", self+"/pause", ""); v["state"] != "paused" {
			t.Errorf("paused it is %v", v)
		}
		o.send(409, "DELETE", self, "")
		read := make(chan []byte)
		go func() {
			r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://"+o.link.Host+self+"/events", nil)
			r.Header.Set("Authorization", "Bearer "+o.token)
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				close(read)
				return
			}
			defer resp.Body.Close()
			text, _ := io.ReadAll(resp.Body)
			read <- text
		}()
		o.send(200, "POST", self+"/continue", "")
		if v := o.send(200, "POST", self+"/stop", ""); v["state"] != "ended" || v["read_only"] != true {
			t.Errorf("stopped it is %v", v)
		}
		events = <-read
	}()
	args := loginArgs(loginPage(t), out, "--arm", "off", "--fault", "click_fixation=1", "--max-steps",
		"100000", "--serve")
	code := execute(a, args, nil)
	<-watched
	if code != exitInt {
		t.Errorf("exit code %d: %s", code, stderr.buf.String())
	}
	o.gone()
	tr, err := trajectories.Read(out)
	if err != nil || tr.End == nil || tr.End.Reason != cua.EndCancelled ||
		tr.Header.ID != o.link.Query().Get("id") {
		t.Errorf("the journal of %s ends with %+v (%v)", tr.Header.ID, tr.End, err)
	}
	if !bytes.Contains(events, []byte(`{"state":"ended"`)) || !bytes.Contains(events, []byte("event: end")) {
		t.Errorf("the events do not tell the end: %s", events[max(0, len(events)-500):])
	}
}

// Ctrl-C ends the viewer with the run, also where somebody has it open and reads nothing; resume shows the
// episode under the id that it has.
func TestInterruptEndsTheViewer(t *testing.T) {
	out := filepath.Join(t.TempDir(), "run")
	signals := make(chan os.Signal, 1)
	var o *onlooker
	stderr := &lineWatch{text: "  2  "}
	stderr.once = func() {
		o = look(t, stderr.buf.String())
		c, err := net.Dial("tcp", o.link.Host)
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { c.Close() })
		_, err = io.WriteString(c, "GET /v1/cua/"+o.link.Query().Get("id")+"/events HTTP/1.1\r\nHost: "+
			o.link.Host+"\r\nAuthorization: Bearer "+o.token+"\r\n\r\n")
		if err != nil {
			t.Error(err)
		}
		signals <- os.Interrupt
	}
	a := testApp(t, &bytes.Buffer{}, stderr)
	args := loginArgs(loginPage(t), out, "--arm", "off", "--fault", "click_fixation=1", "--max-steps",
		"100000", "--serve")
	if code := execute(a, args, signals); code != exitInt {
		t.Errorf("exit code %d: %s", code, stderr.buf.String())
	}
	o.gone()
	if n := len(a.browsers); n != 0 {
		t.Errorf("%d browsers are still open", n)
	}
	first := o.link.Query().Get("id")
	again := &lineWatch{text: "#token="}
	again.once = func() {
		o = look(t, again.buf.String())
		self := "/v1/cua/" + first
		if v := o.send(200, "GET", self, ""); v["state"] != "running" || v["read_only"] != nil {
			t.Errorf("resumed it is %v", v)
		}
		signals <- os.Interrupt
	}
	args = []string{"resume", out, "--field", "Password=opensesame", "--serve"}
	code := execute(testApp(t, &bytes.Buffer{}, again), args, signals)
	if code != exitInt || again.once != nil {
		t.Errorf("resume: exit code %d: %s", code, again.buf.String())
	}
	if o.link.Query().Get("id") != first {
		t.Errorf("the resumed episode %s has the link %s", first, o.link)
	}
	o.gone()
}

// The episodes of a study can be watched, those of before too, and nothing else.
func TestBenchWithAViewer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "study")
	var o *onlooker
	stderr := &lineWatch{text: "1/2"}
	signals := make(chan os.Signal, 1)
	seen := func(want int) {
		o = look(t, stderr.buf.String())
		o.send(403, "POST", "/v1/cua", aRequest)
		items, _ := o.send(200, "GET", "/v1/cua", "")["items"].([]any)
		if len(items) != want {
			t.Errorf("%d episodes are shown, want %d", len(items), want)
		}
		for _, i := range items {
			v := i.(map[string]any)
			self := v["links"].(map[string]any)["self"].(string)
			if v["read_only"] != true || v["state"] != "ended" || v["result"] == nil {
				t.Errorf("a cell is %v", v)
			}
			o.send(403, "POST", self+"/resume", "")
			o.send(403, "DELETE", self, "")
		}
	}
	stderr.once = func() { seen(1); signals <- os.Interrupt }
	args := []string{"bench", "--suite", "forms", "--task", "login", "--brain", "oracle", "--arms",
		"default,off", "--seeds", "1", "--workers", "1", "--serve", "--out", dir}
	if code := execute(testApp(t, &bytes.Buffer{}, stderr), args, signals); code != exitInt {
		t.Fatalf("exit code %d: %s", code, stderr.buf.String())
	}
	o.gone()
	stderr = &lineWatch{text: "2/2"}
	stderr.once = func() { seen(2) }
	code := execute(testApp(t, &bytes.Buffer{}, stderr), []string{"bench", "--resume", dir, "--serve"}, nil)
	if code != exitOK || stderr.once != nil {
		t.Errorf("exit code %d: %s", code, stderr.buf.String())
	}
	o.gone()
}

func TestServeIsCompleted(t *testing.T) {
	for _, name := range []string{"run", "resume", "bench"} {
		if _, out, _ := command(t, "__complete", name, "--serv"); !strings.Contains(out, "--serve\t") {
			t.Errorf("%s: %q", name, out)
		}
	}
}

// The first choice counts, the other place is let go, and a terminal without lines leaves it to the viewer.
func TestWhoeverIsFirstChooses(t *testing.T) {
	says := func(kind string) asker {
		return func(context.Context, trajectories.PauseCard) (trajectories.PauseChoice, error) {
			return trajectories.PauseChoice{Text: kind}, nil
		}
	}
	waits := func(ctx context.Context, _ trajectories.PauseCard) (trajectories.PauseChoice, error) {
		<-ctx.Done()
		return trajectories.PauseChoice{}, ctx.Err()
	}
	fails := func(err error) asker {
		return func(context.Context, trajectories.PauseCard) (trajectories.PauseChoice, error) {
			return trajectories.PauseChoice{}, err
		}
	}
	broken := errors.New("broken")
	for _, row := range []struct {
		name             string
		terminal, viewer asker
		want             string
		err              error
	}{
		{"no terminal", nil, says("viewer"), "viewer", nil},
		{"the terminal", says("terminal"), waits, "terminal", nil},
		{"the viewer", waits, says("viewer"), "viewer", nil},
		{"a terminal without lines", fails(tty.ErrNobody), says("viewer"), "viewer", nil},
		{"a terminal that fails", fails(broken), waits, "", broken},
	} {
		got, err := either(row.terminal, row.viewer)(t.Context(), trajectories.PauseCard{})
		if got.Text != row.want || !errors.Is(err, row.err) {
			t.Errorf("%s: %q, %v", row.name, got.Text, err)
		}
	}
}
