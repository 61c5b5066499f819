package recovery

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Mistakes gives the brain one note when consecutive steps fail. As a gate it ends the episode if as many
// failures follow the note without a success. Its run starts again with the note, unlike that of the signal
// failures.
type Mistakes struct {
	Config MistakesConfig
	// NeverEnds says that nothing ends the episode after the note, so the note does not threaten it.
	NeverEnds bool
	// Offered is Config.Offered.
	Offered bool
}

// MistakesName is the name of the gate and the sender of its notes; ReasonMistakes is its reason.
const (
	MistakesName   = "mistakes"
	ReasonMistakes = "mistakes_after_note"
)

// Name is "mistakes".
func (Mistakes) Name() string { return MistakesName }

// Advise is the note; nil unless the run is full and there was no note since the last success.
func (m Mistakes) Advise(t *cua.Turn) []cua.Note {
	run, noted := m.read(t)
	if len(run) < m.Config.Run || noted {
		return nil
	}
	next := fmt.Sprintf("If the next %d steps fail too, with no success between them, this episode is ended.",
		m.Config.Run)
	if m.NeverEnds {
		next = "More of the same will only use up the steps that are left."
	}
	text := fmt.Sprintf("%d steps failed with no success between them: %s. %s. %s",
		len(run), failedAs(run), remedy(run[len(run)-1].Step.Failure.Kind), next)
	return []cua.Note{{From: MistakesName, Text: text}}
}

// Review halts with EndMistakes if the note was delivered and the run is full again, whatever is proposed
// other than the way out that was offered last.
func (m Mistakes) Review(t *cua.Turn, p cua.Proposal) cua.Ruling {
	run, noted := m.read(t)
	if len(run) < m.Config.Run || !noted || m.follows(t.History.Steps, p.Action, p.Target) {
		return pass(m.Name())
	}
	r := rule(m.Name(), cua.Halt, ReasonMistakes, numbers(run),
		"%d steps failed again after a note (%s), with no success between them", len(run), failedAs(run))
	r.End = cua.EndMistakes
	return r
}

// read is the run of failed steps since the last note, and whether there was a note before it. A step without
// effect neither ends the run nor forgets the note. The notes of a step come before its outcome.
func (m Mistakes) read(t *cua.Turn) (run []cua.Sample, noted bool) {
	failed := t.Evidence.Failed
	if n := len(failed) - m.Config.Run; n < 0 || failed[n] < t.Evidence.Fresh {
		return nil, false // no run can be full
	}
	for i := len(t.Evidence.Samples) - 1; i >= t.Evidence.Fresh && !noted; i-- {
		sample := &t.Evidence.Samples[i]
		s := sample.Step
		if s.Failure == nil && s.HasAction() && !sample.Idle() {
			break
		}
		// An env_error is not the agent's failure, and what it was told to do is not its mistake.
		if s.Failure != nil && s.Failure.Kind != cua.FailEnv &&
			!m.follows(t.History.Steps[:i], s.Proposed, s.Target) {
			run = append(run, *sample)
		}
		noted = slices.ContainsFunc(s.Notes, func(n cua.Note) bool { return n.From == MistakesName })
	}
	slices.Reverse(run)
	return run, noted
}

// follows reports whether a on target is a substitution that the last of steps offered.
func (m Mistakes) follows(steps []cua.Step, a cua.Action, target cua.Target) bool {
	if !m.Offered || len(steps) == 0 {
		return false
	}
	last := &steps[len(steps)-1]
	return slices.ContainsFunc(last.Rulings, func(r cua.Ruling) bool {
		return r.Shadow && !r.Dropped && r.Verdict == cua.Replace && r.Action != nil &&
			sameDeed(*r.Action, a, target, last.After.URL)
	})
}

// sameDeed reports whether a on target does what offer says on the page at url. A brain may name the element
// in place of the point, and open the page again in place of a reload.
func sameDeed(offer, a cua.Action, target cua.Target, url string) bool {
	if offer.Kind == cua.Reload && a.Kind == cua.Navigate {
		return a.URL == url
	}
	placeless := func(a cua.Action) cua.Action {
		a.Point, a.Into, a.Mark, a.Why = nil, "", 0, ""
		return a
	}
	if !reflect.DeepEqual(placeless(offer), placeless(a)) {
		return false
	}
	switch {
	case offer.Into != "":
		return a.Into == offer.Into || target.ID == offer.Into
	case offer.Point != nil:
		return a.Point != nil && *a.Point == *offer.Point || target.Box.Contains(*offer.Point)
	}
	return true
}

// failedAs names what each step of run tried and how it failed. It contains nothing that a page wrote.
func failedAs(run []cua.Sample) string {
	var out []string
	for _, sample := range run {
		s, what := sample.Step, "answer"
		if s.Proposed.Kind.Known() {
			what = string(s.Proposed.Kind)
		}
		out = append(out, fmt.Sprintf("step %d (%s: %s)", s.N, what, s.Failure.Kind))
	}
	return strings.Join(out, ", ")
}

func remedy(k cua.FailureKind) string {
	switch k {
	case cua.FailSchema, cua.FailUnknownAction, cua.FailModel:
		return "Answer with exactly one action of the list, in the form that was asked for"
	case cua.FailNav:
		return "Do not guess addresses: go on from a page that opens, by what is on it"
	case cua.FailPolicy:
		return "What was refused stays refused: find a way that does without it, " +
			"or say done with success=false and why"
	case cua.FailDoneRefused:
		return "Do what the refusal names as missing before you say done again"
	}
	return "Look at the page as it is now, and aim at something that can be seen on it"
}
