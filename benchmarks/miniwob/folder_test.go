package miniwob

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// fixture holds pages of our own that speak the protocol.
const fixture = "testdata/html"

func TestAFolderIsKnownByItsCore(t *testing.T) {
	tree := func(files ...string) string {
		dir := t.TempDir()
		for _, f := range files {
			path := filepath.Join(dir, f)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(f), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	for _, row := range []struct {
		name, dir, root, wrong string
	}{
		{"the root of the repository", tree("miniwob/html/core/core.js", "miniwob/html/miniwob/click-test.html"), "miniwob/html", ""},
		{"the package in it", tree("html/core/core.js", "html/miniwob/click-test.html"), "html", ""},
		{"the pages' folder", tree("core/core.js", "miniwob/click-test.html"), ".", ""},
		{"another folder", tree("README.md"), "", "is no MiniWoB++ folder"},
		{"a folder that is not there", filepath.Join(t.TempDir(), "no"), "", "is no MiniWoB++ folder"},
		{"a core without pages", tree("core/core.js"), "", "no page of a task"},
		{"a file", filepath.Join(tree("core"), "core"), "", "is no MiniWoB++ folder"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, err := Open(row.dir)
			if row.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), row.wrong) {
					t.Errorf("error %v, want %q", err, row.wrong)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.Root != filepath.Join(row.dir, row.root) || len(c.Core) != 64 {
				t.Errorf("root %q, core %q", c.Root, c.Core)
			}
			if got := c.Missing([]string{"click-test", "click-link"}); !slices.Equal(got,
				[]string{"click-link"}) {
				t.Errorf("missing %v", got)
			}
		})
	}
}

func TestTheFolderIsServedToBeRead(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	root := filepath.Join(dir, "bench")
	if err := os.CopyFS(root, os.DirFS(fixture)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(secret, []byte("not yours"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(root, "miniwob", "link.html")); err != nil {
		t.Fatal(err)
	}
	c, err := Open(root)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Serve()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.Host, "127.0.0.1:") {
		t.Errorf("served at %s", s.Host)
	}
	for _, row := range []struct {
		name, method, url string
		ok                bool
	}{
		{"a page", http.MethodGet, s.URL("click-test"), true},
		{"the core", http.MethodGet, "http://" + s.Host + "/core/core.js", true},
		{"a page that is not there", http.MethodGet, s.URL("click-tests"), false},
		{"writing", http.MethodPut, s.URL("click-test"), false},
		{"deleting", http.MethodDelete, s.URL("click-test"), false},
		{"a link that leads outside", http.MethodGet, s.URL("link"), false},
		{"the folder above", http.MethodGet, "http://" + s.Host + "/miniwob/%2e%2e/%2e%2e/secret", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), row.method, row.url, nil)
			if err != nil {
				t.Fatal(err)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, _ := io.ReadAll(res.Body)
			if ok := res.StatusCode == http.StatusOK; ok != row.ok ||
				strings.Contains(string(body), "not yours") {
				t.Errorf("%s: %q", res.Status, body)
			}
		})
	}
	http.DefaultClient.CloseIdleConnections()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestSubsets(t *testing.T) {
	for _, row := range []struct {
		name  string
		asked []string
		want  []string // name=number of tasks
		wrong string
	}{
		{"the whole benchmark", []string{"all"}, []string{"all=125"}, ""},
		{"several, each task once", []string{"smoke", "forms", "controls"}, []string{"smoke=5", "forms=18", "controls=7"}, ""},
		{"a pattern", []string{"click-tab*"}, []string{"click-tab*=5"}, ""},
		{"a page that the benchmark leaves out", []string{"chase-circle"}, []string{"chase-circle=1"}, ""},
		{"nothing new", []string{"smoke", "click-test"}, []string{"smoke=5"}, ""},
		{"an unknown one", []string{"form"}, nil, `unknown subset "form"; known: smoke, forms, loops, controls, all, or a pattern`},
		{"a bad pattern", []string{"click-["}, nil, "syntax error in pattern"},
	} {
		t.Run(row.name, func(t *testing.T) {
			groups, err := Select(row.asked...)
			if row.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), row.wrong) {
					t.Errorf("error %v, want %q", err, row.wrong)
				}
				return
			}
			var got []string
			for _, g := range groups {
				got = append(got, g.Name+"="+strconv.Itoa(len(g.Tasks)))
				for _, task := range g.Tasks {
					if len(Seeds(task)) != EpisodesPerTask {
						t.Errorf("%s has no seeds", task)
					}
				}
			}
			if err != nil || !slices.Equal(got, row.want) {
				t.Errorf("%v (%v), want %v", got, err, row.want)
			}
		})
	}
	if Seeds("click-tests") != nil {
		t.Error("a task that is not known has seeds")
	}
	if _, err := FindProfile("gym"); err == nil || !strings.Contains(err.Error(), `unknown profile "gym"; known: browsergym, farama-binary`) {
		t.Errorf("an unknown profile: %v", err)
	}
}
