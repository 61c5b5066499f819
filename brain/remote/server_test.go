package remote_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

const token = "bearer-4711-planted"

func tokenAlone(name string) string {
	if name == "CUA_BRAIN_TOKEN" {
		return token
	}
	return ""
}

// inherited is what programs on this machine need to be found.
func inherited(name string) string {
	if name == "PATH" || name == "HOME" {
		return os.Getenv(name)
	}
	return ""
}

func itoa(n int) string { return strconv.Itoa(n) }

// schema is that of the documentation.
type schema struct{ c *jsonschema.Compiler }

func schemas(t testing.TB) schema {
	t.Helper()
	f, err := os.Open("../../docs/brain-protocol.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("file:///brain.json", doc); err != nil {
		t.Fatal(err)
	}
	return schema{c}
}

// check says what of raw the definition does not allow.
func (s schema) check(t testing.TB, definition string, raw []byte) error {
	t.Helper()
	c, err := s.c.Compile("file:///brain.json#/$defs/" + definition)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	return c.Validate(v)
}

// server is a brain behind an address that holds every message against the schema.
type server struct {
	*httptest.Server
	mind func(asked) string
	// turns do something else than answering the n-th request, from 1.
	turns map[int]http.HandlerFunc

	mu      sync.Mutex
	methods []string
	auth    []string
	bodies  [][]byte
}

func newServer(t testing.TB) *server {
	f := &server{mind: func(a asked) string { return a.mind(true) }, turns: map[int]http.HandlerFunc{}}
	s := schemas(t)
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var a asked
		if err := json.Unmarshal(body, &a); err != nil {
			t.Errorf("a request: %v", err)
		}
		f.methods, f.auth, f.bodies = append(f.methods, a.Method),
			append(f.auth, r.Header.Get("Authorization")), append(f.bodies, body)
		if err := s.check(t, "request", body); err != nil {
			t.Errorf("a request of %s: %v", a.Method, err)
		}
		if other := f.turns[len(f.methods)]; other != nil {
			other(w, r)
			return
		}
		result := "{}"
		switch a.Method {
		case "initialize":
			result = hellos["batch"]
		case "next":
			result = f.mind(a)
		}
		answer := []byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, a.ID, result))
		if err := s.check(t, "response", answer); err != nil {
			t.Errorf("an answer to %s: %v", a.Method, err)
		}
		if a.Method != "shutdown" {
			if err := s.check(t, "result_"+a.Method, []byte(result)); err != nil {
				t.Errorf("a result of %s: %v", a.Method, err)
			}
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write(answer) //nolint:errcheck // a client that went away is noticed elsewhere
	}))
	t.Cleanup(f.Close)
	return f
}

