package egress

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
)

// errHeard ends a handshake that is only listened to.
var errHeard = errors.New("egress: the hello was read")

// hello reads the first message of a TLS client from c: the server's name that it asks for, "" where it asks
// for none, and the bytes that were read. The error says that what came is no such message.
func hello(c io.Reader) (name string, read []byte, err error) {
	var seen bytes.Buffer
	err = tls.Server(&listener{r: io.TeeReader(c, &seen)}, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name = h.ServerName
			return nil, errHeard
		}}).Handshake()
	if errors.Is(err, errHeard) {
		err = nil
	}
	return name, seen.Bytes(), err
}

// listener is a connection that hears and does not speak.
type listener struct {
	net.Conn // nil: nothing else of it is called
	r        io.Reader
}

func (l *listener) Read(b []byte) (int, error)  { return l.r.Read(b) }
func (l *listener) Write(b []byte) (int, error) { return len(b), nil }
func (l *listener) Close() error                { return nil }
