package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/browsertest"
	"github.com/cua-runner/cua-runner/cua"
)

// A page that was given a secret by the server tells it to nobody through the server: not by the stream of
// events while it runs or afterwards, nor by another answer, the metrics, the log, the files or the viewer.
func TestCanaryServed(t *testing.T) {
	brain, err := filepath.Abs("testdata/canary_brain.py")
	if err != nil {
		t.Fatal(err)
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path != "/" {
			fmt.Fprintf(w, "<!doctype html><title>sent</title>%q", r.URL.Query()["p"])
			return
		}
		fmt.Fprint(w, canaryPage)
	}))
	t.Cleanup(page.Close)
	dir := t.TempDir()
	sent := filepath.Join(dir, "sent")
	t.Setenv("CUA_SECRET_CANARY", canaryValue)
	s, lines := serveIn(t, dir, "--brain", "exec:python3 "+brain+" "+sent)
	var log bytes.Buffer
	var logged sync.WaitGroup
	logged.Go(func() { _, _ = lines.WriteTo(&log) }) // until the server ends
	found := &canarySearch{t: t}
	task, err := json.Marshal(map[string]any{"instruction": "Sign in.", "url": page.URL + "/", "arm": "off",
		"attended": false, "fields": []any{map[string]any{"label": "Password", "value": "<secret:CANARY>"}},
		"secrets": map[string]any{"CANARY": map[string]any{"from_server": true}}})
	if err != nil {
		t.Fatal(err)
	}
	var made struct{ ID string }
	text := s.get(http.MethodPost, "/v1/cua", string(task))
	if err := json.Unmarshal([]byte(text), &made); err != nil || made.ID == "" {
		t.Fatal(text)
	}
	at := "/v1/cua/" + made.ID
	stream := s.get(http.MethodGet, at+"/events", "") // until the episode has ended
	if strings.Count(stream, "event: step\n") < 10 || !strings.Contains(stream, "event: end\n") {
		t.Fatalf("the stream tells too little: %s", cua.ClipBytes(stream, 2000))
	}
	found.learnKeys(dir)
	found.in("the stream of events", []byte(stream))
	for _, path := range []string{at, "/v1/cua", at + "/steps", at + "/journal", at + "/checkpoints",
		at + "/events", "/metrics"} {
		found.in(path, []byte(s.get(http.MethodGet, path, "")))
	}
	for _, format := range exportFormats() {
		found.inFile(format, []byte(s.get(http.MethodGet, at+"/export?format="+format, "")))
	}
	found.inViewer(s, made.ID)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	logged.Wait()
	_ = s.cmd.Wait() // it was interrupted
	found.in("the log of the server", log.Bytes())
	found.inFiles(dir)
	if plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(stream); strings.Count(plain,
		"<secret:CANARY>") < 20 || found.bytes < 100_000 {
		t.Errorf("there was nothing to find: %+v", *found)
	}
}

// digestKeys are the keys of digests in a checkpoint.
var digestKeys = regexp.MustCompile(`"digest_key":"([^"]+)"`)

// learnKeys makes the keys of the digests something to look for: only checkpoints may have them.
func (c *canarySearch) learnKeys(dir string) {
	c.t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "/state/") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range digestKeys.FindAllSubmatch(text, -1) {
			key, _ := base64.StdEncoding.DecodeString(string(found[1]))
			c.keys = append(c.keys, string(key), hex.EncodeToString(key))
			for i := range 3 { // where a text begins in base64 is one of three places
				c.keys = append(c.keys, base64.RawStdEncoding.EncodeToString(key[i:i+27]))
			}
		}
		return err
	})
	if err != nil || len(c.keys) == 0 {
		c.t.Fatalf("no checkpoint has a key of digests (%v)", err)
	}
}

// keyIn looks for the keys of the digests.
func (c *canarySearch) keyIn(what string, text []byte) {
	c.t.Helper()
	for _, key := range c.keys {
		if !strings.Contains(what, "/state/") && bytes.Contains(text, []byte(key)) {
			c.t.Errorf("%s holds the key of the digests", what)
		}
	}
}

// get is the body of an answer of the server.
func (s *served) get(method, path, body string) string {
	s.t.Helper()
	res := s.send(method, path, body)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode >= 300 && !strings.Contains(path, "format=") {
		s.t.Fatalf("%s: %s, %v: %s", path, res.Status, err, cua.ClipBytes(string(text), 500))
	}
	return string(text)
}

// inViewer looks in what the viewer shows of an ended episode, at each of its steps.
func (c *canarySearch) inViewer(s *served, id string) {
	c.t.Helper()
	token, err := os.ReadFile(filepath.Join(s.dir, "served", "token"))
	if err != nil {
		c.t.Fatal(err)
	}
	b := browsertest.Launch(c.t, browser.Options{})
	session, err := b.NewSession(c.t.Context(), browser.SessionOptions{})
	if err != nil {
		c.t.Fatal(err)
	}
	defer session.Close()
	_, err = session.Reset(c.t.Context(), cua.Task{URL: s.url + "/view/?id=" + id + "#token=" +
		strings.TrimSpace(string(token))})
	if err != nil {
		c.t.Fatal(err)
	}
	raw, err := session.Ask(c.t.Context(), `new Promise(done => {
		const ended = () => document.getElementById("state").textContent.startsWith("Ended");
		const read = () => {
			const all = [];
			for (const step of document.querySelectorAll("#strip .step")) {
				step.click();
				all.push(document.title, document.documentElement.innerText, document.documentElement.outerHTML);
			}
			done(all);
		};
		if (ended()) return read();
		new MutationObserver((_, o) => { if (ended()) { o.disconnect(); read(); } })
			.observe(document, {subtree: true, childList: true, characterData: true});
	})`)
	if err != nil {
		c.t.Fatal(err)
	}
	var shown []string
	if err := json.Unmarshal(raw, &shown); err != nil || len(shown) < 30 ||
		!strings.Contains(strings.Join(shown, ""), "<secret:CANARY>") {
		c.t.Fatalf("the viewer shows %d texts (%v): %s", len(shown), err, cua.ClipBytes(string(raw), 1000))
	}
	for _, text := range shown {
		c.in("the viewer", []byte(text))
	}
}
