package wiretest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/runner/envtest"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Tap is a transport that reads every request before it goes over the network: the key belongs into one
// header, the value of a secret, and what is for people alone, into none. It is safe for use by several
// goroutines.
type Tap struct {
	// Key is the planted one, "" is none. Secrets are values by name; they may come to be known later.
	Key     string
	Secrets map[string]string

	mu     sync.Mutex
	n      int
	faults []string
	lines  []string
}

// RoundTrip satisfies http.RoundTripper.
func (p *Tap) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	p.n++
	p.faults = append(p.faults, p.wrong(r, body)...)
	p.mu.Unlock()
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	return http.DefaultTransport.RoundTrip(r)
}

// Log is for brain.Options.
func (p *Tap) Log(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines = append(p.lines, line)
}

// Faults are what was wrong with the requests, and with the lines of the log.
func (p *Tap) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.faults
	for _, line := range p.lines {
		if model.Reveals(line, p.Key) || trajectories.HoldsSecret(line, p.Secrets) != nil ||
			envtest.Sentinel(line) != "" {
			out = append(out, "the log holds the key, a secret or a sentinel")
		}
	}
	return out
}

// Requests is how many were read.
func (p *Tap) Requests() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.n
}

func (p *Tap) wrong(r *http.Request, body []byte) (out []string) {
	say := func(format string, args ...any) {
		out = append(out, fmt.Sprintf("request %d ", p.n)+fmt.Sprintf(format, args...))
	}
	headers := 0
	for _, values := range r.Header {
		text := strings.Join(values, " ")
		if p.Key != "" && strings.Contains(text, p.Key) {
			headers++
		}
		if err := trajectories.HoldsSecret(text, p.Secrets); err != nil {
			say("has a header: %v", err)
		}
	}
	if p.Key != "" && headers != 1 {
		say("has the key in %d headers", headers)
	}
	if model.Reveals(r.URL.String()+string(body), p.Key) {
		say("has the key in its address or its body")
	}
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		say("is no JSON: %v", err)
	}
	for _, text := range append(texts(v), r.URL.String()) {
		if s := envtest.Sentinel(text); s != "" {
			say("holds a sentinel: %q", s)
		}
		if err := trajectories.HoldsSecret(text, p.Secrets); err != nil {
			say("is not fit to be sent: %v", err)
		}
	}
	return out
}

// picture is from how many bytes without a space a text is taken for a picture, in which everything can be
// found.
const picture = 400

// texts are all that a body says, names of members included, decoded; pictures are left out.
func texts(v any) []string {
	switch v := v.(type) {
	case string:
		if len(v) < picture || strings.Contains(v, " ") {
			return []string{v}
		}
	case []any:
		var out []string
		for _, e := range v {
			out = append(out, texts(e)...)
		}
		return out
	case map[string]any:
		var out []string
		for name, e := range v {
			out = append(append(out, `"`+name+`":`), texts(e)...)
		}
		return out
	}
	return nil
}
