package browser

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/cua"
)

// PolicyError says that an address may not be visited.
type PolicyError struct {
	URL string // as it was asked for, cut to 200 bytes
	// Reason is a sentence, Code one of those of cua.AllowList.
	Reason string
	Code   string
}

// Error names the address and the reason.
func (e *PolicyError) Error() string {
	return fmt.Sprintf("browser: going to %q: %s", e.URL, e.Reason)
}

// allowance is what the episode's documents may come from.
func (s *Session) allowance(task cua.Task) cua.AllowList {
	return cua.AllowList{Start: task.URL, Hosts: slices.Concat(s.opts.Allow, task.Allow), Open: s.opts.Open}
}

// address checks an address that we are asked to go to.
func address(l cua.AllowList, raw string) (*url.URL, error) {
	raw = strings.TrimSpace(raw)
	if code, err := l.Check(raw); err != nil {
		return nil, &PolicyError{URL: cua.ClipBytes(raw, 200), Reason: err.Error(), Code: code}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, &PolicyError{URL: cua.ClipBytes(raw, 200), Reason: "not a URL", Code: cua.ReasonBadURL}
	}
	return u, nil
}

// allowed is the allow-list of the episode.
func (s *Session) allowed() cua.AllowList {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allow
}

// guard is the command that makes the browser ask before it fetches a document: which documents come is a
// matter of the allow-list, and what a page loads beside them one of the way out (package egress). It also
// asks who signs in where credentials are wanted.
func guard() fetch.EnableParams {
	return fetch.EnableParams{HandleAuthRequests: new(true),
		Patterns: []*fetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}}}
}

// signIn gives our own proxy its credential, once for each browser context, and a site the credentials that
// are bound to its origin, once for each request. Any other page that asks shows what it shows without
// them.
func (t *tab) signIn(s *wire.Session, e *fetch.EventAuthRequired) {
	answer := fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}
	proxy := t.owner.way()
	c := e.AuthChallenge
	ours := proxy != nil && c != nil && c.Source == fetch.AuthChallengeSourceProxy
	if ours && c.Origin == "http://"+proxy.Address() {
		answer.Response = fetch.AuthChallengeResponseResponseProvideCredentials
		answer.Username, answer.Password = proxy.Credential()
	} else if c != nil && c.Source == fetch.AuthChallengeSourceServer {
		if user, password, ok := t.owner.credentials(c.Origin); ok && t.asksFirst(e.RequestID) {
			answer.Response = fetch.AuthChallengeResponseResponseProvideCredentials
			answer.Username, answer.Password = user, password
		}
	}
	_ = s.Post(fetch.ContinueWithAuth.Method,
		fetch.ContinueWithAuthParams{RequestID: e.RequestID, AuthChallengeResponse: &answer}, nil)
}

// credentials are those that are bound to an origin.
func (s *Session) credentials(origin string) (user, password string, ok bool) {
	s.mu.Lock()
	task := s.auth
	s.mu.Unlock()
	own := cua.Origin(origin)
	for _, name := range s.opts.HTTPAuth {
		if own == "" || task.SecretOrigins[name] != own {
			continue
		}
		if _, err := task.CheckSecret(name, own); err == nil {
			return strings.Cut(s.opts.Secrets[name], ":")
		}
	}
	return "", "", false
}

// asksFirst says whether a request is refused for the first time: the same credentials do not help again.
func (t *tab) asksFirst(id fetch.RequestID) (first bool) {
	t.update(func(st *tabState) {
		if first = st.signedIn != id; first {
			st.signedIn = id
		}
	})
	return first
}

// judge answers a document's request, which waits: each hop of a redirect comes here too. It runs on the
// connection's reader.
func (t *tab) judge(s *wire.Session, e *fetch.EventRequestPaused) {
	code, err := t.owner.allowed().Check(e.Request.URL)
	if err == nil || code == cua.ReasonScheme { // what is neither http nor https fetches nothing from a host
		_ = s.Post(fetch.ContinueRequest.Method, fetch.ContinueRequestParams{RequestID: e.RequestID}, nil)
		return
	}
	t.note("not on the allow-list: " + cua.ClipBytes(e.Request.URL, 200))
	t.update(func(st *tabState) {
		if e.FrameID == t.top() && len(st.denied) < maxLog {
			st.denied = append(st.denied, cua.ClipBytes(e.Request.URL, 200))
		}
	})
	_ = s.Post(fetch.FailRequest.Method,
		fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonBlockedByClient}, nil)
}

// denial is the failure of a step on the way of which documents were stopped; nil when none was.
func (t *tab) denial() (f *cua.Failure) {
	t.look(func(st *tabState) {
		if len(st.denied) > 0 {
			f = &cua.Failure{Kind: cua.FailPolicy,
				Detail: "not on the allow-list: " + strings.Join(st.denied[:min(3, len(st.denied))], ", ")}
		}
	})
	return f
}
