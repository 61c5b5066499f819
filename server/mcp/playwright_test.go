package mcp

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/runner"
)

// playwright is the command of @playwright/mcp, which npm installs where PLAYWRIGHT_MCP says or
// among the peers of make bench, and a Chromium.
func playwright(t *testing.T) *exec.Cmd {
	t.Helper()
	cache, _ := os.UserCacheDir()
	program := cmp.Or(os.Getenv("PLAYWRIGHT_MCP"),
		filepath.Join(cache, "cua-runner", "peers", "node_modules", ".bin", "playwright-mcp"))
	if _, err := os.Stat(program); err != nil {
		t.Skipf("SKIPPED: no @playwright/mcp (PLAYWRIGHT_MCP=PROGRAM): %v", err)
	}
	chromium := os.Getenv("CUA_BROWSER")
	for _, name := range []string{"chromium-headless-shell", "chromium", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && chromium == "" {
			chromium = path
		}
	}
	if chromium == "" {
		t.Skip("SKIPPED: there is no Chromium")
	}
	cmd := exec.Command(program, "--headless", "--isolated", "--no-sandbox", "--executable-path", chromium)
	cmd.Dir = t.TempDir()
	return cmd
}

const clockPage = `<p id=clock></p><script>setInterval(() => clock.textContent = performance.now(), 10)</script>`

// pages are what is pressed in real Chromium.
var pages = map[string]string{
	"dead button beside a clock": clockPage + `<button>Save</button>`,
	"dead button":                `<button>Save</button>`,
	"pager": clockPage + `<ul id=list><li>Row 1</ul><button onclick="list.firstChild.textContent =
		'Row ' + (+list.textContent.slice(4) + 1)">Next</button>`,
	"stepper": clockPage + `<label>Guests <input id=guests value=1></label>
		<button onclick="guests.value++">More</button>`,
	"date picker": clockPage + `<h2 id=month>2026-1</h2><table><tr><td>1<td>2<td>3</table>
		<button onclick="n = (window.n || 1) + 1; month.textContent = (2026 + (n - n % 12) / 12) + '-' + n % 12">Next month</button>`,
}

var buttonRef = regexp.MustCompile(`button "[^"]+"(?: \[active\])? \[ref=([^\]]+)\]`)

// The real server, in real Chromium: a note by the sixth press of a dead button beside a clock, and none on
// what works.
func TestWrapPlaywright(t *testing.T) {
	command := playwright(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>%[1]s</title>%[2]s", r.URL.Query().Get("p"),
			pages[r.URL.Query().Get("p")])
	}))
	defer site.Close()
	toProxy, proxy := sdk.NewInMemoryTransports()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		done <- Wrap(ctx, runner.DefaultConfig(), "test", proxy, &sdk.CommandTransport{Command: command})
	}()
	self := &sdk.Implementation{Name: "client", Version: "1"}
	client, err := sdk.NewClient(self, nil).Connect(t.Context(), toProxy, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		client.Close()
		cancel()
		<-done
	}()
	call := func(name string, arguments map[string]any) string {
		r, err := client.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: arguments})
		if err != nil {
			t.Fatal(err)
		}
		return textOf(r)
	}
	for _, row := range []struct {
		page    string
		presses int
		note    bool
	}{
		{"dead button beside a clock", 6, true}, {"dead button", 6, true}, {"pager", 12, false},
		{"stepper", 12, false}, {"date picker", 12, false},
	} {
		t.Run(row.page, func(t *testing.T) {
			page := site.URL + "/?p=" + strings.ReplaceAll(row.page, " ", "+")
			call("browser_navigate", map[string]any{"url": page})
			m := buttonRef.FindStringSubmatch(call("browser_snapshot", nil))
			if m == nil {
				t.Fatal("the page shows no button")
			}
			first := 0
			for i := 1; i <= row.presses; i++ {
				answer := call("browser_click", map[string]any{"target": m[1], "element": "the button"})
				if strings.Contains(answer, "### Notes") && first == 0 {
					first = i
				}
			}
			if row.note != (first > 0) {
				t.Errorf("the first note came at press %d of %d, want one: %t", first, row.presses, row.note)
			}
			t.Logf("the first note came at press %d of %d", first, row.presses)
		})
	}
}
