package server

import (
	"errors"
	"io"
	"net/http"
	"time"
)

const (
	// slowest is how long the client may take for a piece of a response; one that takes longer is dropped.
	slowest = 30 * time.Second
	// piece is the most that is written at once, bytes: the rate of a slow client is piece per slowest.
	piece = 16 << 10
	// quiet is how long a body of JSON lines may pause: an agent decides between two lines.
	quiet = 10 * time.Minute
)

// timely is a response whose client must read. The deadline is that of one piece and is taken back after it:
// in HTTP/2, one that passes between two writes would end the stream.
type timely struct {
	http.ResponseWriter
	to    *http.ResponseController // of ResponseWriter
	limit time.Duration
}

func newTimely(w http.ResponseWriter, limit time.Duration) *timely {
	return &timely{w, http.NewResponseController(w), limit}
}

// Unwrap is for http.ResponseController.
func (t *timely) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// Write writes p piece by piece.
func (t *timely) Write(p []byte) (n int, err error) {
	for {
		var wrote int
		err = t.within(func() error {
			wrote, err = t.ResponseWriter.Write(p[n:min(len(p), n+piece)])
			return err
		})
		if n += wrote; err != nil || n == len(p) {
			return n, err
		}
	}
}

// FlushError is for http.ResponseController.
func (t *timely) FlushError() error { return t.within(t.to.Flush) }

func (t *timely) within(do func() error) error {
	_ = t.to.SetWriteDeadline(time.Now().Add(t.limit))
	err := do()
	if err == nil {
		_ = t.to.SetWriteDeadline(time.Time{})
	}
	return err
}

// end bounds what net/http does after the handler: it sends what is left and reads the rest of the body.
func (t *timely) end() {
	at := time.Now().Add(t.limit)
	_ = t.to.SetWriteDeadline(at)
	_ = t.to.SetReadDeadline(at)
}

// cutBody is a body whose client must send. It remembers why it could not be read to its end.
type cutBody struct {
	in  io.Reader
	to  *http.ResponseController
	err error
}

func (b *cutBody) Read(p []byte) (int, error) {
	_ = b.to.SetReadDeadline(time.Now().Add(quiet))
	n, err := b.in.Read(p)
	_ = b.to.SetReadDeadline(time.Time{}) // what follows may take its time
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}
