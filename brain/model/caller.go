package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// Caller sends the requests of one brain; all its effects are here. It is an http.RoundTripper: a vendor's
// client gets Client() and has its own retries switched off. A request is repeated after status 408, 409,
// 425, 429 and any 5xx, and after a connection that failed, stalled, truncated the body or returned
// something other than JSON. It is never repeated after another status. The delay is Retry-After plus a
// backoff. After five identical failures, or if the delay would exceed the deadline of the context, the
// last response is returned.
type Caller struct {
	// Transport sends the requests; nil means http.DefaultTransport.
	Transport http.RoundTripper
	// Limit delays every attempt; nil means no limit.
	Limit brain.Limiter
	// Attempt is the time limit of one attempt, including its body; 0 means two minutes. A model that
	// reasons for long needs more.
	Attempt time.Duration
	// Same is the number of identical failures in a row after which no attempt follows; 0 means five.
	Same int
	// Secret is the key. It is redacted in every response before anything of the response is quoted or
	// cut; "" means none.
	Secret string
	// Log receives a line for each retry; it may be nil. The line contains neither key nor body.
	Log func(line string)
}

// CallerOf returns the Caller for a key under the options o.
func CallerOf(o brain.Options, key string) Caller {
	c := Caller{Transport: o.Transport, Log: o.Log, Secret: key}
	if o.Limit != nil {
		c.Limit = o.Limit(key)
	}
	return c
}

// Client returns a client that sends through c. It follows no redirect, which would send the key to
// another host.
func (c Caller) Client() *http.Client {
	return &http.Client{Transport: c,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Numbers of the retry policy: the first and the longest delay (the SDKs use 0.5 s and 8 s; 30 s suits an
// overloaded service better), and the limit of a response.
const (
	firstWait      = 500 * time.Millisecond
	longestWait    = 30 * time.Second
	defaultAttempt = 2 * time.Minute
	defaultSame    = 5
	maxAnswer      = 64 << 20
)

// again is an attempt that failed in a way that permits a retry.
type again struct {
	why   string         // equal for identical failures
	after time.Duration  // the delay that the server asked for
	resp  *http.Response // nil if the connection failed
	err   error
}

func (a *again) Error() string { return a.why }

// floored is a backoff that adds the delay that the server asked for to an exponential delay.
type floored struct {
	*backoff.ExponentialBackOff
	floor time.Duration
}

func (f *floored) NextBackOff() time.Duration { return f.floor + f.ExponentialBackOff.NextBackOff() }

// RoundTrip implements http.RoundTripper. The body of the response has been read completely.
func (c Caller) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.ContainsFunc(c.Secret, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		// for example the line break at the end of a key file
		return nil, errors.New("the key contains a line break or another control character, " +
			"which no header may contain")
	}
	body, err := bodyOf(req)
	if err != nil {
		return nil, err
	}
	Sending(req.Context(), body)
	wait := &floored{ExponentialBackOff: &backoff.ExponentialBackOff{InitialInterval: firstWait,
		MaxInterval: longestWait, Multiplier: 2, RandomizationFactor: 0.5}}
	same, last, tries := 0, "", 0
	most := c.Same
	if most < 1 {
		most = defaultSame
	}
	var failed *again
	resp, err := backoff.Retry(req.Context(), func() (*http.Response, error) {
		tries++
		resp, err := c.once(req, body)
		if !errors.As(err, &failed) {
			if err != nil {
				return nil, backoff.Permanent(err)
			}
			return resp, nil
		}
		if failed.why != last {
			same, last = 0, failed.why
		}
		same++
		if n, ok := req.Context().Value(attemptsKey{}).(*tally); ok {
			n.last.Store(failed.why)
		}
		wait.floor = failed.after
		if same >= most || outlasts(req.Context(), failed.after) {
			return nil, backoff.Permanent(err)
		}
		return nil, err
	}, backoff.WithBackOff(wait), backoff.WithMaxElapsedTime(0), backoff.WithMaxTries(uint(3*most)),
		backoff.WithNotify(func(err error, d time.Duration) {
			if c.Log != nil {
				c.Log(fmt.Sprintf("%s: %v; again in %s (attempt %d)", req.URL.Host, err,
					d.Round(100*time.Millisecond), tries+1))
			}
		}))
	if over := (*again)(nil); errors.As(err, &over) {
		return over.last(tries)
	}
	return resp, err
}

// last is the result if no attempt follows: the response of the server, or an error with the number of
// attempts.
func (a *again) last(tries int) (*http.Response, error) {
	if a.resp != nil {
		return a.resp, nil
	}
	return nil, fmt.Errorf("%s, %d attempts: %w", a.why, tries, a.err)
}

func bodyOf(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	return io.ReadAll(req.Body)
}

// once makes one attempt.
func (c Caller) once(req *http.Request, body []byte) (*http.Response, error) {
	ctx := req.Context()
	if c.Limit != nil {
		if err := c.Limit.Wait(ctx); err != nil {
			return nil, err
		}
	}
	if n, ok := ctx.Value(attemptsKey{}).(*tally); ok {
		n.attempts.Add(1)
	}
	limit := c.Attempt
	if limit <= 0 {
		limit = defaultAttempt
	}
	attempt, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r := req.Clone(attempt)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if len(body) == 0 {
		r.Body = http.NoBody
	}
	transport := c.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	resp, err := transport.RoundTrip(r)
	if err != nil {
		return nil, c.lost(ctx, attempt, err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return nil, c.lost(ctx, attempt, err)
	}
	if len(got) > maxAnswer {
		return nil, fmt.Errorf("the response is longer than %d bytes", maxAnswer)
	}
	got = redacted(got, resp.StatusCode, c.Secret)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(got)), int64(len(got))
	if kind := resp.Header.Get("Content-Type"); Reveals(kind, c.Secret) {
		resp.Header.Set("Content-Type", Redact(kind, c.Secret))
	}
	return judged(resp, got)
}

// lost classifies an attempt without a response. The end of the caller's own context is not a failure of
// the connection.
func (c Caller) lost(ctx, attempt context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case attempt.Err() != nil:
		return &again{why: "no answer in time", err: attempt.Err()}
	}
	return &again{why: "the connection failed", err: err}
}

// noJSON is the reason for a response that is not JSON, for example of a proxy, or truncated without
// notice. Every API here returns an object, so any other JSON value is invalid too.
const noJSON = "the answer is no JSON object"

// judged returns resp, or an error that permits a retry.
func judged(resp *http.Response, body []byte) (*http.Response, error) {
	switch s := resp.StatusCode; {
	case s == http.StatusRequestTimeout, s == http.StatusConflict, s == http.StatusTooEarly,
		s == http.StatusTooManyRequests, s >= 500:
		return nil, &again{why: strings.TrimSpace(fmt.Sprintf("%d %s", s, http.StatusText(s))),
			after: retryAfter(resp.Header, time.Now()), resp: resp}
	case s >= 300 && s < 400:
		return nil, fmt.Errorf("the server redirects to another address (%d): give that address", s)
	case s < 300:
		if kind := resp.Header.Get("Content-Type"); kind != "" && !isJSON(kind) {
			return nil, &again{why: noJSON, err: fmt.Errorf("content type %s",
				strconv.Quote(cua.ClipBytes(kind, 40)))}
		}
		// The vendors' clients would turn a null into a nil reply.
		if s == http.StatusOK && !(json.Valid(body) && bytes.HasPrefix(bytes.TrimSpace(body), []byte("{"))) {
			return nil, &again{why: noJSON, err: fmt.Errorf("%d bytes that begin %s", len(body),
				brain.Quoted(string(body), 60))}
		}
	}
	return resp, nil
}

// Said is the message of an error response: the message that the vendor's client found, otherwise the
// beginning of the body, for example of the page at a wrong address. It reads the rest of the body.
func Said(message string, resp *http.Response) string {
	if message != "" || resp == nil || resp.Body == nil {
		return message
	}
	const enough = 1 << 10
	body, err := io.ReadAll(io.LimitReader(resp.Body, enough))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(strings.ToValidUTF8(string(body), ""))
}

func isJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasSuffix(kind, "+json"))
}

