package egress

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// tunnel joins the client with a host. On port 443 the client must ask for that very host by TLS.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	h, d := p.policyNow().admit(r.URL.Host, true)
	if d != nil {
		p.refuse(w, r, named(h, r.URL.Host), d)
		return
	}
	if p.strike(w, r, h) {
		return
	}
	x := of(r)
	x.mark(atAsked)
	server, err := p.dial(r.Context(), h)
	if err != nil {
		var d *denial
		if errors.As(err, &d) {
			p.refuse(w, r, h.String(), d)
			return
		}
		p.ledger.failed(h.String(), netError(err))
		x.end(netError(err))
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer server.Close() //nolint:errcheck // it is over
	x.joined(server)
	defer x.end("")
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer client.Close() //nolint:errcheck // it is over
	if !p.hold(client, server) {
		return
	}
	defer func() {
		x.end("") // before Close takes the tunnel for over
		p.letGo(client, server)
	}()
	_ = client.SetDeadline(time.Now().Add(greetTimeout)) // the write tells
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	p.ledger.reached(h.String())
	if h.Port == 443 {
		name, greeting, err := hello(buffered.Reader)
		if d := mismatch(h, name, err); d != nil {
			p.ledger.deny(h.String(), d)
			x.end("denied: " + d.reason)
			return
		}
		x.carried(int64(len(greeting)), 0)
		if _, err := server.Write(greeting); err != nil {
			return
		}
	}
	_ = client.SetDeadline(time.Time{})
	x.carried(relay(client, buffered.Reader, server))
}

// mismatch says why a client that asks for name, or that speaks no TLS, may not talk to h; nil is permission.
func mismatch(h cua.Host, name string, err error) *denial {
	switch {
	case err != nil:
		return &denial{cua.ReasonTunnel, fmt.Sprintf("what goes to %s is no TLS", h)}
	case name == "" && h.Addr.IsValid():
		return nil
	}
	if asked, err := cua.ParseHost(name); err != nil || asked.Name != h.Name || asked.Port != 0 {
		return &denial{cua.ReasonTLSName, fmt.Sprintf("a tunnel to %s asks for another name by TLS", h)}
	}
	return nil
}

// relay copies both ways until both ends have said all, or one of them breaks. It returns how many bytes went
// to the server and came from it.
func relay(client net.Conn, from *bufio.Reader, server net.Conn) (up, down int64) {
	var both sync.WaitGroup
	both.Go(func() { up = pass(server, from) })
	both.Go(func() { down = pass(client, server) })
	both.Wait()
	return up, down
}

// pass copies until src ends and tells dst so. It returns how many bytes it copied.
func pass(dst net.Conn, src io.Reader) int64 {
	n, err := io.Copy(dst, src)
	if half, ok := dst.(interface{ CloseWrite() error }); ok && err == nil {
		_ = half.CloseWrite() // one that is gone needs no word
		return n
	}
	dst.Close() //nolint:errcheck // it broke
	return n
}

// hold keeps a tunnel's ends for Close. It is false when the proxy is closed.
func (p *Proxy) hold(ends ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.running.Add(1)
	for _, c := range ends {
		p.tunnels[c] = true
	}
	return true
}

func (p *Proxy) letGo(ends ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range ends {
		delete(p.tunnels, c)
	}
	p.running.Done()
}
