package model

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// script is a wire that answers from a list and keeps what it was told.
type script struct {
	replies []Reply
	errs    map[int]error // by request, from 0
	said    []Say
}

func (s *script) Ask(_ context.Context, say Say) (Reply, error) {
	n := len(s.said)
	say.Outcomes = slices.Clone(say.Outcomes)
	s.said = append(s.said, say)
	if err := s.errs[n]; err != nil {
		return Reply{}, err
	}
	if n >= len(s.replies) {
		return Reply{}, errors.New("nothing more to say")
	}
	return s.replies[n], nil
}

func click(x float64) cua.Action { return cua.Action{Kind: cua.Click, Point: &cua.Point{X: x, Y: 10}} }

// calling is a reply that calls each action.
func calling(actions ...cua.Action) Reply {
	r := Reply{Usage: cua.Usage{InputTokens: 100, OutputTokens: 10}}
	for i, a := range actions {
		r.Calls = append(r.Calls, Call{ID: fmt.Sprint("c", i+1), Name: string(a.Kind),
			Actions: []cua.Action{a}})
	}
	return r
}

// world is an episode without a page: what the brain decides becomes a step.
type world struct {
	t    *testing.T
	b    *Brain
	turn cua.Turn
}

const signed = "vendor:model"

func newWorld(t *testing.T, s *script, o brain.Options) *world {
	page := cua.Observation{URL: "https://a.test/", Viewport: cua.Size{W: 1280, H: 800}}
	w := &world{t: t, b: New(s, Config{Provider: "vendor", Model: "model", By: signed,
		Secret: "hunter2-key"}, o)}
	w.turn = cua.Turn{Task: cua.Task{Goal: "Do it"}, Number: 1, Decision: 1, Now: page,
		History: cua.History{Start: page}, Frames: []cua.Shot{{Data: []byte("png"), Mime: "image/png"}}}
	return w
}

func (w *world) decide() cua.Decision {
	w.t.Helper()
	d, err := w.b.Decide(w.t.Context(), &w.turn)
	if err != nil {
		w.t.Fatal(err)
	}
	if d.By != signed {
		w.t.Errorf("signed %q", d.By)
	}
	return d
}

// step makes a step of d and the turn after it; change may alter both.
func (w *world) step(d cua.Decision, change func(*cua.Step, *cua.Turn)) {
	s := cua.Step{N: w.turn.Number, Decision: w.turn.Decision, Proposed: d.Action, By: d.By,
		Failure: d.Failure, After: w.turn.Now, Effect: &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}}
	if d.Failure == nil {
		s.Action = &d.Action
	}
	next := w.turn
	next.Notes, next.Signals = nil, nil
	if change != nil {
		change(&s, &next)
	}
	next.History.Steps = append(slices.Clone(w.turn.History.Steps), s)
	next.Number, next.Decision = s.N+1, s.Decision+1
	w.turn = next
}

func TestABatchIsPlayedAsSingleSteps(t *testing.T) {
	s := &script{replies: []Reply{calling(click(1), click(2), click(3)), calling(click(4))}}
	w := newWorld(t, s, brain.Options{})
	for i := range 3 {
		d := w.decide()
		if d.Action.Point.X != float64(i+1) || d.Continues != (i > 0) || (d.Usage.Tokens() == 0) != (i > 0) {
			t.Fatalf("decision %d: %+v", i, d)
		}
		w.step(d, nil)
	}
	if d := w.decide(); d.Action.Point.X != 4 || d.Continues {
		t.Fatalf("%+v", d)
	}
	if len(s.said) != 2 || !s.said[0].Fresh || s.said[1].Fresh || len(s.said[1].Outcomes) != 3 ||
		len(s.said[1].Shots) != 1 {
		t.Fatalf("said %+v", s.said)
	}
	for i, o := range s.said[1].Outcomes {
		if o.Fate != Executed || o.Text != doneText || len(o.Steps) != 1 || o.Steps[0].N != i+1 ||
			o.Call.ID != fmt.Sprint("c", i+1) {
			t.Errorf("outcome %d: %+v", i, o)
		}
	}
	if strings.Contains(s.said[1].Text, "step 1") || !strings.Contains(s.said[1].Text, "The page now") {
		t.Errorf("text %q", s.said[1].Text)
	}
}

