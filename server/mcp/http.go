package mcp

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where the handler answers.
const Path = "/mcp"

// Handler serves the tools by streamable HTTP at Path. hosts are the values of the header Host that are
// answered; any other gets 403, and so does a request that a page of another origin sends. If token is not
// "", each request must carry it ("Authorization: Bearer TOKEN"). All clients with the token share the
// sessions, which they tell apart by name.
func (s *Server) Handler(hosts []string, token string) http.Handler {
	// The newest protocol has no sessions, and the SDK takes it from stateless handlers alone.
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.tools },
		&sdk.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: 1 << 20})
	origins := http.NewCrossOriginProtection()
	want := sha256.Sum256([]byte(token))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		sum := sha256.Sum256([]byte(given))
		switch {
		case !slices.Contains(hosts, strings.ToLower(r.Host)):
			http.Error(w, "the server does not answer for this host (--host)", http.StatusForbidden)
		case origins.Check(r) != nil:
			http.Error(w, "requests of other origins are not answered", http.StatusForbidden)
		case token != "" && subtle.ConstantTimeCompare(sum[:], want[:]) != 1:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the header Authorization: Bearer TOKEN", http.StatusUnauthorized)
		case r.URL.Path != Path:
			http.Error(w, "the tools are at "+Path, http.StatusNotFound)
		default:
			inner.ServeHTTP(w, r)
		}
	})
}
