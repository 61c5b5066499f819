package browser

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"

	"github.com/cua-runner/cua-runner/cua"
)

// PolicyError says that an address may not be visited.
type PolicyError struct {
	URL    string // as it was asked for, cut to 200 bytes
	Reason string
}

// Error names the address and the reason.
func (e *PolicyError) Error() string {
	return fmt.Sprintf("browser: going to %q: %s", e.URL, e.Reason)
}

// allowList are the hosts that documents may come from. The empty list is any host.
type allowList struct{ hosts []hostPort }

// hostPort is one entry; port "" is any port.
type hostPort struct{ host, port string }

// newAllowList reads entries of the form host, host:port, [v6] or [v6]:port.
func newAllowList(entries []string) (*allowList, error) {
	a := &allowList{}
	for _, e := range entries {
		u, err := url.Parse("//" + strings.TrimPrefix(strings.ToLower(strings.TrimSpace(e)), "."))
		if err != nil || u.Hostname() == "" || u.Path != "" || u.User != nil || u.RawQuery != "" || !ascii(u.Hostname()) {
			return nil, fmt.Errorf("browser: reading the allow-list: %q is no host or host:port (names in their ASCII form)", e)
		}
		a.hosts = append(a.hosts, hostPort{strings.TrimSuffix(u.Hostname(), "."), u.Port()})
	}
	return a, nil
}

// with is the list and the host of the start page. An empty list stays empty.
func (a *allowList) with(more []string, start *url.URL) (*allowList, error) {
	if len(a.hosts) == 0 && len(more) == 0 {
		return a, nil
	}
	b, err := newAllowList(more)
	if err != nil {
		return nil, err
	}
	b.hosts = append(b.hosts, a.hosts...)
	if start != nil {
		b.hosts = append(b.hosts, hostPort{hostOf(start), portOf(start)})
	}
	return b, nil
}

// permits says whether a document may come from u: the exact host or a name below it, never a
// piece of it. An address in numbers matches only itself.
func (a *allowList) permits(u *url.URL) bool {
	if len(a.hosts) == 0 {
		return true
	}
	host, port := hostOf(u), portOf(u)
	for _, h := range a.hosts {
		if h.port != "" && h.port != port {
			continue
		}
		if host == h.host || net.ParseIP(host) == nil && strings.HasSuffix(host, "."+h.host) {
			return true
		}
	}
	return false
}

func hostOf(u *url.URL) string { return strings.TrimSuffix(strings.ToLower(u.Hostname()), ".") }

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

func ascii(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > 127 })
}

// address checks an address that we are asked to go to.
func (a *allowList) address(raw string) (*url.URL, error) {
	short := clip(raw, 200)
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil {
		return nil, &PolicyError{short, "not a URL"}
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" {
		return nil, &PolicyError{short, "only http and https addresses may be visited"}
	}
	if u.Hostname() == "" {
		return nil, &PolicyError{short, "no host"}
	}
	// A name in other letters is judged in its ASCII form, when the browser asks for it.
	if ascii(u.Hostname()) && !a.permits(u) {
		return nil, &PolicyError{short, "the host is not on the allow-list"}
	}
	return u, nil
}

// allowed is the allow-list of the episode.
func (s *Session) allowed() *allowList {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allow
}

// guarded says whether documents are checked before they are fetched.
func (s *Session) guarded() bool { return len(s.allowed().hosts) > 0 }

// guard is the command that makes the browser ask before it fetches a document.
func guard() fetch.EnableParams {
	return fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}}}
}

// judge answers a document request that waits: each hop of a redirect comes here too. It runs
// on the connection's reader.
func (t *tab) judge(s *session, e *fetch.EventRequestPaused) {
	u, err := url.Parse(e.Request.URL)
	if err == nil && (u.Scheme != "http" && u.Scheme != "https" || t.owner.allowed().permits(u)) {
		_ = s.post(fetch.ContinueRequest.Method, fetch.ContinueRequestParams{RequestID: e.RequestID}, nil)
		return
	}
	t.note("not on the allow-list: " + clip(e.Request.URL, 200))
	t.update(func(st *tabState) {
		if e.FrameID == t.top() && len(st.denied) < maxLog {
			st.denied = append(st.denied, clip(e.Request.URL, 200))
		}
	})
	_ = s.post(fetch.FailRequest.Method, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonBlockedByClient}, nil)
}

// denial is the failure of a step on the way of which documents were stopped; nil when none was.
func (t *tab) denial() (f *cua.Failure) {
	t.look(func(st *tabState) {
		if len(st.denied) > 0 {
			f = &cua.Failure{Kind: cua.FailPolicy, Detail: "not on the allow-list: " + strings.Join(st.denied[:min(3, len(st.denied))], ", ")}
		}
	})
	return f
}
