package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cua/redact"
)

// caller is the request that a context is of.
type caller struct {
	tenant *tenant
	path   string
}

type callerKey struct{}

// requestOf is the request that ctx is of; nil is none.
func requestOf(ctx context.Context) *caller {
	if ctx == nil {
		return nil
	}
	c, _ := ctx.Value(callerKey{}).(*caller)
	return c
}

// open reports whether a path needs no token.
func open(r *http.Request) bool {
	return r.URL.Path == "/healthz" || r.URL.Path == "/readyz" ||
		strings.HasPrefix(r.URL.Path, "/view/") && (r.Method == http.MethodGet || r.Method == http.MethodHead)
}

// guard lets a request through to next where host, origin, token and rate are right. The response is a
// timely one.
func (s *Server) guard(next http.Handler) http.Handler {
	origins := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		w := newTimely(to, s.slowest)
		defer w.end()
		c := &caller{path: r.URL.Path}
		ctx := context.WithValue(r.Context(), callerKey{}, c)
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		probe := r.URL.Path == "/healthz" || r.URL.Path == "/readyz"
		switch {
		case !probe && s.o.Hosts != nil && !slices.Contains(s.o.Hosts, strings.ToLower(r.Host)):
			problem(ctx, WrongHost, "the server does not answer for this host").write(w)
			return
		case origins.Check(r) != nil:
			problem(ctx, CrossOrigin, "requests of other origins are not answered").write(w)
			return
		}
		if !open(r) {
			if c.tenant = s.tenantOf(r); c.tenant == nil {
				h.Set("WWW-Authenticate", "Bearer")
				problem(ctx, Unauthenticated, "send the header Authorization: Bearer TOKEN").write(w)
				return
			}
		}
		if r.Method == http.MethodPost && !probe {
			if s.isDraining() {
				s.drains(ctx).write(w)
				return
			}
			if c.tenant != nil && !c.tenant.limiter.Allow() {
				p := problem(ctx, Rate, "this token has sent too many requests")
				p.retry = time.Second
				p.write(w)
				return
			}
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// tenantOf is the tenant whose token, or ticket of a takeover, the request carries; nil is none. All tokens
// are compared, each in the same time.
func (s *Server) tenantOf(r *http.Request) *tenant {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	ok = ok && strings.EqualFold(scheme, "Bearer")
	if !ok {
		return s.ticketOf(r)
	}
	sum := sha256.Sum256([]byte(token))
	var found *tenant
	for _, t := range s.tenants {
		if subtle.ConstantTimeCompare(sum[:], t.token[:]) == 1 {
			found = t
		}
	}
	return found
}

// writeJSON writes one JSON value and a line end. An error is the client's.
func writeJSON(w io.Writer, v any) { _ = encode(w, v) }

// encode is writeJSON with the error. Characters of a page or a brain that move the cursor or change the
// direction of writing are escaped.
func encode(w io.Writer, v any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, redact.VisibleJSON(text.String()))
	return err
}

// drains is the problem of what comes while the server shuts down.
func (s *Server) drains(ctx context.Context) *Problem {
	p := problem(ctx, Draining, "the server shuts down; try again later")
	p.retry = s.o.Grace
	return p
}
