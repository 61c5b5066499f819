package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
)

// Report is the result of a study. It is computed from results alone, but for what attempts beside them used.
type Report struct {
	Plan  benchmarks.Plan `json:"plan"`
	Done  int             `json:"done"`
	Total int             `json:"total"`
	// Arms are in the plan's order.
	Arms []ArmReport `json:"arms"`
	// Faults are the arms once more under each fault alone; nil where the study has one brain.
	Faults []FaultReport `json:"faults,omitzero"`
	// Mechanisms say what each changes that the study has an arm without; nil where it has no such arm.
	Mechanisms []MechanismReport `json:"mechanisms,omitzero"`
	// Worth says what interventions were worth, by reason code; nil if the study is none of forks.
	Worth []WorthReport `json:"worth,omitzero"`
	// Lessons say what those of the study were worth; nil where it was given none.
	Lessons *LessonReport `json:"lessons,omitzero"`
	// MiniWoB is the result of the study on it; nil where it does not play it.
	MiniWoB *MiniWoBReport `json:"miniwob,omitzero"`
	// Checks say whether the journals keep the invariants that hold for every run.
	Checks   CheckReport          `json:"invariants"`
	Warnings []benchmarks.Warning `json:"warnings,omitzero"`
	// Results are all cells in the plan's order.
	Results []benchmarks.Result `json:"results"`
}

// ArmReport is one arm's part.
type ArmReport struct {
	Arm   string `json:"arm"`
	Cells int    `json:"cells"`
	// Success and Lenient are defined at Result.
	Success benchmarks.Rate `json:"success"`
	Lenient benchmarks.Rate `json:"lenient"`
	Suites  []NamedRate     `json:"suites"`
	Tasks   []NamedRate     `json:"tasks"`
	// Steps, Wasted and Seconds are means over the cells.
	Steps   float64 `json:"steps_mean"`
	StepsSD float64 `json:"steps_sd"`
	Wasted  float64 `json:"wasted_steps_mean"`
	Seconds float64 `json:"seconds_mean"`
	// Tokens is the sum over the results; USD too, nil when a cell's cost is unknown. Attempts has what
	// others used.
	Tokens int      `json:"tokens"`
	USD    *float64 `json:"cost_usd,omitzero"`

	// Stuck totals the incidents of its cells.
	Stuck Stuck `json:"stuck"`

	Recoveries     []ReasonCount  `json:"recoveries,omitzero"`
	Substitutions  map[string]int `json:"substitutions"`
	Nudges         int            `json:"nudges"`
	DoneRejections map[string]int `json:"done_rejections"`
	// Halted counts the cells that ended as loop.
	Halted int                 `json:"halted"`
	Ends   map[string]int      `json:"ends"`
	False  *FalseInterventions `json:"false_interventions,omitzero"`
	// Signalled are the cells of the suites controls and healthy in which a soft or hard signal held, among
	// those that the bare loop solved where the study has it: a control on which a faulty brain is stuck is
	// no false alarm.
	Signalled benchmarks.Rate `json:"controls_signalled"`
	// Cases say when the arm's own detectors spoke on the suites stuck and healthy, by task.
	Cases []CaseReport `json:"cases,omitzero"`
	// Shadow says how good the gates in shadow mode would have been; nil where none ruled.
	Shadow []ShadowReport `json:"shadow,omitzero"`
	// Attempts are told apart from the agent's failures.
	Attempts
	// Wrong are its wrong interventions.
	Wrong WrongReport `json:"wrong_interventions"`
	// Harm counts the cells with harm; nil where the study has no task in which any can be done.
	Harm *HarmReport `json:"harm,omitzero"`
	// Unsolvable says how the tasks ended that cannot be solved; nil where the study has none.
	Unsolvable *UnsolvableReport `json:"unsolvable,omitzero"`
	// Passes say what k tries come to; nil where each cell is played once.
	Passes []Pass `json:"passes,omitzero"`
	// Versus is nil for the base arm.
	Versus *Versus `json:"versus_base,omitzero"`
}

// NamedRate is the success in one suite or task; Lenient is that of Result.
type NamedRate struct {
	Name string `json:"name"`
	benchmarks.Rate
	Lenient benchmarks.Rate `json:"lenient"`
}

// ReasonCount is how often one reason code was dispatched and had an effect.
type ReasonCount struct {
	Reason cua.Reason `json:"reason"`
	benchmarks.Tried
}