// maxRetryAfter is the longest accepted delay of a server.
const maxRetryAfter = 24 * time.Hour

// retryAfter is the delay that the server asks for: Retry-After-Ms, or Retry-After in seconds or as a
// date. It is 0 if there is none, if it cannot be parsed, or if it is in the past.
func retryAfter(h http.Header, now time.Time) time.Duration {
	bound := func(d float64) time.Duration {
		if !(d > 0) { // also true for NaN
			return 0
		}
		return time.Duration(min(d, float64(maxRetryAfter)))
	}
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return bound(ms * float64(time.Millisecond))
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return bound(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return bound(float64(at.Sub(now)))
	}
	return 0
}

// outlasts reports whether that delay leaves no time for a response.
func outlasts(ctx context.Context, wait time.Duration) bool {
	end, bounded := ctx.Deadline()
	return bounded && time.Until(end) <= wait
}

type attemptsKey struct{}

// tally counts the attempts of one request. It exists beside the vendor's client, which reports only the
// end of its context.
type tally struct {
	attempts atomic.Int64
	last     atomic.Value // reason of the last failed attempt, a string
	body     body         // body of the newest request
}

// over is err of a request whose time is over, together with the failure before it.
func (n *tally) over(err error) error {
	if last, ok := n.last.Load().(string); ok && errors.Is(err, context.DeadlineExceeded) &&
		!strings.Contains(err.Error(), last) {
		return fmt.Errorf("%w after %d attempts; the last that ended: %s", err, n.attempts.Load(), last)
	}
	return err
}

// counting returns a context under which a Caller counts its attempts.
func counting(ctx context.Context) (context.Context, *tally) {
	n := new(tally)
	return context.WithValue(ctx, attemptsKey{}, n), n
}
