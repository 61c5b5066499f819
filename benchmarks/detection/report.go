package detection

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
)

// Report is the result of an evaluation.
type Report struct {
	// Rows are one for each source and quality of label, one for each source that has several
	// qualities, one for each larger benchmark of a source that has several, one for each group
	// asked for, and one for all.
	Rows []Row `json:"rows"`
	// Fit is one row for each source that was left out, and one for those that have loops together; nil where
	// no candidates were asked.
	Fit []FitRow `json:"fit,omitzero"`
	// Windows is nil where there are no labelled windows.
	Windows  *WindowReport        `json:"windows,omitzero"`
	Warnings []benchmarks.Warning `json:"warnings,omitzero"`
}

// Row is one set of trajectories.
type Row struct {
	// By says what holds the set together: all, source, label_quality, benchmark or group; the
	// fields below name it.
	By        string `json:"by"`
	Source    string `json:"source,omitzero"`
	Quality   string `json:"label_quality,omitzero"`
	Benchmark string `json:"benchmark,omitzero"`
	Group     string `json:"group,omitzero"`

	Runs  int `json:"runs"`
	Steps int `json:"steps"`
	// Looping, NotLooping, Succeeded and Failed count the runs with such a label.
	Looping    int          `json:"looping"`
	NotLooping int          `json:"not_looping"`
	Succeeded  int          `json:"succeeded"`
	Failed     int          `json:"failed"`
	Soft       Alarms       `json:"soft"`
	Hard       Alarms       `json:"hard"`
	Shapes     []ShapeAlarm `json:"shapes"`
}

// Alarms compares the alarms of one level with the labels of a set. A rate is nil where no run of
// the set has the label that it is about.
type Alarms struct {
	// Alarmed is the share of runs with an alarm, labelled or not.
	Alarmed benchmarks.Rate `json:"alarmed"`
	// Precision is the share of labelled runs with an alarm that loop, Recall the share of
	// looping runs with an alarm.
	Precision *benchmarks.Rate `json:"precision,omitzero"`
	Recall    *benchmarks.Rate `json:"recall,omitzero"`
	F1        *F1              `json:"f1,omitzero"`
	// False is the share of runs labelled as not looping that have an alarm.
	False *benchmarks.Rate `json:"false_alarms,omitzero"`
	// SuccessWith and SuccessWithout are the success of runs with and without an alarm;
	// OfSucceeded and OfFailed the share of successful and of failed runs that have one.
	SuccessWith    *benchmarks.Rate `json:"success_with_alarm,omitzero"`
	SuccessWithout *benchmarks.Rate `json:"success_without_alarm,omitzero"`
	OfSucceeded    *benchmarks.Rate `json:"alarmed_of_succeeded,omitzero"`
	OfFailed       *benchmarks.Rate `json:"alarmed_of_failed,omitzero"`
	// StepsAfter counts the steps after the first alarm of their run, ShareAfter is their share
	// of all steps of the set, 0 to 1.
	StepsAfter int     `json:"steps_after"`
	ShareAfter float64 `json:"share_of_steps_after"`
}

// ShapeAlarm is what one shape's soft signals alone come to.
type ShapeAlarm struct {
	Shape   cua.Shape       `json:"shape"`
	Alarmed benchmarks.Rate `json:"alarmed"`
	// Precision to False are as in Alarms.
	Precision *benchmarks.Rate `json:"precision,omitzero"`
	Recall    *benchmarks.Rate `json:"recall,omitzero"`
	F1        *F1              `json:"f1,omitzero"`
	False     *benchmarks.Rate `json:"false_alarms,omitzero"`
	// Right and Wrong count the runs labelled as looping and as not looping in which no other
	// shape raised an alarm: what would be lost and what spared without this one.
	Right int `json:"alone_right"`
	Wrong int `json:"alone_wrong"`
}

// F1 is the harmonic mean of precision and recall with its interval at 95 %, all 0 to 1.
type F1 struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// f1 is 2·right/(2·right+wrong+missed). It rises with the share j of right among all three, as
// 2j/(1+j), and j is a share like any other: its Wilson interval, put through the same formula,
// is that of F1. Nil where there is nothing to count.
func f1(right, wrong, missed int) *F1 {
	if right+wrong+missed == 0 {
		return nil
	}
	j := benchmarks.Wilson(right, right+wrong+missed)
	of := func(j float64) float64 { return 2 * j / (1 + j) }
	return &F1{of(j.Share), of(j.Low), of(j.High)}
}

// fewestOfBenchmark is how many runs a benchmark needs for a row of its own: with fewer the
// interval of a rate is wider than 30 points.
const fewestOfBenchmark = 30

// Report sums up what was added.
func (e *Evaluation) Report() Report {
	var rep Report
	keys := slices.SortedFunc(maps.Keys(e.rows), e.compareRows)
	for _, k := range keys {
		if e.shown(k, keys) {
			rep.Rows = append(rep.Rows, e.rows[k].row(k))
		}
	}
	if e.labels != nil {
		w := windowReport(e.windows, e.labels)
		rep.Windows = &w
	}
	rep.Fit = e.fitReport()
	rep.Warnings = e.warnings(rep)
	return rep
}

