package runner

import (
	"fmt"
	"reflect"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// Difference is a step at which a replay differs from the journal.
type Difference struct {
	// Step is its number.
	Step int `json:"step"`
	// What names the part that differs: signals, notes, rulings or repeat.
	What string `json:"what"`
	// Recorded and Replayed are short descriptions of both.
	Recorded string `json:"recorded"`
	Replayed string `json:"replayed"`
}

// Replay recomputes signals, notes, rulings and repeats of each step from the journal, with no browser and no
// brain. With the config of the header there must be no difference. With another config only the first is
// meaningful, because the later steps would not have happened. Steps that were copied from another episode
// are left out: they are replayed with that one.
func Replay(t *trajectories.Trajectory, c Config) []Difference {
	a := Assemble(c)
	var out []Difference
	for i := range t.Steps {
		if t.Header.Forked(t.Steps[i].N) {
			continue
		}
		s, h := &t.Steps[i], t.HistoryAt(i)
		turn := a.Turn(t.Header.Task, h, ownNotes(s.Notes))
		turn.Decision = s.Decision
		differ := func(what, recorded, replayed string) {
			if recorded != replayed {
				out = append(out, Difference{Step: s.N, What: what, Recorded: recorded, Replayed: replayed})
			}
		}
		differ("signals", signalWords(s.Signals), signalWords(turn.Signals))
		differ("notes", noteWords(s.Notes), noteWords(turn.Notes))
		var rulings []cua.Ruling
		if len(s.Rulings) > 0 { // none if the model refused the task: no gate was asked
			rulings, _ = a.Review(turn, proposalOf(s))
		}
		h.Steps = t.Steps[: i+1 : i+1] // this invalidates the samples of turn
		differ("repeat", repeatWords(s.Repetition), repeatWords(a.repeated(h)))
		if !reflect.DeepEqual(plain(rulings), plain(s.Rulings)) {
			differ("rulings", rulingWords(s.Rulings), rulingWords(rulings))
		}
	}
	return out
}

// ownNotes are the notes of the runner and of a person.
func ownNotes(notes []cua.Note) []cua.Note { own, _ := splitNotes(notes); return own }

// proposalOf is what the gates were shown at s. If there is a failure, but neither an action nor a refusal,
// the failure came before the gates.
func proposalOf(s *cua.Step) cua.Proposal {
	p := cua.Proposal{Action: s.Proposed, Target: s.Target, By: s.By, Thought: s.Thought}
	if r, ruled := s.Ruled(); s.Action == nil && (!ruled || r.Verdict != cua.Refuse) {
		p.Failure = s.Failure
	}
	return p
}

// plain removes the difference between nil and empty, which JSON does not keep.
func plain(rs []cua.Ruling) []cua.Ruling {
	out := make([]cua.Ruling, len(rs))
	for i, r := range rs {
		if len(r.Evidence) == 0 {
			r.Evidence = nil
		}
		out[i] = r
	}
	return out
}

func repeatWords(r *cua.Repetition) string {
	if r == nil {
		return "none"
	}
	return fmt.Sprintf("%d of %s, effect %t", r.Count, r.Target, r.Effect)
}

func signalWords(ss []cua.Signal) string {
	out := ""
	for _, s := range ss {
		out += fmt.Sprintf("%s %s run %d since %d %s; ", s.Shape, s.Level, s.Run, s.Since, s.Target)
	}
	return out
}

func noteWords(ns []cua.Note) string {
	out := ""
	for _, n := range ns {
		out += fmt.Sprintf("%s %d: %s; ", n.From, n.Level, n.Text)
	}
	return out
}

func rulingWords(rs []cua.Ruling) string {
	out := ""
	for _, r := range rs {
		if r.Verdict == cua.Pass {
			continue
		}
		if r.Shadow {
			out += "without force: "
		}
		out += fmt.Sprintf("%s %s %s %s", r.Gate, r.Verdict, r.Reason, r.Detail)
		if r.Action != nil {
			out += fmt.Sprintf(" %s into %q keys %q", r.Action.Kind, r.Action.Into, r.Action.Keys)
		}
		out += "; "
	}
	if out == "" {
		return "all pass"
	}
	return out
}
