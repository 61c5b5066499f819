package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cua-runner/cua-runner/trajectories"
)

// one is a listener with one connection.
type one chan net.Conn

func (l one) Accept() (net.Conn, error) {
	if c, ok := <-l; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l one) Close() error { return nil }

func (l one) Addr() net.Addr { return &net.TCPAddr{} }

// dialed serves h on one end of a pipe, which holds nothing itself, and returns the other end. gone is closed
// once the connection is.
func dialed(h http.Handler) (client net.Conn, gone <-chan struct{}, stop func()) {
	client, end := net.Pipe()
	l, closed := make(one, 1), make(chan struct{})
	l <- end
	web := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second,
		ConnState: func(_ net.Conn, state http.ConnState) {
			if state == http.StateClosed {
				close(closed)
			}
		}}
	var work sync.WaitGroup
	work.Go(func() { _ = web.Serve(l) })
	return client, closed, func() { client.Close(); close(l); work.Wait() }
}

// readSlowly reads all, a part at a time, with a rest before each.
func readSlowly(c net.Conn, part int, rest time.Duration) (text string, err error) {
	buf := make([]byte, part)
	for err == nil {
		var n int
		time.Sleep(rest) // in a bubble
		n, err = io.ReadFull(c, buf)
		text += string(buf[:n])
	}
	return text, err
}

// bulky is a server with an ended episode whose journal, blob and export are long, as what detect answers is.
func bulky(t *testing.T) (s *site, path, blob string) {
	word := strings.Repeat("word ", 20_000)
	s = serve(t, t.TempDir(), func(o *Options) {
		o.Exports = map[string]Export{"json": {MediaType: "text/plain",
			Write: func(w io.Writer, _ *trajectories.Trajectory) error {
				_, err := io.WriteString(w, word)
				return err
			}}}
		o.Detect = func(_ context.Context, in io.Reader, line func(any) error) error {
			_, err := io.Copy(io.Discard, in)
			return errors.Join(err, line(word))
		}
	})
	path = "/v1/cua/" + s.ended(many("long"))["id"].(string)
	blob = strings.Repeat("ab", 32)
	dir := filepath.Join(s.folder(path), trajectories.BlobsDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, blob), []byte(word), 0o600); err != nil {
		t.Fatal(err)
	}
	return s, path, blob
}

// A client that stops reading is dropped. A slow one, which takes longer for all than for any part, is not.
func TestClientsMustRead(t *testing.T) {
	s, path, blob := bulky(t)
	get := func(path string) string {
		return "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer " +
			aToken + "\r\n\r\n"
	}
	requests := map[string]string{"journal": get(path + "/journal"), "blob": get(path + "/blobs/" + blob),
		"export": get(path + "/export"), "events": get(path + "/events"), "detect": strings.Replace(get(
			"/v1/detect"), "GET", "POST", 1)}
	requests["detect"] = strings.Replace(requests["detect"], "\r\n\r\n",
		"\r\nContent-Type: application/jsonl\r\nContent-Length: 3\r\n\r\nabc", 1)
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, gone, stop := dialed(s.server.Handler())
				defer stop()
				begun := time.Now()
				fmt.Fprint(c, requests[name])
				<-gone
				if d := time.Since(begun); d < slowest || d > 2*slowest {
					t.Errorf("dropped after %s", d)
				}
			})
			synctest.Test(t, func(t *testing.T) {
				c, gone, stop := dialed(s.server.Handler())
				defer stop()
				begun := time.Now()
				fmt.Fprint(c, requests[name])
				text, err := readSlowly(c, piece/2, slowest/4)
				<-gone
				if whole := strings.HasSuffix(text, "0\r\n\r\n") || name == "blob"; !whole ||
					!errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) ||
					len(text) < 4*piece || time.Since(begun) < 2*slowest {
					t.Errorf("%d bytes in %s, %v: …%.200q", len(text), time.Since(begun), err,
						text[max(0, len(text)-200):])
				}
			})
		})
	}
}

// A client that sends no more of its lines is given up, also after it was answered; one that thinks is not.
func TestClientsMustSend(t *testing.T) {
	s := serve(t, t.TempDir(), func(o *Options) { o.Guard = judged })
	for _, row := range []struct {
		name    string
		rest    time.Duration
		answers int
	}{
		{"it thinks", quiet - time.Second, 4},
		{"it is gone", quiet + time.Second, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, gone, stop := dialed(s.server.Handler())
				var typing sync.WaitGroup
				defer typing.Wait()
				defer stop()
				typing.Go(func() {
					fmt.Fprint(c, "POST /v1/guard HTTP/1.1\r\nHost: x\r\nContent-Type: application/jsonl\r\n"+
						"Connection: close\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer "+aToken+
						"\r\n\r\n")
					for i := range 4 {
						fmt.Fprintf(c, "%x\r\n%s\r\n", len(deadPress(i)), deadPress(i))
						time.Sleep(row.rest) // in a bubble
					}
					fmt.Fprint(c, "0\r\n\r\n")
				})
				text, _ := io.ReadAll(c)
				<-gone
				if n := strings.Count(string(text), `"verdict"`); n != row.answers ||
					!strings.HasSuffix(string(text), "0\r\n\r\n") {
					t.Errorf("%d answers, want %d:\n%s", n, row.answers, text)
				}
			})
		})
	}
}
