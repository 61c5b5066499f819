package recovery

import (
	"encoding/json"
	"reflect"

	"github.com/cua-runner/cua-runner/cua"
)

type gate interface {
	Name() string
	Review(t *cua.Turn, p cua.Proposal) cua.Ruling
}

// tb is what testing and rapid have in common.
type tb interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// review asks g twice: the answer must be the same and the turn and proposal as they were.
func review(t tb, g gate, turn *cua.Turn, p cua.Proposal) cua.Ruling {
	t.Helper()
	turn.Evidence = cua.EvidenceOf(turn.History, turn.Form)
	before, first := snapshot(t, turn, p), g.Review(turn, p)
	if second := g.Review(turn, p); !reflect.DeepEqual(first, second) {
		t.Fatalf("%s answers twice differently: %+v, then %+v", g.Name(), first, second)
	}
	if after := snapshot(t, turn, p); after != before {
		t.Fatalf("%s changed what it was shown:\n%s\n%s", g.Name(), before, after)
	}
	if first.Gate != g.Name() {
		t.Fatalf("ruling of %s names gate %q", g.Name(), first.Gate)
	}
	if first.Verdict != cua.Pass && (first.Reason == "" || first.Detail == "") {
		t.Fatalf("%s rules %s without reason or detail: %+v", g.Name(), first.Verdict, first)
	}
	return first
}

// snapshot is all of turn and proposal, the spare capacity of the steps included.
func snapshot(t tb, turn *cua.Turn, p cua.Proposal) string {
	t.Helper()
	c := *turn
	c.History.Steps = c.History.Steps[:cap(c.History.Steps)]
	b, err := json.Marshal(struct {
		T cua.Turn
		P cua.Proposal
	}{c, p})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const site = "https://shop.example/form"

// page is an observation with a node of its own for each state.
func page(state string) cua.Observation {
	return cua.Observation{URL: site, Document: "d1", Viewport: cua.Size{W: 1280, H: 800}, FormDigest: state,
		DOMDigest: "dom", Checkpoint: "kept"}
}

func effect(progress bool) *cua.Effect {
	if progress {
		return &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}
	}
	return &cua.Effect{}
}

// story builds a history step by step.
type story struct{ h cua.History }

func begin(o cua.Observation) *story { return &story{cua.History{Start: o}} }

// do adds a step that was dispatched as asked; progress reports whether it had an effect.
func (s *story) do(a cua.Action, target cua.Target, progress bool) *story {
	return s.add(cua.Step{Proposed: a, Action: &a, Target: target, Effect: effect(progress),
		After: s.h.Now()})
}

func (s *story) add(st cua.Step) *story {
	st.N = len(s.h.Steps) + 1
	if st.After.URL == "" {
		st.After = s.h.Now()
	}
	s.h.Steps = append(s.h.Steps, st)
	return s
}

// show makes o what the newest step left behind.
func (s *story) show(o cua.Observation) *story {
	s.h.Steps[len(s.h.Steps)-1].After = o
	return s
}

// clicks adds n clicks on target without effect.
func (s *story) clicks(n int, target cua.Target) *story {
	for range n {
		s.do(click(target), target, false)
	}
	return s
}

func (s *story) turn() *cua.Turn {
	return &cua.Turn{History: s.h, Now: s.h.Now(), Number: len(s.h.Steps) + 1,
		Evidence: cua.EvidenceOf(s.h, nil)}
}

// looping is the turn with a signal of shape over the last run steps.
func (s *story) looping(shape cua.Shape, level cua.Level, run int) *cua.Turn {
	t := s.turn()
	sig := cua.Signal{Shape: shape, Level: level, Run: run, Since: len(s.h.Steps) - run + 1}
	for _, st := range s.h.Steps[len(s.h.Steps)-run:] {
		sig.Evidence = append(sig.Evidence, st.N)
	}
	t.Signals = []cua.Signal{sig}
	t.Incident = &cua.Incident{ID: "i1", First: sig.Since}
	return t
}

func click(t cua.Target) cua.Action { return cua.Action{Kind: cua.Click, Point: t.Point} }

func at(x, y float64) *cua.Point { return &cua.Point{X: x, Y: y} }

// button is an identified submit button; dead is a target that says nothing.
func button() cua.Target {
	return cua.Target{ID: "button/send", Role: "button", Name: "Send", Submit: true, Clickable: true,
		Form: "f", Point: at(300, 400), Box: cua.Box{X: 280, Y: 390, W: 60, H: 20}}
}

func plainTarget() cua.Target {
	return cua.Target{ID: "div/card", Role: "generic", Name: "Card", Point: at(300, 400),
		Box: cua.Box{X: 280, Y: 390, W: 60, H: 20}}
}

func textField(id, label string) cua.Field {
	return cua.Field{ID: id, Label: label, Tag: "input", Type: "text", Form: "f", Editable: true, Empty: true}
}

func proposal(t cua.Target) cua.Proposal { return cua.Proposal{Action: click(t), Target: t} }
