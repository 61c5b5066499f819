package cdp

import (
	"bufio"
	"context"
	"io"
	"net"
	"strings"
	"testing"
)

// A peer that repeats what it was asked for: no part of the address is in the error, however short. What it
// says besides is kept where nothing of the address is in it.
func TestErrorsRepeatNoAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	says := make(chan string, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = bufio.NewReader(c).ReadString('\n')
			_, _ = io.WriteString(c, <-says)
			c.Close()
		}
	}()
	host := l.Addr().String()
	const left = "the other side's words are left out"
	for _, row := range []struct{ name, address, says, want string }{
		{"a long token", "ws://" + host + "/devtools/browser/3f9a2c71", "no 3f9a2c71", `status code "…"`},
		{"a short path", "ws://" + host + "/pw/x7", "no x7", left},
		{"a short password", "ws://me:q9z@" + host + "/devtools/browser/a", "not q9z", left},
		{"a short token", "ws://" + host + "/devtools/browser/?t=k4w1", "no token=k4w1", left},
		{"a short token, asked at /json/version", "http://" + host + "?t=k4w1", "no k4w1", left},
		{"another word that begins with it", "ws://" + host + "/pw/x7", "no x77", `status code "x77"`},
		{"the host", "ws://" + host + "/127/0", "no " + host, "status code \"" + host},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, err := ParseAddress(row.address, "")
			if err != nil {
				t.Fatal(err)
			}
			says <- row.says + "\r\n\r\n"
			if _, err = a.Dial(context.Background()); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("the error is %v, want %q in it", err, row.want)
			}
		})
	}
}
