package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/brain/openai"
	"github.com/cua-runner/cua-runner/cua"
)

const spec = "../../../shared/reference/openai-openapi.json.gz"

// fake is the vendor's server with a model behind it that sees: it looks at the newest screenshot that it was
// sent, decides, and answers in the vendor's own words. Each request is held against the schema and the
// rules.
type fake struct {
	t    *testing.T
	eyes *wiretest.Eyes
	// request and response are the vendor's schemas; nil where the file is absent.
	request, response *wiretest.Schema
	// mind decides from the page that is seen; the conversation's texts are there for what the page does not
	// show.
	mind func(page cua.Observation, said string) []cua.Action
	// turns answer single requests, from 1, in place of the mind; false leaves it to the mind.
	turns map[int]func(w http.ResponseWriter, r *http.Request) bool

	mu     sync.Mutex
	vendor *vendor
	bodies [][]byte
	calls  int
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t, eyes: &wiretest.Eyes{}, vendor: newVendor(),
		turns: map[int]func(http.ResponseWriter, *http.Request) bool{}}
	f.mind = func(page cua.Observation, said string) []cua.Action {
		return wiretest.Fill(wiretest.Plan(said),
			page)
	}
	if _, err := os.Stat(spec); err != nil {
		t.Logf("no schema of the vendor at %s: requests are held against the rules alone", spec)
		return f
	}
	schemas.Do(func() {
		s := wiretest.OpenAPI(t, spec)
		schemas.request, schemas.response = s.Component(t, "CreateResponse"), s.Component(t, "Response")
	})
	f.request, f.response = schemas.request, schemas.response
	return f
}

// schemas are the vendor's, compiled once.
var schemas struct {
	sync.Once
	request, response *wiretest.Schema
}

const key = "sk-planted-0123456789"

// options are those of a program with that key.
func options(key string) brain.Options {
	return brain.Options{Providers: []brain.Provider{openai.Provider()}, Key: func(variable string) string {
		if variable != "OPENAI_API_KEY" {
			return ""
		}
		return key
	}}
}

// brain is the brain of this package, asking f over transport; nil is the network.
func (f *fake) brain(extra string, transport http.RoundTripper, baseURL string, o brain.Options) brain.Brain {
	f.t.Helper()
	o.Providers, o.Transport = []brain.Provider{openai.Provider()}, transport
	o.Key = options(key).Key
	b, err := brain.Open("openai:m?base_url="+baseURL+extra, o)
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
	f.bodies = append(f.bodies, body)
	n := len(f.bodies)
	f.mu.Unlock()
	if turn := f.turns[n]; turn != nil && turn(w, r) {
		return
	}
	if r.URL.Path != "/v1/responses" || r.Header.Get("Authorization") != "Bearer "+key {
		f.t.Errorf("request %d: %s with %q", n, r.URL.Path, r.Header.Get("Authorization"))
	}
	f.answer(w, n, body, nil)
}

// answer checks a request and answers it with output; nil is what the mind decides.
func (f *fake) answer(w http.ResponseWriter, n int, raw []byte, output []object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var body object
	if err := json.Unmarshal(raw, &body); err != nil {
		f.t.Errorf("request %d: %v", n, err)
		return
	}
	if f.request != nil {
		if err := f.request.Check(raw); err != nil {
			f.t.Errorf("request %d: %v", n, err)
		}
	}
	all, wrong := f.vendor.accept(body)
	for _, rule := range wrong {
		f.t.Errorf("request %d: %s", n, rule)
	}
	if output == nil {
		output = f.decide(n, all, strings.Contains(string(raw), "computer_use_preview"))
	}
	id := fmt.Sprintf("resp_%d", n)
	f.vendor.answered(id, all, output, body["store"] != false)
	f.write(w, body, id, "completed", output, nil)
}

