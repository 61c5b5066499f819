package show

import (
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// PauseLines are the card for a terminal: nothing in them moves the cursor, whatever the page wrote.
func PauseLines(c trajectories.PauseCard) []string {
	out := []string{fmt.Sprintf("stuck after step %d (%s): %s", c.Step, c.Reason, c.Detail)}
	switch {
	case c.Question != "":
		out[0] = fmt.Sprintf("asked after step %d: %s", c.Step, c.Question)
	case c.By == cua.Person:
		out[0] = fmt.Sprintf("paused after step %d: %s", c.Step, c.Detail)
	}
	if in := c.Incident; in != nil {
		out = append(out, fmt.Sprintf("  incident %s: %s, steps %s", in.ID,
			trajectories.Joined(in.Shapes, " "),
			span(in.First, in.Last)))
		for _, a := range attempts(in.Tried) {
			out = append(out, "  tried: "+a)
		}
	}
	if len(c.Asked) > 0 {
		out = append(out, "  asked for: "+strings.Join(c.Asked, "; "))
	}
	if in := c.Incident; in != nil {
		out = append(out, "  cost so far: "+costWords(*in))
	}
	if r := c.Refused; r != nil {
		out = append(out, "  "+RestoredWords(*r))
	}
	for i := range out {
		out[i] = fit(out[i], maxCard)
	}
	return out
}

// costWords is what in has cost: "9 steps, 18,000 tokens, 0.12 USD, 6.1 s". Tokens are left out where there
// are none.
func costWords(in cua.Incident) string {
	out := []string{trajectories.Plural(in.Steps(), "step")}
	if in.Tokens > 0 {
		out = append(out, trajectories.Grouped(in.Tokens)+" tokens", trajectories.Dollars(in.USD)+" USD")
	}
	return strings.Join(append(out, trajectories.Seconds(in.Seconds)+" s"), ", ")
}

// ChoiceWords say what choosing c does.
func ChoiceWords(c trajectories.PauseChoice) string {
	switch c.Kind {
	case trajectories.ChooseRewind:
		out := fmt.Sprintf("roll back to before step %d and try another way", c.Step)
		if len(c.Crosses) > 0 {
			out += fmt.Sprintf(" (the server keeps what was sent at step %s)", ranges(c.Crosses))
		}
		return out
	case trajectories.ChooseTakeover:
		return "take over: the browser is yours until you give it back"
	case trajectories.ChooseAnswer:
		return "answer the question: type the answer"
	case trajectories.ChooseContinue:
		return "continue as it is, with fresh counters"
	case trajectories.ChooseStop:
		return "stop; cua-runner resume continues from here later"
	}
	return string(c.Kind)
}

// RestoredWords say for a person the outcome of a rewind, or why there was none.
func RestoredWords(r cua.Restored) string {
	switch r.Error {
	case cua.SnapshotExpired:
		if r.OldestAvailable == 0 {
			return "not gone back: that checkpoint had to make room, and none is left"
		}
		return fmt.Sprintf("not gone back: that checkpoint had to make room; the oldest is the one before "+
			"step %d", r.OldestAvailable)
	case cua.NoSnapshot:
		return "not gone back: there is no checkpoint taken before that step"
	case cua.IrreversibleFence:
		return fmt.Sprintf("not gone back: step %d sent something, and the server keeps what was sent, "+
			"also when the page goes back", r.Step)
	case cua.RewindBusy:
		return "not gone back: another rewind is under way"
	}
	if r.ToStep == 0 {
		return "not gone back: the page could not be opened"
	}
	out := []string{fmt.Sprintf("back at what was before step %d", r.ToStep)}
	if facets := FacetWords(r); facets != "" {
		out = append(out, facets)
	}
	if len(r.Crossed) > 0 {
		out = append(out, "the server still has what was sent at step "+ranges(r.Crossed))
	}
	return strings.Join(out, "; ")
}

// FacetWords say the outcome of each facet: "restored: url, form; left as it is: cookies"; "" where none is
// known.
func FacetWords(r cua.Restored) string {
	var out []string
	for _, w := range []struct{ word, words string }{{cua.WasRestored, "restored"},
		{cua.Drifted, "not as before"},
		{cua.Unsupported, "cannot be restored"}, {cua.Kept, "left as it is"}} {
		if list := r.By(w.word); len(list) > 0 {
			out = append(out, w.words+": "+strings.Join(list, ", "))
		}
	}
	return strings.Join(out, "; ")
}
