package egress

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// wire is a server that speaks as it is told: answer gets each connection with its number, from 1.
func wire(t *testing.T, answer func(n int, c net.Conn, r *bufio.Reader)) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ln.Close() })
	go func() {
		for n := 1; ; n++ {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				answer(n, c, bufio.NewReader(c))
			}()
		}
	}()
	return "http://" + ln.Addr().String()
}

// heard reads one request without a body.
func heard(r *bufio.Reader) *http.Request {
	req, err := http.ReadRequest(r)
	if err != nil {
		return nil
	}
	return req
}

// at lets out what goes to that one address.
func at(address string) Policy { return Policy{Allow: cua.AllowList{Start: address}} }

// A target arrives byte for byte, also one that another program would write in another way.
func TestTargetsArriveByteForByte(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for _, target := range []string{"/", "/?", "/?a;b", "/?q=100%", "/?b=2&a=1;c", "/a|b/[c]?d|e",
			"//x/../y"} {
			if method == http.MethodPost && strings.Contains(target, "|") {
				continue // net/http writes that path in its own way
			}
			o := newOrigin(t, nil)
			p, _ := through(t, only(o), nil)
			c, err := net.Dial("tcp", p.Address())
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(c, "%s %s%s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: %s\r\n"+
				"Content-Length: 0\r\n\r\n", method, o.URL, target, o.host(), p.basic)
			res, err := http.ReadResponse(bufio.NewReader(c), nil)
			c.Close()
			if err != nil || res.StatusCode != http.StatusOK || o.requests()[0].RequestURI != target {
				t.Errorf("%s %s: %v, %v, arrived as %q", method, target, res, err, o.requests()[0].RequestURI)
			}
		}
	}
}

