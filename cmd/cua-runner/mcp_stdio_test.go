package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/cua"
)

// A client over standard input and output, in a process of its own. Whether the client leaves or the process
// is interrupted, the journal is sealed and sound, and no browser is left.
func TestMCPOverStdio(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Shop</title><button>Save</button>")
	}))
	defer site.Close()
	for _, row := range []struct {
		name  string
		leave func(*sdk.ClientSession, *exec.Cmd) error
		code  int
	}{
		{"the client leaves", func(c *sdk.ClientSession, _ *exec.Cmd) error { return c.Close() }, exitOK},
		{"Ctrl-C", func(_ *sdk.ClientSession, cmd *exec.Cmd) error { return cmd.Process.Signal(os.Interrupt) },
			exitInt},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir, stderr := filepath.Join(t.TempDir(), "runs"), &bytes.Buffer{}
			cmd := exec.Command("cua-runner", "mcp", "--dir", dir, // this test's own binary
				"--allow", strings.TrimPrefix(site.URL, "http://"))
			cmd.Stderr = stderr
			to, from := withPipes(t, cmd)
			defer cmd.Process.Kill() //nolint:errcheck // it has ended, unless the test failed
			self := &sdk.Implementation{Name: "client", Version: "1"}
			c, err := sdk.NewClient(self, nil).Connect(t.Context(),
				&sdk.IOTransport{Reader: from, Writer: to}, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_navigate",
				Arguments: map[string]any{"url": site.URL}})
			if err != nil || r.IsError {
				t.Fatalf("%v %+v %s", err, r, stderr)
			}
			browser := browserOf(t, cmd.Process.Pid)
			if err := row.leave(c, cmd); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != row.code {
				t.Errorf("exit code %d, want %d: %s", code, row.code, stderr)
			}
			if _, err := os.Stat(fmt.Sprintf("/proc/%d", browser)); browser == 0 || err == nil {
				t.Errorf("browser %d is still there", browser)
			}
			runs, err := os.ReadDir(dir)
			if err != nil || len(runs) != 1 || !strings.Contains(runs[0].Name(), "@mcp-advise") {
				t.Fatalf("%v %v", err, runs)
			}
			run := filepath.Join(dir, runs[0].Name())
			if code, out, said := command(t, "check", run); code != exitOK {
				t.Errorf("check: exit code %d, %s%s", code, out, said)
			}
			j, err := readRun(run)
			if err != nil || j.End == nil || j.End.Reason != cua.EndCancelled {
				t.Errorf("%v: the episode is not sealed: %+v", err, j)
			}
		})
	}
}
