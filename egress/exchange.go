package egress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

// exchange is one request on its way, for a Recorder. All methods of a nil exchange do nothing.
type exchange struct {
	to *Recorder

	mu    sync.Mutex
	entry HAREntry
	over  bool
	// When the request came, when the proxy began to ask for it, had a connection, had sent it, and had the
	// first byte of an answer; zero is not yet.
	came, asked, connected, sent, answered time.Time
	reused                                 bool // the connection was there
}

// begin starts the record of r.
func (r *Recorder) begin(req *http.Request) *exchange {
	if r == nil {
		return nil
	}
	x := &exchange{to: r, came: time.Now()}
	address := *req.URL
	address.User = nil
	if req.Method == http.MethodConnect {
		address.Scheme, address.Host = "https", req.URL.Host
		if strings.HasSuffix(req.URL.Host, ":80") {
			address.Scheme = "http"
		}
	}
	x.entry = HAREntry{Started: x.came.UTC(), Request: HARRequest{Method: req.Method, URL: address.String(),
		Version: req.Proto, Cookies: []HARPair{}, Headers: harHeaders(req.Header),
		Query: harQuery(address.RawQuery), HeadersSize: -1}}
	x.entry.Response = HARResponse{Cookies: []HARPair{}, Headers: []HARPair{}, HeadersSize: -1, BodySize: -1,
		Content: HARContent{Type: "x-unknown"}}
	return x
}

type exchangeKey struct{}

// of is the exchange of a request that traced marked; nil is none.
func of(r *http.Request) *exchange {
	x, _ := r.Context().Value(exchangeKey{}).(*exchange)
	return x
}

// traced is r with its way to the server observed.
func (x *exchange) traced(r *http.Request) *http.Request {
	if x == nil {
		return r
	}
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &counted{ReadCloser: r.Body, read: func(n int) {
			x.note(func() {
				x.entry.Request.BodySize += int64(n)
			})
		}}
	}
	ctx := context.WithValue(r.Context(), exchangeKey{}, x)
	return r.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { x.mark(atAsked) },
		GotConn: func(c httptrace.GotConnInfo) {
			x.note(func() { x.reused, x.entry.Server = c.Reused, hostOf(c.Conn.RemoteAddr().String()) })
			x.mark(atConnected)
		},
		WroteRequest:         func(httptrace.WroteRequestInfo) { x.mark(atSent) },
		GotFirstResponseByte: func() { x.mark(atAnswered) },
	}))
}

func hostOf(address string) string {
	h, _, err := cua.ParseAddress("http://" + address)
	if err != nil || !h.Addr.IsValid() {
		return ""
	}
	return h.Addr.String()
}

// note changes the entry while nobody else does.
func (x *exchange) note(change func()) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over {
		change()
	}
}

// mark sets one of the times.
func (x *exchange) mark(at func(x *exchange) *time.Time) { x.note(func() { *at(x) = time.Now() }) }

// The times that mark sets.
func atAsked(x *exchange) *time.Time     { return &x.asked }
func atConnected(x *exchange) *time.Time { return &x.connected }
func atSent(x *exchange) *time.Time      { return &x.sent }
func atAnswered(x *exchange) *time.Time  { return &x.answered }

// struck notes a network fault.
func (x *exchange) struck(name string) {
	x.note(func() {
		if x.entry.Fault != "" {
			x.entry.Fault += ","
		}
		x.entry.Fault += name
	})
}

// response notes the answer of a server. Its body is counted while it is read, and its end is that of the
// exchange. A body of known length ends with its last byte: the client, which has all of it then, may look at
// the record before the proxy reads on.
func (x *exchange) response(r *http.Response) {
	if x == nil {
		return
	}
	x.note(func() {
		a := &x.entry.Response
		a.Status, a.Version, a.Headers = r.StatusCode, r.Proto, harHeaders(r.Header)
		_, a.StatusText, _ = strings.Cut(r.Status, " ")
		a.Content.Type = cmp.Or(r.Header.Get("Content-Type"), "x-unknown")
		a.RedirectURL, a.BodySize = r.Header.Get("Location"), 0
	})
	if r.StatusCode == http.StatusSwitchingProtocols || r.ContentLength == 0 {
		x.end("")
		return
	}
	left := r.ContentLength
	r.Body = &counted{ReadCloser: r.Body, read: func(n int) {
		x.note(func() {
			x.entry.Response.BodySize += int64(n)
			x.entry.Response.Content.Size += int64(n)
		})
		if left -= int64(n); left == 0 {
			x.end("")
		}
	}, done: func(err error) { x.end(broke(err)) }}
}

// broke is what a HAR says of an answer whose body broke off.
func broke(err error) string {
	switch {
	case err == nil, err == io.EOF:
		return ""
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "net::ERR_CONNECTION_CLOSED"
	}
	return netError(err)
}

// joined notes that a tunnel has its server.
func (x *exchange) joined(server net.Conn) {
	x.note(func() {
		x.connected, x.sent, x.answered = time.Now(), time.Now(), time.Now()
		x.entry.Server = hostOf(server.RemoteAddr().String())
		a := &x.entry.Response
		a.Status, a.StatusText, a.Version, a.BodySize = http.StatusOK, "Connection established", "HTTP/1.1", 0
	})
}

// carried adds what went through a tunnel, bytes.
func (x *exchange) carried(up, down int64) {
	x.note(func() {
		x.entry.Request.BodySize += up
		x.entry.Response.BodySize += down
		x.entry.Response.Content.Size += down
	})
}

// answer notes an answer of the proxy's own.
func (x *exchange) answer(status int, version string) {
	x.note(func() {
		a := &x.entry.Response
		a.Status, a.StatusText, a.Version, a.BodySize = status, http.StatusText(status), version, 0
	})
}

// end closes the record. why is the reason where there is no answer; "" is none.
func (x *exchange) end(why string) {
	if x == nil {
		return
	}
	now := time.Now()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	x.over = true
	e := &x.entry
	e.Error = why
	e.Timings = x.timings(now)
	e.Time = max(e.Timings.Blocked, 0) + max(e.Timings.Connect, 0) + e.Timings.Send + e.Timings.Wait +
		e.Timings.Receive
	x.to.add(*e)
}

// timings part the time until now.
func (x *exchange) timings(now time.Time) HARTimings {
	t := HARTimings{DNS: -1, SSL: -1, Connect: -1}
	last := x.came
	until := func(at time.Time) float64 {
		if at.Before(last) { // also one that never came
			return 0
		}
		took := float64(at.Sub(last).Microseconds()) / 1000
		last = at
		return took
	}
	t.Blocked = until(x.asked)
	if x.reused {
		t.Blocked += until(x.connected)
	} else if !x.connected.IsZero() {
		t.Connect = until(x.connected)
	}
	t.Send, t.Wait, t.Receive = until(x.sent), until(x.answered), until(now)
	return t
}

// counted counts what is read, and says once when that is over.
type counted struct {
	io.ReadCloser
	read func(n int)
	done func(err error) // nil: nobody asks
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if c.read(n); err != nil && c.done != nil {
		c.done(err)
	}
	return n, err
}

func (c *counted) Close() error {
	err := c.ReadCloser.Close()
	if c.done != nil {
		c.done(nil)
	}
	return err
}

// plural is n things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
