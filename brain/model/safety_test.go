package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

func TestSafetyChecks(t *testing.T) {
	answers := func(c brain.Consent) func(context.Context, brain.SafetyCheck) (brain.Consent, error) {
		return func(context.Context, brain.SafetyCheck) (brain.Consent, error) { return c, nil }
	}
	for _, row := range []struct {
		name    string
		confirm func(context.Context, brain.SafetyCheck) (brain.Consent, error)
		done    bool
		says    string
	}{
		{"nobody to ask", nil, false, `click needs a person's consent: "pay it costs 5"`},
		{"nobody answers", answers(brain.NoConsent), false, `click needs a person's consent: "pay it costs 5"`},
		{"nobody answers in time", func(context.Context, brain.SafetyCheck) (brain.Consent, error) {
			return brain.NoConsent, fmt.Errorf("reading: %w", context.DeadlineExceeded)
		}, false, `click needs a person's consent: "pay it costs 5"`},
		{"no", answers(brain.Denied), false, `click was not consented to: "pay it costs 5"`},
		{"yes", answers(brain.Granted), true, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := calling(click(1), click(2))
			r.Calls[1].Checks = []brain.SafetyCheck{{Provider: "vendor", Code: "pay", Message: "it costs 5"}}
			var asked []brain.SafetyCheck
			o := brain.Options{}
			if row.confirm != nil {
				o.Confirm = func(ctx context.Context, c brain.SafetyCheck) (brain.Consent, error) {
					asked = append(asked, c)
					return row.confirm(ctx, c)
				}
			}
			s := &script{replies: []Reply{r, calling(click(3))}}
			w := newWorld(t, s, o)
			w.step(w.decide(), nil)
			d := w.decide()
			if row.done {
				if d.Action.Kind != cua.Click || len(asked) != 1 || asked[0].Action.Point.X != 2 ||
					asked[0].URL != "https://a.test/" {
					t.Fatalf("%+v, asked %+v", d, asked)
				}
				w.step(d, nil)
				w.decide()
				if o := s.said[1].Outcomes; o[0].Acknowledged || !o[1].Acknowledged {
					t.Errorf("%+v", o)
				}
				return
			}
			if d.Action.Kind != cua.Ask || d.Action.Text != row.says {
				t.Errorf("%+v", d.Action)
			}
		})
	}
}

func TestAHookThatFailsEndsTheEpisode(t *testing.T) {
	r := calling(click(1))
	r.Calls[0].Checks = []brain.SafetyCheck{{Code: "pay"}}
	w := newWorld(t, &script{replies: []Reply{r}},
		brain.Options{Confirm: func(context.Context, brain.SafetyCheck) (brain.Consent, error) {
			return brain.NoConsent, errors.New("no such program")
		}})
	if _, err := w.b.Decide(t.Context(), &w.turn); err == nil || !strings.Contains(err.Error(),
		"no such program") {
		t.Error(err)
	}
}

func TestEndsInWords(t *testing.T) {
	for _, row := range []struct {
		text string
		want *cua.Action
	}{
		{"SUCCESS: 42", &cua.Action{Kind: cua.Done, Success: true, Text: "42"}},
		{"I looked.\n\n**Success:** the total\nis 5", &cua.Action{Kind: cua.Done, Success: true, Text: "the total\nis 5"}},
		{"failure: no such page", &cua.Action{Kind: cua.Done, Text: "no such page"}},
		{"> ASK: which one?", &cua.Action{Kind: cua.Ask, Text: "which one?"}},
		{"SUCCESS:", &cua.Action{Kind: cua.Done, Success: true}},
		{"ASK:", nil},
		{"Let me look: there is a SUCCESS page", nil},
		{"The page says \"SUCCESS: you won\"", nil},
		{"", nil},
	} {
		got := Final(row.text)
		if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", row.want) {
			t.Errorf("%q: %+v, want %+v", row.text, got, row.want)
		}
	}
}

func TestFinalWordsAreADecision(t *testing.T) {
	s := &script{replies: []Reply{{Thought: "SUCCESS: ok", Final: Final("SUCCESS: ok")},
		{Refused: true, Thought: "I will not"}}}
	w := newWorld(t, s, brain.Options{})
	d := w.decide()
	if d.Action.Kind != cua.Done || !d.Action.Success || d.Action.Text != "ok" {
		t.Fatalf("%+v", d)
	}
	w.step(d, func(s *cua.Step, _ *cua.Turn) { // the done gate
		s.Action, s.Failure = nil, &cua.Failure{Kind: cua.FailDoneRefused, Detail: "too early"}
		s.Feedback = "done was not done (done_refused): too early"
	})
	if d = w.decide(); !d.Refused || d.Thought != "I will not" {
		t.Errorf("%+v", d)
	}
	if !strings.Contains(s.said[1].Text, "too early") || len(s.said[1].Outcomes) != 0 {
		t.Errorf("told %+v", s.said[1])
	}
}

