package anthropic

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

// plantedKey must be in no place but the header of a request.
const plantedKey = "sk-ant-planted-key-9f31c7"

// membersOf are the properties of a component: the members of a toolset's configs, sorted.
func membersOf(t testing.TB, component string) []string {
	t.Helper()
	raw, err := os.ReadFile(specPath(t))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct{ Properties map[string]any }
		}
	}
	if err := json.NewDecoder(z).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(doc.Components.Schemas[component].Properties))
}

// specPath is the vendor's OpenAPI file.
func specPath(t testing.TB) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/anthropics/anthropic-sdk-go").Output()
	if err != nil {
		t.Fatalf("finding the SDK: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(dir)), "scripts", "mock-spec.json.gz")
}

// vendor is the schemas that the SDK's module carries, compiled once for the test binary.
var vendor struct {
	sync.Once
	request, beta, reply, betaReply *wiretest.Schema
}

func schemas(t testing.TB) {
	t.Helper()
	vendor.Do(func() {
		s := wiretest.OpenAPI(t, specPath(t))
		vendor.request, vendor.beta = s.Component(t, "CreateMessageParams"),
			s.Component(t, "BetaCreateMessageParams")
		vendor.reply, vendor.betaReply = s.Component(t, "Message"), s.Component(t, "BetaMessage")
	})
	if vendor.reply == nil {
		t.Fatal("the vendor's schemas could not be read")
	}
}

// seen is a request as a fake model sees it.
type seen struct {
	n       int           // from 1
	prompt  string        // the words of the first message
	words   string        // the words of the last message that are in no result
	results []object      // of the last message
	told    string        // the words of those results
	picture *image.NRGBA  // the newest that was ever sent; nil where there is none
	all     []image.Image // those of the last message
	tool    object        // the declaration
}

// say is what a fake model answers.
type say struct {
	blocks list
	stop   string // "" is tool_use where something is called, else end_turn
	detail object // stop_details
}

// fake is the service: it validates every request and lets a fake model answer.
type fake struct {
	t     testing.TB
	model func(seen) say
	// fault answers a request instead of the model; nil, and a false answer, leave it to the model.
	fault func(n int, w http.ResponseWriter, r *http.Request) bool
	// lenient switches the checks off, for requests that a test breaks on purpose.
	lenient bool

	wire  *wire // of the brain that open opened
	brain brain.Brain

	mu       sync.Mutex
	requests []json.RawMessage
	betas    []string
	served   []list
	newest   *image.NRGBA
	paused   bool // the last reply was to be gone on with
	ids      int
}

func newFake(t testing.TB, model func(seen) say) *fake {
	schemas(t)
	return &fake{t: t, model: model}
}

// ServeHTTP is POST /v1/messages.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	f.requests = append(f.requests, body)
	beta := strings.Join(r.Header.Values("anthropic-beta"), ",")
	f.betas = append(f.betas, beta)
	if r.Method != http.MethodPost || r.URL.Path != "/v1/messages" ||
		r.Header.Get("X-Api-Key") != plantedKey || r.Header.Get("Anthropic-Version") == "" {
		f.t.Errorf("request %d: %s %s, headers %v", len(f.requests), r.Method, r.URL, r.Header)
	}
	isBeta := r.URL.Query().Get("beta") == "true"
	if isBeta != (beta != "") {
		f.t.Errorf("request %d: the address %s with the beta header %q", len(f.requests), r.URL, beta)
	}
	v := wiretest.Value(f.t, body)
	if !f.lenient {
		f.check(v, body, beta, isBeta)
	}
	if f.fault != nil && f.fault(len(f.requests), w, r) {
		return
	}
	f.answer(w, f.model(f.see(v)), isBeta)
}

func (f *fake) check(v object, body []byte, beta string, isBeta bool) {
	schema := vendor.request
	if isBeta {
		schema = vendor.beta
	}
	if err := schema.Check(body); err != nil {
		f.t.Errorf("request %d: %v", len(f.requests), err)
	}
	for _, broken := range (exchange{body: v, betas: beta, size: len(body), served: f.served,
		paused: f.paused}).broken() {
		f.t.Errorf("request %d: %s", len(f.requests), broken)
	}
	if bytes.Contains(body, []byte(plantedKey)) {
		f.t.Errorf("request %d: the key is in the body", len(f.requests))
	}
}

