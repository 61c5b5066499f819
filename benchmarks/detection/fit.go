package detection

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/table"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// Candidate is one setting of thresholds that could be chosen.
type Candidate struct {
	// Name says what it sets: "detector.stall.soft=6 detector.stagnation.soft=14"; the first one is the
	// config itself.
	Name     string
	Assembly runner.Assembly
}

// alarmed says of each candidate whether it alarms in run.
func alarmed(run *formats.Run, candidates []Candidate) []bool {
	out := make([]bool, len(candidates))
	for i, c := range candidates {
		out[i] = c.Assembly.Detectors.Score(run.History, ended(run)).FirstSoft > 0
	}
	return out
}

// goalFalse is the largest share of false alarms that a candidate may have on the sources on which it is
// chosen.
const goalFalse = 0.05

// fitFold counts the runs of one source by label, and its alarms by candidate.
type fitFold struct {
	looping, calm int
	right, wrong  []int
}

func (f *fitFold) add(o *fitFold) {
	f.looping, f.calm = f.looping+o.looping, f.calm+o.calm
	for i := range f.right {
		f.right[i] += o.right[i]
		f.wrong[i] += o.wrong[i]
	}
}

func newFitFold(n int) *fitFold { return &fitFold{right: make([]int, n), wrong: make([]int, n)} }

// FitRow is one source that was left out.
type FitRow struct {
	// Left is the source, and its benchmark where it has several; "" is all of them together.
	Left string `json:"left_out"`
	// Chosen is the setting that was best on the others.
	Chosen string `json:"chosen,omitzero"`
	Runs   int    `json:"runs"`
	// Out is how that setting does on what was left out, Here how the config itself does there. F1 is nil
	// where no run loops, False where all do.
	Out, Here FitScore
}

// FitScore is F1 and the false alarms of one setting.
type FitScore struct {
	F1    *F1              `json:"f1,omitzero"`
	False *benchmarks.Rate `json:"false_alarms,omitzero"`
}

func (f *fitFold) score(c int) FitScore {
	var s FitScore
	if f.looping > 0 {
		s.F1 = f1(f.right[c], f.wrong[c], f.looping-f.right[c])
	}
	if f.calm > 0 {
		r := benchmarks.Wilson(f.wrong[c], f.calm)
		s.False = &r
	}
	return s
}

// fit counts what candidates say of one labelled run. Labels that are not to be trusted are left out.
func (e *Evaluation) fit(d Detected) {
	if d.Fitted == nil || d.Looping == nil || d.Quality != "ok" && d.Quality != "strict" {
		return
	}
	if e.folds == nil {
		e.folds = map[string]*fitFold{}
	}
	name := d.Source
	if d.Quality == "ok" && d.Benchmark != "" {
		name += " " + d.Benchmark
	}
	f := e.folds[name]
	if f == nil {
		f = newFitFold(len(d.Fitted))
		e.folds[name] = f
	}
	count(&f.looping, &f.calm, d.Looping)
	for i, alarm := range d.Fitted {
		if alarm {
			count(&f.right[i], &f.wrong[i], d.Looping)
		}
	}
}

// fitReport chooses for each source the setting that is best on all others, and scores it on that source: the
// highest F1 of those with at most 5 % false alarms on the sources that have loops together and on each of
// the others; where several are alike, the one with fewer false alarms, then the earlier one.
func (e *Evaluation) fitReport() []FitRow {
	if len(e.folds) == 0 {
		return nil
	}
	var rows []FitRow
	n := len(e.candidates)
	out, here := newFitFold(1), newFitFold(1)
	for _, left := range slices.Sorted(maps.Keys(e.folds)) {
		f := e.folds[left]
		c := e.choose(left)
		rows = append(rows, FitRow{Left: left, Chosen: e.candidates[c], Runs: f.looping + f.calm,
			Out: f.score(c), Here: f.score(0)})
		if f.looping > 0 {
			out.add(&fitFold{f.looping, f.calm, f.right[c : c+1 : n], f.wrong[c : c+1 : n]})
			here.add(&fitFold{f.looping, f.calm, f.right[:1], f.wrong[:1]})
		}
	}
	return append(rows, FitRow{Runs: out.looping + out.calm, Out: out.score(0), Here: here.score(0)})
}

// choose is the best candidate on all sources but left.
func (e *Evaluation) choose(left string) int {
	n := len(e.candidates)
	loops := newFitFold(n)
	most := make([]float64, n) // the largest share of false alarms of a source without loops
	for name, f := range e.folds {
		switch {
		case name == left:
		case f.looping > 0:
			loops.add(f)
		default:
			for i := range most {
				most[i] = max(most[i], float64(f.wrong[i])/float64(max(f.calm, 1)))
			}
		}
	}
	value := func(i int) float64 {
		if s := loops.score(i); s.F1 != nil && (s.False == nil || s.False.Share <= goalFalse) &&
			most[i] <= goalFalse {
			return s.F1.Value
		}
		return -1
	}
	best := 0
	for i := 1; i < n; i++ {
		if cmp.Or(cmp.Compare(value(i), value(best)), cmp.Compare(loops.wrong[best], loops.wrong[i])) > 0 {
			best = i
		}
	}
	return best
}

func fitTable(rows []FitRow) table.Table {
	t := table.Table{
		Title: "Leave one source out: the thresholds that are best on the others, on the source " +
			"that was left out",
		Head: []string{"left out", "runs", "F1", "false alarms", "F1 of this config",
			"false alarms", "chosen"}}
	for _, r := range rows {
		t.Rows = append(t.Rows, []string{cmp.Or(r.Left, "all with loops"), strconv.Itoa(r.Runs),
			r.Out.F1.text(), percent(r.Out.False),
			r.Here.F1.text(), percent(r.Here.False), r.Chosen})
	}
	return t
}
