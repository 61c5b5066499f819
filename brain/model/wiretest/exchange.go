package wiretest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// exchange is a transport to a service in this process. The test controls its time, and the responses can
// fail.
type exchange struct {
	t       *testing.T
	service Service
	answers []fault
	n       int // requests

	mu     sync.Mutex
	logged strings.Builder
}

// brain is one that asks through x.
func (x *exchange) brain(consent brain.Consent) brain.Brain {
	o := brain.Options{Transport: x, Log: func(line string) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.logged.WriteString(line + "\n")
	}}
	if consent != brain.NoConsent {
		o.Confirm = func(context.Context, brain.SafetyCheck) (brain.Consent, error) { return consent, nil }
	}
	return x.service.Brain(o)
}

// RoundTrip satisfies http.RoundTripper.
func (x *exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	x.n++
	x.look(r, body)
	a := fault{say: SayPress}
	if len(x.answers) > 0 {
		a, x.answers = x.answers[0], x.answers[1:]
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	if a.header != "" {
		w.Header().Set(a.header, a.value())
	}
	switch {
	case a.stall:
		<-r.Context().Done()
		return nil, r.Context().Err()
	case a.cut:
		return &http.Response{StatusCode: 200, Header: w.Header(), Body: io.NopCloser(io.MultiReader(strings.NewReader(`{"id":"x","`), torn{}))}, nil
	case a.kind != "":
		w.Header().Set("Content-Type", a.kind)
		io.WriteString(w, `{"id": "half`) //nolint:errcheck // a recorder takes all
	case a.status != 0:
		w.WriteHeader(a.status)
		// nolint:errcheck // a recorder takes all
		io.WriteString(w, x.service.Error(a.status, a.message+" "+x.service.Key))
	default:
		x.service.Answer(w, r, body, a.say, a.words)
	}
	return w.Result(), nil
}

// torn is the end of a connection.
type torn struct{}

func (torn) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// look checks that the key is in exactly one header and nowhere else.
func (x *exchange) look(r *http.Request, body []byte) {
	in := 0
	for _, values := range r.Header {
		if strings.Contains(strings.Join(values, " "), x.service.Key) {
			in++
		}
	}
	if in != 1 || model.Reveals(r.URL.String(), x.service.Key) || model.Reveals(string(body), x.service.Key) {
		x.t.Errorf("request %d: the key is in %d headers, or in address or body", x.n, in)
	}
}

// piece is the length from which a part of a key counts as leaked, bytes.
const piece = 8

// clean checks that neither the message nor the log has a part of the key.
func (x *exchange) clean(said string) {
	x.t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, text := range []string{said, x.logged.String()} {
		for i := range len(x.service.Key) - piece + 1 {
			if strings.Contains(text, x.service.Key[i:i+piece]) {
				x.t.Fatalf("a piece of the key is in %q", text)
			}
		}
	}
}

// firstTurn is the first turn of an episode, on an empty page of the size view.
func firstTurn(t testing.TB, view cua.Size) *cua.Turn {
	t.Helper()
	shot, err := model.Fit(view, model.Limit{}, 0).Blank()
	if err != nil {
		t.Fatal(err)
	}
	page := cua.Observation{URL: "https://a.test/form?token=s3cret", Title: "A form", Viewport: view}
	return &cua.Turn{Task: cua.Task{Goal: "Press it."}, History: cua.History{Start: page}, Now: page,
		Number: 1, Decision: 1, Frames: []cua.Shot{shot}}
}

// After is the turn after t in which d was executed as asked.
func After(t *cua.Turn, d cua.Decision) *cua.Turn {
	next := *t
	s := cua.Step{N: t.Number, Decision: t.Decision, Proposed: d.Action, By: d.By, Failure: d.Failure,
		Thought: d.Thought, After: t.Now, Effect: &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}}
	if d.Failure == nil {
		s.Action = &d.Action
	}
	next.History.Steps = append(t.History.Steps[:len(t.History.Steps):len(t.History.Steps)], s)
	next.Number, next.Decision = t.Number+1, t.Decision+1
	return &next
}

// Told is a decision in one line.
func Told(d cua.Decision, err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "error: deadline: " + err.Error()
	case err != nil:
		return "error: " + err.Error()
	case d.Refused:
		return "refused: " + d.Thought
	case d.Failure != nil:
		return fmt.Sprintf("failed: %s %s", d.Failure.Kind, d.Failure.Detail)
	}
	s := string(d.Action.Kind)
	if p := d.Action.Point; p != nil {
		s += fmt.Sprintf(" %g,%g", p.X, p.Y)
	}
	if d.Action.Kind == cua.Done {
		s += fmt.Sprintf(" %v", d.Action.Success)
	}
	return strings.TrimSpace(s + " " + d.Action.Text)
}
