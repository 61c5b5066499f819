package openai_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

// inside is a transport that serves in this process, without a network: so time is the test's own.
type inside struct{ http.Handler }

func (in inside) RoundTrip(r *http.Request) (*http.Response, error) {
	came := make(chan *http.Response, 1)
	go func() {
		rec := httptest.NewRecorder()
		in.ServeHTTP(rec, r)
		came <- rec.Result()
	}()
	select {
	case res := <-came:
		return res, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// answer is one answer of the server in place of a model.
type answer func(f *fake, w http.ResponseWriter, r *http.Request)

func status(code int, header, value string) answer {
	return func(_ *fake, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if header != "" {
			w.Header().Set(header, value)
		}
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"error":{"message":"no, %s","type":"t","code":"c","param":null}}`, key)
	}
}

func coded(code int, name string) answer {
	return func(_ *fake, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"error":{"message":"too long","type":"invalid_request_error","code":%q,"param":"input"}}`, name)
	}
}

func says(output ...object) answer {
	return func(f *fake, w http.ResponseWriter, _ *http.Request) {
		f.answer(w, len(f.bodies), f.bodies[len(f.bodies)-1], output)
	}
}

// ends is a response of another status than completed.
func ends(status string, more object, output ...object) answer {
	return func(f *fake, w http.ResponseWriter, _ *http.Request) {
		var body object
		body, _ = decodedBody(f.bodies[len(f.bodies)-1])
		_, wrong := f.vendor.accept(body)
		for _, rule := range wrong {
			f.t.Error(rule)
		}
		f.write(w, body, "resp_bad", status, output, more)
	}
}

func tokenCap(output ...object) answer {
	return ends("incomplete", object{"incomplete_details": object{"reason": "max_output_tokens"}}, output...)
}

func refused(text string) object {
	m := message("final_answer", "")
	m["content"] = []any{object{"type": "refusal", "refusal": text}}
	return m
}

func acts(actions ...any) object { return computerCall("c1", actions...) }

func computerCall(id string, actions ...any) object {
	if actions == nil {
		actions = []any{}
	}
	return object{"type": "computer_call", "id": "cu_" + id, "call_id": id, "status": "completed",
		"actions": actions, "pending_safety_checks": []any{}}
}

func functionCall(id, name, args string) object {
	return object{"type": "function_call", "id": "fc_" + id, "call_id": id, "name": name, "arguments": args,
		"status": "completed"}
}

var (
	click = object{"type": "click", "button": "left", "x": 5, "y": 6}
	waits = object{"type": "wait"}
)

// theTurn is a first turn on a page of 64×64 px.
func theTurn(t *testing.T) *cua.Turn {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(shotOf(t, 64, 64),
		"data:image/png;base64,"))
	if err != nil {
		t.Fatal(err)
	}
	page := cua.Observation{URL: "http://h/", Viewport: cua.Size{W: 64, H: 64}}
	return &cua.Turn{Task: cua.Task{Goal: "press it"}, History: cua.History{Start: page}, Now: page,
		Number: 1, Decision: 1, Frames: []cua.Shot{{Data: data, Mime: "image/png"}}}
}

// after is the turn behind t in which d was done, with change made to its step.
func after(t *cua.Turn, d cua.Decision, change func(*cua.Step)) *cua.Turn {
	next := *t
	s := cua.Step{N: t.Number, Decision: t.Decision, Proposed: d.Action, By: d.By, Failure: d.Failure,
		After: t.Now, Effect: &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}}
	if d.Failure == nil {
		s.Action = &d.Action
	}
	if change != nil {
		change(&s)
	}
	next.History.Steps = append(next.History.Steps, s)
	next.Number, next.Decision = t.Number+1, t.Decision+1
	return &next
}

// asking is a fake whose first answers are given, and its brain.
func asking(t *testing.T, o brain.Options, options string, answers ...answer) (*fake, brain.Brain) {
	t.Helper()
	f := newFake(t)
	for i, a := range answers {
		f.turns[i+1] = func(w http.ResponseWriter, r *http.Request) bool {
			a(f, w, r)
			return true
		}
	}
	return f, f.brain(options, inside{f}, "https://api.test/v1", o)
}