func TestWhatEndsABatch(t *testing.T) {
	refuse := func(s *cua.Step) {
		s.Action, s.Failure = nil, &cua.Failure{Kind: cua.FailPolicy, Detail: "not allowed"}
		s.Rulings = []cua.Ruling{{Gate: "policy", Verdict: cua.Refuse}}
		s.Feedback = "click was not done (policy_denied): not allowed"
	}
	swap := func(s *cua.Step) {
		other := cua.Action{Kind: cua.Key, Keys: "Return"}
		s.Action, s.Rulings = &other, []cua.Ruling{{Gate: "loop_recovery", Verdict: cua.Replace,
			Action: &other}}
		s.Feedback = "instead of click: pressed Return (press_return_for_submit)"
	}
	soft := []cua.Signal{{Shape: cua.Shape("repeat"), Level: cua.Soft}}
	for _, row := range []struct {
		name   string
		change func(*cua.Step, *cua.Turn)
		goesOn bool
		fate   Fate
		says   string
	}{
		{"nothing", nil, true, Executed, doneText},
		{"a substitution", func(s *cua.Step, _ *cua.Turn) { swap(s) }, false, Substituted, swapText + ` "instead of click: pressed Return (press_return_for_submit)"`},
		{"a refusal", func(s *cua.Step, _ *cua.Turn) { refuse(s) }, false, Refused, refuseText + ` "click was not done (policy_denied): not allowed"`},
		{"a failure before dispatch", func(s *cua.Step, _ *cua.Turn) { s.Action, s.Failure = nil, &cua.Failure{Kind: cua.FailNotFound} }, false, Failed, failText},
		{"a failure", func(s *cua.Step, _ *cua.Turn) { s.Failure = &cua.Failure{Kind: cua.FailExec} }, false, Failed, failText},
		{"a note", func(_ *cua.Step, t *cua.Turn) { t.Notes = []cua.Note{{From: "nudge", Text: "you repeat yourself"}} }, false, Executed, doneText},
		{"a dialog", func(_ *cua.Step, t *cua.Turn) { t.Now.Dialog = &cua.Dialog{Type: "confirm"} }, false, Executed, doneText},
		{"no effect", func(s *cua.Step, _ *cua.Turn) { s.Effect = &cua.Effect{} }, true, Executed, nothingText},
		{"a signal", func(_ *cua.Step, t *cua.Turn) { t.Signals = soft }, true, Executed, doneText},
		{"no effect under a signal", func(s *cua.Step, t *cua.Turn) { s.Effect, t.Signals = &cua.Effect{}, soft }, false, Executed, nothingText},
		{"a person's step", func(s *cua.Step, _ *cua.Turn) { s.By = cua.Person; s.Proposed = cua.Action{Kind: cua.Rewind, Step: 1} }, false, NotExecuted, haltText},
		{"a director's step", func(s *cua.Step, _ *cua.Turn) { s.By = cua.DirectorPrefix + "x" }, false, NotExecuted, haltText},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &script{replies: []Reply{calling(click(1), click(2), click(3)), calling(click(9))}}
			w := newWorld(t, s, brain.Options{})
			w.step(w.decide(), row.change)
			d := w.decide()
			if (d.Action.Point.X == 2) != row.goesOn || d.Continues != row.goesOn {
				t.Fatalf("then came %+v", d)
			}
			if row.goesOn {
				w.step(d, nil)
				w.step(w.decide(), nil)
				w.decide()
			}
			if s.said[1].Fresh {
				t.Fatal("the conversation began anew")
			}
			out := s.said[1].Outcomes
			if len(out) != 3 || out[0].Fate != row.fate || !strings.HasPrefix(out[0].Text, row.says) {
				t.Fatalf("outcomes %+v", out)
			}
			for _, o := range out[1:] {
				if (o.Fate == NotExecuted) == row.goesOn || !row.goesOn && o.Text != haltText {
					t.Errorf("then %+v", o)
				}
			}
			for _, n := range []string{"you repeat yourself", "confirm dialog"} {
				if strings.Contains(row.name, "a note") && n == "you repeat yourself" &&
					!strings.Contains(s.said[1].Text, n) {
					t.Errorf("the note is not in %q", s.said[1].Text)
				}
			}
		})
	}
}

