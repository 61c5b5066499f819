package egress

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// plainServer answers each request that it reads, and keeps their first lines and all bytes that came.
type plainServer struct {
	mu    sync.Mutex
	lines []string
	bytes bytes.Buffer
}

func (s *plainServer) serve(_ int, c net.Conn, _ *bufio.Reader) {
	r := bufio.NewReader(io.TeeReader(c, s))
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		s.mu.Lock()
		s.lines = append(s.lines, req.Method+" "+req.RequestURI+" at "+req.Host)
		s.mu.Unlock()
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return
		}
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	}
}

// came are the requests and the bytes that came.
func (s *plainServer) came() (lines []string, raw string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines), s.bytes.String()
}

func (s *plainServer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes.Write(b)
}

// A request that two readers may read as two is one for the server or none: what comes behind it is judged
// by itself. HOST is the server, AUTH the credential, NEXT a request that the policy denies.
func TestRequestsThatTwoReadersReadInTwoWays(t *testing.T) {
	const get = "GET http://HOST/a HTTP/1.1\r\nHost: HOST\r\n"
	const post = "POST http://HOST/a HTTP/1.1\r\nHost: HOST\r\n"
	const next = "GET http://evil.test/smuggled HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n\r\n"
	for _, row := range []struct {
		name, sent string
		server     []string // what arrives
		denied     int
		maybe      bool // it arrives or not: the body is found to be bad while the head is on its way
	}{
		{"both lengths, the chunks end first", post + "AUTH\r\nContent-Length: 9999\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nNEXT", []string{"POST /a"}, 1, false},
		{"both lengths, the length ends first", post + "AUTH\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n1a\r\nGET /smuggled HTTP/1.1\r\n\r\n\r\n0\r\n\r\nNEXT", []string{"POST /a"}, 1, false},
		{"two lengths", post + "AUTH\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\nNEXT", nil, 0, false},
		{"two equal lengths", post + "AUTH\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nwordsNEXT", []string{"POST /a"}, 1, false},
		{"a list of lengths", post + "AUTH\r\nContent-Length: 5, 5\r\n\r\nwordsNEXT", nil, 0, false},
		{"a length with a sign", post + "AUTH\r\nContent-Length: +5\r\n\r\nwordsNEXT", nil, 0, false},
		{"an unknown encoding", post + "AUTH\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\nNEXT", nil, 0, false},
		{"two encodings", post + "AUTH\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\nNEXT", nil, 0, false},
		{"an encoding behind a space", post + "AUTH\r\nTransfer-Encoding : chunked\r\nContent-Length: 3\r\n\r\n0\r\nNEXT", nil, 0, false},
		{"an encoding on a folded line", post + "AUTH\r\nX: 1\r\n Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\nwordsNEXT", []string{"POST /a"}, 1, false},
		{"a carriage return in a value", get + "AUTH\r\nX: 1\rY: 2\r\n\r\nNEXT", nil, 0, false},
		{"a line feed alone", get + "AUTH\nX: 1\n\nNEXT", []string{"GET /a"}, 1, false},
		{"a zero byte in a value", get + "AUTH\r\nX: 1\x00\r\n\r\nNEXT", nil, 0, false},
		{"an extension of a chunk", post + "AUTH\r\nTransfer-Encoding: chunked\r\n\r\n5;a=\"b\"\r\nwords\r\n0\r\n\r\nNEXT", []string{"POST /a"}, 1, false},
		{"a line feed in an extension of a chunk", post + "AUTH\r\nTransfer-Encoding: chunked\r\n\r\n5;\nwords\r\n0\r\n\r\nNEXT", []string{"POST /a"}, 0, true},
		{"a trailer", post + "AUTH\r\nTransfer-Encoding: chunked\r\nTrailer: Host\r\n\r\n0\r\nHost: evil.test\r\n\r\nNEXT", []string{"POST /a"}, 1, false},
		{"another host in the header", "GET http://HOST/a HTTP/1.1\r\nHost: evil.test\r\nAUTH\r\n\r\nNEXT", []string{"GET /a"}, 1, false},
		{"two hosts in the header", get + "Host: evil.test\r\nAUTH\r\n\r\nNEXT", nil, 0, false},
		{"no absolute address", "GET /a HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n\r\n", nil, 1, false},
		{"headers of the connection", get + "AUTH\r\nConnection: X-Hop, close\r\nX-Hop: smuggled\r\n\r\n", []string{"GET /a"}, 0, false},
		{"the length as a header of the connection", post + "AUTH\r\nConnection: Content-Length\r\nContent-Length: 5\r\n\r\nwordsNEXT", []string{"POST /a"}, 1, false},
		{"a body of a GET", get + "AUTH\r\nContent-Length: 5\r\n\r\nwordsNEXT", []string{"GET /a"}, 1, false},
		{"an upgrade that is not granted", get + "AUTH\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nNEXT", []string{"GET /a"}, 1, false},
		{"an upgrade with a body", post + "AUTH\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n\r\nwordsNEXT", []string{"POST /a"}, 1, false},
		{"an upgrade to HTTP/2", get + "AUTH\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA\r\n\r\nNEXT", []string{"GET /a"}, 1, false},
		{"the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", nil, 0, false},
		{"a space in the target", "GET http://HOST/a b HTTP/1.1\r\nHost: HOST\r\nAUTH\r\n\r\nNEXT", nil, 0, false},
		{"a version that there is not", "GET http://HOST/a HTTP/1.1 HTTP/9.9\r\nHost: HOST\r\nAUTH\r\n\r\nNEXT", nil, 0, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := new(plainServer)
			server := wire(t, s.serve)
			p, _ := through(t, at(server), nil)
			c, err := net.Dial("tcp", p.Address())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprint(c, strings.NewReplacer("HOST", strings.TrimPrefix(server, "http://"),
				"AUTH", "Proxy-Authorization: "+p.basic).Replace(strings.ReplaceAll(row.sent, "NEXT", next)))
			// Each row ends the connection: by a denial, an error or its own wish.
			answers, _ := io.ReadAll(c)
			denied := 0
			for _, d := range p.Denials() {
				denied += d.Count
			}
			got, raw := s.came()
			for i := range got {
				if want := " at " + strings.TrimPrefix(server, "http://"); !strings.HasSuffix(got[i], want) {
					t.Errorf("%q arrives, want%s", got[i], want)
				}
				got[i], _, _ = strings.Cut(got[i], " at ")
			}
			if !slices.Equal(got, row.server) && !(row.maybe && len(got) == 0) || denied != row.denied {
				t.Errorf("%q arrive, %d are denied, want %q, %d\nsent: %q\nanswers: %q", got, denied,
					row.server, row.denied, raw, answers)
			}
			head, _, _ := strings.Cut(raw, "\r\n\r\n")
			if bare := strings.ReplaceAll(head, "\r\n", ""); strings.ContainsAny(bare, "\r\n\x00") ||
				strings.Contains(head, "\r\n ") || strings.Contains(head, "smuggled") ||
				strings.Contains(head, "Proxy-") || strings.Contains(head, "evil") ||
				strings.Contains(head, "\nContent-Length:") &&
					strings.Contains(head, "\nTransfer-Encoding:") {
				t.Errorf("the server is sent %q", raw)
			}
		})
	}
}
