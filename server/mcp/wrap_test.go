package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/runner"
)

// site is a fake browser MCP server: a page that a click may change, and a clock that every look moves.
type site struct {
	clicks, looks atomic.Int64
	clock         bool
	effect        func(clicks int64) string // what the page shows after so many clicks
	value         func(clicks int64) string
	fails         bool
}

func (s *site) snapshot() string {
	n, tick := s.clicks.Load(), int64(0)
	if s.clock {
		tick = s.looks.Add(1)
	}
	of := func(f func(int64) string) string {
		if f == nil {
			return ""
		}
		return f(n)
	}
	return "### Page\n- Page URL: http://shop.example/\n- Page Title: Shop\n### Snapshot\n```yaml\n" +
		"- generic [ref=e1]:\n" +
		fmt.Sprintf("  - paragraph [ref=e2]: \"%d\"\n", tick) +
		"  - paragraph [ref=e3]: list" + of(s.effect) + "\n" +
		"  - textbox \"Amount\" [ref=e4]" + of(s.value) + "\n" +
		"  - button \"Save\" [ref=e5]\n```"
}

// serve serves s until the test ends.
func (s *site) serve(t *testing.T, on sdk.Transport) {
	text := func(text string, bad bool) *sdk.CallToolResult {
		return &sdk.CallToolResult{IsError: bad, Content: []sdk.Content{&sdk.TextContent{Text: text}}}
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "site", Version: "1"}, &sdk.ServerOptions{
		Instructions: "be careful"})
	tool := func(name string, h func() *sdk.CallToolResult) {
		server.AddTool(&sdk.Tool{Name: name, Description: "the tool " + name,
			InputSchema: json.RawMessage(`{"type":"object","properties":{"target":{"type":"string"}}}`)},
			func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				if !strings.HasPrefix(string(r.Params.Arguments), "{") {
					return nil, fmt.Errorf("the arguments are %q", r.Params.Arguments)
				}
				return h(), nil
			})
	}
	tool("browser_snapshot", func() *sdk.CallToolResult { return text(s.snapshot(), false) })
	tool("browser_click", func() *sdk.CallToolResult {
		s.clicks.Add(1)
		if s.fails {
			return text("### Error\nTimeout 5000ms exceeded", true)
		}
		return text("### Ran Playwright code", false)
	})
	session, err := server.Connect(t.Context(), on, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
}

// wrapped is a client of s behind the proxy.
func wrapped(t *testing.T, s *site) *sdk.ClientSession {
	t.Helper()
	toSite, site := sdk.NewInMemoryTransports()
	s.serve(t, site)
	toProxy, proxy := sdk.NewInMemoryTransports()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { done <- Wrap(ctx, runner.DefaultConfig(), "test", proxy, toSite) }()
	self := &sdk.Implementation{Name: "client", Version: "1"}
	client, err := sdk.NewClient(self, nil).Connect(t.Context(), toProxy, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		cancel()
		<-done
	})
	return client
}

func click(t *testing.T, c *sdk.ClientSession) (text string, bad bool) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_click",
		Arguments: map[string]any{"target": "e5", "element": "Save"}})
	if err != nil {
		t.Fatal(err)
	}
	return textOf(r), r.IsError
}

func number(prefix string) func(int64) string {
	return func(n int64) string { return fmt.Sprint(prefix, n) }
}

func TestWrapNotes(t *testing.T) {
	for _, row := range []struct {
		name  string
		site  *site
		first int // the press with the first note, 0 is none
		stops bool
	}{
		{"a dead button", &site{}, 4, true},
		{"a dead button beside a clock", &site{clock: true}, 4, true},
		{"a pager", &site{effect: number(" page ")}, 0, false},
		{"a pager beside a clock", &site{clock: true, effect: number(" page ")}, 0, false},
		{"a stepper", &site{value: number(": ")}, 0, false},
		{"calls that fail", &site{fails: true}, 4, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := wrapped(t, row.site)
			first, refused := 0, 0
			for i := 1; i <= 14; i++ {
				text, bad := click(t, c)
				if strings.Contains(text, "### Notes\n") && first == 0 {
					first = i
				}
				if bad && strings.Contains(text, "The call was not made") {
					refused++
				}
			}
			if first != row.first || row.stops != (refused > 0) {
				t.Errorf("the first note at press %d, %d refused; want %d, %t", first, refused, row.first,
					row.stops)
			}
			if made := int(row.site.clicks.Load()); made != 14-refused {
				t.Errorf("%d clicks were made, %d refused", made, refused)
			}
		})
	}
}

// The tools, their schemas and the answers are those of the wrapped server.
func TestWrapChangesNothingElse(t *testing.T) {
	s := &site{}
	c := wrapped(t, s)
	if r := c.InitializeResult(); r.Instructions != "be careful" {
		t.Errorf("%+v", r)
	}
	list, err := c.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 2 || list.Tools[0].Description != "the tool browser_click" {
		t.Fatalf("%v %+v", err, list)
	}
	schema, _ := json.Marshal(list.Tools[0].InputSchema)
	if !strings.Contains(string(schema), `"target"`) {
		t.Errorf("%s", schema)
	}
	if text, bad := click(t, c); text != "### Ran Playwright code\n" || bad {
		t.Errorf("%q", text)
	}
	for range 10 { // looking is no step
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_snapshot"})
		if err != nil || textOf(r) != s.snapshot()+"\n" {
			t.Fatalf("%v %q", err, textOf(r))
		}
	}
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_fly"}); err == nil {
		t.Error("an unknown tool is called")
	}
}
