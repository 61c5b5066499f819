package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// origin is a server that keeps the requests it saw.
type origin struct {
	*httptest.Server
	mu   sync.Mutex
	seen []*http.Request
}

func newOrigin(t testing.TB, h http.HandlerFunc) *origin {
	o := &origin{}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		o.seen = append(o.seen, r)
		o.mu.Unlock()
		if h != nil {
			h(w, r)
		}
	}))
	t.Cleanup(o.Close)
	return o
}

func (o *origin) host() string { return strings.TrimPrefix(o.URL, "http://") }

func (o *origin) requests() []*http.Request {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.seen)
}

// through is a proxy with that policy and a client that goes through it.
func through(t testing.TB, policy Policy, resolve Resolver) (*Proxy, *http.Client) {
	t.Helper()
	p, err := Listen(Options{Resolve: resolve})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	p.Permit(policy)
	at := &url.URL{Scheme: "http", Host: p.Address(), User: url.UserPassword(p.Credential())}
	tr := &http.Transport{Proxy: http.ProxyURL(at)}
	t.Cleanup(tr.CloseIdleConnections)
	return p, &http.Client{Transport: tr,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func only(o *origin) Policy { return Policy{Allow: cua.AllowList{Start: o.URL}} }

// A request arrives as the browser sent it, without the credential.
func TestRequestsArriveAsTheyWere(t *testing.T) {
	o := newOrigin(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Own", "1")
		w.WriteHeader(http.StatusTeapot)
		io.Copy(w, r.Body) //nolint:errcheck // a test
	})
	p, c := through(t, only(o), nil)
	req, _ := http.NewRequest("POST", o.URL+"/a%2fb?c=%20", strings.NewReader("text"))
	req.Header.Set("Accept-Encoding", "br")
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusTeapot || string(body) != "text" ||
		res.Header.Get("X-Own") != "1" {
		t.Errorf("%d, %q", res.StatusCode, body)
	}
	got := o.requests()[0]
	if got.RequestURI != "/a%2fb?c=%20" || got.Host != o.host() ||
		got.Header.Get("Accept-Encoding") != "br" || got.ContentLength != 4 {
		t.Errorf("%s at %s, %v", got.RequestURI, got.Host, got.Header)
	}
	for name := range got.Header {
		if strings.HasPrefix(name, "Proxy-") || strings.HasPrefix(name, "X-Forwarded") || name == "Via" {
			t.Errorf("the server sees %s", name)
		}
	}
	if d := p.Denials(); d != nil || p.Why(o.URL) != (Cause{}) {
		t.Errorf("denied: %v", d)
	}
}

func TestWhoMayAsk(t *testing.T) {
	o := newOrigin(t, nil)
	p, c := through(t, only(o), nil)
	for _, row := range []struct {
		name, user, password string
		status               int
		reason               string
	}{
		{"nobody", "", "", http.StatusProxyAuthRequired, ""},
		{"another", "cua-runner", "guess", 0, cua.ReasonCredential},
		{"the browser", "cua-runner", p.password, http.StatusOK, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			at := &url.URL{Scheme: "http", Host: p.Address()}
			if row.user != "" {
				at.User = url.UserPassword(row.user, row.password)
			}
			c.Transport.(*http.Transport).Proxy = http.ProxyURL(at)
			before := len(o.requests())
			res, err := c.Get(o.URL)
			if row.status == 0 && err == nil || row.status != 0 &&
				(err != nil || res.StatusCode != row.status) {
				t.Errorf("%v, %v", res, err)
			}
			if got := len(o.requests()) - before; (row.status == http.StatusOK) != (got == 1) {
				t.Errorf("%d requests arrived", got)
			}
			if d := p.Denials(); (row.reason == "") != (d == nil) || d != nil && d[0].Reason != row.reason {
				t.Errorf("denied: %v", d)
			}
		})
	}
}

// A name is resolved once for a connection, and what was checked is what is dialed. Each hop is checked anew.
func TestNamesThatMove(t *testing.T) {
	var private *origin
	o := newOrigin(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, private.URL+"/hop", http.StatusFound)
	})
	private = newOrigin(t, nil)
	_, port, _ := net.SplitHostPort(private.host())
	var asked atomic.Int32
	answers := [][]netip.Addr{
		{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("127.0.0.1")}, // one public, one not
		{netip.MustParseAddr("::ffff:127.0.0.1")},
		{},
	}
	p, c := through(t, Policy{Allow: cua.AllowList{Start: o.URL, Open: true}},
		func(context.Context, string) ([]netip.Addr, error) {
			n := asked.Add(1)
			return answers[n-1], nil
		})
	for i, want := range []Cause{{Denied: "resolves to the private"}, {Denied: "resolves to the private"},
		{NetError: "net::ERR_NAME_NOT_RESOLVED"}} {
		to := "http://moves.example.com:" + port + "/"
		if res, err := c.Get(to); err == nil {
			t.Errorf("%d: status %d", i, res.StatusCode)
		}
		if why := p.Why(to); why.NetError != want.NetError || !strings.Contains(why.Denied, want.Denied) ||
			int(asked.Load()) != i+1 {
			t.Errorf("%d: %+v, asked %d×", i, why, asked.Load())
		}
	}
	res, err := c.Get(o.URL)
	if err != nil || res.StatusCode != http.StatusFound {
		t.Fatalf("%v, %v", res, err)
	}
	if _, err := c.Get(res.Header.Get("Location")); err == nil {
		t.Error("the hop was let through")
	}
	if n := len(private.requests()); n > 0 {
		t.Errorf("%d requests arrived", n)
	}
	if d := p.Denials(); len(d) != 2 || d[0].Count+d[1].Count != 3 || d[0].Reason != cua.ReasonPrivate ||
		p.Denials() != nil {
		t.Errorf("denied: %v", d)
	}
}

