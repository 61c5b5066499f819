package report

import (
	"fmt"
	"strconv"

	"github.com/cua-runner/cua-runner/benchmarks/table"
	"github.com/cua-runner/cua-runner/trajectories/lessons"
)

// LessonReport says what the study's lessons came to. It is what the command lessons report computes over the
// episodes.
type LessonReport struct {
	// Any compares the cells that could be given any lesson with like ones that could be given none.
	Any lessons.Lift `json:"any"`
	// Each are those of single lessons, by id.
	Each []lessons.Lift `json:"each"`
	// Uses is after how many episodes a lesson without lift is marked.
	Uses int `json:"uses"`
}

// lessonReport is nil where the study was given no lessons, or its cells were scored before that was kept.
func (rep Report) lessonReport() *LessonReport {
	if len(rep.Plan.Lessons) == 0 {
		return nil
	}
	c := rep.Plan.Arms[0].Config.Lessons
	var played []lessons.Played
	for _, r := range rep.Results {
		if p, ok := r.Played(); ok {
			played = append(played, p)
		}
	}
	return &LessonReport{Any: lessons.LiftOfAny(played, c), Each: lessons.LiftsOf(rep.Plan.Lessons,
		played, c), Uses: c.Uses}
}

// LessonRow is a line of a table on lessons.
type LessonRow struct {
	Lesson, Uses, With, Without, Success, Saved, Verdict string
	// Idle is lessons.Lift.Idle.
	Idle bool
}

// Rows are all lessons together and each by itself.
func (l *LessonReport) Rows() []LessonRow {
	c := lessons.Config{Uses: l.Uses}
	row := func(name string, x lessons.Lift) LessonRow {
		r := LessonRow{Lesson: name, Uses: strconv.Itoa(x.Uses), With: "–", Without: "–", Success: "–",
			Saved: "–", Idle: x.Idle}
		if x.With.Episodes > 0 {
			r.With, r.Without, r.Success, r.Saved = x.With.Words(), x.Without.Words(),
				fmt.Sprintf("%+.0f", 100*x.Success), fmt.Sprintf("%+.1f", x.Saved)
		}
		switch {
		case x.Idle:
			r.Verdict = "no lift"
		case x.With.Episodes == 0:
			r.Verdict = "nothing to compare with"
		case x.Uses < c.Uses:
			r.Verdict = fmt.Sprintf("judged from %d uses on", c.Uses)
		}
		return r
	}
	out := []LessonRow{row("any of them", l.Any)}
	for _, x := range l.Each {
		out = append(out, row(x.Lesson.ID+" "+x.Lesson.Text, x))
	}
	return out
}

// lessonNote says how the columns are made.
const lessonNote = "Cells that could be given a lesson beside cells of the same task, brain and " +
	"configuration that could not (the mechanism lessons aside), solved and mean steps; " +
	"points of success, and steps that a cell took fewer. No lift: no more successes, and no fewer steps " +
	"at as many, after the uses that lessons.uses asks for. " +
	"Lessons are given together, so one may be credited with what another did."

// lessonTable has a row a lesson; false where the study was given none.
func (rep Report) lessonTable() (table.Table, bool) {
	if rep.Lessons == nil {
		return table.Table{}, false
	}
	t := table.Table{Title: "Lessons: success and steps with and without them", Note: lessonNote,
		Head: []string{"lesson", "uses", "with", "without", "points", "saved", ""}}
	for _, r := range rep.Lessons.Rows() {
		t.Rows = append(t.Rows, []string{r.Lesson, r.Uses, r.With, r.Without, r.Success, r.Saved, r.Verdict})
	}
	return t, true
}
