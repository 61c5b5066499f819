package detection

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/table"
	"github.com/cua-runner/cua-runner/cua"
)

// WriteText writes the report as plain text for a terminal.
func (rep Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, t := range rep.tables() {
		if len(t.Rows) > 0 {
			t.Text(&b, 0)
		}
	}
	if rep.Windows != nil {
		rep.Windows.text(&b)
	}
	for _, warning := range rep.Warnings {
		fmt.Fprintf(&b, "note: %s\n", warning.Text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (rep Report) tables() []table.Table {
	out := []table.Table{rep.alarmTable(), rep.labelTable(), rep.successTable(), rep.shapeTable()}
	for _, r := range rep.Rows {
		if r.Looping > 0 && r.NotLooping > 0 && r.By == byQuality {
			out = append(out, r.shapeLabels())
		}
	}
	return append(out, fitTable(rep.Fit))
}

// names are a row's first two cells.
func (r Row) names() []string {
	switch r.By {
	case byAll:
		return []string{"all", ""}
	case byGroup:
		return []string{r.Group, ""}
	case byBenchmark:
		return []string{"  " + r.Benchmark, ""}
	}
	return []string{cmp.Or(r.Source, "–"), r.Quality}
}

func (rep Report) alarmTable() table.Table {
	t := table.Table{Title: "Alarms (a soft signal; beside it a hard one), 95 % Wilson intervals",
		Head: []string{"source, benchmark, group", "label", "runs", "alarmed", "hard", "steps",
			"after the alarm", "after a hard one"}}
	for _, r := range rep.Rows {
		t.Rows = append(t.Rows, append(r.names(), strconv.Itoa(r.Runs), percent(&r.Soft.Alarmed),
			percent(&r.Hard.Alarmed),
			strconv.Itoa(r.Steps), share(r.Soft.ShareAfter), share(r.Hard.ShareAfter)))
	}
	return t
}

func (rep Report) labelTable() table.Table {
	t := table.Table{Title: "Against labels of loops (false alarms: of the runs labelled as not looping)",
		Head: []string{"source, benchmark, group", "label", "runs", "looping", "level", "precision", "recall",
			"F1", "false alarms"}}
	for _, r := range rep.Rows {
		// A benchmark without loops says no more than in the table of alarms, and labels of several
		// sources do not add up.
		if r.Looping+r.NotLooping == 0 || r.By == byAll || r.By == byBenchmark && r.Looping == 0 {
			continue
		}
		row := func(level cua.Level, a Alarms) {
			t.Rows = append(t.Rows, append(r.names(), strconv.Itoa(r.Looping+r.NotLooping),
				strconv.Itoa(r.Looping), string(level),
				percent(a.Precision), percent(a.Recall), a.F1.text(), percent(a.False)))
		}
		row(cua.Soft, r.Soft)
		row(cua.Hard, r.Hard)
	}
	return t
}

func (rep Report) successTable() table.Table {
	t := table.Table{Title: "Success with and without an alarm",
		Head: []string{"source, benchmark, group", "label", "runs", "level", "success with",
			"success without", "alarmed of successful", "alarmed of failed"}}
	for _, r := range rep.Rows {
		if r.Succeeded+r.Failed == 0 || r.By == byAll || r.By == byBenchmark {
			continue
		}
		row := func(level cua.Level, a Alarms) {
			t.Rows = append(t.Rows, append(r.names(), strconv.Itoa(r.Succeeded+r.Failed), string(level),
				percent(a.SuccessWith), percent(a.SuccessWithout), percent(a.OfSucceeded),
				percent(a.OfFailed)))
		}
		row(cua.Soft, r.Soft)
		row(cua.Hard, r.Hard)
	}
	return t
}

// shapeTable has a column a shape: the share of runs in which it gave a soft signal.
func (rep Report) shapeTable() table.Table {
	var shapes []cua.Shape
	for _, r := range rep.Rows {
		for _, s := range r.Shapes {
			if !slices.Contains(shapes, s.Shape) {
				shapes = append(shapes, s.Shape)
			}
		}
	}
	slices.SortFunc(shapes, compareShapes)
	t := table.Table{Title: "Alarmed by shape, share of runs", Head: []string{"source, benchmark, group",
		"label", "any"}}
	if len(shapes) == 0 {
		return t
	}
	for _, s := range shapes {
		t.Head = append(t.Head, string(s))
	}
	for _, r := range rep.Rows {
		if r.By == byBenchmark {
			continue
		}
		row := append(r.names(), share(r.Soft.Alarmed.Share))
		for _, shape := range shapes {
			i := slices.IndexFunc(r.Shapes, func(s ShapeAlarm) bool { return s.Shape == shape })
			if i < 0 {
				row = append(row, "–")
				continue
			}
			row = append(row, share(r.Shapes[i].Alarmed.Share))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func (r Row) shapeLabels() table.Table {
	name := strings.TrimSpace(strings.Join(r.names(), " "))
	t := table.Table{Title: "Each shape against the labels of " + name +
		" (alone: runs in which no other shape gave an alarm)",
		Head: []string{"shape", "runs", "precision", "recall", "F1", "false alarms", "alone right",
			"alone false"}}
	for _, s := range r.Shapes {
		t.Rows = append(t.Rows, []string{string(s.Shape), strconv.Itoa(s.Alarmed.Yes), percent(s.Precision),
			percent(s.Recall), s.F1.text(),
			percent(s.False), strconv.Itoa(s.Right), strconv.Itoa(s.Wrong)})
	}
	return t
}

func (rep WindowReport) text(b *strings.Builder) {
	t := table.Table{Title: "Labelled windows", Head: []string{"", "of", "share"}}
	line := func(name string, r benchmarks.Rate) {
		t.Rows = append(t.Rows, []string{name, fmt.Sprintf("%d of %d", r.Yes, r.Of), percent(&r)})
	}
	line("windows with a loop: found", rep.Found)
	line("their loops: found", rep.Stretches)
	for _, k := range rep.Kinds {
		line("  "+k.Kind, k.Rate)
	}
	line("windows without a loop: alarmed", rep.False)
	line("unclear windows: alarmed", rep.Unclear)
	t.Text(b, 0)
	if d := rep.Delay; d.Of > 0 {
		fmt.Fprintf(b,
			"delay of the %d loops that were found: median %g steps after the first repetition, mean %.1f, "+
				"at most %d\n", d.Of, d.Median, d.Mean, d.Most)
	}
	fmt.Fprintf(b, "steps under an alarm outside the loops of windows that have one: %d\n\n", rep.Outside)

	lost := table.Table{Title: "Loops that were missed", Head: []string{"no", "steps", "kind", "trajectory"}}
	for _, w := range rep.Missed {
		for i, s := range w.Stretches {
			if w.Found[i].Alarm == nil {
				lost.Rows = append(lost.Rows, []string{strconv.Itoa(w.No),
					fmt.Sprintf("%d to %d", s.Start, s.End), s.Kind, w.ID})
			}
		}
	}
	wrong := table.Table{Title: "False alarms in windows", Head: []string{"no", "first at", "kind", "shapes",
		"trajectory"}}
	for _, w := range rep.FalseAlarms {
		wrong.Rows = append(wrong.Rows, []string{strconv.Itoa(w.No), strconv.Itoa(*w.First), w.Kind,
			words(w.Shapes), w.ID})
	}
	for _, t := range []table.Table{lost, wrong} {
		if len(t.Rows) > 0 {
			t.Text(b, 0)
		}
	}
}

func words(shapes []cua.Shape) string {
	var out []string
	for _, s := range shapes {
		out = append(out, string(s))
	}
	return strings.Join(out, " ")
}

// percent is a rate with one digit behind the point: false alarms of one in a hundred are to be
// told from two.
func percent(r *benchmarks.Rate) string {
	if r == nil || r.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*r.Share, 100*r.Low, 100*r.High)
}

func share(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) }

func (f *F1) text() string {
	if f == nil {
		return "–"
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", f.Value, f.Low, f.High)
}