// Servers that break, or that pretend to be a proxy, are failures of one request, which is sent once.
func TestServersThatBreak(t *testing.T) {
	for _, row := range []struct {
		name, netError string
		h              http.HandlerFunc
	}{
		{"hangs up", "net::ERR_EMPTY_RESPONSE", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
		{"asks for the proxy's credential", "net::ERR_EMPTY_RESPONSE", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Proxy-Authenticate", "Basic")
			w.WriteHeader(http.StatusProxyAuthRequired)
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := newOrigin(t, row.h)
			p, c := through(t, only(o), nil)
			if res, err := c.Post(o.URL, "text/plain", strings.NewReader("x")); err == nil {
				t.Errorf("status %d", res.StatusCode)
			}
			if n := len(o.requests()); n != 1 || p.Why(o.URL).NetError != row.netError {
				t.Errorf("%d requests, %+v", n, p.Why(o.URL))
			}
		})
	}
	gone := newOrigin(t, nil)
	p, c := through(t, only(gone), nil)
	gone.Close()
	if _, err := c.Get(gone.URL); err == nil || p.Why(gone.URL).NetError != "net::ERR_CONNECTION_REFUSED" {
		t.Errorf("a server that is gone: %v, %+v", err, p.Why(gone.URL))
	}
}

// A tunnel to a listed port carries what it is given, and ends with the proxy.
func TestTunnel(t *testing.T) {
	o := newOrigin(t, nil)
	p, _ := through(t, only(o), nil)
	dial := func(host string) (*bufio.Reader, net.Conn, int) {
		c, err := net.Dial("tcp", p.Address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: %s\r\n\r\n", host,
			host, p.basic)
		r := bufio.NewReader(c)
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		for s := ""; s != "\r\n"; {
			if s, err = r.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		var status int
		fmt.Sscanf(line, "HTTP/1.1 %d", &status) //nolint:errcheck // 0 is no status
		return r, c, status
	}
	if _, _, status := dial("127.0.0.1:1"); status != http.StatusForbidden {
		t.Errorf("another port: status %d", status)
	}
	r, c, status := dial(o.host())
	if status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	fmt.Fprintf(c, "GET /in HTTP/1.1\r\nHost: x\r\n\r\n")
	if line, err := r.ReadString('\n'); err != nil || line != "HTTP/1.1 200 OK\r\n" ||
		o.requests()[0].URL.Path != "/in" {
		t.Errorf("%q, %v", line, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := io.Copy(io.Discard, r); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Logf("the tunnel ended with %v", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.tunnels) != 0 {
		t.Errorf("%d ends are left", len(p.tunnels))
	}
}

// What the client asks for by TLS is what it was let through to.
func TestTheNameInATunnel(t *testing.T) {
	for _, row := range []struct {
		name, host, asks, reason string
	}{
		{"the same", "shop.test:443", "shop.test", ""},
		{"in other letters", "shop.test:443", "SHOP.test", ""},
		{"another", "shop.test:443", "evil.test", cua.ReasonTLSName},
		{"one below", "shop.test:443", "a.shop.test", cua.ReasonTLSName},
		{"none", "shop.test:443", "", cua.ReasonTLSName},
		{"none, to an address", "93.184.215.14:443", "", ""},
		{"a name, to an address", "93.184.215.14:443", "shop.test", cua.ReasonTLSName},
		{"no TLS", "shop.test:443", "plain", cua.ReasonTunnel},
	} {
		t.Run(row.name, func(t *testing.T) {
			near, far := net.Pipe()
			defer near.Close()
			defer far.Close()
			go func() {
				if row.asks == "plain" {
					fmt.Fprint(near, "\x00\x01\x00\x00 not TLS at all, as TURN over TCP would be")
					return
				}
				// nolint:gosec // it is not answered
				_ = tls.Client(near, &tls.Config{ServerName: row.asks, InsecureSkipVerify: true}).Handshake()
			}()
			h, err := cua.ParseHost(row.host)
			if err != nil {
				t.Fatal(err)
			}
			name, read, err := hello(far)
			got := ""
			if d := mismatch(h, name, err); d != nil {
				got = d.reason
			}
			if got != row.reason {
				t.Errorf("%q asks for %q: %q (%v), want %q", row.host, name, got, err, row.reason)
			}
			if err == nil && (len(read) < 100 || read[0] != 0x16) {
				t.Errorf("%d bytes are passed on", len(read))
			}
		})
	}
}

// A page that asks for thousands of hosts fills no memory, and the numbers stay right.
func TestDenialsAreBounded(t *testing.T) {
	var p Proxy
	for i := range 10_000 {
		p.ledger.deny(fmt.Sprintf("h%d.test:80", i), &denial{cua.ReasonHost, "no"})
	}
	got := p.Denials()
	n := 0
	for _, d := range got {
		n += d.Count
	}
	if len(got) != maxDenied+1 || n != 10_000 || len(p.ledger.causes) > maxCauses {
		t.Errorf("%d rows, %d in all, %d causes", len(got), n, len(p.ledger.causes))
	}
}
