package anthropic

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// desk plays the runner for a brain: it makes the turns, and steps of what the brain decides.
type desk struct {
	t     testing.TB
	b     brain.Brain
	steps []cua.Step
	start cua.Observation
	shot  cua.Shot
}

func newDesk(t testing.TB, b brain.Brain) *desk {
	d := &desk{t: t, b: b, start: page(), shot: cua.Shot{Data: pngOf(1280, 800), Mime: "image/png"}}
	d.start.FrameSHA = digest(d.shot.Data)
	return d
}

func (d *desk) turn() *cua.Turn {
	h := cua.History{Start: d.start, Steps: d.steps}
	t := &cua.Turn{Task: cua.Task{Goal: "Send the form."}, History: h, Now: h.Now(), Number: len(d.steps) + 1,
		Decision: 1, Frames: []cua.Shot{d.shot}}
	if n := len(d.steps); n > 0 {
		t.Decision = d.steps[n-1].Decision + 1
	}
	return t
}

// decide asks the brain and records a step, which change may alter.
func (d *desk) decide(change func(*cua.Step)) (cua.Decision, error) {
	d.t.Helper()
	turn := d.turn()
	got, err := d.b.Decide(d.t.Context(), turn)
	if err != nil {
		return got, err
	}
	s := cua.Step{N: turn.Number, Decision: turn.Decision, Proposed: got.Action, Failure: got.Failure,
		By: got.By, After: turn.Now, Thought: got.Thought, Usage: got.Usage}
	if got.Continues {
		s.Decision--
	}
	if got.Failure == nil {
		a := got.Action
		s.Action = &a
		s.Effect = &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}
	} else {
		s.Feedback = "a reply was not done: " + got.Failure.Detail
	}
	if change != nil {
		change(&s)
	}
	d.steps = append(d.steps, s)
	return got, nil
}

// answers is a model that answers by number, and clicks when it has no more to say.
func answers(f *fake, replies ...say) func(seen) say {
	return func(s seen) say {
		if len(replies) > 0 {
			r := replies[0]
			replies = replies[1:]
			return r
		}
		return say{blocks: list{thought(s.n), f.use("browser", "left_click",
			object{"target": object{"type": "coordinate", "x": 10, "y": 20}})}}
	}
}

// times answers the first n requests with a fault.
func times(n int, fault func(w *recorder, r *http.Request)) func(int, http.ResponseWriter,
	*http.Request) bool {
	return func(i int, w http.ResponseWriter, r *http.Request) bool {
		if i <= n {
			fault(w.(*recorder), r)
		}
		return i <= n
	}
}

