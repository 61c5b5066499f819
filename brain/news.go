package brain

import (
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Told records what a model was told in a continuing conversation. The zero value means nothing.
type Told struct {
	steps         int // of the history
	plan, lessons string
}

// maxNewsLedger is the limit of the ledger in one turn, bytes: about 400 tokens.
const maxNewsLedger = 1600

// Prompt formats the whole turn, as PromptOf does, and records what that told.
func (k *Told) Prompt(t *cua.Turn, c PromptConfig) Prompt {
	*k = Told{steps: len(t.History.Steps), plan: planText(t), lessons: lessonText(t)}
	return PromptOf(t, c)
}

// News formats what the turn adds: the steps that are not in answers, the ledger if there are too many of
// them to name, plan values and lessons if they changed, the page, the notes, and the elements if c asks
// for them. answers has the numbers of the steps that the model is told about elsewhere, as results of its
// calls.
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

// Quoted is untrusted text in the form that may be shown to a model: at most n bytes of it, in quotes that
// it cannot close, with line breaks as \n.
func Quoted(s string, n int) string {
	s = cua.ClipBytes(s, n)
	return fmt.Sprintf("%q", strings.ToValidUTF8(s, ""))
}
