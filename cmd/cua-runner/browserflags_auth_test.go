package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// A page behind HTTP authentication is reached with the secret of its origin, and the secret is nowhere
// shown.
func TestRunBehindHTTPAuthentication(t *testing.T) {
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "ada" || password != "opensesame" {
			w.Header().Set("WWW-Authenticate", `Basic realm="inside"`)
			http.Error(w, "locked", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>inside</title><p>The door is open.")
	}))
	defer ts.Close()
	t.Setenv("MY_DOOR", "ada:opensesame")
	t.Setenv("MY_WORD", "opensesame")
	for _, c := range []struct {
		name   string
		flags  []string
		exit   int
		status int
		says   string
	}{
		{"its origin", []string{"--secret", "DOOR=env:MY_DOOR@" + ts.URL, "--http-auth", "DOOR"}, exitFailed, http.StatusOK, ""},
		{"another origin", []string{"--secret", "DOOR=env:MY_DOOR@https://bank.test", "--http-auth", "DOOR"}, exitFailed, http.StatusUnauthorized, ""},
		{"not asked for", []string{"--secret", "DOOR=env:MY_DOOR@" + ts.URL}, exitFailed, http.StatusUnauthorized, ""},
		{"no such secret", []string{"--http-auth", "DOOR"}, exitUsage, 0, "no --secret of that name"},
		{"no origin", []string{"--secret", "DOOR=env:MY_DOOR", "--http-auth", "DOOR"}, exitUsage, 0, "has no origin"},
		{"no user", []string{"--secret", "DOOR=env:MY_WORD@" + ts.URL, "--http-auth", "DOOR"}, exitUsage, 0, "not user:password"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			args := []string{"run", ts.URL, "--goal", "open the door", "--max-steps", "1", "--out", out}
			code, stdout, stderr := command(t, append(args, c.flags...)...)
			if code != c.exit || !strings.Contains(stderr, c.says) ||
				strings.Contains(stdout+stderr, "sesame") {
				t.Fatalf("exit %d, %s%s", code, stdout, stderr)
			}
			if c.status == 0 {
				return
			}
			tr, err := readRun(out)
			if err != nil || tr.Start.Status != c.status {
				t.Errorf("the start page has status %d, want %d (%v)", tr.Start.Status, c.status, err)
			}
		})
	}
}
