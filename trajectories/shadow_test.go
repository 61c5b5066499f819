package trajectories

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// went is a trajectory of clicks: true reached something new. Step ruled carries the ruling.
func went(steps []bool, ruled int, r cua.Ruling, end *End) *Trajectory {
	t := &Trajectory{Header: Header{Config: json.RawMessage(`{"shadow":["rescue","done","breaker"]}`)}, End: end}
	t.Start = cua.Observation{URL: "https://a.test/", DOMDigest: "0"}
	now := t.Start
	for i, progress := range steps {
		a := cua.Action{Kind: cua.Click, Point: &cua.Point{X: 1, Y: 1}}
		s := cua.Step{N: i + 1, Decision: i + 1, Proposed: a, Action: &a, Effect: &cua.Effect{}}
		if progress {
			now.DOMDigest = fmt.Sprint(i + 1)
			s.Effect.Progress = []cua.Change{cua.ChangeDOM}
		}
		if i+1 == ruled {
			s.Rulings = []cua.Ruling{{Gate: "limits", Verdict: cua.Pass}, r}
			if r.Gate == "done" {
				s.Proposed = cua.Action{Kind: cua.Done, Success: true}
				s.Action = &s.Proposed
			}
		}
		s.After = now
		t.Steps = append(t.Steps, s)
	}
	return t
}

func TestShadows(t *testing.T) {
	sub := cua.Ruling{Gate: "rescue", Verdict: cua.Replace, Reason: "tab_to_next_field", Shadow: true}
	halt := cua.Ruling{Gate: "breaker", Verdict: cua.Halt, Reason: "hard_loop", Shadow: true}
	failed, solved, said := &End{Reason: cua.EndMaxSteps}, &End{Reason: cua.EndDone, Success: true,
		Reward: new(1.0)}, &End{Reason: cua.EndDone, Success: true}
	for _, c := range []struct {
		name  string
		steps []bool
		ruled int
		r     cua.Ruling
		end   *End
		want  string // right, wrong, open or none
	}{
		{"three more steps came to nothing", []bool{true, false, false, false, true}, 2, sub, solved, "right"},
		{"the third reached something", []bool{true, false, false, true}, 2, sub, failed, "wrong"},
		{"the step itself did", []bool{true, true, false, false}, 2, sub, failed, "wrong"},
		{"it ended before, without success", []bool{true, false}, 2, sub, failed, "right"},
		{"it ended before, with success", []bool{true, false}, 2, sub, solved, "wrong"},
		{"it continues", []bool{true, false}, 2, sub, nil, "open"},
		{"the browser broke", []bool{true, false}, 2, sub, &End{Reason: cua.EndEnvError}, "open"},
		{"a stop is judged by all that followed", []bool{true, false, false, false, false, true}, 2, halt, failed, "wrong"},
		{"and nothing did", []bool{true, false, false, false, false}, 2, halt, failed, "right"},
		{"a done that was no success", []bool{true, false}, 2, cua.Ruling{Gate: "done", Verdict: cua.Refuse, Reason: "empty_summary", Shadow: true}, failed, "right"},
		{"a done that was one", []bool{true, false}, 2, cua.Ruling{Gate: "done", Verdict: cua.Refuse, Reason: "empty_summary", Shadow: true}, solved, "wrong"},
		{"a done that nobody else judged", []bool{true, false}, 2, cua.Ruling{Gate: "done", Verdict: cua.Refuse, Reason: "empty_summary", Shadow: true}, said, "open"},
		{"a stop from the first step on, and it continues", []bool{false, false}, 1, halt, nil, "open"},
		{"a stop before a success", []bool{false, false}, 1, halt, solved, "wrong"},
		{"a ruling with force", []bool{true, false, false, false}, 2, cua.Ruling{Gate: "rescue", Verdict: cua.Replace, Reason: "x"}, failed, "none"},
		{"one that policy dropped", []bool{true, false, false, false}, 2, cua.Ruling{Gate: "force_fill", Verdict: cua.Replace, Reason: "x", Shadow: true}, failed, "none"},
		{"one in shadow that policy would have dropped", []bool{true, false, false, false}, 2, cua.Ruling{Gate: "rescue", Verdict: cua.Replace, Reason: "x", Shadow: true, Dropped: true}, failed, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Shadows(went(c.steps, c.ruled, c.r, c.end))
			want := []Shadowed{{Gate: c.r.Gate, Verdict: c.r.Verdict, Reason: c.r.Reason, Rulings: 1}}
			switch c.want {
			case "right":
				want[0].Right = 1
			case "wrong":
				want[0].Wrong = 1
			case "open":
				want[0].Open = 1
			default:
				want = nil
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
	all := Shadowed{Right: 3, Wrong: 1, Open: 9}
	if p := all.Precision(); p == nil || *p != 0.75 {
		t.Errorf("precision %v", p)
	}
	if p := (Shadowed{Open: 2}).Precision(); p != nil {
		t.Errorf("nothing is known, and yet %v", *p)
	}
}

func TestShadowsByGate(t *testing.T) {
	one := func(gate, reason string, right, wrong, open int) Shadowed {
		return Shadowed{Gate: gate, Verdict: cua.Replace, Reason: reason, Rulings: right + wrong + open,
			Right: right, Wrong: wrong, Open: open}
	}
	for _, c := range []struct {
		name string
		all  []Shadowed
		want []GateShadow
		say  []string // precision and reasons of each
	}{
		{"none", nil, nil, nil},
		{"one gate, two episodes", []Shadowed{one("b", "x", 2, 1, 0), one("b", "x", 1, 0, 2)}, []GateShadow{{"b", 6, 4, 3, []Shadowed{one("b", "x", 3, 1, 2)}}}, []string{"75 % x 3 of 4 (2 open)"}},
		{"two gates, out of order", []Shadowed{one("b", "y", 0, 0, 1), one("a", "x", 1, 0, 0), one("b", "x", 0, 1, 0)},
			[]GateShadow{{"a", 1, 1, 1, []Shadowed{one("a", "x", 1, 0, 0)}},
				{"b", 2, 1, 0, []Shadowed{one("b", "x", 0, 1, 0), one("b", "y", 0, 0, 1)}}},
			[]string{"100 % x 1 of 1", "0 % x 0 of 1, y 0 of 0 (1 open)"}},
		{"nothing judged", []Shadowed{one("a", "", 0, 0, 1)}, []GateShadow{{"a", 1, 0, 0, []Shadowed{one("a", "", 0, 0, 1)}}}, []string{"– replace 0 of 0 (1 open)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ShadowsByGate(c.all)
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v, want %+v", got, c.want)
			}
			for i, g := range got {
				if say := g.Precision() + " " + g.ReasonWords(); say != c.say[i] {
					t.Errorf("%q, want %q", say, c.say[i])
				}
			}
		})
	}
}
