package openai_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

// body is request n of f, from 1.
func (f *fake) body(n int) object {
	f.t.Helper()
	if n > len(f.bodies) {
		f.t.Fatalf("there were %d requests, not %d", len(f.bodies), n)
	}
	body, err := decodedBody(f.bodies[n-1])
	if err != nil {
		f.t.Fatal(err)
	}
	return body
}

// decide is one decision that must come.
func decide(t *testing.T, b brain.Brain, turn *cua.Turn) cua.Decision {
	t.Helper()
	d, err := b.Decide(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestBatches: what of a batch is not played is answered all the same, and the model is told why; the request
// is valid by schema and rules in both ways of keeping a conversation.
func TestBatches(t *testing.T) {
	batch := []object{acts(click, waits), functionCall("c2", "reload", "{}")}
	for _, row := range []struct {
		name   string
		change func(*cua.Step)
		plays  string // the next decision
		told   []string
	}{
		{"as asked", nil, "wait", nil},
		{"substituted", func(s *cua.Step) {
			s.Action = &cua.Action{Kind: cua.Key, Keys: "Tab"}
			s.Rulings = []cua.Ruling{{Gate: "loop_recovery", Verdict: cua.Replace,
				Reason: "tab_to_next_field", Action: s.Action}}
			s.Feedback = "instead of click: pressed Tab (tab_to_next_field)"
		}, "done true", []string{"1. click: Not done as asked. The runner did something else instead",
			"pressed Tab (tab_to_next_field)", "2. wait: Not executed", "Not executed"}},
		{"refused", func(s *cua.Step) {
			s.Action, s.Failure, s.Effect = nil, &cua.Failure{Kind: cua.FailPolicy, Detail: "no"}, nil
			s.Feedback = "click was not done (policy_denied): no"
		}, "done true", []string{"1. click: Not done. It was refused", "policy_denied",
			"2. wait: Not executed"}},
		{"failed", func(s *cua.Step) {
			s.Failure, s.Effect = &cua.Failure{Kind: cua.FailNotFound, Detail: "gone"}, nil
			s.Feedback = "click failed (element_not_found): gone"
		}, "done true", []string{"1. click: Failed", "gone"}},
	} {
		for _, state := range []string{"server", "client"} {
			t.Run(row.name+", "+state, func(t *testing.T) {
				f, b := asking(t, brain.Options{}, "&state="+state, says(batch...),
					says(message("final_answer", "SUCCESS: x")))
				turn := theTurn(t)
				d := decide(t, b, turn)
				next := decide(t, b, after(turn, d, row.change))
				if got := wiretest.Told(next, nil); !strings.HasPrefix(got, row.plays) ||
					next.Continues != (row.told == nil) {
					t.Errorf("then %q, continues %v; want %q", got, next.Continues, row.plays)
				}
				if row.told == nil {
					return
				}
				said := texts(items(f.body(2)["input"]))
				for _, want := range row.told {
					if !strings.Contains(said, want) {
						t.Errorf("not told %q in:\n%s", want, said)
					}
				}
			})
		}
	}
}

// TestSafetyChecks: a check is acknowledged, whole, when a person or a policy agreed to it, and never else.
func TestSafetyChecks(t *testing.T) {
	check := object{"id": "sc_1", "code": "sensitive_domain", "message": "a bank"}
	other := object{"id": "sc_2", "code": nil, "message": nil}
	call := acts(click, waits)
	call["pending_safety_checks"] = []any{check, other}
	answers := func(c brain.Consent, err error) func(context.Context, brain.SafetyCheck) (brain.Consent,
		error) {
		return func(_ context.Context, s brain.SafetyCheck) (brain.Consent, error) {
			if s.Provider != "openai" || s.Action.Kind != cua.Click || len(s.Then) != 1 ||
				s.Then[0].Kind != cua.Wait || s.URL != "http://h/" {
				t.Errorf("asked about %+v", s)
			}
			return c, err
		}
	}
	for _, row := range []struct {
		name    string
		confirm func(context.Context, brain.SafetyCheck) (brain.Consent, error)
		want    string
	}{
		{"nobody is there", nil, "ask click needs a person's consent"},
		{"nobody answers", answers(brain.NoConsent, nil), "ask click needs a person's consent"},
		{"denied", answers(brain.Denied, nil), "ask click was not consented to"},
		{"asking failed", answers(brain.Granted, errors.New("no terminal")), "error: asking about a safety check: no terminal"},
		{"agreed to", answers(brain.Granted, nil), "click 5,6"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f, b := asking(t, brain.Options{Confirm: row.confirm}, "", says(call),
				says(message("final_answer", "SUCCESS: x")))
			turn := theTurn(t)
			d, err := b.Decide(t.Context(), turn)
			if got := wiretest.Told(d, err); !strings.HasPrefix(got, row.want) {
				t.Fatalf("got %q, want %q", got, row.want)
			}
			if d.Action.Kind != cua.Click {
				if len(f.bodies) != 1 {
					t.Errorf("%d requests", len(f.bodies))
				}
				return
			}
			turn = after(turn, d, nil)
			decide(t, b, after(turn, decide(t, b, turn), nil))
			for _, i := range items(f.body(2)["input"]) {
				if got, ok := i["acknowledged_safety_checks"]; ok {
					if !reflect.DeepEqual(got, []any{check, other}) {
						t.Errorf("acknowledged %v", got)
					}
					return
				}
			}
			t.Error("nothing was acknowledged")
		})
	}
}

// TestChecksOfACallOfNothing: a call without an action may have checks all the same; they are asked about,
// and acknowledged only then.
func TestChecksOfACallOfNothing(t *testing.T) {
	empty := acts()
	empty["pending_safety_checks"] = []any{object{"id": "sc_1", "code": "irrelevant_domain",
		"message": "look"}}
	for _, row := range []struct {
		name    string
		consent brain.Consent
		want    string
	}{{"nobody is there", brain.NoConsent, "ask observe needs a person's consent"},
		{"agreed to", brain.Granted, "observe"}} {
		t.Run(row.name, func(t *testing.T) {
			confirm := func(context.Context, brain.SafetyCheck) (brain.Consent, error) {
				return row.consent,
					nil
			}
			f, b := asking(t, brain.Options{Confirm: confirm}, "", says(empty),
				says(message("final_answer", "SUCCESS: x")))
			turn := theTurn(t)
			d := decide(t, b, turn)
			if got := wiretest.Told(d, nil); !strings.HasPrefix(got, row.want) || len(f.bodies) != 1 {
				t.Fatalf("got %q after %d requests, want %q", got, len(f.bodies), row.want)
			}
			if row.consent == brain.Granted { // the fake wants what is acknowledged to be whole
				if d = decide(t, b, after(turn, d, nil)); d.Action.Kind != cua.Done ||
					f.body(2)["previous_response_id"] == nil {
					t.Errorf("got %s", wiretest.Told(d, nil))
				}
			}
		})
	}
}

// TestAPageThatCannotBeCaptured: an episode may begin under a dialog, which no frame shows. Each request is
// valid: a call of the computer is answered by a blank picture, and the model is told.
func TestAPageThatCannotBeCaptured(t *testing.T) {
	for _, row := range []struct {
		tool string
		view cua.Size
		want cua.Size // of the picture
	}{
		{"computer", cua.Size{W: 64, H: 64}, cua.Size{W: 64, H: 64}},
		{"preview", cua.Size{W: 64, H: 64}, cua.Size{W: 64, H: 64}},
		{"computer", cua.Size{}, cua.Size{W: 1280, H: 800}},
	} {
		t.Run(row.tool, func(t *testing.T) {
			call := acts(object{"type": "screenshot"})
			if row.tool == "preview" {
				call["action"] = object{"type": "screenshot"}
				delete(call, "actions")
			}
			f, b := asking(t, brain.Options{}, "&tool="+row.tool, says(call),
				says(message("final_answer", "SUCCESS: x")))
			turn := theTurn(t)
			turn.Frames, turn.Now.Viewport, turn.Now.Dialog = nil, row.view,
				&cua.Dialog{Type: "confirm", Message: "Leave?"}
			turn.History.Start = turn.Now
			d := decide(t, b, turn)
			decide(t, b, after(turn, d, nil))
			second := items(f.body(2)["input"])
			if size := display(second); size.X != row.want.W || size.Y != row.want.H {
				t.Errorf("a picture of %v", size)
			}
			if !strings.Contains(texts(second), "The picture is blank") {
				t.Errorf("the model is not told: %s", texts(second))
			}
		})
	}
}

// TestTheLastPictureIsNotTakenForThePage: a page that cannot be captured any more is not shown by the picture
// of the page before it.
func TestTheLastPictureIsNotTakenForThePage(t *testing.T) {
	f, b := asking(t, brain.Options{}, "&tool=computer", says(acts(object{"type": "screenshot"})),
		says(message("final_answer", "SUCCESS: x")))
	turn := theTurn(t)
	next := after(turn, decide(t, b, turn), nil)
	next.Frames = nil
	decide(t, b, next)
	if text := texts(items(f.body(2)["input"])); !strings.Contains(text, "The picture is blank") {
		t.Errorf("the model is not told: %s", text)
	}
}

// TestOpenChecksEndTheConversation: a call with checks that was not played, for an action before it failed,
// cannot be answered without the consent; the conversation begins anew and nothing is acknowledged.
func TestOpenChecksEndTheConversation(t *testing.T) {
	unsafe := computerCall("c2", click)
	unsafe["pending_safety_checks"] = []any{object{"id": "sc_1"}}
	f, b := asking(t, brain.Options{}, "", says(acts(waits), unsafe),
		says(message("final_answer", "SUCCESS: x")))
	turn := theTurn(t)
	d := decide(t, b, turn)
	decide(t, b, after(turn, d, func(s *cua.Step) {
		s.Failure = &cua.Failure{Kind: cua.FailExec,
			Detail: "no"}
	}))
	if body := f.body(2); body["previous_response_id"] != nil || strings.Contains(string(f.bodies[1]),
		"sc_1") {
		t.Errorf("the conversation went on: %v", body["previous_response_id"])
	}
}

// TestTheNextRequestIsValid: whatever was wrong with a reply, what is sent next is a request that the vendor
// takes, which the fake checks.
func TestTheNextRequestIsValid(t *testing.T) {
	for _, row := range []struct {
		name string
		bad  answer
	}{
		{"an unknown action behind a good one", says(acts(object{"type": "teleport"}), functionCall("c2", "reload", "{}"))},
		{"an unknown function", says(functionCall("c1", "launch", "{}"))},
		{"malformed arguments", says(functionCall("c1", "navigate", "{"), functionCall("c2", "ask", "[]"))},
		{"a point outside", says(acts(object{"type": "move", "x": 640, "y": 480}))},
		{"the cap on tokens, with half a call", tokenCap(acts(click))},
		{"words alone", says(message("final_answer", "I did it."))},
		{"a call of nothing", says(acts())},
	} {
		for _, state := range []string{"server", "client"} {
			t.Run(row.name+", "+state, func(t *testing.T) {
				f, b := asking(t, brain.Options{}, "&state="+state, row.bad, says(computerCall("c9", waits)),
					says(message("final_answer", "SUCCESS: x")))
				f.response = nil // some answers are bad ones, and sent back as they came
				if strings.HasPrefix(row.name, "an unknown action") {
					f.request = nil
				}
				turn := theTurn(t)
				d := decide(t, b, turn)
				if d = decide(t, b, after(turn, d, nil)); d.Action.Kind != cua.Done || len(f.bodies) != 3 {
					t.Errorf("got %s after %d requests", wiretest.Told(d, nil), len(f.bodies))
				}
			})
		}
	}
}

// TestUsage: what was cached, written to the cache and reasoned is told apart, and each request of a decision
// counts.
func TestUsage(t *testing.T) {
	_, b := asking(t, brain.Options{Cost: func(p, m string, u cua.Usage) *float64 {
		if p != "openai" || m != "m" {
			t.Errorf("priced as %s %s", p, m)
		}
		return new(float64(u.InputTokens) / 1000)
	}}, "", says(message("commentary", "so")), says(acts(click)))
	got := decide(t, b, theTurn(t)).Usage
	want := cua.Usage{InputTokens: 2000, CachedTokens: 800, CacheWriteTokens: 200, OutputTokens: 100,
		ReasoningTokens: 40, Attempts: 2, USD: new(2.0)}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestOptions: what a spec may say, and that the key is in no error.
func TestOptions(t *testing.T) {
	for _, row := range []struct{ spec, want string }{
		{"openai", ""},
		{"openai:gpt-5.5?tool=computer&state=client&effort=low&summary=auto&max_tokens=0&fold=5&long_edge=1024&attempt=10m", ""},
		{"openai?tool=preview", ""},
		{"openai?marks=1", ""},
		{"openai?tool=desktop", "tool must be one of"},
		{"openai?effort=most", "effort must be one of"},
		{"openai?fold=0", "fold must be a number of 1 or more"},
		{"openai?long_edge=x", "long_edge must be a number"},
		{"openai?attempt=soon", "attempt must be a duration"},
		{"openai?marks=1&long_edge=700", ""},
		{"openai?base_url=http://me:pass@h/v1", "base_url must be"},
		{"openai?key=" + key, `has no option "key"`},
	} {
		t.Run(row.spec, func(t *testing.T) {
			_, err := brain.Open(row.spec, options(key))
			if row.want == "" && err != nil || row.want != "" && (err == nil ||
				!strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), key)) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
	if _, err := brain.Open("openai", options("")); err == nil || !strings.Contains(err.Error(),
		"OPENAI_API_KEY") {
		t.Errorf("without a key: %v", err)
	}
}

// TestCheck: one small request, without tools, reports whether key and model are right.
func TestCheck(t *testing.T) {
	small := func(f *fake, w http.ResponseWriter, _ *http.Request) {
		if f.request != nil {
			if err := f.request.Check(f.bodies[0]); err != nil {
				t.Error(err)
			}
		}
		if body := f.body(1); body["tools"] != nil || body["store"] != false {
			t.Errorf("it is no small request: %s", f.bodies[0])
		}
		f.write(w, f.body(1), "resp_1", "completed", []object{message("final_answer", "ok")}, nil)
	}
	_, b := asking(t, brain.Options{}, "", small, status(401, "", ""))
	checked := b.(brain.Checker)
	if u, err := checked.Check(t.Context()); err != nil || u.InputTokens != 1000 || u.Attempts != 1 {
		t.Errorf("%+v, %v", u, err)
	}
	if _, err := checked.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "401") ||
		strings.Contains(err.Error(), key) {
		t.Errorf("a wrong key: %v", err)
	}
}
