package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/guard"
	"github.com/cua-runner/cua-runner/runner"
)

// lookTools are the tools by which the proxy observes the page: of playwright-mcp and of chrome-devtools-mcp.
var lookTools = []string{"browser_snapshot", "take_snapshot"}

// Wrap serves the tools of the server behind inner to the client behind outer, until the client or ctx ends.
// Names, schemas and answers stay as they are. An acting call that repeats itself without effect gets a
// section "### Notes" in its answer, and one that warnings did not help is refused with isError. If the
// server behind inner ends, the client is left too, also during a call, as if it had started that server.
func Wrap(ctx context.Context, c runner.Config, version string, outer, inner sdk.Transport) error {
	self := &sdk.Implementation{Name: "cua-runner", Version: version}
	behind, err := sdk.NewClient(self, nil).Connect(ctx, inner, nil)
	if err != nil {
		return fmt.Errorf("mcp: connecting to the wrapped server: %w", err)
	}
	defer behind.Close()
	p := &proxy{behind: behind, guard: guard.New(c)}
	options := &sdk.ServerOptions{}
	if r := behind.InitializeResult(); r != nil {
		options.Instructions = r.Instructions
	}
	front := sdk.NewServer(self, options)
	for tool, err := range behind.Tools(ctx, nil) {
		if err != nil {
			return fmt.Errorf("mcp: listing the tools of the wrapped server: %w", err)
		}
		if slices.Contains(lookTools, tool.Name) {
			p.lookTool = tool.Name
		}
		front.AddTool(tool, p.call)
	}
	session, err := front.Connect(ctx, outer, nil)
	if err != nil {
		return fmt.Errorf("mcp: serving: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		_ = behind.Wait() // why it ended is said on its standard error
		close(ended)
		session.Close()
	}()
	defer context.AfterFunc(ctx, func() { session.Close() })()
	err = session.Wait()
	select {
	case <-ended:
		return fmt.Errorf("mcp: %w", errEnded)
	default:
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("mcp: serving: %w", err)
	}
	return ctx.Err()
}

var errEnded = errors.New("the wrapped server has ended")

// proxy is one client and one server. Calls that arrive at once are made one after another.
type proxy struct {
	behind   *sdk.ClientSession
	lookTool string // "" where the server cannot show the page
	mu       sync.Mutex
	guard    *guard.Guard
	watch    watch
	index    int // of the next step
}

// call makes one call of the client.
func (p *proxy) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	name, arguments := req.Params.Name, req.Params.Arguments
	if len(arguments) == 0 || string(arguments) == "null" { // servers refuse null
		arguments = json.RawMessage("{}")
	}
	forward := &sdk.CallToolParams{Name: name, Arguments: arguments, Meta: req.Params.Meta}
	if !guard.Acts(name) {
		return p.behind.CallTool(ctx, forward)
	}
	for _, amend := range p.watch.before(p.look(ctx, arguments)) {
		p.say(amend)
	}
	answer := p.judge(name, arguments)
	notes := answer.Says()
	if answer.Verdict == guard.Stop {
		p.say(map[string]any{"type": "amend", "index": answer.Index, "skipped": true})
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{
			Text: "### Error\nThe call was not made.\n### Notes\n" + notes}}}, nil
	}
	p.watch.acted(answer.Index)
	p.index++
	result, err := p.behind.CallTool(ctx, forward)
	if err != nil {
		p.failed(answer.Index, err.Error())
		return nil, err
	}
	if result.IsError {
		p.failed(answer.Index, textOf(result))
	}
	p.watch.after(p.look(ctx, arguments))
	if notes != "" {
		result.Content = append(result.Content, &sdk.TextContent{Text: "### Notes\n" + notes})
	}
	return result, nil
}

// failed says that step index ended with an error.
func (p *proxy) failed(index int, text string) {
	p.say(map[string]any{"type": "amend", "index": index, "error": cua.ClipBytes(text, 200)})
}

// judge asks the guard about a call.
func (p *proxy) judge(tool string, arguments json.RawMessage) guard.Answer {
	step := guard.Call(tool, arguments, &p.watch.page, p.watch.mask)
	step.Index = p.index
	var a guard.Answer
	if json.Unmarshal(p.say(step), &a) != nil || a.Verdict == "" {
		a = guard.Answer{Index: p.index, Verdict: guard.Pass} // it cannot be judged
	}
	return a
}

func (p *proxy) say(v any) []byte {
	line, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return p.guard.Line(bytes.TrimSpace(line))
}

// look is the page that a call is about; unknown if it cannot be shown, for example while a dialog is open.
func (p *proxy) look(ctx context.Context, call json.RawMessage) guard.Page {
	if p.lookTool == "" {
		return guard.Page{}
	}
	var of struct {
		PageID json.RawMessage `json:"pageId,omitempty"` // chrome-devtools-mcp wants it in each call
	}
	_ = json.Unmarshal(call, &of) // what does not fit names no page
	result, err := p.behind.CallTool(ctx, &sdk.CallToolParams{Name: p.lookTool, Arguments: of})
	if err != nil || result.IsError {
		return guard.Page{}
	}
	page, _ := guard.ReadPage(textOf(result), nil)
	return page
}

// textOf are the texts of a result.
func textOf(r *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			b.WriteString(t.Text + "\n")
		}
	}
	return b.String()
}
