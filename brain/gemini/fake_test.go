package gemini

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"google.golang.org/genai"
)

// plantedKey has to be in the header of every request and nowhere else.
const plantedKey = "planted-key-5f2b9c"

// request is the body of generateContent, decoded strictly: a field that the API does not have is an error.
type request struct {
	Contents          []*genai.Content `json:"contents"`
	SystemInstruction *genai.Content   `json:"systemInstruction"`
	Tools             []*genai.Tool    `json:"tools"`
	GenerationConfig  *struct {
		MaxOutputTokens int32                 `json:"maxOutputTokens"`
		ThinkingConfig  *genai.ThinkingConfig `json:"thinkingConfig"`
	} `json:"generationConfig"`
}

func decode(body []byte) (*request, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	r := &request{}
	return r, d.Decode(r)
}

// fake is the API with a model behind it. It validates each request before the model sees it.
type fake struct {
	t testing.TB
	// mind answers a valid request.
	mind func(*request) *genai.GenerateContentResponse
	// fault, where it is set, may answer the n-th request (from 1) in place of the mind.
	fault func(n int, w http.ResponseWriter) bool

	mu     sync.Mutex
	said   []*genai.Content // what the model has said, in order
	bodies [][]byte
	faults []string // what was wrong with requests
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		f.t.Error(err)
	}
	f.bodies = append(f.bodies, body)
	if f.fault != nil && f.fault(len(f.bodies), w) {
		return
	}
	if why := f.validate(r, body); why != "" {
		f.faults = append(f.faults, why)
		f.reject(w, http.StatusBadRequest, why)
		return
	}
	req, _ := decode(body)
	if req.Tools == nil { // brains --check
		f.answer(w, speak("OK"))
		return
	}
	f.answer(w, f.mind(req))
}

// validate is the schema and all the rules.
func (f *fake) validate(r *http.Request, body []byte) string {
	switch {
	case r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, ":generateContent"):
		return "no such method: " + r.Method + " " + r.URL.Path
	case r.Header.Get("X-Goog-Api-Key") != plantedKey || strings.Contains(r.URL.String(), plantedKey):
		return "the key is not in its header"
	}
	req, err := decode(body)
	if err != nil {
		return "the body does not decode: " + err.Error()
	}
	if req.Tools == nil {
		return ""
	}
	return broken(req, f.said)
}

func (f *fake) reject(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": code, "message": message,
		"status": "INVALID_ARGUMENT"}})
}

func (f *fake) answer(w http.ResponseWriter, resp *genai.GenerateContentResponse) {
	if c := resp.Candidates; len(c) > 0 && c[0].Content != nil &&
		c[0].FinishReason == genai.FinishReasonStop {
		f.said = append(f.said, c[0].Content)
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	json.NewEncoder(w).Encode(resp)
}

// valid fails the test where a request was not.
func (f *fake) valid(t testing.TB) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, why := range f.faults {
		t.Errorf("an invalid request: %s", why)
	}
}

// metadata is what one request is said to have used.
var metadata = genai.GenerateContentResponseUsageMetadata{PromptTokenCount: 1000,
	CachedContentTokenCount: 400, CandidatesTokenCount: 30, ThoughtsTokenCount: 20, TotalTokenCount: 1050}

// reply is a response with these parts.
func reply(reason genai.FinishReason, parts ...*genai.Part) *genai.GenerateContentResponse {
	return &genai.GenerateContentResponse{UsageMetadata: &metadata,
		Candidates: []*genai.Candidate{{FinishReason: reason, Content: &genai.Content{Role: genai.RoleModel,
			Parts: parts}}}}
}

// speak says text.
func speak(text string) *genai.GenerateContentResponse {
	return reply(genai.FinishReasonStop, &genai.Part{Text: text})
}

// do calls functions after a thought with a signature.
func do(calls ...*genai.FunctionCall) *genai.GenerateContentResponse {
	parts := []*genai.Part{{Text: "I look at the page.", Thought: true}}
	for i, c := range calls {
		p := &genai.Part{FunctionCall: c}
		if i == 0 {
			p.ThoughtSignature = []byte{1, 2, 250, byte(len(c.Name))}
		}
		parts = append(parts, p)
	}
	return reply(genai.FinishReasonStop, parts...)
}

func function(name string, args map[string]any) *genai.FunctionCall {
	return &genai.FunctionCall{Name: name, Args: args}
}