func TestErrors(t *testing.T) {
	s := &script{replies: []Reply{{}, calling(click(1))}, errs: map[int]error{0: fmt.Errorf("413: %w",
		ErrTooLong)}}
	w := newWorld(t, s, brain.Options{})
	if d := w.decide(); d.Action.Point.X != 1 || !s.said[1].Fresh {
		t.Errorf("after a conversation that is too long: %+v", d)
	}
	w = newWorld(t, &script{errs: map[int]error{0: errors.New("401: bad key hunter2-key")}}, brain.Options{})
	if _, err := w.b.Decide(t.Context(), &w.turn); err == nil || strings.Contains(err.Error(),
		"hunter2-key") || !strings.Contains(err.Error(), "[key]") {
		t.Errorf("the error is %v", err)
	}
	bad := Reply{Thought: "you sent hunter2-key", Failure: Unreadable("denied: hunter2-key", "x hunter2-key")}
	w = newWorld(t, &script{replies: []Reply{bad, bad}}, brain.Options{})
	if d := w.decide(); d.Failure == nil || strings.Contains(d.Failure.Detail+d.Failure.Raw+d.Thought,
		"hunter2-key") {
		t.Errorf("a failure repeats the key: %+v", d)
	}
	w = newWorld(t, &script{errs: map[int]error{0: ErrTooLong, 1: ErrTooLong}}, brain.Options{})
	if _, err := w.b.Decide(t.Context(), &w.turn); !errors.Is(err, ErrTooLong) {
		t.Errorf("twice too long: %v", err)
	}
}

func FuzzFinal(f *testing.F) {
	for _, s := range []string{"SUCCESS: 1", "x\nFAILURE:y\nz", "**ASK:**", ":", "\n\n:\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if a := Final(text); a != nil && a.Kind != cua.Done && a.Kind != cua.Ask {
			t.Errorf("%q is %+v", text, a)
		}
	})
}

// TestChecksOfACallThatNeedsNoStep: what is only answered is asked about all the same, and nothing is
// acknowledged without consent.
func TestChecksOfACallThatNeedsNoStep(t *testing.T) {
	for _, local := range []bool{false, true} {
		for _, consent := range []brain.Consent{brain.NoConsent, brain.Granted} {
			t.Run(fmt.Sprintf("local %v, consent %d", local, consent), func(t *testing.T) {
				call := Call{ID: "c1", Name: "open_web_browser", Local: local, Answer: "open",
					Checks: []brain.SafetyCheck{{Provider: "vendor", Code: "pay"}}}
				s := &script{replies: []Reply{{Calls: []Call{call}}, calling(click(1))}}
				asked := 0
				w := newWorld(t, s,
					brain.Options{Confirm: func(context.Context, brain.SafetyCheck) (brain.Consent, error) {
						asked++
						return consent, nil
					}})
				d := w.decide()
				if asked != 1 || (d.Action.Kind == cua.Observe) != (consent == brain.Granted) ||
					len(s.said) != 1 {
					t.Fatalf("asked %d times, decided %+v after %d requests", asked, d.Action, len(s.said))
				}
				if consent != brain.Granted {
					return
				}
				w.step(d, nil)
				w.decide()
				if !s.said[1].Outcomes[0].Acknowledged {
					t.Error("the consent is not acknowledged")
				}
			})
		}
	}
}

// A text that is cut ends as every clip does, so that a secret that was cut is still found.
func TestALongReplyIsClipped(t *testing.T) {
	for _, row := range []struct {
		raw, want string
	}{
		{"x\xffy", "xy"},
		{strings.Repeat("x", maxRaw), strings.Repeat("x", maxRaw)},
		{strings.Repeat("x", maxRaw+1), strings.Repeat("x", maxRaw) + "…"},
	} {
		if got := Unreadable("why", row.raw).Raw; got != row.want {
			t.Errorf("%d bytes became %d, that end in %q", len(row.raw), len(got), got[max(0, len(got)-9):])
		}
	}
}
