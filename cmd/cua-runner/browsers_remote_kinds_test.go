package main

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/browser/remotetest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// A browser behind TLS is driven if its certificate is trusted and names the host, and not otherwise.
func TestRemoteBrowserBehindTLS(t *testing.T) {
	far := remoteBrowser(t)
	front := httptest.NewUnstartedServer(httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http",
		Host: far.Host}))
	front.Config.ErrorLog = log.New(io.Discard, "", 0) // of the handshakes that are meant to fail
	front.StartTLS()
	t.Cleanup(front.Close)
	host := front.Listener.Addr().String()
	trusted := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw})
	if err := os.WriteFile(trusted, block, 0o600); err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(host, ":")
	for _, row := range []struct{ name, host, trust, says string }{
		{"trusted", host, trusted, ""},
		{"not trusted", host, "", "certificate signed by unknown authority"},
		{"of another host", "localhost:" + port, trusted, "not localhost"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			at := strings.Replace(far.URL(row.host), "ws://", "wss://", 1) + "?token=canaryquery"
			cmd := exec.Command("cua-runner", // this test's own binary
				loginArgs(loginPage(t), out, "--cdp-url", at, "--unprotected-egress")...)
			cmd.Env = append(os.Environ(), authorizationVar+"=Bearer canaryheader")
			if row.trust != "" {
				cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+row.trust)
			}
			said, err := cmd.CombinedOutput()
			canaries(t, filepath.Dir(out), string(said))
			if row.says != "" {
				if code := cmd.ProcessState.ExitCode(); code != exitInfra ||
					!strings.Contains(string(said), row.says) {
					t.Errorf("%v: %s", err, said)
				}
				return
			}
			tr, err2 := trajectories.Read(out)
			if err != nil || err2 != nil || tr.Header.Browser.Remote != "wss://"+host {
				t.Errorf("%v, %v: %s", err, err2, said)
			}
		})
	}
}

// A browser that makes no contexts is driven in its only one, and the run says so; one that opens no pages
// either is told of. Both are left as they were.
func TestRemoteBrowserThatRefuses(t *testing.T) {
	far := remoteBrowser(t)
	for _, row := range []struct {
		method string
		code   int
		says   string
	}{
		{"Target.createBrowserContext", exitOK, "it cannot create contexts: its only one is used, with what it holds"},
		{"Target.createTarget", exitInfra, "wasn't found"},
		{"Browser.getVersion", exitInfra, "expected a DevTools endpoint of a browser"},
	} {
		t.Run(row.method, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			at := far.URL(remotetest.NewRefusing(t, far.Host, row.method))
			before := openPages(t, far)
			code, stdout, stderr := remoteRun(t, out, func() {}, "--cdp-url", at)
			if code != row.code || !strings.Contains(stderr, row.says) {
				t.Errorf("exit code %d: %s%s", code, stdout, stderr)
			}
			if tr, err := trajectories.Read(out); row.code == exitOK && (err != nil ||
				!tr.Header.Browser.SharedContext) {
				t.Errorf("the header does not say that the context is shared: %v", err)
			}
			// a page is told to close, and then does
			limit, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			for now := openPages(t, far); !slices.Equal(now, before); now = openPages(t, far) {
				if limit.Err() != nil {
					t.Fatalf("the pages are %q, and were %q", now, before)
				}
			}
		})
	}
}

// An episode that goes on in another browser names it, in the journal and to whoever reads that; in the same
// one again, it names nothing.
func TestResumeInAnotherBrowser(t *testing.T) {
	far := remoteBrowser(t)
	out := filepath.Join(t.TempDir(), "run")
	code, stdout, stderr := command(t, loginArgs(loginPage(t), out, "--max-steps", "1")...)
	if code != exitFailed {
		t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
	}
	remote := []string{"--cdp-url", "http://" + far.Host, "--unprotected-egress"}
	for i, more := range [][]string{nil, remote, remote} {
		args := append([]string{"resume", out, "--max-steps", []string{"2", "3", "20"}[i], "--field",
			"Password=opensesame"}, more...)
		code, stdout, stderr = command(t, args...)
		if code == exitUsage || code == exitInfra {
			t.Fatalf("exit code %d: %s%s", code, stdout, stderr)
		}
	}
	tr, err := trajectories.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	var named []string // by the resumes, in their order
	for _, e := range tr.Events {
		if e.Kind == trajectories.ResumeEvent || e.Kind == trajectories.ContinueEvent {
			remote := "-"
			if e.Browser != nil {
				remote = e.Browser.Remote
			}
			named = append(named, remote)
		}
	}
	if want := []string{"-", "http://" + far.Host, "-"}; !slices.Equal(named, want) ||
		tr.Browser().Remote != want[1] || tr.Header.Browser.Remote != "" {
		t.Errorf("the events name the browsers %q, want %q", named, want)
	}
	_, stdout, _ = command(t, "show", out)
	if !strings.Contains(stdout, "in another browser: "+tr.Browser().String()) {
		t.Errorf("show says %s", stdout)
	}
}

// openPages are the addresses of the pages of the browser, in order.
func openPages(t *testing.T, b *remotetest.Browser) (out []string) {
	t.Helper()
	res, err := http.Get((&url.URL{Scheme: "http", Host: b.Host, Path: "/json/list"}).String())
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var list []struct{ Type, URL string }
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, i := range list {
		if i.Type == "page" {
			out = append(out, i.URL)
		}
	}
	slices.Sort(out)
	return out
}
