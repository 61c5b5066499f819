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

// A receiver takes the spans that the file has, and the same ones again.
func TestSpansAreSent(t *testing.T) {
	run := recordedRun(t)
	got := map[string]string{} // by span id
	requests := 0
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		var data struct {
			ResourceSpans []struct {
				ScopeSpans []struct {
					Spans []struct{ TraceID, SpanID, ParentSpanID, Name string }
				}
			}
		}
		err := json.NewDecoder(r.Body).Decode(&data)
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/json" {
			t.Error(err, r.URL, r.Header)
		}
		for _, res := range data.ResourceSpans {
			for _, scope := range res.ScopeSpans {
				for _, s := range scope.Spans {
					got[s.TraceID+s.SpanID] = s.Name
				}
			}
		}
		fmt.Fprint(w, `{"partialSuccess":{}}`)
	}))
	t.Cleanup(ts.Close)
	file := filepath.Join(t.TempDir(), "spans.jsonl")
	for _, to := range [][]string{{"--otlp", ts.URL}, {"--otlp", ts.URL + "/v1/traces"}, {"--out", file}} {
		code, _, stderr := command(t, append([]string{"export", run, "--format", "otel"}, to...)...)
		if code != exitOK {
			t.Fatal(to, code, stderr)
		}
	}
	text := read(t, file)
	if n := strings.Count(text, `"spanId"`); requests != 2 || n < 9 || len(got) != n {
		t.Errorf("%d requests, %d spans of the %d of the file: %v", requests, len(got), n, got)
	}
	for id, name := range got {
		if !strings.Contains(text, id[:32]) || !strings.Contains(text, id[32:]) {
			t.Errorf("the file has no span %s %s", name, id)
		}
	}
}

func TestSpansThatAreNotTaken(t *testing.T) {
	run := recordedRun(t)
	answer := func(status int, text string) string {
		ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		}))
		t.Cleanup(ts.Close)
		return ts.URL
	}
	for _, row := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"a receiver that fails", []string{"--otlp", answer(503, "")}, exitInfra, "expected status 200, found 503"},
		{"spans that are rejected", []string{"--otlp", answer(200, `{"partialSuccess":{"rejectedSpans":"3","errorMessage":"full"}}`)},
			exitInfra, `3 spans were rejected: "full"`},
		{"another format", []string{"--otlp", "http://127.0.0.1:1", "--format", "csv"}, exitUsage, "--otlp is for --format otel"},
		{"a file too", []string{"--otlp", "http://127.0.0.1:1", "--out", "x"}, exitUsage, "without --out"},
		{"no address", []string{"--otlp", "127.0.0.1"}, exitUsage, "needs an http or https address"},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, _, stderr := command(t, append([]string{"export", run, "--format", "otel"}, row.args...)...)
			if code != row.code || !strings.Contains(stderr, row.says) {
				t.Errorf("%d: %s; want %d: %s", code, stderr, row.code, row.says)
			}
		})
	}
}

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