// decide is what the model answers: reasoning, and calls.
func (f *fake) decide(n int, all []object, preview bool) []object {
	list := images(all)
	if len(list) == 0 {
		f.t.Errorf("request %d: nothing to look at", n)
		return []object{message("final_answer", "FAILURE: I see nothing.")}
	}
	page, size, ok := f.eyes.See(picture(list[len(list)-1]))
	if !ok {
		f.t.Errorf("request %d: a picture of no page", n)
	}
	out := []object{f.reasoning()}
	var batch []any
	for _, a := range f.mind(page, texts(all)) {
		switch o := f.spell(a, page.Viewport, size); {
		case o["type"] == "function_call":
			out = append(out, o)
		default:
			batch = append(batch, o)
		}
	}
	if len(batch) == 0 {
		return out
	}
	call := f.computer(batch)
	if preview { // one action a call
		call["action"] = batch[0]
		delete(call, "actions")
	}
	return append(out, call)
}

func (f *fake) id(kind string) string {
	f.calls++
	return fmt.Sprintf("%s_%d", kind, f.calls)
}

func (f *fake) reasoning() object {
	id := f.id("rs")
	return object{"type": "reasoning", "id": id, "summary": []any{object{"type": "summary_text",
		"text": "I look."}}, "encrypted_content": "enc-" + id}
}

func (f *fake) computer(actions []any, pending ...any) object {
	if pending == nil {
		pending = []any{}
	}
	return object{"type": "computer_call", "id": f.id("cu"), "call_id": f.id("call"), "status": "completed",
		"actions": actions, "pending_safety_checks": pending}
}

func (f *fake) function(name string, args object) object {
	raw, _ := json.Marshal(args)
	return object{"type": "function_call", "id": f.id("fc"), "call_id": f.id("call"), "name": name,
		"arguments": string(raw), "status": "completed"}
}

func message(phase, text string) object {
	return object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
		"phase": phase, "content": []any{object{"type": "output_text", "text": text, "annotations": []any{},
			"logprobs": []any{}}}}
}

// spell is a in the vendor's words, in pixels of a picture of that size.
func (f *fake) spell(a cua.Action, view, size cua.Size) object {
	o := object{}
	at := func(p *cua.Point) (x, y int) {
		return int(p.X * float64(size.W) / float64(view.W)), int(p.Y * float64(size.H) / float64(view.H))
	}
	if a.Point != nil {
		o["x"], o["y"] = at(a.Point)
	}
	switch a.Kind {
	case cua.Click:
		o["type"], o["button"] = "click", "left"
	case cua.Type:
		o["type"], o["text"] = "type", a.Text
	case cua.Scroll:
		o["type"], o["x"], o["y"], o["scroll_x"], o["scroll_y"] = "scroll", size.W/2, size.H/2,
			int(a.DX), int(a.DY)
	case cua.Select:
		o["option"] = a.Text
		return f.function("select_option", o)
	case cua.Done:
		return f.function("done", object{"success": a.Success, "answer": a.Text})
	default:
		f.t.Errorf("the fake cannot say %s", a.Kind)
	}
	return o
}

// write sends a response of that status.
func (f *fake) write(w http.ResponseWriter, body object, id, status string, output []object, more object) {
	res := object{"id": id, "object": "response", "created_at": 1, "status": status, "error": nil,
		"incomplete_details": nil, "instructions": body["instructions"], "metadata": object{},
		"model": body["model"], "output": output, "parallel_tool_calls": true, "temperature": 1,
		"tool_choice": "auto", "tools": body["tools"], "top_p": 1,
		"usage": object{"input_tokens": 1000, "input_tokens_details": object{"cached_tokens": 400,
			"cache_write_tokens": 100}, "output_tokens": 50,
			"output_tokens_details": object{"reasoning_tokens": 20}, "total_tokens": 1050}}
	if body["tools"] == nil {
		res["tools"] = []any{}
	}
	for k, v := range more {
		res[k] = v
	}
	raw, err := json.Marshal(res)
	if err != nil {
		f.t.Error(err)
	}
	if f.response != nil {
		if err := f.response.Check(raw); err != nil {
			f.t.Errorf("the fake's own answer: %v", err)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(raw) //nolint:errcheck // a client that went away is the test's to notice
}
