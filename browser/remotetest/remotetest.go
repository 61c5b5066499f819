// Package remotetest runs a browser that is not the runner's own, and a network in front of it that fails.
// Only tests import it.
package remotetest

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	nobody = 65534
	// patience bounds the start of the browser.
	patience = time.Minute
)

// Browser is a headless shell behind a debugging port.
type Browser struct {
	Host string // address:port
	Path string // of the browser's endpoint
	Dir  string // its profile, which is in the command line of its process
}

// Start starts the browser at path. It is killed with the test.
func Start(t testing.TB, path string) *Browser {
	t.Helper()
	dir, err := os.MkdirTemp("", "cua-remote-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	cmd := exec.Command(path, "--remote-debugging-port=0", "--user-data-dir="+dir, "--no-first-run",
		"--hide-scrollbars", "--disable-gpu", "--disable-dev-shm-usage", "about:blank")
	cmd.Env = []string{"HOME=" + dir, "TMPDIR=" + dir, "PATH=" + os.Getenv("PATH")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Getuid() == 0 { // the sandbox needs a user that is not root
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		if err := os.Chown(dir, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	port := filepath.Join(dir, "DevToolsActivePort")
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		raw, err := os.ReadFile(port)
		if n, endpoint, ok := strings.Cut(string(bytes.TrimSpace(raw)), "\n"); err == nil && ok {
			return &Browser{Host: "127.0.0.1:" + n, Path: endpoint, Dir: dir}
		}
		if time.Now().After(end) {
			t.Fatal("the browser wrote no port")
		}
	}
}

// URL is the full WebSocket address at host.
func (b *Browser) URL(host string) string {
	return (&url.URL{Scheme: "ws", Host: host, Path: b.Path}).String()
}

// Network is a TCP proxy that can drop, stall and cut.
type Network struct {
	Host string // address:port

	to     string
	mu     sync.Mutex
	free   *sync.Cond
	open   map[net.Conn]bool
	stall  bool
	refuse bool
	left   int // bytes to the client until it is cut; negative is no limit
	dials  int
}

// NewNetwork stands in front of host until the test ends.
func NewNetwork(t testing.TB, host string) *Network {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &Network{Host: l.Addr().String(), to: host, open: map[net.Conn]bool{}, left: -1}
	n.free = sync.NewCond(&n.mu)
	t.Cleanup(func() { l.Close(); n.Stall(false); n.Drop() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go n.carry(c)
		}
	}()
	return n
}

func (n *Network) carry(c net.Conn) {
	n.mu.Lock()
	n.dials++
	refuse := n.refuse
	n.mu.Unlock()
	up, err := net.Dial("tcp", n.to)
	if err != nil || refuse {
		c.Close()
		if err == nil {
			up.Close()
		}
		return
	}
	n.mu.Lock()
	n.open[c], n.open[up] = true, true
	n.mu.Unlock()
	end := func() { c.Close(); up.Close() }
	go func() { defer end(); _, _ = io.Copy(gate{n, up, false}, c) }()
	go func() { defer end(); _, _ = io.Copy(gate{n, c, true}, up) }()
}

// gate is one direction.
type gate struct {
	n *Network
	net.Conn
	down bool // to the client
}

func (g gate) Write(b []byte) (int, error) {
	g.n.mu.Lock()
	for g.n.stall {
		g.n.free.Wait()
	}
	cut := false
	if g.down && g.n.left >= 0 {
		cut = len(b) >= g.n.left
		b = b[:min(len(b), g.n.left)]
		g.n.left -= len(b)
		if cut {
			g.n.left = -1
		}
	}
	g.n.mu.Unlock()
	k, err := g.Conn.Write(b)
	if cut {
		g.n.Drop()
		return k, io.ErrClosedPipe
	}
	return k, err
}

// Drop closes every connection.
func (n *Network) Drop() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.open {
		c.Close()
	}
	clear(n.open)
}

// Stall carries nothing until it is called with false. Connections stay open.
func (n *Network) Stall(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stall = on
	n.free.Broadcast()
}

// Refuse closes new connections at once.
func (n *Network) Refuse(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.refuse = on
}

// Cut closes every connection after so many more bytes to the client: in the middle of a frame, usually.
func (n *Network) Cut(after int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.left = after
}

// Dials is how many connections were asked for.
func (n *Network) Dials() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dials
}
