package egress

import (
	"bufio"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

const (
	// maxHead is how many bytes the head of an answer may have. Browsers read less.
	maxHead = 1 << 20
	// maxIdle is how many connections are kept idle, and maxIdleEach those to one host.
	maxIdle, maxIdleEach = 100, 32
)

// errHead ends the reading of a head that is too long.
var errHead = errors.New("egress: the head of an answer is longer than 1 MiB")

// line is a connection to a server for one request after the other. One goroutine writes, reads and passes
// on: net/http.Transport takes two more for each connection, and the handing over costs more than the rest.
type line struct {
	net.Conn
	to     cua.Host
	era    int // of the policy that it was dialed under
	r      *bufio.Reader
	w      *bufio.Writer
	left   int64       // bytes that may be read still
	used   bool        // it carried a request before this one
	retire *time.Timer // closes it when it was idle for too long; nil is never idle yet
}

// Read reads what the limit leaves.
func (l *line) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, errHead
	}
	n, err := l.Conn.Read(b[:min(int64(len(b)), l.left)])
	l.left -= int64(n)
	return n, err
}

// connect dials h, with each check of dial.
func (p *Proxy) connect(ctx context.Context, h cua.Host) (*line, error) {
	era := p.idle.now()
	c, err := p.dial(ctx, h)
	if err != nil {
		return nil, err
	}
	l := &line{Conn: c, to: h, era: era}
	l.r, l.w = bufio.NewReader(l), bufio.NewWriter(c)
	return l, nil
}

// ask sends a request without a body and reads the head of its answer. heard is false where the server sent
// nothing at all.
func (l *line) ask(r *http.Request) (res *http.Response, heard bool, err error) {
	x := of(r)
	l.left = maxHead
	for _, s := range []string{r.Method, " ", target(r), " HTTP/1.1\r\nHost: ", r.URL.Host, "\r\n"} {
		_, _ = l.w.WriteString(s) // Flush tells
	}
	_ = r.Header.WriteSubset(l.w, ownHeaders) // and here
	_, _ = l.w.WriteString("\r\n")
	if err := l.w.Flush(); err != nil {
		return nil, false, err
	}
	x.mark(atSent)
	if _, err := l.r.Peek(1); err != nil {
		return nil, false, err
	}
	x.mark(atAnswered)
	for {
		res, err = http.ReadResponse(l.r, r)
		switch {
		case err != nil:
			return nil, true, err
		case res.StatusCode == http.StatusSwitchingProtocols:
			return nil, true, errors.New("egress: the server changes the protocol unasked")
		case res.StatusCode < http.StatusContinue: // its body must not be read as the next head
			return nil, true, errors.New("egress: the status of the answer is less than 100")
		case res.StatusCode >= 200:
			l.left = math.MaxInt64
			return res, true, nil
		}
	}
}

// ownHeaders are those of one connection, and those that a server may take for the word of a proxy.
var ownHeaders = map[string]bool{"Connection": true, "Proxy-Connection": true, "Keep-Alive": true,
	"Proxy-Authenticate": true, "Proxy-Authorization": true, "Te": true, "Trailer": true,
	"Transfer-Encoding": true, "Upgrade": true, "Forwarded": true, "X-Forwarded-For": true,
	"X-Forwarded-Host": true, "X-Forwarded-Proto": true, "Content-Length": true}

// target is the path and query of r byte for byte: to parse and write them again may change them.
func target(r *http.Request) string {
	_, rest, _ := strings.Cut(r.RequestURI, "://")
	i := strings.IndexAny(rest, "/?")
	switch {
	case i < 0:
		return "/"
	case rest[i] == '?':
		return "/" + rest[i:]
	}
	return rest[i:]
}

// simple reports whether r is a plain question, which needs nothing of net/http.Transport: no body, no
// upgrade, no header for the proxy alone.
func simple(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.Body != http.NoBody ||
		r.URL.User != nil || strings.Contains(r.RequestURI, "#") {
		return false
	}
	for _, name := range []string{"Connection", "Upgrade", "Expect", "Te", "Trailer"} {
		if r.Header[name] != nil {
			return false
		}
	}
	return true
}

// fetch passes a simple request to h, which admit let pass.
func (p *Proxy) fetch(w http.ResponseWriter, r *http.Request, h cua.Host) {
	l, res, let, err := p.question(r, h)
	if err == nil {
		if err = p.answered(res); err != nil {
			l.Close() //nolint:errcheck // it is given up
		}
	}
	if err != nil {
		p.unreached(w, r, err)
		return
	}
	err = p.hand(w, l, res)
	res.Body.Close() //nolint:errcheck // the record of the request ends with it
	if !let() || err != nil || res.Close || l.r.Buffered() > 0 {
		l.Close() //nolint:errcheck // it is of no more use
	} else {
		p.idle.keep(l)
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client must not take the half for the whole
	}
}

