package recovery

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// MistakesConfig says how many failures in a row are too many.
type MistakesConfig struct {
	// Run is how many steps must fail in a row for the note, and again for the end; at least 2, 3 by the
	// spec (memory, mistake tracker).
	Run int `json:"run"`
}

// Mistakes watches steps that fail one after another, of whatever kinds. As an advisor it tells the brain so,
// once; as a gate it ends the episode when as many failures follow that note without a success in between.
//
// It counts by itself and not by the signal failures, since its run starts afresh with the note. Which
// failures count is the same: all but those of the environment. A success ends the run and forgets the note, a step
// without effect does neither.
type Mistakes struct {
	Config MistakesConfig
	// Alone says that nothing ends the episode after the note (the gate rules in shadow), so that it threatens nothing.
	Alone bool
}

// MistakesName is the name of the gate and what its notes are from; ReasonMistakes is its reason.
const (
	MistakesName   = "mistakes"
	ReasonMistakes = "mistakes_after_note"
)

// Name is "mistakes".
func (Mistakes) Name() string { return MistakesName }

// Advise is the note, nil unless the run is full and the brain was not told of mistakes since its last success.
func (m Mistakes) Advise(t *cua.Turn) []cua.Note {
	run, told := m.read(t)
	if len(run) < m.Config.Run || told {
		return nil
	}
	next := fmt.Sprintf("If the next %d steps fail too, with no success between them, this episode is ended.", m.Config.Run)
	if m.Alone {
		next = "More of the same will only use up the steps that are left."
	}
	last := run[len(run)-1]
	return []cua.Note{{From: MistakesName, Text: fmt.Sprintf("%d steps failed with no success between them: %s. %s. %s", len(run),
		strings.Join(failedAs(run), ", "), remedy(last.Failure.Kind), next)}}
}

// Review halts with EndMistakes, whatever is proposed: the note was delivered, and the run is full again.
func (m Mistakes) Review(t *cua.Turn, _ cua.Proposal) cua.Ruling {
	run, told := m.read(t)
	if len(run) < m.Config.Run || !told {
		return pass(m.Name())
	}
	r := cua.Ruling{Gate: m.Name(), Verdict: cua.Halt, Reason: ReasonMistakes, End: cua.EndMistakes,
		Detail: fmt.Sprintf("%d steps failed again after a note (%s), with no success between them", len(run), strings.Join(failedAs(run), ", "))}
	for _, s := range run {
		r.Evidence = append(r.Evidence, s.N)
	}
	return r
}

// read is the run of failed steps that has not been told of yet, and whether the brain was told of one before it
// without a success since. What a step carried was said before it came to anything.
func (m Mistakes) read(t *cua.Turn) (run []*cua.Step, told bool) {
	h := t.History
	samples := t.Evidence.Samples[h.Fresh():]
	for i := range samples {
		s := samples[i].Step
		if slices.ContainsFunc(s.Notes, func(n cua.Note) bool { return n.From == MistakesName }) {
			run, told = nil, true
		}
		switch {
		case s.Failure != nil && s.Failure.Kind == cua.FailEnv: // not the agent's
		case s.Failure != nil:
			run = append(run, s)
		case s.Dispatched() && !samples[i].Idle():
			run, told = nil, false
		}
	}
	return run, told
}

// failedAs names each step of run with what it tried and how it failed. Nothing that a page wrote is in it.
func failedAs(run []*cua.Step) []string {
	var out []string
	for _, s := range run {
		what := string(s.Proposed.Kind)
		if !s.Proposed.Kind.Known() {
			what = "answer"
		}
		out = append(out, fmt.Sprintf("step %d (%s: %s)", s.N, what, s.Failure.Kind))
	}
	return out
}

// remedy is what may help against the newest failure.
func remedy(k cua.FailureKind) string {
	switch k {
	case cua.FailSchema, cua.FailUnknownAction, cua.FailModel:
		return "Answer with exactly one action of the list, in the form that was asked for"
	case cua.FailNav:
		return "Do not guess addresses: go on from a page that opens, by what is on it"
	case cua.FailPolicy:
		return "What was refused stays refused: find a way that does without it, or say done with success=false and why"
	case cua.FailDoneRefused:
		return "Do what the refusal names as missing before you say done again"
	}
	return "Look at the page as it is now, and aim at something that can be seen on it"
}
