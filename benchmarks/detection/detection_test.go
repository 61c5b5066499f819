package detection

import (
	"math"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/studytest"
	"github.com/cua-runner/cua-runner/cua"
)

// judged is a run of ten steps with an alarm at a step; 0 is none.
func judged(source, quality string, looping *bool, soft, hard int, shapes ...cua.Shape) Detected {
	d := Detected{ID: source + "/x", Source: source, Quality: quality, Looping: looping, Steps: 10,
		SoftAt: soft, HardAt: hard}
	for _, s := range shapes {
		d.Signals = append(d.Signals, From{Shape: s, Level: cua.Soft, Step: soft, Run: 3})
	}
	return d
}

func evaluate(e *Evaluation, n int, d Detected) {
	for range n {
		e.Add(d)
	}
}

func rowOf(t *testing.T, rep Report, by, source, quality, name string) Row {
	t.Helper()
	for _, r := range rep.Rows {
		if r.By == by && r.Source == source && r.Quality == quality &&
			(name == "" || name == r.Benchmark || name == r.Group) {
			return r
		}
	}
	t.Fatalf("no row %s %q %q %q in %+v", by, source, quality, name, rep.Rows)
	return Row{}
}

func nearRate(t *testing.T, what string, got *benchmarks.Rate, share, low, high float64) {
	t.Helper()
	if got == nil {
		t.Errorf("%s is not there", what)
		return
	}
	studytest.Near(t, what, got.Share, share, 1e-6)
	studytest.Near(t, what+" low", got.Low, low, 1e-6)
	studytest.Near(t, what+" high", got.High, high, 1e-6)
}

// The expected values were computed apart from this package, by the textbook formulas.
func TestDetectionAgainstIndependentValues(t *testing.T) {
	yes, no := true, false
	e := NewEvaluation(nil, nil)
	evaluate(e, 10, judged("a", "ok", &yes, 4, 8))
	evaluate(e, 3, judged("a", "ok", &yes, 0, 0))
	evaluate(e, 2, judged("a", "ok", &no, 6, 0))
	evaluate(e, 15, judged("a", "ok", &no, 0, 0))
	rep := e.Report()
	r := rowOf(t, rep, byQuality, "a", "ok", "")
	if len(rep.Rows) != 1 || r.Runs != 30 || r.Looping != 13 || r.NotLooping != 17 || r.Steps != 300 {
		t.Fatalf("rows %+v", rep.Rows)
	}
	nearRate(t, "precision", r.Soft.Precision, 0.833333, 0.551969, 0.953035)
	nearRate(t, "recall", r.Soft.Recall, 0.769231, 0.497436, 0.918205)
	nearRate(t, "false alarms", r.Soft.False, 0.117647, 0.032880, 0.343364)
	studytest.Near(t, "F1", r.Soft.F1.Value, 0.8, 1e-9)
	studytest.Near(t, "F1 low", r.Soft.F1.Low, 0.588702, 1e-6)
	studytest.Near(t, "F1 high", r.Soft.F1.High, 0.917888, 1e-6)
	studytest.Near(t, "share of steps after", r.Soft.ShareAfter, (10*6+2*4)/300.0, 1e-12)
	studytest.Near(t, "share of steps after a hard one", r.Hard.ShareAfter, 10*2/300.0, 1e-12)
	if r.Hard.False.Yes != 0 || r.Hard.Precision.Share != 1 || r.Soft.SuccessWith != nil ||
		r.Soft.OfFailed != nil {
		t.Errorf("hard %+v, soft %+v", r.Hard, r.Soft)
	}
}

func TestSuccessWithAndWithoutAnAlarm(t *testing.T) {
	yes, no := true, false
	e := NewEvaluation(nil, nil)
	run := func(n int, success *bool, soft int) {
		evaluate(e, n, Detected{Source: "b", Success: success, SoftAt: soft, Steps: 10})
	}
	run(5, &yes, 2)
	run(7, &no, 2)
	run(14, &yes, 0)
	run(4, &no, 0)
	run(3, nil, 1)
	a := rowOf(t, e.Report(), byQuality, "b", "", "").Soft
	nearRate(t, "success with", a.SuccessWith, 0.416667, 0.193260, 0.680489)
	nearRate(t, "success without", a.SuccessWithout, 0.777778, 0.547854, 0.909991)
	nearRate(t, "alarms of successful runs", a.OfSucceeded, 0.263158, 0.118064, 0.487916)
	nearRate(t, "alarms of failed runs", a.OfFailed, 0.636364, 0.353801, 0.848335)
	if a.Alarmed.Yes != 15 || a.Alarmed.Of != 33 || a.Precision != nil || a.False != nil || a.F1 != nil {
		t.Errorf("%+v", a)
	}
}

// People's runs have no loop to find: they show false alarms and nothing else.
func TestRunsWithoutLoopsHaveOnlyFalseAlarms(t *testing.T) {
	no := false
	e := NewEvaluation(nil, nil)
	evaluate(e, 1, judged("people", "strict", &no, 3, 0))
	evaluate(e, 99, judged("people", "strict", &no, 0, 0))
	a := rowOf(t, e.Report(), byQuality, "people", "strict", "").Soft
	if a.Precision != nil || a.Recall != nil || a.F1 != nil || a.False.Yes != 1 || a.False.Of != 100 {
		t.Errorf("%+v", a)
	}
}

