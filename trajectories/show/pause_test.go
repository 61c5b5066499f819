package show

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func TestThePauseCardIsSafeForATerminal(t *testing.T) {
	all := ""
	for _, l := range PauseLines(trajectories.PauseCard{Step: 3, Reason: cua.EndSpiral,
		Detail: "round and round",
		Asked:  []string{"click 440,410 (Send\x1b[2J\nnow)"},
		Incident: &cua.Incident{ID: "i2", First: 2, Last: 3, Shapes: []cua.Shape{cua.ShapeSpiral},
			Tokens:  1200,
			Seconds: 4, Tried: []cua.Attempt{{Step: 2, Reason: cua.TabToNextField}}}}) {
		all += l + "\n"
		for _, r := range l {
			if r < ' ' {
				t.Errorf("%q would move the cursor", l)
			}
		}
	}
	for _, part := range []string{"stuck after step 3 (spiral): round and round",
		"asked for: click 440,410 (Send",
		"tab_to_next_field at 2 → no effect", "cost so far: 2 steps, 1,200 tokens"} {
		if !strings.Contains(all, part) {
			t.Errorf("no %q in\n%s", part, all)
		}
	}
}

// A question of any length leaves the choices in sight.
func TestALongQuestionIsCut(t *testing.T) {
	long := strings.Repeat("<b>word</b> ", 9000)
	card := PauseLines(trajectories.PauseCard{Step: 2, Reason: cua.EndAsked, Question: long,
		Asked: []string{long}})
	step := StepLine(&cua.Step{N: 2, Proposed: cua.Action{Kind: cua.Ask, Text: long}})
	for _, row := range []struct {
		line string
		most int
	}{{card[0], maxCard}, {card[1], maxCard}, {step, maxPart}} {
		if n := utf8.RuneCountInString(row.line); n > row.most+60 ||
			!strings.Contains(row.line, "… (108,0") || !strings.Contains(row.line, "characters in all)") {
			t.Errorf("%d characters: …%s", n, row.line[max(0, len(row.line)-60):])
		}
	}
	if !strings.Contains(step, "effect: ") {
		t.Errorf("the effect is cut off: %s", step)
	}
}
