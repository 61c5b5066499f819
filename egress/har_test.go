package egress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cua-runner/cua-runner/cua"
)

// recorded is a proxy with those options, a client that goes through it, and how to read what it recorded: a
// HAR that holds to the format.
func recorded(t *testing.T, policy Policy, o Options) (p *Proxy, c *http.Client, har func() HARLog) {
	t.Helper()
	o.Record = new(Recorder)
	p, err := Listen(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	p.Permit(policy)
	at := &url.URL{Scheme: "http", Host: p.Address(), User: url.UserPassword(p.Credential())}
	tr := &http.Transport{Proxy: http.ProxyURL(at), DisableCompression: true}
	t.Cleanup(tr.CloseIdleConnections)
	c = &http.Client{Transport: tr,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return p, c, func() HARLog {
		t.Helper()
		tr.CloseIdleConnections()
		if err := p.Close(); err != nil { // what is under way ends
			t.Fatal(err)
		}
		text, err := json.Marshal(o.Record.HAR(HARCreator{"cua-runner", "test"}))
		if err != nil {
			t.Fatal(err)
		}
		if err := validHAR(t, text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var out HAR
		if err := json.Unmarshal(text, &out); err != nil {
			t.Fatal(err)
		}
		for _, e := range out.Log.Entries {
			x := e.Timings
			sum := max(x.Blocked, 0) + max(x.Connect, 0) + x.Send + x.Wait + x.Receive
			if math.Abs(sum-e.Time) > 1e-6 {
				t.Errorf("%s: the timings are %v, the time %v", e.Request.URL, sum, e.Time)
			}
		}
		return out.Log
	}
}

func validHAR(t *testing.T, text []byte) error {
	t.Helper()
	f, err := os.Open("testdata/har-1.2.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("har", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("har")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(v)
}

// The schema can fail.
func TestTheSchemaOfHARRefuses(t *testing.T) {
	good, err := json.Marshal(new(Recorder).HAR(HARCreator{"a", "b"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, text string
		valid      bool
	}{
		{"an empty log", string(good), true},
		{"another version", strings.Replace(string(good), "1.2", "1.3", 1), false},
		{"no entries", strings.Replace(string(good), `"entries":[]`, `"entries":null`, 1), false},
		{"an empty entry", strings.Replace(string(good), `"entries":[]`, `"entries":[{}]`, 1), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			if err := validHAR(t, []byte(row.text)); (err == nil) != row.valid {
				t.Errorf("%v", err)
			}
		})
	}
}

// Each kind of exchange is one entry that says what became of it.
func TestHAR(t *testing.T) {
	o := newOrigin(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			w.Header().Set("Set-Cookie", "session=4711")
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/cut":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "half")
		default:
			n, _ := io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, strings.Repeat("x", int(n)+5))
		}
	})
	gone := newOrigin(t, nil)
	gone.Close()
	post := func(c *http.Client) {
		req, _ := http.NewRequest("POST", o.URL+"/p?a=1&b=%20x&c", strings.NewReader("sent"))
		req.Header.Set("Cookie", "session=4711")
		req.Header.Set("Authorization", "Bearer 4711")
		req.Header.Set("X-Own", "yes")
		if res, err := c.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	}
	get := func(address string) func(c *http.Client) {
		return func(c *http.Client) {
			if res, err := c.Get(address); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				res.Body.Close()
			}
		}
	}
	for _, row := range []struct {
		name   string
		do     func(c *http.Client)
		status int
		sent   int64
		came   int64
		err    string
	}{
		{"a post", post, 201, 4, 9, ""},
		{"a redirect", get(o.URL + "/moved"), 302, 0, 29, ""},
		{"an answer that breaks off", get(o.URL + "/cut"), 200, 0, 4, "net::ERR_CONNECTION_CLOSED"},
		{"a server that is gone", get(gone.URL), 0, 0, 0, "net::ERR_CONNECTION_REFUSED"},
		{"a host that is denied", get("http://127.0.0.1:1/x"), 0, 0, 0, "denied: " + cua.ReasonPrivate},
	} {
		t.Run(row.name, func(t *testing.T) {
			policy := Policy{Allow: cua.AllowList{Start: o.URL, Hosts: []string{gone.host()}}}
			_, c, har := recorded(t, policy, Options{})
			row.do(c)
			log := har()
			if len(log.Entries) != 1 {
				t.Fatalf("%d entries", len(log.Entries))
			}
			e := log.Entries[0]
			if e.Response.Status != row.status || e.Request.BodySize != row.sent ||
				e.Response.Content.Size != row.came || e.Error != row.err {
				t.Errorf("status %d, %d bytes sent, %d came, error %q", e.Response.Status, e.Request.BodySize,
					e.Response.Content.Size, e.Error)
			}
			if text, _ := json.Marshal(log); bytes.Contains(text, []byte("4711")) {
				t.Errorf("a credential is in it: %s", text)
			}
			if row.name == "a post" {
				isPost(t, e, o.host())
			}
			if row.name == "a redirect" && e.Response.RedirectURL != "/there" {
				t.Errorf("redirected to %q", e.Response.RedirectURL)
			}
		})
	}
}

func isPost(t *testing.T, e HAREntry, host string) {
	t.Helper()
	want := []HARPair{{"a", "1"}, {"b", " x"}, {"c", ""}}
	if fmt.Sprint(e.Request.Query) != fmt.Sprint(want) || e.Request.URL != "http://"+host+"/p?a=1&b=%20x&c" ||
		e.Request.Method != "POST" || e.Response.Content.Type != "text/plain" || e.Server != "127.0.0.1" {
		t.Errorf("%+v", e)
	}
	own := false
	for _, h := range e.Request.Headers {
		own = own || h == HARPair{"X-Own", "yes"}
		if strings.HasPrefix(h.Name, "Proxy-") && h.Value != "[redacted]" {
			t.Errorf("the proxy's header %s is in it", h.Name)
		}
	}
	if !own {
		t.Errorf("headers %v", e.Request.Headers)
	}
}

// A tunnel is one entry, also where the proxy ends before it: how much went each way, and nothing of what.
func TestHAROfATunnel(t *testing.T) {
	o := newOrigin(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "inside") })
	p, _, har := recorded(t, only(o), Options{})
	c, err := net.Dial("tcp", p.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprintf(c, "CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: %s\r\n\r\n", o.host(), o.host(),
		p.basic)
	const asks = "GET /secret-path HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
	fmt.Fprint(c, asks)
	answer, err := io.ReadAll(c)
	if err != nil || !bytes.HasSuffix(answer, []byte("inside")) {
		t.Fatalf("%q, %v", answer, err)
	}
	const joined = "HTTP/1.1 200 Connection established\r\n\r\n"
	c.Close()
	log := har()
	if len(log.Entries) != 1 {
		t.Fatalf("%d entries", len(log.Entries))
	}
	e := log.Entries[0]
	if e.Request.Method != "CONNECT" || e.Request.URL != "https://"+o.host() || e.Response.Status != 200 ||
		e.Request.BodySize != int64(len(asks)) || e.Response.BodySize != int64(len(answer)-len(joined)) {
		t.Errorf("%+v; %d bytes in, %d out", e, len(asks), len(answer)-len(joined))
	}
	if text, _ := json.Marshal(log); bytes.Contains(text, []byte("secret-path")) {
		t.Errorf("what is inside is in it: %s", text)
	}
}

// A page that makes requests without end fills no memory; what is left out is counted.
func TestTheRecordIsBounded(t *testing.T) {
	var r Recorder
	long := strings.Repeat("x", 1<<20)
	const all = 100
	for range all {
		r.add(HAREntry{Request: HARRequest{URL: "http://h.test/?" + long}})
	}
	log := r.HAR(HARCreator{}).Log
	if r.bytes > maxRecorded || len(log.Entries) == 0 || len(log.Entries)+r.left != all ||
		log.Comment != fmt.Sprintf("%d more requests did not fit in", r.left) {
		t.Errorf("%d entries, %d bytes, %q", len(log.Entries), r.bytes, log.Comment)
	}
	if got := (*Recorder)(nil).HAR(HARCreator{}); got.Log.Entries == nil {
		t.Error("the record of nobody has no list")
	}
}
