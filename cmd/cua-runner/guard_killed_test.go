package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// hookInput is what Claude Code writes to the hook about a press of a dead button.
func hookInput(event string) string {
	return `{"session_id":"s","hook_event_name":"` + event + `","tool_name":"mcp__playwright__browser_click",` +
		`"tool_input":{"target":"e8"},"tool_response":[{"type":"text","text":"### Page\n- Page URL: http://a/\n` +
		"### Snapshot\\n```yaml\\n- button \\\"Save\\\" [ref=e8]\\n```" + `"}]}`
}

// A hook that is killed during a call, before or after it has read its input, does not stop the call, and the
// next ones are answered: after the loop goes on, with a note and a refusal.
func TestAKilledHookStopsNobody(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "histories")
	call := func(event string, kill int) (said string) { // kill is after how many bytes; -1 is never
		cmd := exec.Command("cua-runner", "guard", "--hook", "claude", "--deny", "--history", dir)
		var out bytes.Buffer
		cmd.Stdout = &out
		to, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		input := hookInput(event)
		if kill >= 0 && kill < len(input) {
			_, err = io.WriteString(to, input[:kill])
		} else {
			_, err = io.WriteString(to, input)
			err = errors.Join(err, to.Close())
		}
		if kill >= 0 {
			err = errors.Join(err, cmd.Process.Kill())
		}
		_ = cmd.Wait() // its exit code is looked at
		// Claude Code refuses a call for the exit code 2 and for a "deny" with the exit code 0.
		code := cmd.ProcessState.ExitCode()
		if err != nil || code == exitUsage || kill < 0 && code != exitOK {
			t.Fatalf("exit code %d, %v", code, err)
		}
		if kill >= 0 && code != exitOK && strings.Contains(out.String(), "deny") {
			out.Reset() // it is no answer
		}
		return out.String()
	}
	var said []string
	for i := range 14 {
		kill := []int{-1, 0, -1, 100, -1, 1 << 20}[i%6]
		said = append(said, call("PreToolUse", kill), call("PostToolUse", kill))
	}
	for range 10 {
		said = append(said, call("PreToolUse", -1), call("PostToolUse", -1))
	}
	all := strings.Join(said, "\n")
	if !strings.Contains(all, `"additionalContext":"You did click`) ||
		!strings.Contains(all, `"permissionDecision":"deny"`) {
		t.Errorf("the answers to 24 presses, of which 7 had no hook: %s", all)
	}
	history, err := os.ReadFile(filepath.Join(dir, "s.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(history) {
		if len(bytes.TrimSpace(line)) > 0 && !json.Valid(line) {
			t.Errorf("the history has the line %q", line)
		}
	}
}

// wrappedSelf is a client of the proxy in front of this program's own browser server, and that server's
// process. What both say on standard error ends when both have ended.
func wrappedSelf(t *testing.T, allow ...string) (c *sdk.ClientSession, proxy *exec.Cmd, server *os.Process,
	said *bytes.Buffer, over chan bool) {
	t.Helper()
	args := []string{"mcp", "--wrap", "--", "cua-runner", "mcp", "--dir", filepath.Join(t.TempDir(), "runs")}
	for _, a := range allow {
		args = append(args, "--allow", strings.TrimPrefix(a, "http://"))
	}
	proxy = exec.Command("cua-runner", args...)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	proxy.Stderr = w
	to, from := withPipes(t, proxy)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Process.Kill() })
	said, over = &bytes.Buffer{}, make(chan bool)
	go func() {
		_, _ = said.ReadFrom(r)
		close(over)
	}()
	self := &sdk.Implementation{Name: "client", Version: "1"}
	c, err = sdk.NewClient(self, nil).Connect(t.Context(), &sdk.IOTransport{Reader: from, Writer: to}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if server, err = os.FindProcess(childOf(t, proxy.Process.Pid, "mcp")); err != nil {
		t.Fatal(err)
	}
	return c, proxy, server, said, over
}

// A client whose wrapped server is killed during a call finds the server gone, as without the proxy. So does
// the client of a proxy that is killed, and the wrapped server ends.
func TestWrapIsKilled(t *testing.T) {
	slow, asked := slowPage(t)
	page := loginPage(t)
	visit := func(c *sdk.ClientSession, url string) (*sdk.CallToolResult, error) {
		return c.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_navigate",
			Arguments: map[string]any{"url": url}})
	}
	for _, row := range []struct {
		name string
		kill func(proxy, server *os.Process) error
		code int
		says string
	}{
		{"the wrapped server", func(_, s *os.Process) error { return s.Kill() }, exitInfra,
			"the wrapped server has ended"},
		{"the proxy", func(p, _ *os.Process) error { return p.Kill() }, -1, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, proxy, server, stderr, over := wrappedSelf(t, slow, page)
			if r, err := visit(c, page+"/"); err != nil || r.IsError {
				t.Fatalf("%v %+v", err, r)
			}
			killed := make(chan error, 1)
			go func() {
				<-asked
				killed <- row.kill(proxy.Process, server)
			}()
			r, err := visit(c, slow)
			if err := <-killed; err != nil {
				t.Fatal(err)
			}
			if err == nil && !r.IsError {
				t.Errorf("the call has the result %+v", r)
			}
			for err = nil; err == nil; { // the answer may come before the end
				if r, err = visit(c, page+"/"); err == nil && !r.IsError {
					t.Fatalf("a later call has the result %+v", r)
				}
			}
			<-over // both have ended
			_ = proxy.Wait()
			if code := proxy.ProcessState.ExitCode(); code != row.code ||
				!strings.Contains(stderr.String(), row.says) {
				t.Errorf("exit code %d: %s", code, stderr)
			}
		})
	}
}
