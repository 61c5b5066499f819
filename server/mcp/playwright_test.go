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

// browserServer is an MCP server for browsers from npm, as a client uses it.
type browserServer struct {
	// program is installed where the environment variable says, or among the peers of make bench.
	variable, program string
	flags             []string // chromium follows them
	button            *regexp.Regexp
	open, look, press func(page, ref string) (tool string, arguments map[string]any)
}

var playwrightServer = browserServer{"PLAYWRIGHT_MCP", "playwright-mcp",
	[]string{"--headless", "--isolated", "--no-sandbox", "--executable-path"},
	regexp.MustCompile(`button "[^"]+"(?: \[active\])? \[ref=([^\]]+)\]`),
	func(page, _ string) (string, map[string]any) { return "browser_navigate", map[string]any{"url": page} },
	func(string, string) (string, map[string]any) { return "browser_snapshot", nil },
	func(_, ref string) (string, map[string]any) {
		return "browser_click", map[string]any{"target": ref, "element": "the button"}
	}}

var devtoolsServer = browserServer{"CHROME_DEVTOOLS_MCP", "chrome-devtools-mcp",
	[]string{"--headless", "--isolated", "--no-usage-statistics", "--no-performance-crux",
		"--chromeArg=--no-sandbox", "--executablePath"},
	regexp.MustCompile(`uid=(\S+) button "`),
	func(page, _ string) (string, map[string]any) {
		return "navigate_page", map[string]any{"pageId": 1, "url": page}
	},
	func(string, string) (string, map[string]any) { return "take_snapshot", map[string]any{"pageId": 1} },
	func(_, ref string) (string, map[string]any) { return "click", map[string]any{"pageId": 1, "uid": ref} }}

// command starts it with a Chromium.
func (s browserServer) command(t *testing.T) *exec.Cmd {
	t.Helper()
	cache, _ := os.UserCacheDir()
	program := cmp.Or(os.Getenv(s.variable),
		filepath.Join(cache, "cua-runner", "peers", "node_modules", ".bin", s.program))
	if _, err := os.Stat(program); err != nil {
		t.Skipf("SKIPPED: no %s (%s=PROGRAM): %v", s.program, s.variable, err)
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
	cmd := exec.Command(program, append(s.flags, chromium)...)
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

// The real servers, in real Chromium: a note by the sixth press of a dead button beside a clock, and none on
// what works.
func TestWrapPlaywright(t *testing.T)     { testWrap(t, playwrightServer) }
func TestWrapChromeDevTools(t *testing.T) { testWrap(t, devtoolsServer) }

func testWrap(t *testing.T, server browserServer) {
	command := server.command(t)
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
		t.Helper()
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
			call(server.open(page, ""))
			shows := call(server.look("", ""))
			m := server.button.FindStringSubmatch(shows)
			if m == nil {
				t.Fatal("the page shows no button: ", shows)
			}
			first := 0
			for i := 1; i <= row.presses; i++ {
				answer := call(server.press("", m[1]))
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
