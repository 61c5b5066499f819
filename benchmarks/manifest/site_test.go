package manifest

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestASiteIsServed(t *testing.T) {
	site, err := OpenSite("testdata/webgames/dist")
	if err != nil {
		t.Fatal(err)
	}
	site.Seeded, site.Posts = true, []string{"/api/record-view"}
	v, err := site.serve(5)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, row := range []struct {
		name, method, path, dest string
		status                   int
		has, hasNot              string
	}{
		{"the start page", "GET", "/", "document", 200, "<head><script>(() => { let s = 5 >>> 0;", ""},
		{"a path of the application", "GET", "/press", "document", 200, "<title>Games</title>", ""},
		{"a path below another", "GET", "/a/b.c", "", 200, "<title>Games</title>", ""},
		{"a script that a page loads", "GET", "/assets/app.js", "script", 200, "Pressed-17", "Math.imul"},
		{"a script that is opened", "GET", "/assets/app.js", "document", 200, "<title>Games</title>", "Pressed-17"},
		{"a script in a frame", "GET", "/assets/app.js", "iframe", 200, "<title>Games</title>", "Pressed-17"},
		{"out of the folder", "GET", "/../tasks.jsonl", "", 200, "<title>Games</title>", "Pressed-17"},
		{"a call", "POST", "/api/record-view", "empty", 200, `{"success":true}`, ""},
		{"another call", "POST", "/api/other", "empty", 405, "to be read", ""},
		{"a write", "DELETE", "/index.html", "empty", 405, "to be read", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			req, err := http.NewRequest(row.method, "http://"+v.Host+row.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Sec-Fetch-Dest", row.dest)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != row.status || !strings.Contains(string(text), row.has) ||
				row.hasNot != "" && strings.Contains(string(text), row.hasNot) {
				t.Errorf("%d, %v: %s", resp.StatusCode, err, text)
			}
		})
	}
}

func TestASiteIsKnownAgain(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenSite(dir); err == nil || !strings.Contains(err.Error(),
		"is no built site: there is no index.html in it") {
		t.Errorf("an empty folder: %v", err)
	}
	index := filepath.Join(dir, "index.html")
	if err := os.WriteFile(index, []byte(`<script type="module" src="/src/main.tsx"></script>`), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenSite(dir); err == nil || !strings.Contains(err.Error(),
		"is the source of a site and no build of it: its index.html loads /src/main.tsx") {
		t.Errorf("a source: %v", err)
	}
	if err := os.WriteFile(index, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := OpenSite(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(index, []byte("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.Check(); err == nil || !strings.Contains(err.Error(), "its index.html is another") {
		t.Errorf("another page: %v", err)
	}
}
