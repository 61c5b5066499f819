package brain

import (
	"math"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// A brain that reads its notes reads lessons too: what a lesson is about does not happen again.
func TestFaultsHeedLessons(t *testing.T) {
	focus := text("Name", 100)
	lesson := func(origin string, about ...cua.Kind) cua.Lesson {
		return cua.Lesson{ID: "l-1", Origin: origin, Actions: about,
			Text: "Clicking the textbox again has no effect here."}
	}
	here := "https://shop.test"
	for _, row := range []struct {
		name    string
		specs   []string
		lessons []cua.Lesson
		want    float64
	}{
		{"no lesson", []string{"click_fixation=1", "nudge_obedience=1"}, nil, 1},
		{"a lesson about the click", []string{"click_fixation=1", "nudge_obedience=1"}, []cua.Lesson{lesson(here, cua.Click)}, 0},
		{"a lesson about its class", []string{"click_fixation=1", "nudge_obedience=1"}, []cua.Lesson{lesson(here, cua.DoubleClick)}, 0},
		{"a lesson about nothing in particular", []string{"click_fixation=1", "nudge_obedience=1"}, []cua.Lesson{lesson(here)}, 0},
		{"a lesson about another action", []string{"click_fixation=1", "nudge_obedience=1"}, []cua.Lesson{lesson(here, cua.Scroll)}, 1},
		{"the second of two lessons", []string{"click_fixation=1", "nudge_obedience=1"}, []cua.Lesson{lesson(here, cua.Scroll), lesson(here, cua.Click)}, 0},
		{"a lesson of another origin", []string{"click_fixation=1", "nudge_obedience=1"}, []cua.Lesson{lesson("https://bank.test", cua.Click)}, 1},
		{"a brain that reads no notes", []string{"click_fixation=1"}, []cua.Lesson{lesson(here, cua.Click)}, 1},
		{"one that follows seven in ten", []string{"click_fixation=1", "nudge_obedience=0.7"}, []cua.Lesson{lesson(here, cua.Click)}, 0.3},
	} {
		t.Run(row.name, func(t *testing.T) {
			f, n := faulty(t, typeAda, 7, row.specs...), 0
			for step := 1; step <= 4000; step++ {
				d, err := f.Decide(t.Context(), &cua.Turn{Number: step, Lessons: row.lessons,
					Now: cua.Observation{URL: here + "/login?x=1", Viewport: view0, Focus: &focus}})
				if err != nil {
					t.Fatal(err)
				}
				if d.Action.Kind == cua.Click {
					n++
				}
			}
			// 0.03 is about four standard deviations of 4,000 draws.
			if got := float64(n) / 4000; math.Abs(got-row.want) > 0.03 || row.want == math.Trunc(row.want) &&
				got != row.want {
				t.Errorf("struck in %.3f of the steps, want %.2f", got, row.want)
			}
		})
	}
}
