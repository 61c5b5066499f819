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

// Caller sends the requests of one brain: the one place with effects. It is an http.RoundTripper, so a
// vendor's client is given Client() and its own retries are switched off. A request is made again after 408,
// 409, 425, 429, any 5xx and after a connection that failed, stalled, cut the body or answered with something
// else than JSON; never after another status. What Retry-After says is waited for, and some time more; after
// five identical failures, or when the wait would outlast the context, the last answer is the answer.
type Caller struct {
	// Transport sends; nil is http.DefaultTransport.
	Transport http.RoundTripper
	// Limit holds requests back, attempts included; nil does not.
	Limit brain.Limiter
	// Attempt bounds one attempt, its body included; 0 is two minutes (a model that reasons long needs more).
	Attempt time.Duration
	// Same is how many identical failures in a row are the last; 0 is five.
	Same int
	// Secret is the key: it is taken out of every answer before somebody quotes, and cuts, what the server
	// repeats; "" is none.
	Secret string
	// Log is told of each attempt that is made again; nil is not. It gets neither key nor body.
	Log func(line string)
}

// CallerOf is the Caller of a provider's key under o.
func CallerOf(o brain.Options, key string) Caller {
	c := Caller{Transport: o.Transport, Log: o.Log, Secret: key}
	if o.Limit != nil {
		c.Limit = o.Limit(key)
	}
	return c
}

// Client is a client that sends through c. It follows no redirect: a redirect would take the key to another
// host.
func (c Caller) Client() *http.Client {
	return &http.Client{Transport: c,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// The policy's numbers: the first wait and the longest (the SDKs' own are 0.5 s and 8 s; half a minute suits
// an overloaded service better), and what an answer may hold.
const (
	firstWait      = 500 * time.Millisecond
	longestWait    = 30 * time.Second
	defaultAttempt = 2 * time.Minute
	defaultSame    = 5
	maxAnswer      = 64 << 20
)

// again is an attempt that failed in a way that another may not.
type again struct {
	why   string         // the same for identical failures
	after time.Duration  // what the server asked to wait
	resp  *http.Response // nil for a connection that failed
	err   error
}

func (a *again) Error() string { return a.why }

// floored adds the server's wait to a random, growing one.
type floored struct {
	*backoff.ExponentialBackOff
	floor time.Duration
}

func (f *floored) NextBackOff() time.Duration { return f.floor + f.ExponentialBackOff.NextBackOff() }

// RoundTrip satisfies http.RoundTripper. The body of the answer has been read.
func (c Caller) RoundTrip(req *http.Request) (*http.Response, error) {
	if strings.ContainsFunc(c.Secret, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		// as of a file's last line
		return nil, errors.New("the key holds a line break or another control character, which no header can")
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

// last is what the caller gets when no attempt follows: the server's answer, or an error that counts the
// tries.
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

// once is one attempt.
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
		return nil, fmt.Errorf("the answer is longer than %d bytes", maxAnswer)
	}
	got = redacted(got, resp.StatusCode, c.Secret)
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(got)), int64(len(got))
	if kind := resp.Header.Get("Content-Type"); Reveals(kind, c.Secret) {
		resp.Header.Set("Content-Type", Redact(kind, c.Secret))
	}
	return judged(resp, got)
}

// lost sorts what no answer came of. The end of the caller's own context is no fault of the connection.
func (c Caller) lost(ctx, attempt context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case attempt.Err() != nil:
		return &again{why: "no answer in time", err: attempt.Err()}
	}
	return &again{why: "the connection failed", err: err}
}

// noJSON is what is wrong with an answer that cannot be read at all, as of a proxy, or cut where nobody
// notices. Every API here answers with an object, so any other value is none either.
const noJSON = "the answer is no JSON object"

// judged is resp, or that it should be asked for again.
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
		// A null would be no reply at all to the vendors' clients, and their callers would meet a nil.
		if s == http.StatusOK && !(json.Valid(body) && bytes.HasPrefix(bytes.TrimSpace(body), []byte("{"))) {
			return nil, &again{why: noJSON, err: fmt.Errorf("%d bytes that begin %s", len(body),
				brain.Quoted(string(body), 60))}
		}
	}
	return resp, nil
}

// Said is what an answer that is an error says: the message that the vendor's client found, or where it knows
// none, as in the page of a wrong address, the body's beginning. The body is read up.
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

// maxRetryAfter bounds what a server may ask to wait: longer is as good as never.
const maxRetryAfter = 24 * time.Hour

// retryAfter is what the server asked to wait: Retry-After-Ms, or Retry-After in seconds or as a date; 0 is
// nothing that can be read, or the past.
func retryAfter(h http.Header, now time.Time) time.Duration {
	bound := func(d float64) time.Duration {
		if !(d > 0) { // what is no number too
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

// outlasts says whether waiting that long leaves no time for an answer.
func outlasts(ctx context.Context, wait time.Duration) bool {
	end, bounded := ctx.Deadline()
	return bounded && time.Until(end) <= wait
}

type attemptsKey struct{}

// tally is what is known of the attempts that were made for one request. It goes beside the vendor's client,
// which tells of the end of its context and nothing else.
type tally struct {
	attempts atomic.Int64
	last     atomic.Value // why the last one that failed did, a string
	body     body         // what the newest request was
}

// over is err of a request that has no time left, with what went wrong before.
func (n *tally) over(err error) error {
	if last, ok := n.last.Load().(string); ok && errors.Is(err, context.DeadlineExceeded) &&
		!strings.Contains(err.Error(), last) {
		return fmt.Errorf("%w after %d attempts; the last that ended: %s", err, n.attempts.Load(), last)
	}
	return err
}

// counting is ctx under which a Caller counts its attempts.
func counting(ctx context.Context) (context.Context, *tally) {
	n := new(tally)
	return context.WithValue(ctx, attemptsKey{}, n), n
}