func TestACallOfSeveralActions(t *testing.T) {
	point := &cua.Point{X: 5, Y: 5}
	for _, row := range []struct {
		name   string
		change func(*cua.Step, *cua.Turn)
		fate   Fate
		cut    bool
	}{
		{"all done", nil, Executed, false},
		{"a note in between", func(_ *cua.Step, t *cua.Turn) { t.Notes = []cua.Note{{Text: "n"}} }, Executed, true},
		{"the first fails", func(s *cua.Step, _ *cua.Turn) { s.Failure = &cua.Failure{Kind: cua.FailExec} }, Failed, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &script{replies: []Reply{{Calls: []Call{{ID: "c", Actions: Enter("hi", point, true, true)}}},
				calling(click(1))}}
			w := newWorld(t, s, brain.Options{})
			d := w.decide()
			if d.Action.Kind != cua.Type || !d.Action.Clear {
				t.Fatalf("%+v", d)
			}
			w.step(d, row.change)
			if d = w.decide(); row.change == nil {
				if d.Action.Keys != "Return" || !d.Continues {
					t.Fatalf("%+v", d)
				}
				w.step(d, nil)
				w.decide()
			}
			if o := s.said[1].Outcomes[0]; o.Fate != row.fate || strings.HasSuffix(o.Text,
				cutShort) != row.cut {
				t.Errorf("%+v", o)
			}
		})
	}
}

func TestWhatCannotBePlayedIsAskedAgainOnce(t *testing.T) {
	outside := calling(cua.Action{Kind: cua.Click, Point: &cua.Point{X: 5000, Y: 1}}, click(1))
	unknownCall := Reply{Calls: []Call{{ID: "u", Failure: Unknown("fly")}}}
	prose := Reply{Thought: "Let me have a look at that."}
	cut := Reply{Failure: Cut(`{"cand`)}
	for _, row := range []struct {
		name  string
		bad   Reply
		kind  cua.FailureKind
		fates []Fate
	}{
		{"a point outside", outside, cua.FailSchema, []Fate{Failed, NotExecuted}},
		{"an unknown action", unknownCall, cua.FailUnknownAction, []Fate{Failed}},
		{"prose", prose, cua.FailSchema, nil},
		{"a reply that was cut", cut, cua.FailSchema, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.bad.Usage = cua.Usage{InputTokens: 7}
			s := &script{replies: []Reply{row.bad, calling(click(3)), row.bad, row.bad, calling(click(4))}}
			w := newWorld(t, s, brain.Options{})
			d := w.decide()
			if d.Action.Point == nil || d.Action.Point.X != 3 || d.Usage.InputTokens != 107 ||
				len(s.said) != 2 {
				t.Fatalf("%+v after %d requests", d, len(s.said))
			}
			again := s.said[1]
			if len(again.Outcomes) != len(row.fates) || len(again.Shots) > 0 ||
				!strings.Contains(again.Text, "could not be played ("+string(row.kind)+")") {
				t.Fatalf("asked again with %+v", again)
			}
			for i, fate := range row.fates {
				if again.Outcomes[i].Fate != fate {
					t.Errorf("outcome %d: %+v", i, again.Outcomes[i])
				}
			}
			w.step(d, nil)
			if d = w.decide(); d.Failure == nil || d.Failure.Kind != row.kind || d.Action.Kind != "" ||
				len(s.said) != 4 {
				t.Fatalf("%+v after %d requests", d, len(s.said))
			}
			w.step(d, nil)
			if d = w.decide(); d.Action.Point.X != 4 || s.said[4].Fresh ||
				len(s.said[4].Outcomes) != len(row.fates) {
				t.Fatalf("%+v, told %+v", d, s.said[4])
			}
		})
	}
}

func TestABadCallLaterInABatch(t *testing.T) {
	r := calling(click(1), click(2))
	r.Calls[1].Failure = Unknown("fly")
	s := &script{replies: []Reply{r, calling(click(3))}}
	w := newWorld(t, s, brain.Options{})
	w.step(w.decide(), nil)
	if d := w.decide(); d.Action.Point.X != 3 || d.Continues || d.Failure != nil {
		t.Fatalf("%+v", d)
	}
	if o := s.said[1].Outcomes; o[0].Fate != Executed || o[1].Fate != Failed {
		t.Errorf("%+v", o)
	}
}

