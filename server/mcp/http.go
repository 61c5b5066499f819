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
// answered; any other gets 403, and so does a request that a page of another origin sends. If there are
// tokens, each request must carry one ("Authorization: Bearer TOKEN"). The clients of one token share its
// sessions and runs, which they tell apart by name. Those of another token do not exist for them.
func (s *Server) Handler(hosts []string, tokens ...string) http.Handler {
	type owner struct {
		sum   [sha256.Size]byte
		tools http.Handler
	}
	owners := []owner{{tools: s.stateless()}}
	for i, t := range tokens {
		if i > 0 {
			owners = append(owners, owner{tools: s.another().stateless()})
		}
		owners[i].sum = sha256.Sum256([]byte(t))
	}
	origins := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		sum := sha256.Sum256([]byte(given))
		var tools http.Handler
		for _, o := range owners { // all are compared, each in the same time
			if len(tokens) == 0 || subtle.ConstantTimeCompare(sum[:], o.sum[:]) == 1 {
				tools = o.tools
			}
		}
		switch {
		case !slices.Contains(hosts, strings.ToLower(r.Host)):
			http.Error(w, "the server does not answer for this host (--host)", http.StatusForbidden)
		case origins.Check(r) != nil:
			http.Error(w, "requests of other origins are not answered", http.StatusForbidden)
		case tools == nil:
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "send the header Authorization: Bearer TOKEN", http.StatusUnauthorized)
		case r.URL.Path != Path:
			http.Error(w, "the tools are at "+Path, http.StatusNotFound)
		case r.Header.Get("Mcp-Session-Id") != "":
			// The server gives out no such id, so this one is of another server or made up.
			http.Error(w, "there is no such session: initialize anew", http.StatusNotFound)
		default:
			tools.ServeHTTP(w, r)
		}
	})
}

// stateless serves the tools. The newest protocol has no sessions, and the SDK takes it from stateless
// handlers alone.
func (s *Server) stateless() http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s.tools },
		&sdk.StreamableHTTPOptions{Stateless: true, MaxRequestBodyBytes: 1 << 20})
}

// another is a server with the options of s that shares nothing else with it, and ends with it.
func (s *Server) another() *Server {
	out := New(s.o)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.more = append(s.more, out)
	return out
}
