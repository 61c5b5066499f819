package cdp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

const (
	// lineTimeout is how long a command may take to write the address of a browser.
	lineTimeout = 60 * time.Second
	// maxLine caps the address, maxVersion the answer at /json/version, bytes.
	maxLine, maxVersion = 8 << 10, 64 << 10
	// secretLength is how long a part of an address must be to be taken for a secret.
	secretLength = 6
)

// Address is where the DevTools endpoint of a browser is, with what only the endpoint may know.
type Address struct {
	u             *url.URL
	authorization string
}

// ParseAddress reads an address. No error repeats it.
func ParseAddress(raw, authorization string) (Address, error) {
	u, err := url.Parse(strings.TrimSpace(raw))
	switch {
	case err != nil || u.Host == "" || u.Hostname() == "":
		return Address{}, fmt.Errorf("expected an address ws://…, wss://… or http://… with a host, "+
			"found %d bytes that are none", len(raw))
	case u.Scheme != "ws" && u.Scheme != "wss" && u.Scheme != "http":
		return Address{}, fmt.Errorf("expected the scheme ws, wss or http of the address at %s, found %q",
			u.Host, u.Scheme)
	}
	a := Address{u, authorization}
	if authorization != "" && a.asks() {
		return Address{}, fmt.Errorf("expected the full WebSocket address "+
			"(ws://HOST:PORT/devtools/browser/ID), as an Authorization header is sent with it alone; "+
			"found %s without a path", a)
	}
	return a, nil
}

// asks says that the path must be asked for.
func (a Address) asks() bool {
	return a.u.Scheme == "http" || a.u.Scheme == "ws" && strings.Trim(a.u.Path, "/") == "" &&
		a.u.RawQuery == ""
}

// String is the address without user, path and query.
func (a Address) String() string { return a.u.Scheme + "://" + a.u.Host }

// Secrets are the header, the user, the path and the query: each whole, and the values in them. Shorter parts
// are words and numbers that occur everywhere.
func (a Address) Secrets() (out []string) {
	for _, s := range a.parts() {
		if len(s) >= secretLength {
			out = append(out, s)
		}
	}
	return out
}

// parts are Secrets of any length.
func (a Address) parts() (out []string) {
	all := []string{a.authorization, a.u.RawQuery, a.u.Path, a.u.Fragment}
	if _, token, ok := strings.Cut(a.authorization, " "); ok {
		all = append(all, token)
	}
	all = append(all, strings.Split(a.u.Path, "/")...)
	if a.u.User != nil {
		password, _ := a.u.User.Password()
		all = append(all, a.u.User.String(), a.u.User.Username(), password)
	}
	for name, values := range a.u.Query() {
		all = append(append(all, name), values...)
	}
	for _, s := range all {
		if s != "" && s != "/" && s != "devtools" && s != "browser" && s != "page" {
			out = append(out, s)
		}
	}
	return out
}

// Dial connects. The error repeats nothing of the address but scheme and host.
func (a Address) Dial(ctx context.Context) (chromedp.Transport, error) {
	to := *a.u
	if a.asks() {
		path, query, err := a.discover(ctx)
		if err != nil {
			return nil, a.clean(err)
		}
		to.Scheme, to.Path, to.RawQuery = "ws", path, cmp.Or(query, a.u.RawQuery)
	}
	header := http.Header{}
	if a.authorization != "" {
		header.Set("Authorization", a.authorization)
	} else if user := to.User; user != nil {
		password, _ := user.Password()
		r := http.Request{Header: header}
		r.SetBasicAuth(user.Username(), password)
	}
	to.User, to.Fragment = nil, ""
	conn, err := remote.DialContext(ctx, to.String(), remote.WithConnHTTPHeader(header))
	if err != nil {
		return nil, a.clean(err)
	}
	return &socket{conn}, nil
}

// clean is err without what the endpoint alone may know. The wrapped error is left out, because it may repeat
// the address.
func (a Address) clean(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	text := err.Error()
	for _, s := range a.Secrets() {
		text = strings.ReplaceAll(text, s, "…")
	}
	if a.shows(text) {
		text = "the other side's words are left out: they have a part of the address"
	}
	if len(text) > 300 { // this package may not import cua, which has ClipBytes
		text = text[:300] + "…"
	}
	return errors.New(strings.ToValidUTF8(text, ""))
}

