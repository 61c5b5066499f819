package trajectories

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// ChoiceKind is what a person can do about an episode that is paused.
type ChoiceKind string

// The choices.
const (
	// ChooseRewind goes back to before a step, to try another way from there.
	ChooseRewind ChoiceKind = "rewind"
	// ChooseTakeover hands the live browser to the person; the episode continues from what they leave.
	ChooseTakeover ChoiceKind = "takeover"
	// ChooseAnswer answers the question that the episode is paused for.
	ChooseAnswer ChoiceKind = "answer"
	// ChooseContinue continues as it is, with fresh counters.
	ChooseContinue ChoiceKind = "continue"
	// ChooseStop ends the episode as it is; it can be resumed.
	ChooseStop ChoiceKind = "stop"
)

// PauseChoice is one thing that can be done, and what a person chose.
type PauseChoice struct {
	Kind ChoiceKind `json:"kind"`
	// Step is the one before which a rewind makes the page what it was.
	Step int `json:"step,omitzero"`
	// Crosses are the steps since Step that sent something that was answered well: the server keeps it, and
	// going back needs consent.
	Crosses []int `json:"crosses,omitzero"`
	// Consent is the person's to go back past them.
	Consent bool `json:"consent,omitzero"`
	// Text is what a person answers; "" where the answer is a secret.
	Text string `json:"text,omitzero"`
	// Secret is the name of the secret that is the answer, Value its value: that is typed and never written
	// down.
	Secret string `json:"secret,omitzero"`
	Value  string `json:"-"`
	// Stay keeps the episode paused after a takeover.
	Stay bool `json:"-"`
}

// Offers reports whether the card offers a choice of that kind.
func (c PauseCard) Offers(k ChoiceKind) bool {
	return slices.ContainsFunc(c.Choices, func(o PauseChoice) bool { return o.Kind == k })
}

// PauseCard is what a person is shown of an episode that is stuck for good: what was tried, what it has cost
// and what can be done. It is a view of the journal and is stored nowhere, so any front end can make it.
type PauseCard struct {
	Episode string `json:"episode"`
	// Step is the last one made, Reason and Detail say why it stopped there.
	Step   int           `json:"step"`
	Reason cua.EndReason `json:"reason"`
	Detail string        `json:"detail,omitzero"`
	// By is cua.Person where a person asked for the pause.
	By string `json:"by,omitzero"`
	// Question is what the brain asked, where an answer is waited for.
	Question string `json:"question,omitzero"`
	// Incident is the one that it was stuck in, with what was tried and what it has cost; nil is none.
	Incident *cua.Incident `json:"incident,omitzero"`
	// Asked are what the brain asked for in it, the newest last, alike ones together. Names are the page's:
	// hostile.
	Asked []string `json:"asked,omitzero"`
	// Ended says that no process waits for the choice: cua-runner resume continues.
	Ended   bool          `json:"ended,omitzero"`
	Choices []PauseChoice `json:"choices"`
	// Refused is why what was chosen before could not be done; nil is nothing.
	Refused *cua.Restored `json:"refused,omitzero"`
}

// PauseCardOf is the card of t; false when t is neither paused nor ended in a way that somebody could choose
// to go on after. The incidents are those of t.
func PauseCardOf(t *Trajectory, incidents []cua.Incident) (PauseCard, bool) {
	c := PauseCard{Episode: t.Header.Episode, Step: len(t.Steps)}
	id, asks := "", false
	if e := t.Paused(); e != nil {
		c.Reason, c.Detail, c.By, id = e.Reason, e.Detail, e.By, e.Incident
		asks = e.Reason == cua.EndAsked && t.Steps[len(t.Steps)-1].Asks()
	}
	if t.End != nil {
		if !stuck(t.End.Reason) {
			return PauseCard{}, false
		}
		c.Ended, c.Reason, asks = true, t.End.Reason, false
		c.Detail = t.End.Detail + t.End.Answer // only one of them is set
	}
	if c.Reason == "" || len(t.Steps) == 0 {
		return PauseCard{}, false
	}
	if id == "" {
		id = t.Steps[len(t.Steps)-1].Incident
	}
	from := len(t.Steps)
	for i := range incidents {
		if in := incidents[i]; in.ID == id || in.Last == c.Step {
			c.Incident, from = &in, in.First
		}
	}
	c.Asked = askedFor(t.Steps[from-1:])
	if asks {
		c.Question = c.Detail
		c.Choices = append(c.Choices, PauseChoice{Kind: ChooseAnswer})
	}
	if to := t.wayBack(from); to > 0 {
		c.Choices = append(c.Choices, PauseChoice{Kind: ChooseRewind, Step: to,
			Crosses: t.History().Sent(to)})
	}
	if t.Header.Browser.Headed && !c.Ended {
		c.Choices = append(c.Choices, PauseChoice{Kind: ChooseTakeover})
	}
	c.Choices = append(c.Choices, PauseChoice{Kind: ChooseContinue}, PauseChoice{Kind: ChooseStop})
	return c, true
}

// stuck reports whether an episode that ended so was stopped by a gate or a question, and not by a cap or a
// fault.
func stuck(r cua.EndReason) bool {
	return slices.Contains([]cua.EndReason{cua.EndLoop, cua.EndSpiral, cua.EndMistakes, cua.EndAsked,
		cua.EndPaused}, r)
}

// Paused is the pause after the last step that nobody has gone on from; nil is none.
func (t *Trajectory) Paused() *Event {
	for i := range slices.Backward(t.Events) {
		switch e := &t.Events[i]; {
		case e.Step < len(t.Steps) || e.Kind.Fresh():
			return nil
		case e.Kind == PauseEvent && e.Step > 0:
			return e
		}
	}
	return nil
}

// wayBack is the newest live step up to number from before which the page was another than it is now and
// which has a checkpoint: going back there undoes something. 0 is none.
func (t *Trajectory) wayBack(from int) int {
	h := t.History()
	churn := h.Churn()
	now := cua.Node(h.Now(), churn)
	for _, s := range slices.Backward(t.Live()) {
		before := h.Before(s.N - 1)
		if s.N <= from && before.Checkpoint != "" && cua.Node(before, churn) != now &&
			(t.Dir == "" || hasState(t.Dir, before.Checkpoint)) {
			return s.N
		}
	}
	return 0
}

// mostAsked bounds what is told of what the brain asked for.
const mostAsked = 5

// askedFor are the proposals of steps, alike ones in a row together, the newest last.
func askedFor(steps []cua.Step) []string {
	var out []string
	for i := 0; i < len(steps); {
		one, n := proposedOn(&steps[i]), 0
		for ; i < len(steps) && proposedOn(&steps[i]) == one; i++ {
			n++
		}
		if n > 1 {
			one = fmt.Sprintf("%s ×%d", one, n)
		}
		out = append(out, one)
	}
	return out[max(0, len(out)-mostAsked):]
}

// proposedOn is what the brain asked for, with the name of what it was aimed at.
func proposedOn(s *cua.Step) string {
	out := Proposed(s)
	if name := strings.TrimSpace(s.Target.Name); name != "" {
		out += " (" + name + ")"
	}
	return out
}
