package remotetest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
)

// NewRefusing stands in front of host until the test ends, as a browser that lacks a method of DevTools: what
// is called so is answered with the browser's own error, that there is no such method. The result is
// address:port.
func NewRefusing(t testing.TB, host, method string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go refusing(c, host, []byte(`"`+method+`"`))
		}
	}()
	return l.Addr().String()
}

func refusing(c net.Conn, host string, method []byte) {
	defer c.Close()
	up, err := net.Dial("tcp", host)
	if err != nil {
		return
	}
	defer up.Close()
	go func() {
		defer c.Close()
		_, _ = io.Copy(c, up)
	}()
	in := bufio.NewReader(c)
	for first := true; ; first = false { // the handshake has no body
		line, err := in.ReadBytes('\n')
		if _, err2 := up.Write(line); errors.Join(err, err2) != nil {
			return
		}
		if !first && len(bytes.TrimSpace(line)) == 0 {
			break
		}
	}
	for {
		if err := frame(in, up, method); err != nil {
			return
		}
	}
}

// frame carries one frame of a client. A method in it gets another name of the same length.
func frame(in *bufio.Reader, up io.Writer, method []byte) error {
	head := make([]byte, 2, 14)
	if _, err := io.ReadFull(in, head); err != nil {
		return err
	}
	n := uint64(head[1] & 0x7f)
	more := map[uint64]int{126: 2, 127: 8}[n]
	head = head[:2+more+4] // a client masks
	if _, err := io.ReadFull(in, head[2:]); err != nil {
		return err
	}
	switch more {
	case 2:
		n = uint64(binary.BigEndian.Uint16(head[2:]))
	case 8:
		n = binary.BigEndian.Uint64(head[2:])
	}
	body, mask := make([]byte, n), head[2+more:]
	if _, err := io.ReadFull(in, body); err != nil {
		return err
	}
	xor(body, mask)
	other := append([]byte(`"`), bytes.Repeat([]byte("x"), len(method)-2)...)
	body = bytes.Replace(body, method, append(other, '"'), 1)
	xor(body, mask)
	_, err := up.Write(append(head, body...))
	return err
}

func xor(b, mask []byte) {
	for i := range b {
		b[i] ^= mask[i%4]
	}
}