func TestCallsThatNeedNoStep(t *testing.T) {
	local := Call{ID: "l", Local: true, Answer: "X=1, Y=2"}
	mixed := calling(click(1))
	mixed.Calls = append([]Call{local}, mixed.Calls...)
	s := &script{replies: []Reply{{Calls: []Call{local}}, mixed}}
	w := newWorld(t, s, brain.Options{})
	if d := w.decide(); d.Action.Point.X != 1 || len(s.said) != 2 {
		t.Fatalf("%+v", d)
	}
	if o := s.said[1].Outcomes; len(o) != 1 || o[0].Fate != Answered || o[0].Text != local.Answer {
		t.Errorf("%+v", o)
	}
	for range 2 * maxLocal {
		s.replies = append(s.replies, Reply{Calls: []Call{local}})
	}
	w.step(cua.Decision{Action: click(1), By: signed}, nil)
	if d := w.decide(); d.Failure == nil || len(s.said) != 2+maxLocal+1 {
		t.Errorf("%+v after %d requests", d, len(s.said))
	}
}

func TestWhatEndsTheConversation(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(*cua.Turn)
		fresh  bool
	}{
		{"nothing", func(*cua.Turn) {}, false},
		{"steps of others since", func(t *cua.Turn) {
			t.History.Steps = append(slices.Clone(t.History.Steps), cua.Step{N: 2, By: cua.Person,
				Proposed: cua.Action{Kind: cua.Rewind, Step: 1}, RewoundTo: 1})
			t.Number = 3
		}, false},
		{"a resumption", func(t *cua.Turn) { t.History.Resumed = []cua.Resumption{{At: 1}} }, true},
		{"a shorter history", func(t *cua.Turn) { t.History.Steps, t.Number = nil, 1 }, true},
		{"another task", func(t *cua.Turn) { t.Task.Goal = "Do something else" }, true},
		{"another page to start from", func(t *cua.Turn) { t.History.Start.FrameSHA = "ff" }, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &script{replies: []Reply{calling(click(1), click(2)), calling(click(3))}}
			w := newWorld(t, s, brain.Options{})
			w.step(w.decide(),
				func(s *cua.Step, _ *cua.Turn) { s.Failure = &cua.Failure{Kind: cua.FailExec} })
			row.change(&w.turn)
			w.decide()
			if got := s.said[1]; got.Fresh != row.fresh || (len(got.Outcomes) == 0) != row.fresh ||
				strings.Contains(got.Text, "Task: ") != row.fresh {
				t.Errorf("told %+v", got)
			}
			if strings.HasPrefix(row.name, "steps of others") && !strings.Contains(s.said[1].Text,
				"step 2: rewind") {
				t.Errorf("the person's step is not in %q", s.said[1].Text)
			}
		})
	}
}

func TestADirectorKnowsItsOwnSteps(t *testing.T) {
	s := &script{replies: []Reply{calling(click(1), click(2)), calling(click(3))}}
	w := newWorld(t, s, brain.Options{})
	w.turn.AskDirector = true
	w.step(w.decide(), func(s *cua.Step, _ *cua.Turn) { s.By = cua.DirectorPrefix + "vendor" })
	w.step(cua.Decision{Action: click(7), By: "heuristic"}, nil)
	w.decide()
	if o := s.said[1].Outcomes; len(o) != 2 || o[0].Fate != Executed || o[1].Fate != NotExecuted ||
		!strings.Contains(s.said[1].Text, "step 2: click at 7,10") {
		t.Errorf("told %+v", s.said[1])
	}
}

func TestACallThatWasCutBeginsAnew(t *testing.T) {
	s := &script{replies: []Reply{calling(click(1)), {}, calling(click(2))},
		errs: map[int]error{1: context.Canceled}}
	w := newWorld(t, s, brain.Options{})
	w.step(w.decide(), nil)
	if _, err := w.b.Decide(t.Context(), &w.turn); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	w.step(cua.Decision{Action: cua.Action{Kind: cua.Rewind, Step: 1}, By: cua.Person},
		func(s *cua.Step, _ *cua.Turn) { s.RewoundTo = 1 })
	if d := w.decide(); d.Action.Point.X != 2 || !s.said[2].Fresh || len(s.said[2].Outcomes) != 0 {
		t.Errorf("%+v, told %+v", d, s.said[2])
	}
}
