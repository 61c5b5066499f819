package gemini

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/genai"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// direct sends requests to the fake without a network, so that time is that of the bubble.
type direct struct {
	fake *fake
	// wire, where it is set, may answer the n-th request (from 1) with what no handler can: nil and nil
	// leaves it to the fake.
	wire func(n int, r *http.Request) (*http.Response, error)
	n    int
}

func (d *direct) RoundTrip(r *http.Request) (*http.Response, error) {
	d.n++
	if d.wire != nil {
		if resp, err := d.wire(d.n, r); resp != nil || err != nil {
			return resp, err
		}
	}
	w := httptest.NewRecorder()
	d.fake.ServeHTTP(w, r)
	return w.Result(), nil
}

// firstTurn is the turn before the first step of a task.
func firstTurn(t testing.TB) *cua.Turn {
	page := cua.Observation{URL: "https://a.test/form?token=s3cret", Title: "A form", Viewport: view,
		FrameSHA: "f0"}
	return &cua.Turn{Task: cua.Task{Goal: "Do it, as <secret:PASSWORD>"}, Number: 1, Decision: 1, Now: page,
		History: cua.History{Start: page}, Frames: []cua.Shot{{Data: picture(t, 1280, 800),
			Mime: "image/png"}}}
}

// then is the turn after a step that did what d says.
func then(t *cua.Turn, d cua.Decision) *cua.Turn {
	s := cua.Step{N: t.Number, Decision: t.Decision, Proposed: d.Action, By: d.By, Failure: d.Failure,
		After: t.Now, Effect: &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}}
	if d.Failure == nil {
		s.Action = &d.Action
	}
	out := *t
	out.History.Steps = append(out.History.Steps[:len(out.History.Steps):len(out.History.Steps)], s)
	out.Number, out.Decision = t.Number+1, t.Decision+1
	return &out
}

var clickOnce = function("click", map[string]any{"x": 500.0, "y": 500.0, "intent": "press"})

// sequence answers with one reply after the other, and with a click when they have run out.
func sequence(replies ...*genai.GenerateContentResponse) func(*request) *genai.GenerateContentResponse {
	n := 0
	return func(*request) *genai.GenerateContentResponse {
		n++
		if n <= len(replies) {
			return replies[n-1]
		}
		return do(clickOnce)
	}
}

func TestACancelledCallIsCancelledOnTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := make(chan error, 1)
		f := &fake{t: t}
		b := open(t, "gemini", "https://api.test", brain.Options{Transport: &direct{fake: f,
			wire: func(_ int, r *http.Request) (*http.Response, error) {
				<-r.Context().Done()
				seen <- r.Context().Err()
				return nil, r.Context().Err()
			}}})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		if _, err := b.Decide(ctx, firstTurn(t)); err == nil {
			t.Error("it decided")
		}
		if <-seen == nil || time.Since(start) != time.Second {
			t.Errorf("after %s", time.Since(start))
		}
	})
}

