package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The clients of npm, the SDK's and the inspector's command line, call the tools over standard input and by
// HTTP. npm installs them in the folder that MCP_NPM names.
func TestMCPNPMClients(t *testing.T) {
	npm := os.Getenv("MCP_NPM")
	if npm == "" {
		t.Skip("SKIPPED: MCP_NPM=FOLDER names where npm has installed the SDK and the inspector")
	}
	script, err := os.ReadFile("testdata/mcp_client.mjs")
	if err != nil {
		t.Fatal(err)
	}
	bothWays(t, func(t *testing.T, byHTTP bool) {
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(`<!doctype html><title>Dead</title><button>Save</button>`))
		}))
		t.Cleanup(site.Close)
		allow := []string{"--allow", strings.TrimPrefix(site.URL, "http://")}
		target, dir, work := "stdio", t.TempDir(), t.TempDir()
		server := append([]string{"cua-runner", "mcp", "--dir", dir}, allow...)
		if byHTTP {
			target = mcpClient(t, true, allow...).url
			server = []string{target, "--transport", "http"}
		}
		packages := filepath.Join(npm, "node_modules")
		if err := os.Symlink(packages, filepath.Join(work, "node_modules")); err != nil {
			t.Fatal(err)
		}
		client := filepath.Join(work, "client.mjs")
		if err := os.WriteFile(client, script, 0o600); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Tools, Progress, Notes, Looping int
			Task                            struct{ State, Reason string }
			Status                          string
		}
		text := outputOf(t, "node", client, target, site.URL, "cua-runner", dir)
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if got.Tools != 27 || got.Progress == 0 || got.Notes == 0 || got.Looping != 1 ||
			got.Task.State != "ended" || got.Status != "ended" {
			t.Errorf("the SDK's client: %+v", got)
		}
		program := filepath.Join(packages, ".bin", "mcp-inspector")
		inspector := slices.Concat([]string{program, "--cli"}, server, []string{"--method"})
		run := []string{"tools/call", "--tool-name", "run_task", "--tool-arg", "goal=Press Save",
			"--tool-arg", "url=" + site.URL, "--tool-arg", "max_steps=2", "--tool-arg", "wait_s=50"}
		for want, method := range map[string][]string{`"detect_loops"`: {"tools/list"},
			`"state": "ended"`: run} {
			call := slices.Concat(inspector, method)
			text, err := exec.CommandContext(t.Context(), call[0], call[1:]...).Output()
			if err != nil && strings.Contains(string(text), `"isError": true`) {
				err = nil // version 2 ends with an error where the result is one
			}
			if err != nil || !strings.Contains(string(text), want) {
				t.Errorf("the inspector, %v: %v: %s", method, err, text)
			}
		}
	})
}

// outputOf is what a program prints.
func outputOf(t *testing.T, command ...string) []byte {
	t.Helper()
	var said strings.Builder
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s %s", command, err, out, said.String())
	}
	return out
}