func TestRowsOfAnEvaluation(t *testing.T) {
	yes, no := true, false
	e := NewEvaluation([]Group{{"late", regexp.MustCompile("^b/")},
		{"dates", regexp.MustCompile("choose-date")}}, nil)
	run := func(n int, id, source, quality, benchmark string, looping *bool) {
		evaluate(e, n, Detected{ID: id, Source: source, Quality: quality, Benchmark: benchmark,
			Looping: looping, Steps: 1})
	}
	run(40, "a/choose-date/1", "a", "ok", "big", &yes)
	run(30, "a/2", "a", "suspect", "thirty", &no)
	run(29, "a/3", "a", "ok", "small", &no)
	run(50, "b/1", "b", "", "only one", nil)
	run(2, "c/1", "", "", "choose-date-2", nil)
	var got []string
	for _, r := range e.Report().Rows {
		got = append(got, strings.Join([]string{r.By, r.Source, r.Quality, r.Benchmark, r.Group}, " "))
	}
	want := []string{"label_quality    ", "label_quality a ok  ", "label_quality a suspect  ", "source a   ",
		"label_quality b   ", "benchmark a  big ", "benchmark a  thirty ", "group    late",
		"group    dates", "all    "}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("rows\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n := rowOf(t, e.Report(), byGroup, "", "", "dates").Runs; n != 42 {
		t.Errorf("%d runs in the group, want those of the id and those of the benchmark: 42", n)
	}
}

func TestShapesAlone(t *testing.T) {
	yes, no := true, false
	e := NewEvaluation(nil, nil)
	evaluate(e, 4, judged("a", "ok", &yes, 3, 0, cua.ShapeRepeat, cua.ShapeFrozen))
	evaluate(e, 2, judged("a", "ok", &yes, 3, 0, cua.ShapeFrozen))
	evaluate(e, 1, judged("a", "ok", &no, 3, 0, cua.ShapeFrozen))
	evaluate(e, 1, judged("a", "ok", nil, 3, 0, cua.ShapeFrozen))
	note := judged("a", "ok", &no, 0, 0)
	note.Signals = []From{{Shape: cua.ShapeStreak, Level: cua.NoteLevel, Step: 2}}
	evaluate(e, 5, note)
	shapes := rowOf(t, e.Report(), byQuality, "a", "ok", "").Shapes
	if len(shapes) != 2 || shapes[0].Shape != cua.ShapeRepeat || shapes[1].Shape != cua.ShapeFrozen {
		t.Fatalf("shapes %+v: a note is no alarm, and the order is that of docs/detection.md", shapes)
	}
	f := shapes[1]
	if f.Right != 2 || f.Wrong != 1 || f.Alarmed.Yes != 8 || f.Recall.Yes != 6 || f.False.Yes != 1 ||
		f.False.Of != 6 || shapes[0].Right != 0 {
		t.Errorf("frozen %+v", f)
	}
}

func TestF1(t *testing.T) {
	if f1(0, 0, 0) != nil {
		t.Error("nothing was counted, and there is an F1")
	}
	if f := f1(0, 2, 3); f.Value != 0 || f.Low != 0 || f.High <= 0 {
		t.Errorf("none right: %+v", f)
	}
	rapid.Check(t, func(t *rapid.T) {
		right := rapid.IntRange(1, 300).Draw(t, "right")
		wrong := rapid.IntRange(0, 300).Draw(t, "wrong")
		missed := rapid.IntRange(0, 300).Draw(t, "missed")
		f := f1(right, wrong, missed)
		p, r := float64(right)/float64(right+wrong), float64(right)/float64(right+missed)
		if math.Abs(f.Value-2*p*r/(p+r)) > 1e-12 || f.Low < 0 || f.Low > f.Value || f.Value > f.High ||
			f.High > 1 {
			t.Fatalf("%+v", f)
		}
	})
}

func TestWarningsOfAnEvaluation(t *testing.T) {
	codes := func(e *Evaluation) string {
		var out []string
		for _, w := range e.Report().Warnings {
			out = append(out, w.Code)
		}
		return strings.Join(out, " ")
	}
	yes := true
	unlabelled, cut := NewEvaluation(nil, nil), NewEvaluation(nil,
		&Labels{Windows: []Window{{ID: "x", Steps: [2]int{0, 3}, Loop: loopNo}}})
	unlabelled.Add(Detected{})
	cut.Add(Detected{Success: &yes})
	cut.Add(Detected{})
	cut.Unreadable()
	cut.Interrupted()
	for _, row := range []struct {
		name string
		e    *Evaluation
		want string
	}{
		{"nothing was read", NewEvaluation(nil, nil), "empty"},
		{"there is nothing to compare with", unlabelled, "unlabelled"},
		{"everything at once", cut, "interrupted unreadable absent clustered"},
	} {
		if got := codes(row.e); got != row.want {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}

// Text of an input cannot move the cursor.
func TestEvaluationIsSafeToPrint(t *testing.T) {
	yes := true
	e := NewEvaluation(nil, nil)
	e.Add(Detected{Source: "a\x1b[2Jb\nc", Quality: "\u202eok", Looping: &yes})
	var b strings.Builder
	if err := e.Report().WriteText(&b); err != nil || !strings.Contains(b.String(), "a[2Jb c") ||
		strings.ContainsAny(b.String(), "\x1b\u202e") {
		t.Errorf("%v: %q", err, b.String())
	}
}