// The bytes that the server sends arrive: nothing is added, held back or taken for whole when it is not.
func TestAnswersArriveAsTheyCome(t *testing.T) {
	more, done := make(chan bool), make(chan bool)
	for _, row := range []struct{ name, answer, body, broken string }{
		{name: "a length", answer: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext", body: "text"},
		{name: "parts", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nte\r\n2\r\nxt\r\n0\r\n\r\n", body: "text"},
		{name: "until it ends", answer: "HTTP/1.0 200 OK\r\n\r\ntext", body: "text"},
		{name: "news before", answer: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext", body: "text"},
		{name: "nothing", answer: "HTTP/1.1 204 No Content\r\n\r\n"},
		{name: "a header of the connection", answer: "HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: 1\r\nContent-Length: 4\r\n\r\ntext", body: "text"},
		{name: "half of it", answer: "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\ntext", body: "text", broken: "EOF"},
		{name: "half of its parts", answer: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\ntext", body: "text", broken: "EOF"},
		{name: "two lengths", answer: "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\ntext!", broken: "refused"},
		{name: "a protocol that nobody asked for", answer: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n", broken: "refused"},
		{name: "a head without end", answer: "HTTP/1.1 200 OK\r\n" + strings.Repeat("X-A: "+strings.Repeat("a", 1000)+"\r\n", 1100) + "\r\n", broken: "refused"},
		{name: "news without end", answer: strings.Repeat("HTTP/1.1 103 Early Hints\r\nX-A: "+strings.Repeat("a", 1000)+"\r\n\r\n", 1100), broken: "refused"},
		{name: "a status that is none", answer: "HTTP/1.1 099 X\r\nContent-Length: 42\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext", broken: "refused"},
		{name: "no HTTP", answer: "SSH-2.0-x\r\n", broken: "refused"},
	} {
		t.Run(row.name, func(t *testing.T) {
			to := wire(t, func(_ int, c net.Conn, r *bufio.Reader) {
				if heard(r) != nil {
					_, _ = io.WriteString(c, row.answer)
				}
			})
			_, c := through(t, at(to), nil)
			res, err := c.Get(to)
			if row.broken == "refused" {
				if err == nil {
					t.Errorf("status %d", res.StatusCode)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			if string(body) != row.body || (err == nil) != (row.broken == "") || res.Header["X-Hop"] != nil ||
				res.Header["Content-Type"] != nil || res.Header["Date"] != nil {
				t.Errorf("%q, %v, %v", body, err, res.Header)
			}
		})
	}
	to := wire(t, func(_ int, c net.Conn, r *bufio.Reader) {
		heard(r)
		_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n")
		<-more
		_, _ = io.WriteString(c, "te")
		<-more
		_, _ = io.WriteString(c, "xt")
		heard(r)
		close(done)
	})
	_, c := through(t, at(to), nil)
	res, err := c.Get(to)
	if err != nil {
		t.Fatal(err)
	}
	more <- true // the head is here
	half := make([]byte, 2)
	if _, err := io.ReadFull(res.Body, half); err != nil || string(half) != "te" {
		t.Errorf("%q, %v", half, err)
	}
	more <- true // so is the first half
	if rest, err := io.ReadAll(res.Body); err != nil || string(rest) != "xt" {
		t.Errorf("%q, %v", rest, err)
	}
}

// A connection is used again, unless the server has closed it, said too much, or another policy holds. A
// request that the server may have seen is not sent twice.
func TestConnectionsAreUsedAgain(t *testing.T) {
	const text = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ntext"
	for _, row := range []struct {
		name    string
		answers []string // of one connection, then it is closed
		policy  bool     // is set anew after each request
		want    int32    // connections for three requests
	}{
		{"kept", []string{text, text, text}, false, 1},
		{"closed by the server", []string{text}, false, 3},
		{"closed by its word", []string{"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\ntext"}, false, 3},
		{"too much said", []string{text + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil", text}, false, 3},
		{"another policy", []string{text, text, text}, true, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			var conns atomic.Int32
			to := wire(t, func(n int, c net.Conn, r *bufio.Reader) {
				conns.Add(1)
				for _, a := range row.answers {
					if heard(r) == nil {
						return
					}
					_, _ = io.WriteString(c, a)
				}
			})
			p, c := through(t, at(to), nil)
			for range 3 {
				res, err := c.Get(to)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(res.Body)
				if res.Body.Close(); err != nil || string(body) != "text" {
					t.Errorf("%q, %v", body, err)
				}
				if row.policy {
					p.Permit(at(to))
				}
			}
			if got := conns.Load(); got != row.want {
				t.Errorf("%d connections, want %d", got, row.want)
			}
			p.idle.renew(true)
		})
	}
	var asked atomic.Int32
	to := wire(t, func(n int, c net.Conn, r *bufio.Reader) {
		for range 2 {
			if heard(r) == nil {
				return
			}
			if asked.Add(1) == 1 {
				_, _ = io.WriteString(c, text)
				continue
			}
			_, _ = io.WriteString(c, "HTTP/1.1 2")
		}
	})
	_, c := through(t, at(to), nil)
	for i := range 2 {
		res, err := c.Get(to)
		if err == nil {
			_, _ = io.ReadAll(res.Body)
			res.Body.Close()
		}
		if (err == nil) != (i == 0) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if asked.Load() != 2 {
		t.Errorf("asked %d times", asked.Load())
	}
}

// A browser that gives up ends the request at the server, too, and blames no host.
func TestTheBrowserGivesUp(t *testing.T) {
	there, gone := make(chan bool), make(chan bool)
	to := wire(t, func(_ int, c net.Conn, r *bufio.Reader) {
		heard(r)
		close(there)
		_, _ = r.ReadByte()
		close(gone)
	})
	p, _ := through(t, at(to), nil)
	c, err := net.Dial("tcp", p.Address())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, "GET %s/ HTTP/1.1\r\nHost: x\r\nProxy-Authorization: %s\r\n\r\n", to, p.basic)
	<-there
	c.Close()
	<-gone
	if err := p.Close(); err != nil || p.Why(to) != (Cause{}) {
		t.Errorf("%v, %+v", err, p.Why(to))
	}
}