// shows says whether text, without the host, has a part of the address as a word. One that is short cannot be
// replaced: it may stand for itself.
func (a Address) shows(text string) bool {
	text = strings.NewReplacer(a.u.Host, " ", a.u.Hostname(), " ").Replace(text)
	for _, s := range a.parts() {
		word, err := regexp.Compile(`(^|[^\pL\pN])` + regexp.QuoteMeta(s) + `($|[^\pL\pN])`)
		if err != nil || word.MatchString(text) { // it is no UTF-8
			return true
		}
	}
	return false
}

// discover asks for the path and the query of the browser's endpoint. The query of the address goes along: a
// provider may take its token there. Chromium answers only where the host is an IP address
// or localhost.
func (a Address) discover(ctx context.Context) (path, query string, err error) {
	at := url.URL{Scheme: "http", Host: a.u.Host, User: a.u.User, Path: "/json/version",
		RawQuery: a.u.RawQuery}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return "", "", err
	}
	if name := a.u.Hostname(); net.ParseIP(name) == nil && name != "localhost" {
		req.Host = "localhost"
	}
	client := http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return "", "", err
	}
	defer res.Body.Close()
	var version struct {
		Address string `json:"webSocketDebuggerUrl"`
	}
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxVersion))
	if err != nil {
		return "", "", err
	}
	if res.StatusCode != http.StatusOK || json.Unmarshal(raw, &version) != nil || version.Address == "" {
		return "", "", fmt.Errorf("expected webSocketDebuggerUrl in the JSON at /json/version, "+
			"found status %d and %d bytes without it", res.StatusCode, len(raw))
	}
	u, err := url.Parse(version.Address)
	if err != nil {
		return "", "", errors.New("the webSocketDebuggerUrl at /json/version is no address")
	}
	return u.Path, u.RawQuery, nil
}

// socket is a WebSocket as a transport whose writes have a deadline, and whose end is not waited for.
type socket struct{ *remote.Conn }

func (s *socket) Write(ctx context.Context, m *cdproto.Message) error {
	late := time.AfterFunc(WriteTimeout, func() { _ = s.Conn.Close() })
	defer late.Stop()
	return s.Conn.Write(ctx, m)
}

// Close ends the socket: a peer that does not answer is not waited for.
func (s *socket) Close() error {
	go s.Conn.Close() //nolint:errcheck // it is bounded, and nobody needs the result
	return nil
}

// FirstLine runs a command of the shell in a process group of its own and returns the first line of its
// output. The command runs on until it is killed; what it writes later is read and dropped. No error repeats
// what it wrote: that may be a secret.
func FirstLine(ctx context.Context, command string) (*Process, string, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	p := &Process{Output: &Tail{}, Exited: make(chan struct{})}
	p.cmd = exec.Command("/bin/sh", "-c", command)
	p.cmd.Stdout = w
	p.cmd.WaitDelay = time.Second
	p.cmd.SysProcAttr = processAttr(-1)
	err = p.run()
	w.Close()
	if err != nil {
		r.Close()
		return nil, "", fmt.Errorf("starting the command: %w", err)
	}
	type read struct {
		line []byte
		err  error
	}
	got := make(chan read, 1)
	go func() {
		defer r.Close()
		in := bufio.NewReaderSize(r, maxLine)
		line, err := in.ReadSlice('\n')
		got <- read{bytes.Clone(line), err}
		_, _ = io.Copy(io.Discard, in)
	}()
	ctx, cancel := context.WithTimeout(ctx, lineTimeout)
	defer cancel()
	select {
	case l := <-got:
		if l.err == nil || errors.Is(l.err, io.EOF) && len(l.line) > 0 {
			return p, strings.TrimSpace(string(l.line)), nil
		}
		err = errors.New("expected an address on the first line of the command's output, found none")
		if errors.Is(l.err, bufio.ErrBufferFull) {
			err = fmt.Errorf("the first line of the command's output is longer than %d bytes", maxLine)
		}
	case <-ctx.Done():
		err = fmt.Errorf("waiting for the first line of the command's output: %w", ctx.Err())
	}
	p.Kill()
	return nil, "", fmt.Errorf("%w (%s)", err, p.cmd.ProcessState)
}
