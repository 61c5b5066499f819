package brain

import (
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Told is what a model has been told in a conversation that goes on. The zero value has told nothing.
type Told struct {
	steps         int // of the history
	plan, lessons string
}

// maxNewsLedger bounds the ledger of one turn, bytes: about 400 tokens.
const maxNewsLedger = 1600

// Prompt writes the whole turn down, as PromptOf does, and remembers what that told.
func (k *Told) Prompt(t *cua.Turn, c PromptConfig) Prompt {
	*k = Told{steps: len(t.History.Steps), plan: planText(t), lessons: lessonText(t)}
	return PromptOf(t, c)
}

// News is what the turn adds to what was told: the steps that answers says nothing of, and the ledger where
// they are too many to be named, plan values and lessons where they have changed, the page, the notes, and
// the elements where c asks for them. Answers holds the numbers of the steps of which the model is told in
// another place, as the results of its calls.
func (k *Told) News(t *cua.Turn, answers map[int]bool, c PromptConfig) string {
	var b strings.Builder
	in := c.scale(t.Now.Viewport)
	var steps []cua.Step
	for _, s := range t.History.Steps[min(k.steps, len(t.History.Steps)):] {
		if !answers[s.N] {
			steps = append(steps, s)
		}
	}
	if lines := stepLines(steps[max(0, len(steps)-c.Steps):], t.History.Steps, in); len(lines) > 0 {
		b.WriteString("What happened since:\n" + strings.Join(lines, ""))
	}
	k.steps = len(t.History.Steps)
	changed := func(was *string, now string) {
		if now != *was && now != "" {
			b.WriteString(now)
		}
		*was = now
	}
	changed(&k.plan, planText(t))
	changed(&k.lessons, lessonText(t))
	if t.Ledger != nil && len(steps) > c.Steps {
		if done := ledgerText(*t.Ledger, maxNewsLedger); done != "" {
			b.WriteString("What was done in this episode:\n" + done)
		}
	}
	b.WriteString(strings.TrimPrefix(pageText(t), "\n"))
	b.WriteString(noteText(t))
	if c.Marks {
		if marks := first(markLines(t.Now.Marks, in), c.Bytes-b.Len()-64); len(marks) > 0 {
			fmt.Fprintf(&b, "Elements in view (%d of %d):\n%s", len(marks), len(t.Now.Marks),
				strings.Join(marks, ""))
		}
	}
	return b.String()
}

// Quoted is a text of others as a model may be shown it: in quotes that it cannot close, line breaks as \n,
// at most n bytes of it.
func Quoted(s string, n int) string {
	s = cua.ClipBytes(s, n)
	return fmt.Sprintf("%q", strings.ToValidUTF8(s, ""))
}
