package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server sends the spans of each episode as it ends: those that export writes of it afterwards. A receiver
// that takes none is told of, and the server goes on.
func TestServeSendsSpans(t *testing.T) {
	bodies := make(chan string, 10)
	fails := true
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != otlpPath {
			t.Error(r.URL, err)
		}
		if fails { // requests come one after the other
			fails = false
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		bodies <- string(raw)
		fmt.Fprint(w, "{}")
	}))
	t.Cleanup(ts.Close)
	script := filepath.Join(t.TempDir(), "script.jsonl")
	text := strings.Repeat(`{"kind":"done","success":true,"text":"seen"}`+"\n", 4) // a first one may be refused
	if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, lines := serveIn(t, t.TempDir(), "--otlp", ts.URL, "--brain", "scripted:"+script)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<title>a page</title><h1>Seen</h1>`)
	}))
	t.Cleanup(page.Close)
	for n := range 2 {
		var made struct{ ID string }
		answer := s.send("POST", "/v1/cua", fmt.Sprintf(`{"instruction": "look", "url": %q}`, page.URL))
		if err := json.NewDecoder(answer.Body).Decode(&made); err != nil || made.ID == "" {
			t.Fatal("no episode: ", err)
		}
		if n == 0 {
			for line := ""; !strings.Contains(line, "send them again: cua-runner export "); {
				var err error
				if line, err = lines.ReadString('\n'); err != nil {
					t.Fatal("nothing was said of the receiver: ", err)
				}
			}
			go lines.WriteTo(nowhere{}) //nolint:errcheck // until it ends
			continue
		}
		got := <-bodies
		run := filepath.Join(s.dir, "served", "default", made.ID)
		file := filepath.Join(t.TempDir(), "spans.jsonl")
		if code, _, stderr := command(t, "export", run, "--format", "otel", "--out", file); code != exitOK {
			t.Fatal(code, stderr)
		}
		if want := read(t, file); got != want || strings.Count(want, `"spanId"`) < 2 {
			t.Errorf("got  %.1000s\nwant %.1000s", got, want)
		}
	}
}
