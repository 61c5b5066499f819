package browser

import (
	"slices"
	"strings"

	"github.com/chromedp/cdproto/target"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/egress"
)

// aroundProxy are the switches that close what would go around a proxy, or fetch what no page asked for:
// WebRTC over UDP (each kind of browser reads one of the two spellings), QUIC, and every name that the
// browser would resolve itself.
func aroundProxy(blocked string) []string {
	return []string{
		"--proxy-server=http://" + blocked, "--proxy-bypass-list=<-loopback>",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--disable-quic", "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
		"--disable-blink-features=" + strings.Join(offInPages, ","),
	}
}

// offInPages are interfaces of pages that ask for things in ways of their own, offInBrowser the features
// behind them.
var (
	offInPages   = []string{"WebTransport", "FedCm", "PaymentRequest", "SpeculationRules"}
	offInBrowser = []string{"FedCm", "WebPayments", "ServiceWorkerPaymentApps",
		"SpeculationRulesPrefetchFuture", "EncryptedClientHello"}
)

// contextThrough asks for a browser context whose one way out is proxy.
func (o SessionOptions) contextThrough(proxy *egress.Proxy) target.CreateBrowserContextParams {
	server := "http://" + proxy.Address()
	if o.direct {
		server = "direct://"
	}
	return target.CreateBrowserContextParams{DisposeOnDetach: new(true), ProxyServer: server,
		ProxyBypassList: "<-loopback>"}
}

// way is the session's way out; nil before the context is there.
func (s *Session) way() *egress.Proxy {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.proxy
}

// policy is what may leave while the task is done.
func (s *Session) policy(task cua.Task) egress.Policy {
	return egress.Policy{Allow: s.allowance(task), Subresources: task.Subresources}
}

// closeWay ends the way out with all that goes through it.
func (s *Session) closeWay() {
	s.mu.Lock()
	proxy := s.proxy
	s.proxy = nil
	if proxy != nil {
		s.denials = slices.Concat(s.denials, proxy.Denials())
	}
	s.mu.Unlock()
	if proxy != nil {
		_ = proxy.Close() // what it held is gone either way
	}
}

// Denials are what the session did not let out since the last call, by host and reason; nil is nothing.
func (s *Session) Denials() []cua.Denial {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.denials
	s.denials = nil
	if s.proxy != nil {
		out = slices.Concat(out, s.proxy.Denials())
	}
	return out
}

// Struck counts the requests that network faults struck, by the fault's name; nil is none.
func (s *Session) Struck() map[string]int { return s.opts.Faults.Struck() }

// ofProxy are the errors that the browser reports where the proxy did not reach a host, or did not let it be
// reached.
var ofProxy = []string{"net::ERR_TUNNEL_CONNECTION_FAILED",
	"net::ERR_RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH", "net::ERR_EMPTY_RESPONSE",
	"net::ERR_CONNECTION_CLOSED"}

// explain puts the proxy's reason in place of the error that stands for it. The tab's lock is held.
func (st *tabState) explain(proxy *egress.Proxy) {
	if proxy == nil || !slices.Contains(ofProxy, st.navError) {
		return
	}
	why := proxy.Why(st.failed)
	switch {
	case why.Denied != "":
		st.navError = "net::ERR_BLOCKED_BY_CLIENT"
		if len(st.denied) < maxLog {
			st.denied = append(st.denied, cua.ClipBytes(st.failed, 200)+" ("+why.Denied+")")
		}
	case why.NetError != "":
		st.navError = why.NetError
	}
}
