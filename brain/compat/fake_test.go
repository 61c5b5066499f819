package compat_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/compat"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

const spec = "../../../shared/reference/openai-openapi.json.gz"

const key = "local-planted-0123456789"

// fake is a server with a model of one family behind it that sees.
type fake struct {
	t       *testing.T
	eyes    *wiretest.Eyes
	request *wiretest.Schema // nil where the vendor's file is absent
	speak   dialect
	// grid is the space that the family points in; 0 is pixels of the picture.
	grid, images int
	mind         func(page cua.Observation, said string) []cua.Action
	turns        map[int]func(w http.ResponseWriter, r *http.Request) bool

	mu     sync.Mutex
	bodies [][]byte
}

var schema struct {
	sync.Once
	request *wiretest.Schema
}

func newFake(t *testing.T, speak dialect, grid int) *fake {
	f := &fake{t: t, eyes: &wiretest.Eyes{}, speak: speak, grid: grid, images: 5,
		turns: map[int]func(http.ResponseWriter, *http.Request) bool{}}
	f.mind = func(page cua.Observation, said string) []cua.Action {
		return wiretest.Fill(wiretest.Plan(said),
			page)
	}
	if _, err := os.Stat(spec); err != nil {
		t.Logf("no schema of the vendor at %s: requests are held against the rules alone", spec)
		return f
	}
	schema.Do(func() {
		schema.request = wiretest.OpenAPI(t, spec).Component(t,
			"CreateChatCompletionRequest")
	})
	f.request = schema.request
	return f
}

// options are those of a program with that key.
func options(key string) brain.Options {
	return brain.Options{Providers: []brain.Provider{compat.Provider()}, Key: func(variable string) string {
		if variable != "OPENAI_COMPATIBLE_API_KEY" {
			return ""
		}
		return key
	}}
}

func (f *fake) brain(extra string, transport http.RoundTripper, baseURL string, o brain.Options) brain.Brain {
	f.t.Helper()
	with := options(key)
	o.Providers, o.Key, o.Transport = with.Providers, with.Key, transport
	b, err := brain.Open("openai-compatible:m?base_url="+baseURL+extra, o)
	if err != nil {
		f.t.Fatal(err)
	}
	return b
}

// ServeHTTP answers one request.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bodies = append(f.bodies, body)
	n := len(f.bodies)
	if turn := f.turns[n]; turn != nil && turn(w, r) {
		return
	}
	if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+key {
		f.t.Errorf("request %d: %s with %q", n, r.URL.Path, r.Header.Get("Authorization"))
	}
	f.write(w, n, f.decide(n, f.check(n)), "")
}

// check holds request n against schema and rules.
func (f *fake) check(n int) object {
	f.t.Helper()
	var body object
	if err := json.Unmarshal(f.bodies[n-1], &body); err != nil {
		f.t.Errorf("request %d: %v", n, err)
	}
	if f.request != nil {
		if err := f.request.Check(f.bodies[n-1]); err != nil {
			f.t.Errorf("request %d: %v", n, err)
		}
	}
	for _, rule := range rules(body, f.images) {
		f.t.Errorf("request %d: %s", n, rule)
	}
	return body
}

// decide is what the model answers to what it sees.
func (f *fake) decide(n int, body object) reply {
	messages := list(body["messages"])
	pictures := shots(messages)
	if len(pictures) == 0 {
		f.t.Errorf("request %d: nothing to look at", n)
		return reply{text: "FAILURE: I see nothing."}
	}
	page, size, ok := f.eyes.See(pictures[len(pictures)-1])
	if !ok {
		f.t.Errorf("request %d: a picture of no page", n)
	}
	a := f.mind(page, texts(messages))[0] // one action a reply
	x, y := 0, 0
	if a.Point != nil {
		w, h := float64(size.W), float64(size.H)
		if f.grid > 0 {
			w, h = float64(f.grid), float64(f.grid)
		}
		x, y = int(a.Point.X*w/float64(page.Viewport.W)), int(a.Point.Y*h/float64(page.Viewport.H))
	}
	return f.speak(a, x, y)
}

// write sends a completion; finish is "" for the usual end.
func (f *fake) write(w http.ResponseWriter, n int, r reply, finish string) {
	m := object{"role": "assistant", "content": r.text, "refusal": nil}
	if finish == "" {
		finish = "stop"
	}
	if len(r.calls) > 0 {
		for i, c := range r.calls {
			c["id"] = fmt.Sprintf("call_%d_%d", n, i)
		}
		m["tool_calls"], finish = r.calls, "tool_calls"
	}
	f.raw(w, object{"id": fmt.Sprintf("c%d", n), "object": "chat.completion", "created": 1, "model": "m",
		"choices": []object{{"index": 0, "finish_reason": finish, "message": m, "logprobs": nil}},
		"usage":   object{"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940, "prompt_tokens_details": object{"cached_tokens": 500}}})
}

func (f *fake) raw(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(body); err != nil {
		f.t.Log(err)
	}
}
