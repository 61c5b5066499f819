package browser

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"

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

// privateLooks match every address that may be a private one by its text; judge looks closer.
var privateLooks = []string{"*://0*", "*://10.*", "*://100.*", "*://127.*", "*://169.254.*", "*://172.*", "*://192.*", "*://198.*",
	"*://localhost*", "*://*.localhost*", "*://[*"}

// guard is the command that makes the browser ask before it fetches a document, and before it
// fetches anything at all from what may be a private address. It also asks who signs in where a
// server wants credentials: nobody (refuseAuth).
func guard() fetch.EnableParams {
	p := fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}},
		HandleAuthRequests: new(true)}
	for _, look := range privateLooks {
		p.Patterns = append(p.Patterns, &fetch.RequestPattern{URLPattern: look})
	}
	return p
}

// refuseAuth lets a page that asks for credentials show what it shows without them.
func (t *tab) refuseAuth(s *session, e *fetch.EventAuthRequired) {
	_ = s.post(fetch.ContinueWithAuth.Method, fetch.ContinueWithAuthParams{RequestID: e.RequestID,
		AuthChallengeResponse: &fetch.AuthChallengeResponse{Response: fetch.AuthChallengeResponseResponseCancelAuth}}, nil)
}

// judge answers a request that waits: each hop of a redirect comes here too. Documents come from
// the allow-list; what a page loads beside them comes from anywhere but private addresses. It runs
// on the connection's reader.
func (t *tab) judge(s *session, e *fetch.EventRequestPaused) {
	code, err := t.owner.allowed().Check(e.Request.URL)
	beside := e.ResourceType != network.ResourceTypeDocument && code != cua.ReasonPrivate
	if err == nil || beside || code == cua.ReasonScheme { // what is neither http nor https fetches nothing from a host
		_ = s.post(fetch.ContinueRequest.Method, fetch.ContinueRequestParams{RequestID: e.RequestID}, nil)
		return
	}
	t.note("not on the allow-list: " + cua.ClipBytes(e.Request.URL, 200))
	t.update(func(st *tabState) {
		if e.ResourceType == network.ResourceTypeDocument && e.FrameID == t.top() && len(st.denied) < maxLog {
			st.denied = append(st.denied, cua.ClipBytes(e.Request.URL, 200))
		}
	})
	_ = s.post(fetch.FailRequest.Method, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonBlockedByClient}, nil)
}

// watchWorker guards a worker that several pages share: no page's own guard sees its requests. It
// runs on the connection's reader, and the worker only with the guard.
func (s *Session) watchWorker(ws *session) {
	ws.listen(func(method string, params jsonv2.Value) {
		var e fetch.EventRequestPaused
		if method != fetch.RequestPaused.Method || !unpack(params, &e) {
			return
		}
		if code, err := s.allowed().Check(e.Request.URL); err == nil || code != cua.ReasonPrivate {
			_ = ws.post(fetch.ContinueRequest.Method, fetch.ContinueRequestParams{RequestID: e.RequestID}, nil)
			return
		}
		s.note("not on the allow-list: " + cua.ClipBytes(e.Request.URL, 200))
		_ = ws.post(fetch.FailRequest.Method, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonBlockedByClient}, nil)
	})
	s.background.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, setupTimeout)
		defer cancel()
		p := guard()
		p.HandleAuthRequests = nil // where nobody asks, nobody signs in
		if err := ws.Call(ctx, fetch.Enable.Method, p, nil); err != nil {
			s.note("a worker is not run: " + err.Error())
			return
		}
		_ = ws.Call(ctx, runtime.RunIfWaitingForDebugger.Method, cdp.Empty{}, nil)
	})
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
