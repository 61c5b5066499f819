package egress

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// HAR is an HTTP Archive, version 1.2: what it is written as is JSON.
type HAR struct {
	Log HARLog `json:"log"`
}

// HARLog is the archive's one member.
type HARLog struct {
	Version string     `json:"version"`
	Creator HARCreator `json:"creator"`
	// Entries are in the order in which the requests came.
	Entries []HAREntry `json:"entries"`
	// Comment says how many requests were left out; "" is none.
	Comment string `json:"comment,omitzero"`
}

// HARCreator names the program that wrote the archive.
type HARCreator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// HAREntry is one request with its answer. A tunnel is one entry: what is inside is not read.
type HAREntry struct {
	Started time.Time `json:"startedDateTime"`
	// Time is the sum of Timings, ms.
	Time     float64     `json:"time"`
	Request  HARRequest  `json:"request"`
	Response HARResponse `json:"response"`
	Cache    struct{}    `json:"cache"`
	Timings  HARTimings  `json:"timings"`
	// Server is the address that was connected to; "" is unknown.
	Server string `json:"serverIPAddress,omitzero"`
	// Fault are the network faults that struck the request, by name and parted by commas; "" is none.
	Fault string `json:"_fault,omitzero"`
	// Error is why there is no answer, or not all of it: the browser's name for it, or what denied the
	// request; "" is none.
	Error string `json:"_error,omitzero"`
}

// HARRequest is what was asked. Bodies are not kept.
type HARRequest struct {
	Method  string    `json:"method"`
	URL     string    `json:"url"`
	Version string    `json:"httpVersion"`
	Cookies []HARPair `json:"cookies"`
	Headers []HARPair `json:"headers"`
	Query   []HARPair `json:"queryString"`
	// HeadersSize is always -1, unknown: the headers are those that were parsed. BodySize is in bytes.
	HeadersSize int64 `json:"headersSize"`
	BodySize    int64 `json:"bodySize"`
}

// HARResponse is the answer; its Status is 0 where there is none.
type HARResponse struct {
	Status      int        `json:"status"`
	StatusText  string     `json:"statusText"`
	Version     string     `json:"httpVersion"`
	Cookies     []HARPair  `json:"cookies"`
	Headers     []HARPair  `json:"headers"`
	Content     HARContent `json:"content"`
	RedirectURL string     `json:"redirectURL"`
	HeadersSize int64      `json:"headersSize"`
	BodySize    int64      `json:"bodySize"`
}

// HARPair is a header, a query parameter or a cookie.
type HARPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// HARContent says how large a body was, bytes as they came, and of what type.
type HARContent struct {
	Size int64  `json:"size"`
	Type string `json:"mimeType"`
}

// HARTimings are in ms; -1 does not apply. Blocked is what the proxy itself and a latency fault took, Connect
// has the name's resolution in it.
type HARTimings struct {
	Blocked float64 `json:"blocked"`
	DNS     float64 `json:"dns"`
	Connect float64 `json:"connect"`
	Send    float64 `json:"send"`
	Wait    float64 `json:"wait"`
	Receive float64 `json:"receive"`
	SSL     float64 `json:"ssl"`
}

// maxRecorded is how many bytes of addresses and headers a Recorder keeps.
const maxRecorded = 64 << 20

// entryBytes is about what an entry takes beside its addresses and headers.
const entryBytes = 1 << 10

// Recorder keeps what goes through the proxies that it is given to. The zero value is ready. Its methods may
// be called from several goroutines; those of a nil Recorder keep nothing.
type Recorder struct {
	mu      sync.Mutex
	entries []HAREntry
	bytes   int // that entries take, about
	left    int // requests beyond maxRecorded
}

// HAR is what was kept until now. Values of headers that carry credentials are left out.
func (r *Recorder) HAR(creator HARCreator) HAR {
	out := HAR{HARLog{Version: "1.2", Creator: creator, Entries: []HAREntry{}}}
	if r == nil {
		return out
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	out.Log.Entries = append(out.Log.Entries, r.entries...)
	slices.SortStableFunc(out.Log.Entries, func(a, b HAREntry) int { return a.Started.Compare(b.Started) })
	if r.left > 0 {
		out.Log.Comment = strings.TrimSpace(plural(r.left, "more request") + " did not fit in")
	}
	return out
}

func (r *Recorder) add(e HAREntry) {
	size := entryBytes + len(e.Request.URL)*2 // the query is there twice
	for _, h := range slices.Concat(e.Request.Headers, e.Response.Headers) {
		size += len(h.Name) + len(h.Value)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.bytes+size > maxRecorded {
		r.left++
		return
	}
	r.bytes += size
	r.entries = append(r.entries, e)
}

// credentials are headers whose values are credentials of the page's, which no redactor knows.
var credentials = []string{"Authorization", "Cookie", "Proxy-Authorization", "Set-Cookie", "Set-Cookie2"}

// harHeaders are h, sorted by name, without credentials.
func harHeaders(h http.Header) []HARPair {
	out := []HARPair{}
	for name, values := range h {
		for _, v := range values {
			if slices.Contains(credentials, name) {
				v = "[redacted]"
			}
			out = append(out, HARPair{name, v})
		}
	}
	slices.SortStableFunc(out, func(a, b HARPair) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// harQuery are the parameters of an address in their order; what cannot be unescaped stays as it is.
func harQuery(raw string) []HARPair {
	out := []HARPair{}
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		out = append(out, HARPair{unescaped(name), unescaped(value)})
	}
	return out
}

func unescaped(s string) string {
	if plain, err := url.QueryUnescape(s); err == nil {
		return plain
	}
	return s
}
