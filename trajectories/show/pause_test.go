package show

import (
	"strings"
	"testing"

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
