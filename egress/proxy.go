package egress

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"sync"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

const (
	// user is the name part of every credential.
	user = "cua-runner"
	// headerTimeout bounds how long a client may take to say what it wants, greetTimeout the first message in
	// a tunnel.
	headerTimeout = 30 * time.Second
	greetTimeout  = 10 * time.Second
	// idleTimeout is how long a connection to a server is kept for the next request: less than servers keep
	// it.
	idleTimeout = 4 * time.Second
	// maxDrained is how much of a refused request's body is read.
	maxDrained = 256 << 10
)

// Resolver finds the addresses of a host name.
type Resolver func(ctx context.Context, name string) ([]netip.Addr, error)

// Options say how a proxy reaches hosts, and what else it does. The zero value is good.
type Options struct {
	// Resolve finds the addresses of host names; nil asks the machine.
	Resolve Resolver
	// Record keeps each request for a HAR file; nil keeps none.
	Record *Recorder
	// Faults are the network faults to play; nil is none.
	Faults *Faults
}

// Proxy is an HTTP proxy on a loopback port of its own. It serves who knows its credential. Its methods may
// be called from several goroutines.
type Proxy struct {
	o        Options
	password string
	basic    string // the credential as the header has it
	ln       net.Listener
	server   *http.Server
	forward  *httputil.ReverseProxy
	upstream *http.Transport
	idle     idle
	buffers  buffers
	ledger   ledger
	blocks   bool // see Block

	mu      sync.Mutex
	policy  Policy
	admits  map[string]cua.Host // hosts that the policy lets pass, as requests spell them
	tunnels map[net.Conn]bool   // both ends of each
	closed  bool
	running sync.WaitGroup
}

// Block starts a proxy that asks for no credential and lets nothing leave, ever: for requests that no page
// made.
func Block() (*Proxy, error) { return begin(&Proxy{blocks: true}) }

// Listen starts a proxy that lets nothing leave until Permit.
func Listen(o Options) (*Proxy, error) {
	if o.Resolve == nil {
		o.Resolve = system
	}
	return begin(&Proxy{o: o})
}

func begin(p *Proxy) (*Proxy, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("egress: listening: %w", err)
	}
	p.password, p.ln = rand.Text(), ln
	p.tunnels, p.admits = map[net.Conn]bool{}, map[string]cua.Host{}
	p.basic = "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+p.password))
	quiet := log.New(io.Discard, "", 0)
	p.upstream = &http.Transport{DisableCompression: true, IdleConnTimeout: idleTimeout,
		MaxIdleConnsPerHost: 32, MaxIdleConns: 100,
		DialContext: func(ctx context.Context, _, address string) (net.Conn, error) {
			h, _, err := cua.ParseAddress("http://" + address)
			if err != nil {
				return nil, err
			}
			return p.dial(ctx, h)
		}}
	p.forward = &httputil.ReverseProxy{Transport: p.upstream, FlushInterval: -1, ErrorLog: quiet,
		BufferPool: &p.buffers,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.Host, r.Out.URL.RawQuery = r.In.URL.Host, r.In.URL.RawQuery // also what is no list of pairs
		},
		ModifyResponse: p.answered, ErrorHandler: p.unreached}
	p.server = &http.Server{Handler: http.HandlerFunc(p.serve),
		ReadHeaderTimeout: headerTimeout, ErrorLog: quiet}
	p.running.Go(func() { _ = p.server.Serve(ln) }) // it returns when the server is closed
	return p, nil
}

// buffers are those that bodies are copied through: a new one for each answer costs more than the answer.
type buffers struct{ free sync.Pool }

func (b *buffers) Get() []byte {
	if kept, ok := b.free.Get().(*[]byte); ok {
		return *kept
	}
	return make([]byte, 32<<10)
}

func (b *buffers) Put(used []byte) { b.free.Put(&used) }

// Address is the proxy's host:port.
func (p *Proxy) Address() string { return p.ln.Addr().String() }

// Credential is what the proxy asks of its client.
func (p *Proxy) Credential() (name, password string) { return user, p.password }

// Permit sets what may leave from now on.
func (p *Proxy) Permit(policy Policy) {
	p.mu.Lock()
	p.policy, p.admits = policy, map[string]cua.Host{}
	p.mu.Unlock()
	p.upstream.CloseIdleConnections()
	p.idle.renew(false)
}

// maxAdmits is how many hosts are remembered that the policy lets pass.
const maxAdmits = 256

// admit is Policy.admit for a request that is no tunnel. A page asks the same few hosts again and again, and
// to read a name and each entry of the list takes longer than the rest: a permission is remembered while the
// policy holds, a denial is not.
func (p *Proxy) admit(hostport string) (cua.Host, *denial) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if h, known := p.admits[hostport]; known {
		return h, nil
	}
	h, d := p.policy.admit(hostport, false)
	if d == nil && len(p.admits) < maxAdmits {
		p.admits[hostport] = h
	}
	return h, d
}