func TestFaultsOfReplies(t *testing.T) {
	malformed := &genai.GenerateContentResponse{UsageMetadata: &metadata,
		Candidates: []*genai.Candidate{{FinishReason: genai.FinishReasonMalformedFunctionCall,
			FinishMessage: "Malformed function call: click_at(x=1"}}}
	empty := &genai.GenerateContentResponse{Candidates: []*genai.Candidate{{
		FinishReason: genai.FinishReasonStop,
		Content:      &genai.Content{Role: genai.RoleModel, Parts: []*genai.Part{nil}}}}}
	blocked := &genai.GenerateContentResponse{PromptFeedback: &genai.GenerateContentResponsePromptFeedback{
		BlockReason: genai.BlockedReasonSafety}}
	for _, row := range []struct {
		name     string
		replies  []*genai.GenerateContentResponse
		requests int
		kind     cua.FailureKind // "" is an action
		refused  bool
	}{
		{"malformed, once", []*genai.GenerateContentResponse{malformed}, 2, "", false},
		{"malformed, twice", []*genai.GenerateContentResponse{malformed, malformed}, 2, cua.FailSchema, false},
		{"an unknown key, twice", []*genai.GenerateContentResponse{do(function("press_key", map[string]any{"key": "Hyper"})), do(function("hotkey", map[string]any{"keys": []any{"Any"}}))}, 2, cua.FailUnknownAction, false},
		{"a point in words, twice", []*genai.GenerateContentResponse{do(function("click", map[string]any{"x": "left"})), do(function("click", nil))}, 2, cua.FailSchema, false},
		{"an empty reply, twice", []*genai.GenerateContentResponse{reply(genai.FinishReasonStop), {}}, 2, cua.FailSchema, false},
		{"a null in place of a part, twice", []*genai.GenerateContentResponse{empty, empty}, 2, cua.FailSchema, false},
		{"a prompt that is blocked", []*genai.GenerateContentResponse{blocked}, 1, "", true},
		{"a reply that needs no step", []*genai.GenerateContentResponse{do(function("open_web_browser", nil))}, 2, "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := &fake{t: t, mind: sequence(row.replies...)}
			b := open(t, "gemini", "https://api.test", brain.Options{Transport: &direct{fake: f}})
			turn := firstTurn(t)
			d, err := b.Decide(t.Context(), turn)
			if err != nil {
				t.Fatal(err)
			}
			if len(f.bodies) != row.requests || d.Refused != row.refused {
				t.Fatalf("%d requests, want %d: %+v", len(f.bodies), row.requests, d)
			}
			if (d.Failure != nil) != (row.kind != "") || d.Failure != nil && d.Failure.Kind != row.kind {
				t.Errorf("failure %+v, want %q", d.Failure, row.kind)
			}
			if d.Failure != nil && (d.Failure.Raw == "" || d.Action.Kind != "") {
				t.Errorf("the raw reply is not kept: %+v", d)
			}
			if row.refused {
				f.valid(t)
				return
			}
			if _, err = b.Decide(t.Context(), then(turn, d)); err != nil { // the conversation continues
				t.Fatal(err)
			}
			f.valid(t)
		})
	}
}

// TestAnAnswerThatBreaksTheClient: the SDK panics at it. The episode ends, and the program does not.
func TestAnAnswerThatBreaksTheClient(t *testing.T) {
	b := open(t, "gemini", "https://api.test", brain.Options{Transport: &direct{fake: &fake{t: t},
		wire: func(int, *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			w.Header().Set("Content-Type", "application/json")
			_, err := w.WriteString(`{"candidates":[null]}`)
			return w.Result(), err
		}}})
	if _, err := b.Decide(t.Context(), firstTurn(t)); err == nil ||
		!strings.Contains(err.Error(), "panicked while reading the response") {
		t.Errorf("error %v", err)
	}
}

func TestAPointOutsideIsMovedAndRecorded(t *testing.T) {
	f := &fake{t: t, mind: sequence(do(function("click", map[string]any{"x": 1400.0, "y": 500.0,
		"intent": "press"})))}
	d, err := open(t, "gemini", "https://api.test",
		brain.Options{Transport: &direct{fake: f}}).Decide(t.Context(), firstTurn(t))
	if err != nil || d.Action.Point == nil || d.Action.Point.X < 1278 || d.Action.Validate(view) != nil ||
		d.Thought != "press (a point outside of the grid was moved to its edge)" {
		t.Errorf("%+v %v", d, err)
	}
}

func TestCallsThatAreMadeTwice(t *testing.T) {
	f := &fake{t: t, mind: sequence(do(clickOnce, clickOnce))}
	b := open(t, "gemini", "https://api.test", brain.Options{Transport: &direct{fake: f}})
	turn := firstTurn(t)
	for i := range 3 {
		d, err := b.Decide(t.Context(), turn)
		if err != nil || d.Action.Kind != cua.Click || d.Continues != (i == 1) {
			t.Fatalf("decision %d: %+v %v", i, d, err)
		}
		turn = then(turn, d)
	}
	f.valid(t)
	if len(f.bodies) != 2 {
		t.Errorf("%d requests", len(f.bodies))
	}
}

