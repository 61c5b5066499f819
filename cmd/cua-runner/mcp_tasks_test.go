package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// mcpProcess is cua-runner mcp in a process of its own, with a client.
type mcpProcess struct {
	t       *testing.T
	dir     string // of the runs
	pid     int
	url     string // of the server by HTTP
	client  *sdk.ClientSession
	schemas map[string]*jsonschema.Schema
	told    chan *sdk.ProgressNotificationParams
}

// mcpClient starts the server for a client over standard input, or by HTTP.
func mcpClient(t *testing.T, byHTTP bool, more ...string) *mcpProcess {
	t.Helper()
	p := &mcpProcess{t: t, dir: filepath.Join(t.TempDir(), "runs"), schemas: map[string]*jsonschema.Schema{},
		told: make(chan *sdk.ProgressNotificationParams, 1000)}
	args := append([]string{"mcp", "--dir", p.dir}, more...)
	if byHTTP {
		args = append(args, "--http", "127.0.0.1:0")
	}
	cmd := exec.Command("cua-runner", args...) // this test's own binary
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	to, from := withPipes(t, cmd)
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	p.pid = cmd.Process.Pid
	var transport sdk.Transport = &sdk.IOTransport{Reader: from, Writer: to}
	lines := bufio.NewReader(said)
	if byHTTP {
		first, err := lines.ReadString('\n')
		m := regexp.MustCompile(`serving (http://\S+)`).FindStringSubmatch(first)
		if m == nil {
			t.Fatalf("the server said %q (%v)", first, err)
		}
		p.url = m[1]
		transport = &sdk.StreamableClientTransport{Endpoint: p.url}
	}
	go lines.WriteTo(nowhere{}) //nolint:errcheck // until it ends
	p.connect(transport)
	return p
}

func (p *mcpProcess) connect(transport sdk.Transport) {
	p.t.Helper()
	self := &sdk.Implementation{Name: "client", Version: "1"}
	hears := &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context,
		r *sdk.ProgressNotificationClientRequest) {
		p.told <- r.Params
	}}
	c, err := sdk.NewClient(self, hears).Connect(p.t.Context(), transport, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { c.Close() })
	p.client = c
	for tool, err := range c.Tools(p.t.Context(), nil) {
		if err != nil {
			p.t.Fatal(err)
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(tool.Name, jsonOf(p.t, tool.OutputSchema)); err != nil {
			p.t.Fatal(err)
		}
		if p.schemas[tool.Name], err = compiler.Compile(tool.Name); err != nil {
			p.t.Fatal(err)
		}
	}
}