func (p *Proxy) policyNow() Policy {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.policy
}

// Close ends the proxy with all that goes through it. It may be called more than once.
func (p *Proxy) Close() error {
	p.mu.Lock()
	p.closed = true
	for c := range p.tunnels {
		c.Close() //nolint:errcheck // what goes through it is over
	}
	p.mu.Unlock()
	err := p.server.Close()
	p.upstream.CloseIdleConnections()
	p.idle.renew(true)
	p.running.Wait()
	if err != nil {
		return fmt.Errorf("egress: closing: %w", err)
	}
	return nil
}

// serve judges one request and passes it on.
func (p *Proxy) serve(w http.ResponseWriter, r *http.Request) {
	switch sent := r.Header.Get("Proxy-Authorization"); {
	case p.blocks:
		p.refuse(w, r, cua.ClipBytes(r.Host, maxHost), &denial{cua.ReasonHost, "no page asked for it"})
		return
	case sent == "":
		w.Header().Set("Proxy-Authenticate", `Basic realm="cua-runner"`)
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	case subtle.ConstantTimeCompare([]byte(sent), []byte(p.basic)) == 0:
		p.refuse(w, r, cua.ClipBytes(r.Host, maxHost), &denial{cua.ReasonCredential,
			"the credential is another's"})
		return
	}
	p.admitted(w, p.o.Record.begin(r).traced(r))
}

// admitted passes on a request of the browser that this proxy is for.
func (p *Proxy) admitted(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
		return
	case r.URL.Scheme != "http" || r.URL.Host == "":
		p.refuse(w, r, cua.ClipBytes(r.Host, maxHost), &denial{cua.ReasonScheme,
			"a proxy is asked for http addresses alone"})
		return
	}
	h, d := p.admit(r.URL.Host)
	if d != nil {
		p.refuse(w, r, named(h, r.URL.Host), d)
		return
	}
	if p.strike(w, r, h) {
		return
	}
	w.Header()["Content-Type"], w.Header()["Date"] = nil, nil // those that the server sent, or none
	if simple(r) {
		p.fetch(w, r, h)
		return
	}
	p.forward.ServeHTTP(w, r)
}

// named is h, or what was asked for where that is no host.
func named(h cua.Host, asked string) string {
	if h.Name == "" {
		return cua.ClipBytes(asked, maxHost)
	}
	return h.String()
}

// maxHost is the length of the longest host with its port, bytes.
const maxHost = 260

// refused is an answer that browsers report as a failed request and do not ask for again: two lengths that
// differ. A page takes a plain 403 for an answer of the site, and a closed connection for one to try again.
const refused = "HTTP/1.1 403 Forbidden\r\nConnection: close\r\n" +
	"Content-Length: 0\r\nContent-Length: 1\r\n\r\n"

// refuse counts a denial and fails the request.
func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request, host string, d *denial) {
	p.ledger.deny(host, d)
	of(r).end("denied: " + d.reason)
	fail(w, r)
}

// unserved fails a request to h that reached no server, for the reason that the browser would name.
func (p *Proxy) unserved(w http.ResponseWriter, r *http.Request, h cua.Host, netError string) {
	p.ledger.failed(h.String(), netError)
	of(r).end(netError)
	fail(w, r)
}

// fail fails the request in the browser, once: what may have reached a server is not sent again.
func fail(w http.ResponseWriter, r *http.Request) {
	_, _ = io.CopyN(io.Discard, r.Body, maxDrained) // a connection that is closed over unread bytes is reset
	c, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer c.Close()                                //nolint:errcheck // it is over
	_ = c.SetDeadline(time.Now().Add(time.Second)) // a closed connection tells of its own
	_, _ = io.WriteString(c, refused)
}

// answered notes that a server was reached. One that asks for a credential in our name is told of as broken.
func (p *Proxy) answered(r *http.Response) error {
	if r.StatusCode == http.StatusProxyAuthRequired {
		return errors.New("egress: the server answers as a proxy")
	}
	if h, d := p.admit(r.Request.URL.Host); d == nil {
		p.ledger.reached(h.String())
	}
	of(r.Request).response(r)
	return nil
}

// unreached fails a request whose server was not reached, or did not answer.
func (p *Proxy) unreached(w http.ResponseWriter, r *http.Request, err error) {
	h, _, _ := cua.ParseAddress("http://" + r.URL.Host)
	var d *denial
	if errors.As(err, &d) {
		p.refuse(w, r, h.String(), d)
		return
	}
	if r.Context().Err() != nil { // the browser gave up, which is no fault of the host
		of(r).end("net::ERR_ABORTED")
		panic(http.ErrAbortHandler)
	}
	p.unserved(w, r, h, netError(err))
}
