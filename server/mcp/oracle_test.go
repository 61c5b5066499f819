package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/server/mcp"
	"github.com/cua-runner/cua-runner/trajectories"
)

// TestOracleClients plays each embedded form by its script, through the tools, and earns its reward: the
// tools can do what the forms need. With -oracle.all it is each protocol over standard input and by HTTP, and
// the client of npm where MCP_NPM names the folder in which npm has installed it; else one of each.
func TestOracleClients(t *testing.T) {
	ways := map[string]reach{}
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		ways["stdio "+version] = func(ctx context.Context, s *mcp.Server) (caller, error) {
			toServer, fromClient := io.Pipe()
			toClient, fromServer := io.Pipe()
			return joined(ctx, s, &sdk.IOTransport{Reader: toClient, Writer: fromClient},
				&sdk.IOTransport{Reader: toServer, Writer: fromServer}, version)
		}
		ways["http "+version] = func(ctx context.Context, s *mcp.Server) (caller, error) {
			return sdkClient(ctx, &sdk.StreamableClientTransport{Endpoint: endpoint(ctx, s)}, version)
		}
	}
	if npm := os.Getenv("MCP_NPM"); npm != "" && *oracleAll {
		work := npmFolder(t, npm)
		ways["npm http"] = func(ctx context.Context, s *mcp.Server) (caller, error) {
			return npmClient(ctx, work, endpoint(ctx, s))
		}
		ways["npm stdio"] = func(ctx context.Context, s *mcp.Server) (caller, error) {
			at, err := piped(ctx, s)
			if err != nil {
				return nil, err
			}
			return npmClient(ctx, work, "stdio", os.Args[0], at)
		}
	}
	if !*oracleAll {
		delete(ways, "stdio 2026-07-28")
		delete(ways, "http 2025-11-25")
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) { playForms(t, way) })
	}
}

// playForms plays the forms by their scripts.
func playForms(t *testing.T, way reach) {
	c, err := mcp.Advise.Config(mcp.Limits(runner.DefaultConfig()))
	if err != nil {
		t.Fatal(err)
	}
	s, err := study.Create(filepath.Join(t.TempDir(), "study"), benchmarks.Plan{
		Version: benchmarks.PlanVersion, Started: time.Now(),
		Suites: []string{"forms"}, Seeds: benchmarks.SeedsUpTo(1), Base: string(mcp.Advise),
		Brain: trajectories.BrainInfo{Name: "mcp"}, EachFault: []string{benchmarks.NoFault},
		Arms: []benchmarks.Arm{{Name: string(mcp.Advise), Config: c}}})
	if err != nil {
		t.Fatal(err)
	}
	p := &players{t: t, b: chromium.Get(t), plan: s.Plan, oracle: true, reach: way}
	if err := study.Play(t.Context(), s, study.Options{Factory: p, Workers: 2, Begin: p.begin}); err != nil {
		t.Fatal(err)
	}
	for _, r := range s.Results {
		if r.Reward != 1 {
			calls, _ := os.ReadFile(filepath.Join(s.EpisodeDir(r.Episode), "calls.txt"))
			t.Errorf("%s earns %v and ends as %s:\n%s", r.Task, r.Reward, r.End, calls)
		}
	}
	t.Logf("%d forms are played", len(s.Results))
	if len(s.Results) == 0 {
		t.Error("no form was played")
	}
}

// endpoint is the address at which s answers by HTTP until ctx ends.
func endpoint(ctx context.Context, s *mcp.Server) string {
	l := httptest.NewUnstartedServer(nil)
	l.Config.Handler = s.Handler([]string{l.Listener.Addr().String()})
	l.Start()
	context.AfterFunc(ctx, l.Close)
	return l.URL + mcp.Path
}

// pipeTo names, in the environment of this test binary, the address that standard input and output are joined
// to: a client that starts its server as a process reaches one of this process so.
const pipeTo = "CUA_TEST_MCP_PIPE"

// piped is an address whose first connection is served.
func piped(ctx context.Context, s *mcp.Server) (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { l.Close() })
	go func() {
		if c, err := l.Accept(); err == nil {
			_ = s.Serve(ctx, &sdk.IOTransport{Reader: c, Writer: c}) // the client sees how it ends
		}
	}()
	return l.Addr().String(), nil
}

// pipe joins standard input and output to an address.
func pipe(at string) error {
	c, err := net.Dial("tcp", at)
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(c, os.Stdin)
		c.Close()
	}()
	_, _ = io.Copy(os.Stdout, c) // the client may be gone before the last of it
	return nil
}

// npmFolder is a folder with the script of the client beside the packages that npm has installed.
func npmFolder(t *testing.T, npm string) string {
	t.Helper()
	script, err := os.ReadFile("testdata/oracle.mjs")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := errors.Join(os.Symlink(filepath.Join(npm, "node_modules"), filepath.Join(dir, "node_modules")),
		os.WriteFile(filepath.Join(dir, "oracle.mjs"), script, 0o600)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// npmCaller is a client of the npm package, which makes the calls that it is told.
type npmCaller struct {
	cmd *exec.Cmd
	to  io.WriteCloser
	out *bufio.Reader
}

func npmClient(ctx context.Context, dir string, args ...string) (caller, error) {
	cmd := exec.CommandContext(ctx, "node", append([]string{"oracle.mjs"}, args...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &npmCaller{cmd, to, bufio.NewReader(from)}, nil
}

func (n *npmCaller) CallTool(_ context.Context, p *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	line, err := json.Marshal(map[string]any{"name": p.Name, "arguments": p.Arguments})
	if err != nil {
		return nil, err
	}
	if _, err := n.to.Write(append(line, '\n')); err != nil {
		return nil, err
	}
	said, err := n.out.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("the client of npm has ended: %w", err)
	}
	r := new(sdk.CallToolResult)
	return r, json.Unmarshal(said, r)
}

func (n *npmCaller) Close() error {
	err := n.to.Close()
	_, _ = io.Copy(io.Discard, n.out)
	return errors.Join(err, n.cmd.Wait())
}