// compareRows puts sources with their qualities first, then benchmarks, then the groups in the
// order in which they were asked for, then all.
func (e *Evaluation) compareRows(a, b rowKey) int {
	rank := func(by string) int {
		return slices.Index([]string{byQuality, bySource, byBenchmark, byGroup, byAll}, by)
	}
	section := func(by string) int { return max(1, rank(by)) } // a source and its qualities are one section
	at := func(k rowKey) int {
		return slices.IndexFunc(e.groups, func(g Group) bool { return g.Name == k.group })
	}
	return cmp.Or(section(a.by)-section(b.by), cmp.Compare(a.source, b.source), rank(a.by)-rank(b.by),
		cmp.Compare(a.quality, b.quality), cmp.Compare(a.benchmark, b.benchmark), at(a)-at(b))
}

// shown leaves out rows that say what another says, and benchmarks that are too small.
func (e *Evaluation) shown(k rowKey, all []rowKey) bool {
	same := func(by string) (n int) {
		for _, o := range all {
			if o.by == by && (by == bySource || o.source == k.source) {
				n++
			}
		}
		return n
	}
	switch k.by {
	case bySource:
		return same(byQuality) > 1
	case byBenchmark:
		return e.rows[k].runs >= fewestOfBenchmark && same(byBenchmark) > 1
	case byAll:
		return same(bySource) > 1
	}
	return true
}

func (t *tally) row(k rowKey) Row {
	r := Row{By: k.by, Source: k.source, Quality: k.quality, Benchmark: k.benchmark, Group: k.group,
		Runs: t.runs, Steps: t.steps, Looping: t.looping, NotLooping: t.calm, Succeeded: t.succeeded,
		Failed: t.failed, Soft: t.alarms(&t.soft), Hard: t.alarms(&t.hard), Shapes: []ShapeAlarm{}}
	for _, shape := range slices.SortedFunc(maps.Keys(t.shapes), compareShapes) {
		s := t.shapes[shape]
		a := t.alarms(&s.alarmTally)
		r.Shapes = append(r.Shapes, ShapeAlarm{Shape: shape, Alarmed: a.Alarmed, Precision: a.Precision,
			Recall: a.Recall, F1: a.F1,
			False: a.False, Right: s.right, Wrong: s.wrong})
	}
	return r
}

func (t *tally) alarms(a *alarmTally) Alarms {
	known := func(yes, of int, ask bool) *benchmarks.Rate {
		if !ask {
			return nil
		}
		r := benchmarks.Wilson(yes, of)
		return &r
	}
	out := Alarms{Alarmed: benchmarks.Wilson(a.runs, t.runs), StepsAfter: a.after,
		Precision:   known(a.looping, a.looping+a.calm, t.looping > 0),
		Recall:      known(a.looping, t.looping, t.looping > 0),
		False:       known(a.calm, t.calm, t.calm > 0),
		SuccessWith: known(a.succeeded, a.succeeded+a.failed, t.succeeded+t.failed > 0),
		SuccessWithout: known(t.succeeded-a.succeeded, t.succeeded+t.failed-a.succeeded-a.failed,
			t.succeeded+t.failed > 0),
		OfSucceeded: known(a.succeeded, t.succeeded, t.succeeded > 0),
		OfFailed:    known(a.failed, t.failed, t.failed > 0)}
	if t.looping > 0 {
		out.F1 = f1(a.looping, a.calm, t.looping-a.looping)
	}
	if t.steps > 0 {
		out.ShareAfter = float64(a.after) / float64(t.steps)
	}
	return out
}

func (e *Evaluation) warnings(rep Report) []benchmarks.Warning {
	var out []benchmarks.Warning
	say := func(code, format string, args ...any) {
		out = append(out,
			benchmarks.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if e.cut {
		say("interrupted", "Interrupted: the rest of the input was not read.")
	}
	if e.unread > 0 {
		say("unreadable", "Inputs that could not be read and are in no figure: %d.", e.unread)
	}
	all := e.rows[rowKey{by: byAll}]
	switch {
	case all == nil:
		say("empty", "No trajectory was read.")
	case all.looping+all.calm+all.succeeded+all.failed == 0:
		say("unlabelled",
			"No trajectory carries a label (looping or success): there is nothing to compare the alarms with.")
	}
	if w := rep.Windows; w != nil && len(w.Absent) > 0 {
		say("absent",
			"Labelled windows of trajectories that are not in the input, or of steps that they do not "+
				"have: %d.", len(w.Absent))
	}
	if all != nil && all.runs > 1 {
		say("clustered",
			"Runs of one task or of one agent are alike: the intervals treat them as independent and are "+
				"too narrow for others.")
	}
	return out
}