func status(code int, header ...string) func(*recorder, *http.Request) {
	return func(w *recorder, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"type":"error","error":{"type":"api_error","message":"no luck, %s"},"request_id":"r1"}`, plantedKey)
	}
}

func TestCancellationReachesTheWire(t *testing.T) {
	schemas(t)
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, nil)
		arrived, gone := make(chan struct{}), make(chan struct{})
		f.fault = func(_ int, _ http.ResponseWriter, r *http.Request) bool {
			close(arrived)
			<-r.Context().Done()
			close(gone)
			return true
		}
		d := newDesk(t, f.opened(t, "anthropic"))
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-arrived; cancel() }()
		began := time.Now()
		if _, err := d.b.Decide(ctx, d.turn()); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		<-gone
		if took := time.Since(began); took != 0 {
			t.Errorf("it took %v", took)
		}
	})
}

// Replies that cannot be played: one more request with what was wrong, then a failed step of that kind; and
// what is sent after that is valid again.
func TestRepliesThatCannotBePlayed(t *testing.T) {
	schemas(t)
	type reply func(f *fake) say
	calls := func(name string, in object) reply {
		return func(f *fake) say { return say{blocks: list{thought(0), f.use("browser", name, in)}} }
	}
	there := object{"type": "coordinate", "x": 10, "y": 20}
	for _, row := range []struct {
		name  string
		reply reply
		kind  cua.FailureKind
		told  string // in the second request, of what was wrong with the first reply
	}{
		{"the token cap", func(f *fake) say {
			return say{blocks: list{thought(0), text("I will now"), f.use("browser", "type", object{})},
				stop: "max_tokens"}
		}, cua.FailSchema, "cut short"},
		{"a malformed call", calls("left_click", object{"target": "the button"}), cua.FailSchema, "cannot unmarshal"},
		{"two calls with one id", func(f *fake) say {
			u := f.use("browser", "left_click", object{"target": there})
			return say{blocks: list{thought(0), u, u}}
		}, cua.FailSchema, "the same id"},
		{"an unknown action", calls("teleport", object{}), cua.FailUnknownAction, "teleport"},
		{"a member that is switched off", calls("hold_key", object{"text": "a", "duration": 1}), cua.FailUnknownAction, "offered are"},
		{"an unknown key", calls("key", object{"text": "Hyperdrive"}), cua.FailUnknownAction, "unknown key"},
		{"a point outside", calls("left_click", object{"target": object{"type": "coordinate", "x": 5000, "y": 1}}), cua.FailSchema, "outside"},
		{"a reference that is none", calls("left_click", object{"target": object{"type": "ref", "ref": "ref_999"}}), cua.FailNotFound, "read_page or find"},
		{"words without a verdict", func(*fake) say { return say{blocks: list{text("I think I am done.")}} }, cua.FailSchema, "neither a call nor"},
		{"nothing at all", func(*fake) say { return say{} }, cua.FailSchema, "neither a call nor"},
		{"a thought alone", func(*fake) say { return say{blocks: list{thought(0)}} }, cua.FailSchema, "neither a call nor"},
	} {
		t.Run(row.name+", once", func(t *testing.T) {
			f := newFake(t, nil)
			f.model = answers(f, row.reply(f))
			d := newDesk(t, f.opened(t, "anthropic"))
			got, err := d.decide(nil)
			if err != nil || got.Failure != nil || got.Action.Kind != cua.Click || len(f.requests) != 2 ||
				!strings.Contains(string(f.requests[1]), row.told) {
				t.Errorf("got %+v, %v after %d requests", got, err, len(f.requests))
			}
		})
		t.Run(row.name+", twice", func(t *testing.T) {
			f := newFake(t, nil)
			f.model = answers(f, row.reply(f), row.reply(f))
			d := newDesk(t, f.opened(t, "anthropic"))
			got, err := d.decide(nil)
			if err != nil || got.Failure == nil || got.Failure.Kind != row.kind || got.Action.Kind != "" ||
				len(f.requests) != 2 {
				t.Fatalf("got %+v, %v after %d requests", got, err, len(f.requests))
			}
			if got, err = d.decide(nil); err != nil || got.Action.Kind != cua.Click || got.Continues {
				t.Errorf("the next decision is %+v, %v", got, err)
			}
		})
	}
}

func TestHowAReplyEnds(t *testing.T) {
	schemas(t)
	end := func(s string) say { return say{blocks: list{thought(0), text(s)}} }
	for _, row := range []struct {
		name     string
		replies  []say
		want     cua.Action
		refused  bool
		requests int
	}{
		{"success", []say{end("It worked.\nSUCCESS: 42 EUR")}, cua.Action{Kind: cua.Done, Success: true, Text: "42 EUR"}, false, 1},
		{"failure", []say{end("FAILURE: sold out")}, cua.Action{Kind: cua.Done, Text: "sold out"}, false, 1},
		{"a question", []say{end("ASK: which of the two?")}, cua.Action{Kind: cua.Ask, Text: "which of the two?"}, false, 1},
		{"a stop sequence", []say{{blocks: list{text("SUCCESS: x")}, stop: "stop_sequence"}}, cua.Action{Kind: cua.Done, Success: true, Text: "x"}, false, 1},
		{"a refusal", []say{{blocks: list{text("I cannot.")}, stop: "refusal", detail: object{"type": "refusal", "category": "cyber", "explanation": "not that"}}}, cua.Action{}, true, 1},
		{"a pause", []say{{blocks: list{thought(1), text("Wait.")}, stop: "pause_turn"}, end("SUCCESS: y")}, cua.Action{Kind: cua.Done, Success: true, Text: "y"}, false, 2},
		{"the end of the context", []say{{blocks: list{text("…")}, stop: "model_context_window_exceeded"}, end("SUCCESS: z")}, cua.Action{Kind: cua.Done, Success: true, Text: "z"}, false, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newFake(t, nil)
			f.model = answers(f, row.replies...)
			d := newDesk(t, f.opened(t, "anthropic"))
			got, err := d.decide(nil)
			if err != nil || got.Refused != row.refused || got.Failure != nil ||
				len(f.requests) != row.requests {
				t.Fatalf("got %+v, %v after %d requests", got, err, len(f.requests))
			}
			if a := got.Action; a.Kind != row.want.Kind || a.Text != row.want.Text ||
				a.Success != row.want.Success {
				t.Errorf("got %+v, want %+v", a, row.want)
			}
			if row.refused && !strings.Contains(got.Thought, "not that") {
				t.Errorf("the refusal says %q", got.Thought)
			}
		})
	}
}
