package manifest

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatIsMountedIsServedToPagesAlone(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"pages/index.html": "<title>App</title>",
		"libs/node_modules/x/x.js": "widget()", "libs/node_modules/x/x.html": "<title>Demo</title>",
		"libs/secret.txt": "hidden"} {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	site := &Site{Dir: filepath.Join(dir, "pages"), Mounts: []Mount{{Path: "/lib", Dir: "node_modules"}},
		Libraries: filepath.Join(dir, "libs")}
	if err := site.Check(); err != nil {
		t.Fatal(err)
	}
	v, err := site.serve(1)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, row := range []struct {
		name, path, dest string
		status           int
		has              string
	}{
		{"a script of a library", "/lib/x/x.js", "script", 200, "widget()"},
		{"a script that is opened", "/lib/x/x.js", "document", 200, "<title>App</title>"},
		{"a page of a library", "/lib/x/x.html", "document", 200, "<title>App</title>"},
		{"a page of a library in a frame", "/lib/x/x.html", "iframe", 200, "<title>App</title>"},
		{"a script that is not there", "/lib/y.js", "script", 404, ""},
		{"beside the mount", "/lib/../secret.txt", "script", 404, ""},
		{"out of the mount", "/lib/%2e%2e/secret.txt", "script", 404, ""},
		{"a name that begins like it", "/library/x.js", "script", 200, "<title>App</title>"},
	} {
		t.Run(row.name, func(t *testing.T) {
			req, err := http.NewRequest(http.MethodGet, "http://"+v.Host+row.path, nil)
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
			said := string(text)
			if err != nil || resp.StatusCode != row.status || !strings.Contains(said, row.has) ||
				strings.Contains(said, "hidden") {
				t.Errorf("%d, %v: %s", resp.StatusCode, err, text)
			}
		})
	}
}
