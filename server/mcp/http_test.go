package mcp_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/server/mcp"
)

// withToken sends the token with each request.
type withToken string

func (t withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(t))
	return http.DefaultTransport.RoundTrip(r)
}

const (
	token      = "the-token-of-the-test"
	otherToken = "the-token-of-another"
)

// listening is the handler of s behind a listener.
func listening(t *testing.T, s *served) *httptest.Server {
	t.Helper()
	l := httptest.NewUnstartedServer(nil)
	l.Config.Handler = s.Handler([]string{l.Listener.Addr().String()}, token, otherToken)
	l.Start()
	t.Cleanup(l.Close)
	return l
}

// By HTTP, in both protocols, two clients have a browser each by the name of their session.
func TestHTTP(t *testing.T) {
	s := serve(t, mcp.Advise)
	l := listening(t, s)
	host := pages(t)
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			c := connect(t, &sdk.StreamableClientTransport{Endpoint: l.URL + mcp.Path,
				HTTPClient: &http.Client{Transport: withToken(token)}}, version, nil)
			r, _ := c.must("browser_navigate", args{"url": host + "/form", "session": version})
			name := ref(t, r.Snapshot, `textbox "Name"`)
			r, text := c.must("browser_type", args{"target": name, "text": "Ada", "session": version})
			if r.Session != version || r.Step != 1 || !strings.Contains(r.Effect, "form") {
				t.Errorf("%s", text)
			}
			c.must("browser_close", args{"session": version})
		})
	}
	s.sound(t)
}

// The browsers of one token do not exist for another one, whatever it names.
func TestHTTPOwners(t *testing.T) {
	s := serve(t, mcp.Advise)
	l := listening(t, s)
	of := func(token string) *client {
		return connect(t, &sdk.StreamableClientTransport{Endpoint: l.URL + mcp.Path,
			HTTPClient: &http.Client{Transport: withToken(token)}}, "", nil)
	}
	mine, theirs := of(token), of(otherToken)
	mine.must("browser_navigate", args{"url": pages(t) + "/form", "session": "shop"})
	for _, tool := range []string{"browser_snapshot", "browser_status", "browser_close",
		"browser_checkpoints"} {
		r, text := theirs.call(tool, args{"session": "shop"})
		if r.Outcome != "" || !strings.Contains(text, "no browser is open") ||
			strings.Contains(text, "Form") {
			t.Errorf("%s by another token: %s", tool, text)
		}
	}
	theirs.must("browser_navigate", args{"url": pages(t) + "/other", "session": "shop"})
	if r, text := mine.must("browser_status", args{"session": "shop"}); r.Page.Title != "Form" {
		t.Errorf("%s", text)
	}
	theirs.must("browser_close", args{"session": "shop"})
	mine.must("browser_close", args{"session": "shop"})
	s.sound(t)
}

// The server gives out no session ids, so whoever sends one has it from elsewhere.
func TestHTTPSessionIDs(t *testing.T) {
	l := listening(t, serve(t, mcp.Advise))
	for _, row := range []struct {
		name, token, id string
		status          int
	}{
		{"without an id", token, "", http.StatusOK},
		{"with an id", token, "stolen", http.StatusNotFound},
		{"with an id and another token", otherToken, "stolen", http.StatusNotFound},
		{"with an id and a wrong token", "wrong", "stolen", http.StatusUnauthorized},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.URL+mcp.Path,
				strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":`+
					`"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Authorization", "Bearer "+row.token)
			if row.id != "" {
				r.Header.Set("Mcp-Session-Id", row.id)
			}
			got, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			if got.StatusCode != row.status || got.Header.Get("Mcp-Session-Id") != "" {
				t.Errorf("status %d, want %d; id %q", got.StatusCode, row.status,
					got.Header.Get("Mcp-Session-Id"))
			}
		})
	}
}

// A client without access is refused before a tool is looked for.
func TestHTTPRefuses(t *testing.T) {
	l := listening(t, serve(t, mcp.Advise))
	for _, row := range []struct {
		name, host, origin, token, path string
		status                          int
	}{
		{"a foreign host", "evil.example", "", token, mcp.Path, http.StatusForbidden},
		{"a foreign host and no token", "evil.example", "", "", mcp.Path, http.StatusForbidden},
		{"a foreign origin", "", "http://evil.example", token, mcp.Path, http.StatusForbidden},
		{"no token", "", "", "", mcp.Path, http.StatusUnauthorized},
		{"a wrong token", "", "", "another-token", mcp.Path, http.StatusUnauthorized},
		{"another path", "", "", token, "/", http.StatusNotFound},
		{"all right", "", "", token, mcp.Path, http.StatusOK},
	} {
		t.Run(row.name, func(t *testing.T) {
			body := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
				`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.URL+row.path,
				strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if row.host != "" {
				r.Host = row.host
			}
			if row.origin != "" {
				r.Header.Set("Origin", row.origin)
			}
			if row.token != "" {
				r.Header.Set("Authorization", "Bearer "+row.token)
			}
			got, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			if got.StatusCode != row.status {
				t.Errorf("status %d, want %d", got.StatusCode, row.status)
			}
		})
	}
}