func TestReplies(t *testing.T) {
	good := says(acts(click))
	for _, row := range []struct {
		name     string
		answers  []answer
		want     string // the decision, or the error
		requests int    // that were sent
	}{
		{"nothing is wrong", []answer{good}, "click 5,6", 1},
		{"too long: started over, once", []answer{coded(400, "context_length_exceeded"), good}, "click 5,6", 2},
		{"a conversation that the server has lost", []answer{coded(400, "previous_response_not_found"), good}, "click 5,6", 2},
		{"too long again", []answer{coded(400, "context_length_exceeded"), coded(413, "x")}, "too long", 2},

		{"the cap on tokens", []answer{tokenCap(acts(click)), tokenCap()}, "failed: schema_reject", 2},
		{"cut by a filter", []answer{ends("incomplete", object{"incomplete_details": object{"reason": "content_filter"}}), good}, "click 5,6", 2},
		{"the server failed", []answer{ends("failed", object{"error": object{"code": "server_error", "message": "oh"}}), ends("failed", object{"error": object{"code": "server_error", "message": "oh"}})}, "failed: model_error", 2},
		{"a refusal beside a call", []answer{says(acts(click), refused("No."))}, "refused: No.", 1},
		{"words alone, then a call", []answer{says(message("final_answer", "I pressed it.")), good}, "click 5,6", 2},
		{"commentary alone", []answer{says(message("commentary", "SUCCESS: I will press it.")), says(message("commentary", "Now."))}, "failed: schema_reject", 2},
		{"a final message", []answer{says(message("commentary", "so"), message("final_answer", "SUCCESS: it was 42"))}, "done true it was 42", 1},
		{"a final message without a phase", []answer{says(message("", "FAILURE: no such page"))}, "done false no such page", 1},
		{"a question", []answer{says(message("final_answer", "ASK: which one?"))}, "ask which one?", 1},
		{"done by its function", []answer{says(functionCall("c1", "done", `{"success":true,"answer":"42"}`))}, "done true 42", 1},
		{"nothing at all", []answer{says([]object{}...), good}, "click 5,6", 2},
		{"a malformed call", []answer{says(functionCall("c1", "navigate", `{"url":`)), good}, "click 5,6", 2},
		{"a call of nothing", []answer{says(acts()), good}, "click 5,6", 2},
		{"an unknown action", []answer{says(acts(object{"type": "screenshot"}, object{"type": "teleport"}))}, "observe", 1},
		{"unknown actions", []answer{says(acts(object{"type": "teleport"})), says(computerCall("c2", object{"type": "fly"}))}, "failed: unknown_action", 2},
		{"two calls in one reply", []answer{says(acts(waits), computerCall("c2", click))}, "wait", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, b := asking(t, brain.Options{}, "", row.answers...)
				f.response = nil // some answers are bad ones
				d, err := b.Decide(t.Context(), theTurn(t))
				if got := wiretest.Told(d, err); !strings.Contains(got, row.want) ||
					strings.Contains(got, key) {
					t.Errorf("got %q, want %q", got, row.want)
				}
				if len(f.bodies) != row.requests || d.Usage.Attempts != row.requests && err == nil {
					t.Errorf("%d requests, %d attempts counted; want %d", len(f.bodies), d.Usage.Attempts,
						row.requests)
				}
			})
		})
	}
}

// TestCancellationReachesTheWire: who cancels a decision ends its request.
func TestCancellationReachesTheWire(t *testing.T) {
	gone := make(chan struct{})
	asked := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		// nolint:errcheck // a server notices a client that goes only once it has read its request
		io.Copy(io.Discard, r.Body)
		close(asked)
		<-r.Context().Done()
		close(gone)
	}))
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	_, err := newFake(t).brain("", nil, s.URL+"/v1", brain.Options{}).Decide(ctx, theTurn(t))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-gone
}
