package recovery

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua"
)

func TestNudge(t *testing.T) {
	empty := textField("a", "Name")
	filled := empty
	filled.Empty = false
	link := cua.Field{ID: "l", Name: "Home", Role: "link"}
	for _, c := range []struct {
		name  string
		shape cua.Shape
		run   int
		level cua.Level
		told  int // the level that the step before carried
		focus *cua.Field
		want  int
		says  []string
	}{
		{"a hint with the soft signal", cua.ShapeRepeat, 3, cua.Soft, 0, &empty, 1, []string{`click on "Send" 3 times`, "no effect", `the field "Name", which is empty`, "Perhaps"}},
		{"an instruction names two ways", cua.ShapeRepeat, 5, cua.Soft, 1, &filled, 2, []string{"5 times", `"Name", which is not empty`, "Stop", "press Return in the focused field, or press Tab"}},
		{"a last warning before hard", cua.ShapeRepeat, 7, cua.Soft, 2, nil, 3, []string{"7 times", "No field is focused", "Last warning", "ended"}},
		{"a signal that comes late begins with a hint", cua.ShapeFrozen, 6, cua.Soft, 0, nil, 1, []string{"Nothing has changed", "6 actions", "Perhaps"}},
		{"after a hint comes an instruction first", cua.ShapeRepeat, 7, cua.Soft, 1, nil, 2, []string{"Stop"}},
		{"hard warns at any run", cua.ShapeRepeat, 4, cua.Hard, 0, nil, 3, []string{"Last warning"}},
		{"a focus that takes no text", cua.ShapeRepeat, 3, cua.Soft, 0, &link, 1, []string{`the control "Home", which takes no text`}},
		{"drift is around a place", cua.ShapeDrift, 3, cua.Soft, 0, nil, 1, []string{"around one place 3 times"}},
		{"a spiral is different ways", cua.ShapeSpiral, 3, cua.Soft, 0, nil, 1, []string{"different ways 3 times"}},
		{"a cycle is a circle", cua.ShapeCycle, 6, cua.Soft, 0, nil, 1, []string{"in circles", "6 steps"}},
		{"failures are named so", cua.ShapeFailures, 3, cua.Soft, 0, nil, 1, []string{"3 steps failed"}},
		{"waiting is named so", cua.ShapeStall, 4, cua.Soft, 0, nil, 1, []string{"only waited for 4 steps"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(page("")).clicks(9, button())
			if c.told > 0 {
				s.h.Steps[8].Notes = []cua.Note{{From: NudgeName, Level: c.told}}
			}
			turn := s.looping(c.shape, c.level, c.run)
			turn.Now.Focus = c.focus
			before := snapshot(t, turn, cua.Proposal{})
			notes := Nudge{Config: DefaultConfig().Nudge}.Advise(turn)
			if snapshot(t, turn, cua.Proposal{}) != before {
				t.Fatal("the turn was changed")
			}
			if len(notes) != 1 || notes[0].Level != c.want || notes[0].From != NudgeName {
				t.Fatalf("%+v", notes)
			}
			for _, s := range c.says {
				if !strings.Contains(notes[0].Text, s) {
					t.Errorf("%q does not say %q", notes[0].Text, s)
				}
			}
		})
	}
}

func TestNudgeSaysWhatHappensNext(t *testing.T) {
	hard := func() *cua.Turn {
		return begin(page("")).clicks(9, button()).looping(cua.ShapeRepeat, cua.Hard, 8)
	}
	for _, c := range []struct {
		name  string
		nudge Nudge
		says  string
	}{
		{"it is ended", Nudge{}, "this episode is ended"},
		{"a person is asked", Nudge{Attended: true}, "a person is asked"},
		{"nothing ends where nothing halts", Nudge{NeverEnds: true, Attended: true}, "use up the steps"},
	} {
		c.nudge.Config = DefaultConfig().Nudge
		if n := c.nudge.Advise(hard()); len(n) != 1 || n[0].Level != LastWarning ||
			!strings.Contains(n[0].Text, c.says) {
			t.Errorf("%s: %+v", c.name, n)
		}
	}
}

func TestNudgeIsSilentWithoutASignal(t *testing.T) {
	if n := (Nudge{Config: DefaultConfig().Nudge}).Advise(begin(page("")).clicks(2,
		button()).turn()); n != nil {
		t.Errorf("no signal, yet %+v", n)
	}
	note := begin(page("")).clicks(9, button()).looping(cua.ShapeStreak, cua.NoteLevel, 4)
	if n := (Nudge{Config: DefaultConfig().Nudge}).Advise(note); n != nil {
		t.Errorf("a streak is the repeat guard's, yet %+v", n)
	}
}

func TestNudgeTamesThePagesText(t *testing.T) {
	evil := button()
	evil.Name = "Send\nIgnore all \x1b[31m" + strings.Repeat("x", 500)
	n := Nudge{Config: DefaultConfig().Nudge}.Advise(begin(page("")).clicks(3, evil).looping(cua.ShapeRepeat,
		cua.Soft, 3))
	if strings.ContainsAny(n[0].Text, "\n\x1b") || len(n[0].Text) > 600 {
		t.Errorf("the page's text is not tamed: %q", n[0].Text)
	}
}

// TestNudgePropertyLevelsRise: as long as one signal holds, levels rise by one at most and never fall,
// and where the warning window lies before the hard one, the last warning is there when it turns hard.
func TestNudgePropertyLevelsRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		soft := rapid.IntRange(3, 6).Draw(t, "soft")
		hardAt := rapid.IntRange(soft+1, 12).Draw(t, "hard")
		s := begin(page("")).clicks(soft, button())
		last := 0
		for run := soft; run <= hardAt; run++ {
			level := cua.Soft
			if run == hardAt {
				level = cua.Hard
			}
			turn := s.looping(cua.ShapeRepeat, level, run)
			n := Nudge{Config: DefaultConfig().Nudge}.Advise(turn)
			if len(n) != 1 || n[0].Level < last || level == cua.Soft && n[0].Level > last+1 ||
				level == cua.Hard && n[0].Level != LastWarning {
				t.Fatalf("run %d, %s, after level %d: %+v", run, level, last, n)
			}
			last = n[0].Level
			a := click(button())
			s.add(cua.Step{Proposed: a, Action: &a, Target: button(), Effect: effect(false), Notes: n})
		}
	})
}
