package server

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
)

// A request whose body comes after the server began to shut down is not accepted: its folder would be written
// when another server may have it.
func TestABodyThatComesWhileItShutsDown(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	body, err := json.Marshal(asked("three"))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	// 100 Continue says that the server has begun to read the body
	fmt.Fprintf(conn, "POST /v1/cua HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n"+
		"Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", aToken,
		len(body))
	in := bufio.NewReader(conn)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100 Continue") {
		t.Fatalf("%q (%v)", line, err)
	}
	if _, err := in.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	s.server.Drain(t.Context())
	if _, err := conn.Write(body); err != nil {
		t.Fatal(err)
	}
	got, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("%s, %v", got.Status, got.Header)
	}
	if n := len(s.server.tenants[0].all()); n != 0 {
		t.Errorf("%d episodes were accepted", n)
	}
}