// jsonOf is v as the schemas' library has JSON.
func jsonOf(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// call calls a tool and holds the result against its schema.
func (p *mcpProcess) call(tool string, arguments map[string]any) (map[string]any, *sdk.CallToolResult) {
	p.t.Helper()
	params := &sdk.CallToolParams{Name: tool, Arguments: arguments}
	params.SetProgressToken(tool)
	got, err := p.client.CallTool(p.t.Context(), params)
	if err != nil {
		p.t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	if got.StructuredContent == nil {
		return nil, got
	}
	if err := p.schemas[tool].Validate(jsonOf(p.t, got.StructuredContent)); err != nil {
		p.t.Errorf("%s: the result does not have its schema: %v", tool, err)
	}
	out, _ := got.StructuredContent.(map[string]any)
	if n := len([]rune(said(got))); n > 1500 {
		p.t.Errorf("%s: the result has %d characters", tool, n)
	}
	return out, got
}

// said is the text of a result.
func said(r *sdk.CallToolResult) string { return r.Content[0].(*sdk.TextContent).Text }

// slowPage has a page that does not answer until its browser gives up.
func slowPage(t *testing.T) (url string, asked chan bool) {
	asked = make(chan bool, 100)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- true
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	return s.URL, asked
}

// bothWays runs a test over standard input and by HTTP.
func bothWays(t *testing.T, f func(*testing.T, bool)) {
	for _, byHTTP := range []bool{false, true} {
		t.Run(map[bool]string{false: "stdio", true: "http"}[byHTTP], func(t *testing.T) { f(t, byHTTP) })
	}
}

// A whole task, played by the server's brain: its steps are told, its end is a result, and its journal is one
// of an ordinary run, in which loops can be looked for.
func TestMCPTask(t *testing.T) {
	bothWays(t, func(t *testing.T, byHTTP bool) {
		page := loginPage(t)
		p := mcpClient(t, byHTTP, "--allow", strings.TrimPrefix(page, "http://"))
		task := map[string]any{"goal": "Sign in", "url": page + "/", "wait_s": 120, "fields": []any{
			map[string]any{"label": "User name", "value": "alice"},
			map[string]any{"label": "Password", "value": "opensesame"}}}
		r, got := p.call("run_task", task)
		if got.IsError || r["state"] != "ended" || r["success"] != true || r["reason"] != "done" {
			t.Fatalf("%v %s", r, said(got))
		}
		steps := int(r["step"].(float64))
		var last *sdk.ProgressNotificationParams
		for len(p.told) > 0 {
			n := <-p.told
			if last != nil && n.Progress <= last.Progress || n.Message == "" {
				t.Errorf("after %+v: %+v", last, n)
			}
			last = n
		}
		if last == nil {
			t.Error("no progress was told")
		}
		again, _ := p.call("run_status", map[string]any{"run": r["run"]})
		if !slices.Equal(fmt.Append(nil, again), fmt.Append(nil, r)) {
			t.Errorf("run_status: %v, want %v", again, r)
		}
		journal, _ := r["journal"].(string)
		if j, err := readRun(journal); err != nil || len(j.Steps) != steps {
			t.Errorf("%v: %d steps, want %d", err, len(j.Steps), steps)
		}
		if text, err := os.ReadFile(filepath.Join(journal, "journal.jsonl")); err != nil ||
			strings.Contains(string(text)+said(got), "opensesame") {
			t.Errorf("%v: the password is in the journal or the result", err)
		}
		loops, got := p.call("detect_loops", map[string]any{"path": filepath.Base(journal)})
		if byHTTP {
			if !got.IsError || !strings.Contains(said(got), "give trajectory") {
				t.Errorf("a path by HTTP: %v %s", loops, said(got))
			}
			return
		}
		found, _ := loops["trajectories"].([]any)
		if got.IsError || len(found) != 1 || loops["looping"] != 0. {
			t.Errorf("%v %s", loops, said(got))
		}
	})
}

// A task that takes long is answered before its end, and ends when it is told to or when the client that
// waits for it gives up.
func TestMCPTaskStops(t *testing.T) {
	bothWays(t, func(t *testing.T, byHTTP bool) {
		page, asked := slowPage(t)
		p := mcpClient(t, byHTTP, "--allow", strings.TrimPrefix(page, "http://"), "--max-running", "1")
		task := map[string]any{"goal": "Wait", "url": page, "wait_s": 0}
		r, got := p.call("run_task", task)
		if got.IsError || r["state"] != "running" {
			t.Fatalf("%v %s", r, said(got))
		}
		<-asked
		if _, got := p.call("run_task", task); !got.IsError ||
			!strings.Contains(said(got), "1 tasks are running") {
			t.Errorf("one too many: %s", said(got))
		}
		if now, _ := p.call("run_status", nil); now["run"] != r["run"] || now["state"] != "running" {
			t.Errorf("%v", now)
		}
		stopped, got := p.call("run_stop", map[string]any{"run": r["run"]})
		if !got.IsError || stopped["state"] != "ended" || stopped["success"] != false {
			t.Errorf("%v %s", stopped, said(got))
		}

		for len(asked) > 0 {
			<-asked
		}
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() {
			_, err := p.client.CallTool(ctx, &sdk.CallToolParams{Name: "run_task",
				Arguments: map[string]any{"goal": "Wait", "url": page, "wait_s": 600}})
			left <- err
		}()
		<-asked
		cancel()
		if err := <-left; err == nil {
			t.Error("a call that was cancelled has a result")
		}
		now, _ := p.call("run_status", map[string]any{"wait_s": 60})
		if now["run"] == r["run"] || now["state"] != "ended" {
			t.Errorf("after the client gave up: %v", now)
		}
	})
}

// The time of a task bounds the load of its first page too, which may take longer by itself.
func TestMCPTaskTime(t *testing.T) {
	page, _ := slowPage(t)
	p := mcpClient(t, false, "--allow", strings.TrimPrefix(page, "http://"))
	r, got := p.call("run_task", map[string]any{"goal": "Wait", "url": page, "max_wall_s": 1, "wait_s": 300})
	if !got.IsError || r["reason"] != "max_wall" || !strings.Contains(said(got), "opening the start page") {
		t.Errorf("%v %s", r, said(got))
	}
}

// Arguments that do not fit are told before anything begins.
func TestMCPTaskRefuses(t *testing.T) {
	p := mcpClient(t, false)
	const page = "https://shop.test/"
	outside := filepath.Join(t.TempDir(), "journal.jsonl")
	if err := os.WriteFile(outside, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(p.dir, "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	type in = map[string]any
	for _, row := range []struct {
		name, tool string
		arguments  in
		says       string
	}{
		{"no goal", "run_task", in{"goal": " ", "url": page}, "goal has 1 characters"},
		{"a long goal", "run_task", in{"goal": strings.Repeat("a", 8001), "url": page}, "want 1 to 8000"},
		{"no page", "run_task", in{"goal": "a", "url": "file:///etc/passwd"}, "neither http nor https"},
		{"a private page", "run_task", in{"goal": "a", "url": "http://127.0.0.1:1/"}, "--allow"},
		{"another brain", "run_task", in{"goal": "a", "url": page, "brain": "exec:rm"},
			"brain is one of heuristic"},
		{"many steps", "run_task", in{"goal": "a", "url": page, "max_steps": 501}, "max_steps is 1 to 500"},
		{"much time", "run_task", in{"goal": "a", "url": page, "max_wall_s": 3601}, "max_wall_s is 1 to 3600"},
		{"a long wait", "run_task", in{"goal": "a", "url": page, "wait_s": 601}, "wait_s is 0 to 600"},
		{"an unknown secret", "run_task", in{"goal": "a", "url": page, "fields": []in{{"label": "Password",
			"value": "<secret:PATH>"}}}, "has no secret PATH"},
		{"no run", "run_status", nil, "no such run"},
		{"an unknown run", "run_status", in{"run": "x"}, "no such run"},
		{"nothing to stop", "run_stop", in{"run": "x"}, "no such run"},
		{"neither", "detect_loops", nil, "give trajectory or path"},
		{"both", "detect_loops", in{"trajectory": "{}", "path": "a"}, "give trajectory or path"},
		{"no trajectory", "detect_loops", in{"trajectory": "nonsense"}, "not read: line 1"},
		{"a path outside", "detect_loops", in{"path": outside}, "no such file below --dir"},
		{"a path upwards", "detect_loops", in{"path": "../../.."}, "no such file below --dir"},
		{"a link outside", "detect_loops", in{"path": "link.jsonl"}, "no such file below --dir"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p.t = t
			_, got := p.call(row.tool, row.arguments)
			if !strings.Contains(said(got), row.says) {
				t.Errorf("%s, want %q", said(got), row.says)
			}
		})
	}
	p.t = t
	if runs, err := os.ReadDir(p.dir); err != nil || len(runs) != 1 {
		t.Errorf("%v: %v", err, runs)
	}
}

// A loop is found in a trajectory that the client gives, as an object and as JSON lines.
func TestMCPDetectLoops(t *testing.T) {
	p := mcpClient(t, false)
	var steps []any
	for range 8 {
		steps = append(steps, map[string]any{"action_type": "click", "target": "role=button name=Save",
			"url": "http://a.test/", "dom_hash": "a0", "form_hash": "3f"})
	}
	trajectory := map[string]any{"id": "seven", "steps": steps}
	line, err := json.Marshal(trajectory)
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range []any{trajectory, string(line) + "\n"} {
		r, got := p.call("detect_loops", map[string]any{"trajectory": given})
		found, _ := r["trajectories"].([]any)
		if got.IsError || len(found) != 1 || r["looping"] != 1. ||
			!strings.Contains(said(got), "seven: 8 steps, warning from step") {
			t.Fatalf("%v %s", r, said(got))
		}
	}
	r, got := p.call("detect_loops", map[string]any{"trajectory": strings.Repeat(string(line)+"\n", 50)})
	if listed, _ := r["trajectories"].([]any); float64(len(listed))+r["more"].(float64) != 50 ||
		r["looping"] != 50. {
		t.Errorf("%v %s", r["more"], said(got))
	}
}
