package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/server/mcp"
	"github.com/cua-runner/cua-runner/trajectories"
)

// The last 64 tasks that have ended are remembered when another one begins; an older one is unknown.
func TestEndedTasksAreForgotten(t *testing.T) {
	done := cua.Scripted{Action: cua.Action{Kind: cua.Done, Success: true, Text: "it is done"}}
	list := envtest.Site{Start: "list", Pages: map[string]envtest.Page{"list": {Title: "List"}}}
	s := serve(t, mcp.Advise, func(o *mcp.Options) {
		out := t.TempDir()
		o.Brains, o.Running, o.Task.Allow = []string{"scripted"}, 1, nil
		o.Job = func(ctx context.Context, j *mcp.Job) (trajectories.RunResult, error) {
			r := &runner.Runner{Brain: &brain.Scripted{Script: []cua.Scripted{done}},
				Env: &envtest.Env{Site: list}, Config: o.Config, Watch: j.Watch,
				Dir: filepath.Join(out, j.Task.Goal), Header: trajectories.Header{Episode: j.Task.Goal}}
			return r.Run(ctx, j.Task)
		}
	})
	c := inProcess(t, s)
	ask := func(tool string, arguments args) (r mcp.JobResult, text string) {
		got, err := c.session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := json.Marshal(got.StructuredContent); err != nil || json.Unmarshal(raw, &r) != nil {
			t.Fatal(tool, string(raw), err)
		}
		return r, got.Content[0].(*sdk.TextContent).Text
	}
	var runs []string
	for n := range 66 {
		r, text := ask("run_task", args{"goal": fmt.Sprint("task ", n),
			"url": envtest.URL("list"), "wait_s": 60})
		if r.State != mcp.Ended || !r.Success {
			t.Fatal(text)
		}
		runs = append(runs, r.Run)
	}
	if r, text := ask("run_status", args{"run": runs[0]}); r.Run != "" ||
		!strings.Contains(text, "no such run") {
		t.Errorf("the first: %s", text)
	}
	for _, id := range []string{runs[1], runs[65]} {
		if r, text := ask("run_status", args{"run": id}); r.Run != id || r.State != mcp.Ended {
			t.Errorf("a later one: %s", text)
		}
	}
	if r, _ := ask("run_status", nil); r.Run != runs[65] {
		t.Errorf("the newest: %+v", r)
	}
}

// Each argument of each tool has one type: clients take a list of types for text, and models' interfaces
// refuse one.
func TestArgumentsHaveOneType(t *testing.T) {
	c := inProcess(t, serve(t, mcp.Advise))
	seen := 0
	var look func(path string, schema any)
	look = func(path string, schema any) {
		s, ok := schema.(map[string]any)
		if !ok {
			return
		}
		seen++
		if _, one := s["type"].(string); s["type"] != nil && !one {
			t.Errorf("%s: the type is %v", path, s["type"])
		}
		look(path+"[]", s["items"])
		properties, _ := s["properties"].(map[string]any)
		for name, p := range properties {
			look(path+"."+name, p)
		}
	}
	for tool, err := range c.session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		look(tool.Name, tool.InputSchema)
	}
	if seen < 40 {
		t.Errorf("only %d schemas were seen", seen)
	}
}