// question asks h. A connection that was kept may have been closed by the server meanwhile: one that says
// nothing at all is replaced. let ends the watch over the client, and is false if that is gone.
func (p *Proxy) question(r *http.Request, h cua.Host) (l *line, res *http.Response, let func() bool,
	err error) {
	x := of(r)
	for {
		x.mark(atAsked)
		if l = p.idle.take(h); l == nil {
			if l, err = p.connect(r.Context(), h); err != nil {
				return nil, nil, nil, err
			}
		}
		x.note(func() { x.reused, x.entry.Server = l.used, hostOf(l.RemoteAddr().String()) })
		x.mark(atConnected)
		let = context.AfterFunc(r.Context(), func() { _ = l.Close() }) // the browser gave up
		var heard bool
		if res, heard, err = l.ask(r); err == nil {
			return l, res, let, nil
		}
		let()
		l.Close() //nolint:errcheck // it broke
		if heard || !l.used || r.Context().Err() != nil {
			return nil, nil, nil, err
		}
	}
}

// hand gives the client an answer as it comes: what may be waited for is not held back.
func (p *Proxy) hand(w http.ResponseWriter, l *line, res *http.Response) error {
	copyHead(w.Header(), res.Header)
	w.WriteHeader(res.StatusCode)
	flush := http.NewResponseController(w).Flush // an error of it is one of the next write, too
	if res.ContentLength != 0 && l.r.Buffered() == 0 {
		_ = flush()
	}
	buffer := p.buffers.Get()
	defer p.buffers.Put(buffer)
	for left := res.ContentLength; ; {
		n, err := res.Body.Read(buffer)
		if _, werr := w.Write(buffer[:n]); werr != nil && n > 0 {
			return werr
		}
		switch left -= int64(n); {
		case err == io.EOF:
			return nil
		case err != nil: // a client that has read nothing may ask once more
			_ = flush()
			return err
		case left != 0 && l.r.Buffered() == 0:
			_ = flush()
		}
	}
}

// copyHead gives an answer the headers that are not those of the connection.
func copyHead(to, from http.Header) {
	for name, values := range from {
		if name == "Content-Length" || !ownHeaders[name] {
			to[name] = values
		}
	}
	for _, list := range from["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			to.Del(strings.TrimSpace(name))
		}
	}
}

// idle are connections that wait for the next request. The zero value is ready.
type idle struct {
	mu     sync.Mutex
	lines  []*line // the one that waits longest first
	era    int     // counts the policies
	closed bool
}

// now is the era of the policy.
func (i *idle) now() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.era
}

// take is the connection to h that was used last; nil is none.
func (i *idle) take(h cua.Host) *line {
	i.mu.Lock()
	defer i.mu.Unlock()
	for n, l := range slices.Backward(i.lines) {
		if l.to == h {
			i.lines = slices.Delete(i.lines, n, n+1)
			l.retire.Stop() // one that fires all the same finds it gone
			return l
		}
	}
	return nil
}

// keep keeps l for the next request, unless another policy holds by now.
func (i *idle) keep(l *line) {
	i.mu.Lock()
	defer i.mu.Unlock()
	each := 0
	for _, other := range i.lines {
		if other.to == l.to {
			each++
		}
	}
	if i.closed || l.era != i.era || each >= maxIdleEach || len(i.lines) >= maxIdle {
		l.Close() //nolint:errcheck // it is of no more use
		return
	}
	l.used = true
	i.lines = append(i.lines, l)
	if l.retire == nil {
		l.retire = time.AfterFunc(idleTimeout, func() { i.expire(l) })
	} else {
		l.retire.Reset(idleTimeout)
	}
}

// expire closes l if it is idle.
func (i *idle) expire(l *line) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if n := slices.Index(i.lines, l); n >= 0 {
		i.lines = slices.Delete(i.lines, n, n+1)
		l.Close() //nolint:errcheck // nobody uses it
	}
}

// renew closes all: none is used under another policy than the one that it was dialed under. forever keeps
// none from now on.
func (i *idle) renew(forever bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.era++
	i.closed = i.closed || forever
	for _, l := range i.lines {
		l.retire.Stop()
		l.Close() //nolint:errcheck // nobody uses it
	}
	i.lines = nil
}