// see is what a model is shown of a request.
func (f *fake) see(v object) seen {
	all := v["messages"].(list)
	s := seen{n: len(f.requests), prompt: textsOf(blocks(all[0]))}
	last := blocks(all[len(all)-1])
	s.words, s.results = textsOf(last), of(last, "tool_result")
	pictures := of(last, "image")
	for i := len(s.results) - 1; i >= 0; i-- {
		pictures = append(of(content(s.results[i]), "image"), pictures...)
		s.told = textsOf(content(s.results[i])) + "\n" + s.told
	}
	for _, p := range pictures {
		raw, err := base64.StdEncoding.DecodeString(p["source"].(object)["data"].(string))
		if err != nil {
			f.t.Errorf("request %d: %v", s.n, err)
			continue
		}
		img, _, err := image.Decode(bytes.NewReader(raw))
		if err != nil {
			f.t.Errorf("request %d: %v", s.n, err)
			continue
		}
		s.all = append(s.all, img)
		f.newest = rgba(img)
	}
	s.picture = f.newest
	if tools, ok := v["tools"].(list); ok {
		s.tool = tools[0].(object)
	}
	return s
}

func rgba(img image.Image) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}

func textsOf(all list) string {
	var out []string
	for _, b := range of(all, "text") {
		out = append(out, b["text"].(string))
	}
	return strings.Join(out, "\n")
}

// answer sends what the model says, in the vendor's format: which its own schema checks too.
func (f *fake) answer(w http.ResponseWriter, s say, isBeta bool) {
	if s.stop == "" {
		s.stop = "end_turn"
		if len(of(s.blocks, "tool_use")) > 0 {
			s.stop = "tool_use"
		}
	}
	usage := object{"input_tokens": 120, "output_tokens": 45, "cache_read_input_tokens": 1000,
		"cache_creation_input_tokens": 300, "cache_creation": object{"ephemeral_5m_input_tokens": 300,
			"ephemeral_1h_input_tokens": 0},
		"output_tokens_details": object{"thinking_tokens": 12}, "inference_geo": nil, "server_tool_use": nil, "service_tier": "standard", "speed": "standard"}
	if s.blocks == nil {
		s.blocks = list{}
	}
	var detail any
	if s.detail != nil {
		detail = s.detail
	}
	m := object{"id": fmt.Sprintf("msg_%d", len(f.requests)), "type": "message", "role": "assistant",
		"model": "claude-sonnet-5-5", "content": s.blocks, "stop_reason": s.stop, "stop_sequence": nil,
		"stop_details": detail, "usage": usage, "diagnostics": nil, "container": nil}
	schema := vendor.reply
	if isBeta {
		usage["iterations"], usage["fallback_credit"], m["context_management"],
			m["input_transformations"] = nil, nil, nil, nil
		schema = vendor.betaReply
	}
	raw, err := json.Marshal(m)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := schema.Check(raw); err != nil && !f.lenient {
		f.t.Errorf("the fake's own reply %d: %v", len(f.requests), err)
	}
	f.paused = s.stop == "pause_turn"
	f.served = append(f.served, wiretest.Value(f.t, raw)["content"].(list))
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(raw)
}

// use is a call of a member of a toolset.
func (f *fake) use(toolset, name string, input object) object {
	f.ids++
	o := object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", f.ids), "name": name, "input": input,
		"caller": object{"type": "direct"}}
	if toolset != "" {
		o["toolset_name"] = toolset
	}
	return o
}

func thought(n int) object {
	return object{"type": "thinking", "thinking": fmt.Sprintf("  thought %d: \u00e9<&>\n", n),
		"signature": fmt.Sprintf("sig+/%d==", n)}
}

func text(s string) object { return object{"type": "text", "text": s, "citations": nil} }

// transport answers requests in this process, without a network: tests in a bubble of fake time need that.
type transport struct{ http.Handler }

func (h transport) RoundTrip(r *http.Request) (*http.Response, error) {
	w := &recorder{header: http.Header{}, status: 200}
	h.ServeHTTP(w, r)
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	body := bytes.NewReader(w.body.Bytes())
	return &http.Response{StatusCode: w.status, Status: http.StatusText(w.status), Header: w.header,
		Body: io.NopCloser(body), Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		ContentLength: -1}, nil
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }

// opened is a brain that talks to the fake in this process.
func (f *fake) opened(t testing.TB, spec string) brain.Brain {
	t.Helper()
	if err := f.open(spec); err != nil {
		t.Fatal(err)
	}
	return f.brain
}

func (f *fake) open(spec string) error {
	s, err := brain.ParseSpec(spec)
	if err != nil {
		return err
	}
	o := brain.Options{Key: func(string) string { return plantedKey }, Transport: transport{f}}
	w, c, err := open(s, o)
	if err == nil {
		f.wire, f.brain = w, model.New(w, c, o)
	}
	return err
}

// pngOf is an empty picture.
func pngOf(w, h int) []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func newSay(shots ...cua.Shot) model.Say {
	o := page()
	return model.Say{Text: "x", Shots: shots, Turn: &cua.Turn{Now: o, History: cua.History{Start: o},
		Frames: shots}}
}