// TestAServerPlaysATask: all messages of a whole task are what the schema says, failed ones are sent again,
// and the token is in the header alone.
func TestAServerPlaysATask(t *testing.T) {
	secrets := map[string]string{}
	f := newServer(t)
	f.turns[3] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }
	// late, or cut: the connection ends without an answer
	f.turns[5] = func(w http.ResponseWriter, _ *http.Request) {
		panic(http.ErrAbortHandler)
	}
	var b brain.Brain
	p := wiretest.Play(t, wiretest.Episode{Task: "login", Seed: 3, Arm: "default", Key: token,
		Secrets: secrets,
		Open: func(o brain.Options) brain.Brain {
			o.Key = tokenAlone
			b = open(t, "http:"+f.URL+"/brain", o)
			return b
		},
		Change: func(task *cua.Task) {
			secrets["PASSWORD"] = task.Fields[1].Value
			task.Goal = strings.ReplaceAll(task.Goal, task.Fields[1].Value, "<secret:PASSWORD>")
			task.Fields[1].Value = "<secret:PASSWORD>"
		}})
	secret := secrets["PASSWORD"]
	if p.Reward != 1 || p.End.Reason != cua.EndDone {
		t.Errorf("reward %v, end %s (%s)", p.Reward, p.End.Reason, p.End.Detail)
	}
	if err := brain.Close(b); err != nil {
		t.Error(err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.methods[0] != "initialize" || f.methods[len(f.methods)-1] != "shutdown" {
		t.Errorf("the methods %v", f.methods)
	}
	for i, a := range f.auth {
		if a != "Bearer "+token || bytes.Contains(f.bodies[i], []byte(token)) ||
			bytes.Contains(f.bodies[i], []byte(secret)) {
			t.Errorf("request %d: header %q, or its body holds token or secret", i+1, a)
		}
	}
	if !bytes.Equal(f.bodies[2], f.bodies[3]) || !bytes.Equal(f.bodies[4], f.bodies[5]) {
		t.Error("what was sent again is not the same message")
	}
	attempts := 0
	for _, s := range p.Steps {
		attempts += s.Usage.Attempts
	}
	if attempts != len(f.methods)-1 {
		t.Errorf("%d attempts counted, %d requests before the last", attempts, len(f.methods)-1)
	}
	wiretest.NotIn(t, p.Dir, token, secret)
}

// TestAServerThatMisbehaves: what is no answer ends the episode, and says why without the token.
func TestAServerThatMisbehaves(t *testing.T) {
	text := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			io.WriteString(w, body) //nolint:errcheck // a client that went away is noticed elsewhere
		}
	}
	for _, row := range []struct {
		name string
		turn http.HandlerFunc
		says string
	}{
		{"not authorized", text(401, "who is "+token), "the server answered 401"},
		{"garbage", text(200, `{"hello":1}`), `"{\"hello\":1}" is not a JSON-RPC response`},
		{"another call", text(200, `{"jsonrpc":"2.0","id":9,"result":{}}`), "expected the answer to call 2, got the answer to call 9"},
		{"too much", text(200, `{"x":"`+strings.Repeat("x", 1<<21)+`"}`), "longer than 1048576 bytes"},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, "redirects to another address"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newServer(t)
			f.turns[2] = row.turn
			_, err := open(t, "http:"+f.URL, brain.Options{Key: tokenAlone}).Decide(t.Context(), blank("Go"))
			if err == nil || !strings.Contains(err.Error(), row.says) ||
				strings.Contains(err.Error(), token) {
				t.Errorf("error %v, want %s", err, row.says)
			}
		})
	}
}

// TestWhatIsNotOpened: bad specs are bad input, and a token goes over no open line.
func TestWhatIsNotOpened(t *testing.T) {
	for _, row := range []struct{ spec, says string }{
		{"exec:", "needs a command"},
		{"exec:brain?timeout=soon", "timeout must be a duration"},
		{"exec:brain?timeout=-1s", "timeout must be a duration"},
		{"exec:brain?env=NOT_THERE", `no variable "NOT_THERE"`},
		{"exec:brain?speed=9", `exec has no option "speed"`},
		{"http:", "needs an address"},
		{"http:ftp://a.test/", "needs an address"},
		{"http:https://me:word@a.test/", "needs an address"},
		{"http:http://a.test/", "only sent over https"},
		{"http://a.test/", "only sent over https"},
		{"http:https://a.test/brain", ""},
		{"http://127.0.0.1:1/", ""},
		{"http:http://[::1]:1/", ""},
	} {
		_, err := brain.Open(row.spec, brain.Options{Providers: providers(), Key: tokenAlone})
		if (err == nil) != (row.says == "") || err != nil && (!strings.Contains(err.Error(), row.says) ||
			strings.Contains(err.Error(), "word")) {
			t.Errorf("%s: error %v, want %q", row.spec, err, row.says)
		}
	}
}

// TestTheSchemaCatchesWhatIsWrong: the schema of the documentation refuses what is refused here.
func TestTheSchemaCatchesWhatIsWrong(t *testing.T) {
	s := schemas(t)
	for _, row := range []struct{ name, definition, raw string }{
		{"another version", "result_initialize", `{"protocol_version":2}`},
		{"a misspelt wish", "result_initialize", `{"protocol_version":1,"cordinates":"pixels"}`},
		{"neither actions nor done", "result_next", `{"thought":"hm"}`},
		{"no actions", "result_next", `{"actions":[]}`},
		{"actions and done", "result_next", `{"actions":[{"kind":"back"}],"done":{}}`},
		{"an unknown kind", "result_next", `{"actions":[{"kind":"smell"}]}`},
		{"half a point", "result_next", `{"actions":[{"kind":"click","x":1}]}`},
		{"a misspelt name", "result_next", `{"actions":[{"kind":"click","x":1,"z":2}]}`},
		{"negative tokens", "result_next", `{"done":{},"usage":{"input_tokens":-1}}`},
		{"result and error", "response", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}`},
	} {
		if s.check(t, row.definition, []byte(row.raw)) == nil {
			t.Errorf("%s: %s is allowed", row.name, row.raw)
		}
	}
}
