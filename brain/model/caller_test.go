package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"
)

// sender answers requests without a network, so that time is that of the bubble.
type sender func(n int, r *http.Request) (*http.Response, error)

type counted struct {
	n    int
	send sender
	at   []time.Duration // since the first
	from time.Time
}

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	if c.n == 0 {
		c.from = time.Now()
	}
	c.n++
	c.at = append(c.at, time.Since(c.from))
	return c.send(c.n, r)
}

func answer(status int, body string, headers ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}

// torn is a body that ends before it should.
type torn struct{ io.Reader }

func (t torn) Read(p []byte) (int, error) {
	n, err := t.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
func (torn) Close() error { return nil }

func TestRetries(t *testing.T) {
	ok := func() (*http.Response, error) { return answer(200, "{}"), nil }
	first := func(resp func(r *http.Request) (*http.Response, error)) sender {
		return func(n int, r *http.Request) (*http.Response, error) {
			if n == 1 {
				return resp(r)
			}
			return ok()
		}
	}
	status := func(code int, headers ...string) sender {
		return first(func(*http.Request) (*http.Response, error) { return answer(code, `{"error":{}}`, headers...), nil })
	}
	always := func(code int) sender {
		return func(int, *http.Request) (*http.Response, error) { return answer(code, "{}"), nil }
	}
	stall := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	for _, row := range []struct {
		name     string
		send     sender
		attempts int
		status   int           // 0: an error
		least    time.Duration // before the second attempt
	}{
		{"the first answer", func(int, *http.Request) (*http.Response, error) { return ok() }, 1, 200, 0},
		{"408", status(408), 2, 200, firstWait / 2},
		{"409", status(409), 2, 200, firstWait / 2},
		{"425", status(425), 2, 200, firstWait / 2},
		{"429", status(429), 2, 200, firstWait / 2},
		{"429, so many seconds", status(429, "Retry-After", "7"), 2, 200, 7*time.Second + firstWait/2},
		{"429, so many milliseconds", status(429, "Retry-After-Ms", "1500"), 2, 200, 1500*time.Millisecond + firstWait/2},
		{"429, a date", first(func(*http.Request) (*http.Response, error) {
			return answer(429, "{}", "Retry-After",
				time.Now().Add(9*time.Second).UTC().Format(http.TimeFormat)), nil
		}), 2, 200, 8*time.Second + firstWait/2},
		{"429, a date that is past", status(429, "Retry-After", "Tue, 02 Jan 1990 15:04:05 GMT"), 2, 200, firstWait / 2},
		{"429, longer than there is time", status(429, "Retry-After", "100000"), 1, 429, 0},
		{"500", status(500), 2, 200, firstWait / 2},
		{"529", status(529), 2, 200, firstWait / 2},
		{"500 without end", always(500), 5, 500, firstWait / 2},
		{"529 without end", always(529), 5, 529, firstWait / 2},
		{"two kinds of fault in turn", func(n int, _ *http.Request) (*http.Response, error) { return answer(500+n%2, "{}"), nil }, 15, 501, firstWait / 2},
		{"400", always(400), 1, 400, 0},
		{"401", always(401), 1, 401, 0},
		{"403", always(403), 1, 403, 0},
		{"404", always(404), 1, 404, 0},
		{"413", always(413), 1, 413, 0},
		{"422", always(422), 1, 422, 0},
		{"a redirect", func(int, *http.Request) (*http.Response, error) {
			return answer(302, "", "Location", "https://evil.test"), nil
		}, 1, 0, 0},
		{"a connection that fails", first(func(*http.Request) (*http.Response, error) { return nil, errors.New("refused") }), 2, 200, firstWait / 2},
		{"no connection at all", func(int, *http.Request) (*http.Response, error) { return nil, errors.New("refused") }, 5, 0, firstWait / 2},
		{"a body that is cut", first(func(*http.Request) (*http.Response, error) {
			r := answer(200, "")
			r.Body = torn{strings.NewReader(`{"candidates":[`)}
			return r, nil
		}), 2, 200, firstWait / 2},
		{"an attempt that stalls", first(stall), 2, 200, defaultAttempt},
		{"a page in place of JSON", first(func(*http.Request) (*http.Response, error) {
			return answer(200, "<html>", "Content-Type", "text/html"), nil
		}), 2, 200, firstWait / 2},
		{"a null in place of an answer", first(func(*http.Request) (*http.Response, error) { return answer(200, " null"), nil }), 2, 200, firstWait / 2},
		{"a list in place of an answer", first(func(*http.Request) (*http.Response, error) { return answer(200, "[{}]"), nil }), 2, 200, firstWait / 2},
		{"a page without end", func(int, *http.Request) (*http.Response, error) {
			return answer(200, "<html>", "Content-Type", "text/html"), nil
		}, 5, 0, firstWait / 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wire := &counted{send: row.send}
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				ctx, attempts := counting(ctx)
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, "https://api.test/v1",
					strings.NewReader("body"))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := Caller{Transport: wire}.Client().Do(req)
				got := 0
				if err == nil {
					got = resp.StatusCode
					resp.Body.Close()
				}
				if got != row.status || wire.n != row.attempts ||
					int(attempts.attempts.Load()) != row.attempts {
					t.Errorf("%d after %d attempts (%d counted), %v; want %d after %d", got, wire.n,
						attempts.attempts.Load(), err, row.status, row.attempts)
				}
				if len(wire.at) > 1 && wire.at[1] < row.least {
					t.Errorf("the second attempt came after %s, want %s at least", wire.at[1], row.least)
				}
			})
		})
	}
}

func TestEveryAttemptHasTheWholeBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &counted{send: func(n int, r *http.Request) (*http.Response, error) {
			body, err := io.ReadAll(r.Body)
			if err != nil || string(body) != "the body" || r.ContentLength != 8 {
				t.Errorf("attempt %d: %q %v", n, body, err)
			}
			return answer(map[bool]int{true: 200, false: 503}[n == 3], "{}"), nil
		}}
		var said []string
		c := Caller{Transport: wire, Log: func(line string) { said = append(said, line) }}
		resp, err := c.Client().Post("https://api.test/v1", "application/json", strings.NewReader("the body"))
		if err != nil || resp.StatusCode != 200 {
			t.Fatal(resp, err)
		}
		if len(said) != 2 || !strings.HasPrefix(said[0], "api.test: 503 Service Unavailable; again in ") ||
			!strings.HasSuffix(said[1], "(attempt 3)") {
			t.Errorf("said %q", said)
		}
	})
}

func TestTheCallersContextEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &counted{send: func(int, *http.Request) (*http.Response, error) {
			return answer(503,
				"{}"), nil
		}}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.test/", nil)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err = (Caller{Transport: wire, Same: 1000}).Client().Do(req); !errors.Is(err,
			context.Canceled) {
			t.Error(err)
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("it took %s", d)
		}
	})
}

func TestOneLimiterHoldsAllBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := &counted{send: func(int, *http.Request) (*http.Response, error) {
			return answer(200,
				"{}"), nil
		}}
		limit := rate.NewLimiter(rate.Every(time.Second), 1)
		start := time.Now()
		for range 2 { // two brains with one key
			c := Caller{Transport: wire, Limit: limit}.Client()
			for range 3 {
				if _, err := c.Get("https://api.test/"); err != nil {
					t.Fatal(err)
				}
			}
		}
		if d := time.Since(start); d != 5*time.Second {
			t.Errorf("six requests took %s", d)
		}
	})
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"", "1", "-5", "1e300", "NaN", "Inf", "Mon, 02 Jan 2006 15:04:05 GMT",
		"soon", "0x10"} {
		f.Add(s, s)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, after, ms string) {
		h := http.Header{"Retry-After": {after}, "Retry-After-Ms": {ms}}
		if d := retryAfter(h, now); d < 0 || d > maxRetryAfter {
			t.Error(fmt.Sprint(d), after, ms)
		}
	})
}

// TestWhatAnErrorSays: the vendor's message, or where its client finds none the body, so that a wrong address
// is told from a wrong model.
func TestWhatAnErrorSays(t *testing.T) {
	for _, row := range []struct {
		name, message string
		resp          *http.Response
		want          string
	}{
		{"a message", "no such model", answer(404, `{"error":{"message":"no such model"}}`), "no such model"},
		{"another server's words", "", answer(404, `{"detail":"Not Found"}`), `{"detail":"Not Found"}`},
		{"a page", "", answer(404, "404 page not found\n"), "404 page not found"},
		{"a long page", "", answer(404, strings.Repeat("x", 5000)), strings.Repeat("x", 1024)},
		{"no body", "", nil, ""},
	} {
		if got := Said(row.message, row.resp); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// TestAKeyThatNoHeaderCanHold is said at once, and not tried five times.
func TestAKeyThatNoHeaderCanHold(t *testing.T) {
	for _, row := range []struct {
		key  string
		sent int
	}{{"sk-0123456789", 1}, {"sk-0123 é\t9", 1}, {"sk-0123456789\n", 0}, {"sk-\x7f", 0}} {
		from := &counted{send: func(int, *http.Request) (*http.Response, error) {
			return answer(200,
				"{}"), nil
		}}
		resp, err := Caller{Transport: from, Secret: row.key}.Client().Post("https://a.test/",
			"application/json", strings.NewReader("{}"))
		if err == nil {
			resp.Body.Close() //nolint:errcheck // it has been read
		}
		if from.n != row.sent || (err != nil) != (row.sent == 0) || err != nil &&
			(!strings.Contains(err.Error(), "control character") || strings.Contains(err.Error(), "sk-")) {
			t.Errorf("%q: %d requests, error %v", row.key, from.n, err)
		}
	}
}
