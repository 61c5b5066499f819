package recovery

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
)

// RepeatGuard tells the brain, in a step's feedback, that it acts on one target again and again without
// looking. It reports the signals of the shape streak, which has the only threshold (detector.streak.from).
type RepeatGuard struct{}

// Judge is the repeat that the newest step of a history makes; nil is none. A streak that ended earlier was
// reported then.
func (RepeatGuard) Judge(samples []cua.Sample, signals []cua.Signal) *cua.Repetition {
	for _, s := range signals {
		last := &samples[len(samples)-1]
		if s.Shape == cua.ShapeStreak && last.Step.HasAction() && slices.Contains(s.Evidence, last.Step.N) {
			return &cua.Repetition{Count: s.Run, Target: s.Target, Effect: last.Progress}
		}
	}
	return nil
}

var gerunds = map[cua.Kind]string{cua.Click: "clicking", cua.Type: "typing", cua.Select: "selecting",
	cua.Key: "pressing keys", cua.Drag: "dragging"}

// Sentence is the last sentence of the feedback of a step that did a.
func (RepeatGuard) Sentence(a cua.Action, r cua.Repetition) string {
	if a.Kind.Pressing() {
		a.Kind = cua.Click // all presses are one class
	}
	noun, doing := string(a.Kind), cmp.Or(gerunds[a.Kind], "doing that")
	return fmt.Sprintf("Note: %s consecutive %s on this element without a fresh look — "+
		"verify visually or report current state instead of %s again.", ordinal(r.Count), noun, doing)
}

// ordinal is 1st, 2nd, 3rd, 4th, 11th, 21st, 111th, ….
func ordinal(n int) string {
	suffix := "th"
	if n%10 <= 3 && n/10%10 != 1 {
		suffix = [...]string{"th", "st", "nd", "rd"}[n%10]
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
