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

// Tap is a transport that checks every request before it is sent: the key must be in exactly one header,
// and values of secrets and texts for people only in none. It is safe for use by several goroutines.
type Tap struct {
	// Key is the planted key; "" means none. Secrets are values by name; more may become known later.
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

// Faults are the errors in the requests and in the lines of the log.
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

// Requests is the number of checked requests.
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

// picture is the length, in bytes without a space, from which a text counts as a picture, in which any
// text can occur by chance.
const picture = 400

// texts are all decoded texts of a body, including the names of members, without pictures.
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
