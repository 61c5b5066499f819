package detection

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories/formats"
)

// Detected is one trajectory as detectors judged it after the fact. Its JSON is a line of
// `cua-runner detect --json`; every step in it is what the input calls that step.
type Detected struct {
	ID      string `json:"id"`
	Signals []From `json:"signals"`
	// FirstSoft and FirstHard are the steps after which a signal of that level first held; nil is
	// never. A hard signal is a soft one too.
	FirstSoft *int           `json:"first_soft"`
	FirstHard *int           `json:"first_hard"`
	Incidents []cua.Incident `json:"incidents"`

	Source    string `json:"-"`
	Benchmark string `json:"-"`
	// Quality is how far the label can be trusted, in the source's own words; "" is none.
	Quality string `json:"-"`
	// Success and Looping are the labels; nil is unknown.
	Success *bool `json:"-"`
	Looping *bool `json:"-"`
	// Steps is how many steps the trajectory has.
	Steps int `json:"-"`
	// SoftAt and HardAt are FirstSoft and FirstHard counted from 1; 0 is never.
	SoftAt int `json:"-"`
	HardAt int `json:"-"`
	// Stuck counts the steps inside incidents, Wasted those inside incidents that did not recover.
	Stuck  int `json:"-"`
	Wasted int `json:"-"`
	// Loops are the alarms in words, one phrase for each stretch of steps.
	Loops []string `json:"-"`
	// Warnings are those of the run that was read, Path is its file.
	Warnings []formats.Warning `json:"-"`
	Path     string            `json:"-"`
	// Fitted says of each candidate whether it alarms; nil where none is asked.
	Fitted []bool `json:"-"`
	// Windows are the labelled windows of the trajectory with what was found in them.
	Windows []WindowResult `json:"-"`
}

// From says from where on one shape's signal held.
type From struct {
	Shape cua.Shape `json:"shape"`
	Level cua.Level `json:"level"`
	// Step is the step after which it first held.
	Step int `json:"step"`
	// Run is the longest run it reached, steps.
	Run int `json:"run"`
}

// Group is a named set of trajectories that gets a row of its own in an evaluation.
type Group struct {
	Name string
	// Match is asked about the trajectory's id and about its benchmark.
	Match *regexp.Regexp
}

// Evaluation compares alarms with labels over any number of trajectories. An alarm is the first
// soft signal of a trajectory, and beside it the first hard one.
type Evaluation struct {
	groups  []Group
	labels  *Labels
	rows    map[rowKey]*tally
	windows []WindowResult
	unread  int
	cut     bool
	// candidates are the names of the settings that could be chosen, folds what they come to by source.
	candidates []string
	folds      map[string]*fitFold
}

// NewEvaluation compares with the labels inside the trajectories, and with labelled windows where
// labels is not nil.
func NewEvaluation(groups []Group, labels *Labels) *Evaluation {
	return &Evaluation{groups: groups, labels: labels, rows: map[rowKey]*tally{}}
}

// Fit has the report choose among candidates by leaving one source out.
func (e *Evaluation) Fit(candidates []Candidate) {
	for _, c := range candidates {
		e.candidates = append(e.candidates, c.Name)
	}
}

// The subjects of a row of an evaluation.
const (
	byAll       = "all"
	bySource    = "source"
	byQuality   = "label_quality"
	byBenchmark = "benchmark"
	byGroup     = "group"
)

type rowKey struct{ by, source, quality, benchmark, group string }

// Add counts one trajectory.
func (e *Evaluation) Add(d Detected) {
	keys := []rowKey{{by: byAll}, {by: bySource, source: d.Source},
		{by: byQuality, source: d.Source, quality: d.Quality}}
	if d.Benchmark != "" {
		keys = append(keys, rowKey{by: byBenchmark, source: d.Source, benchmark: d.Benchmark})
	}
	for _, g := range e.groups {
		if g.Match.MatchString(d.ID) || g.Match.MatchString(d.Benchmark) {
			keys = append(keys, rowKey{by: byGroup, group: g.Name})
		}
	}
	for _, k := range keys {
		if e.rows[k] == nil {
			e.rows[k] = &tally{shapes: map[cua.Shape]*shapeTally{}}
		}
		e.rows[k].add(d)
	}
	e.windows = append(e.windows, d.Windows...)
	e.fit(d)
}

// Unreadable counts an input that could not be scored.
func (e *Evaluation) Unreadable() { e.unread++ }

// Interrupted says that the rest of the input was not read.
func (e *Evaluation) Interrupted() { e.cut = true }

// tally counts the trajectories of one row.
type tally struct {
	runs, steps       int
	looping, calm     int // labelled as looping, as not looping
	succeeded, failed int
	soft, hard        alarmTally
	shapes            map[cua.Shape]*shapeTally
}

// alarmTally counts the trajectories with an alarm of one level.
type alarmTally struct {
	runs, looping, calm, succeeded, failed int
	// after counts the steps that followed the first alarm.
	after int
}

// shapeTally counts the trajectories in which one shape raised a soft alarm; right and wrong those
// labelled looping and not looping in which no other shape did.
type shapeTally struct {
	alarmTally
	right, wrong int
}

func (t *tally) add(d Detected) {
	t.runs++
	t.steps += d.Steps
	count(&t.looping, &t.calm, d.Looping)
	count(&t.succeeded, &t.failed, d.Success)
	t.soft.add(d, d.SoftAt)
	t.hard.add(d, d.HardAt)
	var shapes []cua.Shape
	for _, s := range d.Signals {
		if s.Level.AtLeast(cua.Soft) && !slices.Contains(shapes, s.Shape) {
			shapes = append(shapes, s.Shape)
		}
	}
	for _, s := range shapes {
		if t.shapes[s] == nil {
			t.shapes[s] = &shapeTally{}
		}
		t.shapes[s].add(d, 1)
		if len(shapes) == 1 {
			count(&t.shapes[s].right, &t.shapes[s].wrong, d.Looping)
		}
	}
}

func (a *alarmTally) add(d Detected, at int) {
	if at == 0 {
		return
	}
	a.runs++
	a.after += d.Steps - at
	count(&a.looping, &a.calm, d.Looping)
	count(&a.succeeded, &a.failed, d.Success)
}

func count(yes, no *int, label *bool) {
	switch {
	case label == nil:
	case *label:
		*yes++
	default:
		*no++
	}
}

// shapeOrder is that of the toggles; shapes beside them follow by name.
var shapeOrder = cua.Shapes()

func compareShapes(a, b cua.Shape) int {
	rank := func(s cua.Shape) int {
		if i := slices.Index(shapeOrder, s); i >= 0 {
			return i
		}
		return len(shapeOrder)
	}
	return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b))
}