// Of sums the study up, finished or not.
func Of(s *benchmarks.Study) (Report, error) {
	cells, err := s.Plan.Cells()
	if err != nil {
		return Report{}, err
	}
	by := map[benchmarks.Cell]benchmarks.Result{}
	for _, r := range s.Results {
		by[r.Cell] = r
	}
	rep := Report{Plan: s.Plan, Total: len(cells), Done: len(s.Results)}
	for _, c := range cells {
		if r, ok := by[c]; ok {
			rep.Results = append(rep.Results, r)
		}
	}
	if err := s.Unchanged(); err != nil {
		rep.Warnings = append(rep.Warnings, benchmarks.Warning{Code: "changed_plan",
			Text: "The arms, the brain or its faults in " + benchmarks.PlanName +
				" are not those that the study began with: the cells may be of others."})
	}
	beside := s.UsedBeside()
	for _, a := range s.Plan.Arms {
		arm := armReport(a.Name, rep.Results, by)
		arm.Beside = beside[a.Name]
		arm.Passes = passes(rep.of(a.Name), s.Plan.Repeats)
		rep.Arms = append(rep.Arms, arm)
	}
	rep.compare(by)
	rep.Faults = rep.faultReports(by)
	rep.Mechanisms = rep.mechanismReports(by)
	rep.Worth = rep.worthReports(by)
	rep.Lessons = rep.lessonReport()
	rep.MiniWoB = rep.miniwobReport(by)
	rep.Checks = checkReport(rep.Results)
	rep.warn()
	return rep, nil
}

func armReport(arm string, all []benchmarks.Result, by map[benchmarks.Cell]benchmarks.Result) ArmReport {
	var mine []benchmarks.Result
	for _, r := range all {
		if r.Arm == arm {
			mine = append(mine, r)
		}
	}
	a := ArmReport{Arm: arm, Cells: len(mine), Success: rate(mine, succeeded), Lenient: rate(mine, solved),
		Suites:        grouped(mine, func(r benchmarks.Result) string { return r.Suite }),
		Tasks:         grouped(mine, func(r benchmarks.Result) string { return r.Task }),
		Substitutions: map[string]int{}, DoneRejections: map[string]int{}, Ends: map[string]int{}}
	var steps, wasted, seconds []float64
	recovered := map[cua.Reason]benchmarks.Tried{}
	for _, r := range mine {
		steps = append(steps, float64(r.Steps))
		wasted = append(wasted, float64(r.Wasted))
		seconds = append(seconds, float64(r.DurationMS)/1000)
		a.Tokens += r.Tokens
		a.Nudges += r.Nudges
		a.Ends[string(r.End)]++
		add(a.Substitutions, r.Substitutions)
		for code, n := range r.DoneRejections {
			a.DoneRejections[string(code)] += n
		}
		for reason, n := range r.Recoveries {
			sum := recovered[reason]
			recovered[reason] = benchmarks.Tried{Count: sum.Count + n.Count, Effect: sum.Effect + n.Effect}
		}
	}
	a.USD = benchmarks.Cost(mine)
	a.Attempts = attemptsAt(mine)
	a.Stuck = priced(mine)
	a.Halted = a.Ends[string(cua.EndLoop)]
	a.Steps, a.StepsSD = benchmarks.Mean(steps)
	a.Wasted, _ = benchmarks.Mean(wasted)
	a.Seconds, _ = benchmarks.Mean(seconds)
	for _, reason := range cua.Reasons() {
		if n := recovered[reason]; n.Count > 0 {
			a.Recoveries = append(a.Recoveries, ReasonCount{reason, n})
		}
	}
	a.False = falseInterventions(mine, by)
	a.Signalled = signalled(mine, by)
	a.Cases = caseReports(mine)
	a.Shadow = shadowReports(mine)
	a.Wrong = wrongReport(mine)
	a.Unsolvable = unsolvableReport(mine)
	a.Harm = harmReport(mine)
	return a
}

func succeeded(r benchmarks.Result) bool { return r.Success }

func solved(r benchmarks.Result) bool { return r.Lenient }

func rate(rs []benchmarks.Result, is func(benchmarks.Result) bool) benchmarks.Rate {
	yes := 0
	for _, r := range rs {
		if is(r) {
			yes++
		}
	}
	return benchmarks.Wilson(yes, len(rs))
}

// grouped is the success by key, in the order in which keys first appear.
func grouped(rs []benchmarks.Result, key func(benchmarks.Result) string) []NamedRate {
	var names []string
	groups := map[string][]benchmarks.Result{}
	for _, r := range rs {
		k := key(r)
		if groups[k] == nil {
			names = append(names, k)
		}
		groups[k] = append(groups[k], r)
	}
	out := make([]NamedRate, len(names))
	for i, n := range names {
		out[i] = NamedRate{n, rate(groups[n], succeeded), rate(groups[n], solved)}
	}
	return out
}

func add(to, from map[string]int) {
	for k, n := range from {
		to[k] += n
	}
}

// counted lists name ×n, the most frequent first.
func counted(m map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(m[b]-m[a],
			strings.Compare(a, b))
	})
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s %d", k, m[k])
	}
	return strings.Join(keys, ", ")
}