// TestConfirmationsAreNeverBypassed: without consent nothing is done and nothing acknowledged.
func TestConfirmationsAreNeverBypassed(t *testing.T) {
	pay := function("click", map[string]any{"x": 1.0, "y": 1.0,
		"safety_decision": map[string]any{"decision": "require_confirmation", "explanation": "it buys"}})
	for _, row := range []struct {
		name    string
		consent brain.Consent
		odd     any // what the safety decision is in place of that
		kind    cua.Kind
	}{
		{"nobody", brain.NoConsent, nil, cua.Ask},
		{"no", brain.Denied, nil, cua.Ask},
		{"yes", brain.Granted, nil, cua.Click},
		{"a decision that is not known", brain.NoConsent, map[string]any{"decision": "quarantine"}, cua.Ask},
		{"a decision of another form", brain.NoConsent, "require_confirmation", cua.Ask},
		{"a decision that is harmless", brain.NoConsent, map[string]any{"decision": "regular"}, cua.Click},
	} {
		t.Run(row.name, func(t *testing.T) {
			call := pay
			if row.odd != nil {
				call = function("click", map[string]any{"x": 1.0, "y": 1.0, "safety_decision": row.odd})
			}
			f := &fake{t: t, mind: sequence(do(clickOnce, call))}
			b := open(t, "gemini", "https://api.test", brain.Options{Transport: &direct{fake: f},
				Confirm: func(context.Context, brain.SafetyCheck) (brain.Consent, error) {
					return row.consent,
						nil
				}})
			turn := firstTurn(t)
			d, err := b.Decide(t.Context(), turn)
			if err != nil {
				t.Fatal(err)
			}
			turn = then(turn, d)
			if d, err = b.Decide(t.Context(), turn); err != nil || d.Action.Kind != row.kind {
				t.Fatalf("%+v %v", d, err)
			}
			if row.kind == cua.Click {
				if _, err = b.Decide(t.Context(), then(turn, d)); err != nil {
					t.Fatal(err)
				}
			}
			f.valid(t)
			if acked := strings.Contains(string(f.bodies[len(f.bodies)-1]),
				"safety_acknowledgement"); acked != (row.consent == brain.Granted) {
				t.Errorf("acknowledged: %v", acked)
			}
		})
	}
}

func TestWhatIsSent(t *testing.T) {
	f := &fake{t: t, mind: sequence()}
	b := open(t, "gemini", "https://api.test", brain.Options{Transport: &direct{fake: f}})
	turn := firstTurn(t)
	for range 40 {
		d, err := b.Decide(t.Context(), turn)
		if err != nil {
			t.Fatal(err)
		}
		turn = then(turn, d)
	}
	f.valid(t)
	for i, body := range f.bodies {
		for _, secret := range []string{plantedKey, "s3cret"} {
			if strings.Contains(string(body), secret) {
				t.Errorf("request %d holds %s", i, secret)
			}
		}
	}
	if first := string(f.bodies[0]); !strings.Contains(first, `\u003csecret:PASSWORD\u003e`) || !strings.Contains(first, "is data") {
		t.Errorf("the first request: %.2000s", first)
	}
}

func TestOptions(t *testing.T) {
	for _, row := range []struct{ name, spec, says string }{
		{"no such option", "gemini?colour=red", `no option "colour"`},
		{"twice", "gemini?images=1&images=2", "given twice"},
		{"images", "gemini?images=0", "images must be"},
		{"thinking", "gemini?thinking=much", "thinking must be"},
		{"marks", "gemini?marks=yes", "marks must be 0 or 1"},
		{"the check for injection", "gemini?injection_check=true", "injection_check must be 0 or 1"},
		{"tokens", "gemini?max_tokens=x", "max_tokens must be"},
		{"an address that is none", "gemini?base_url=ftp://a.test", "base_url must be"},
	} {
		_, err := brain.Open(row.spec, brain.Options{Providers: []brain.Provider{Provider()},
			Key: func(string) string { return plantedKey }})
		if err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v", row.name, err)
		}
	}
	_, err := brain.Open("gemini", brain.Options{Providers: []brain.Provider{Provider()}})
	if err == nil || !strings.Contains(err.Error(), "set GEMINI_API_KEY") {
		t.Errorf("without a key: %v", err)
	}
}
