package benchmarks

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Report is what a study came to. It is computed from results alone.
type Report struct {
	Plan  Plan `json:"plan"`
	Done  int  `json:"done"`
	Total int  `json:"total"`
	// Arms are in the plan's order.
	Arms     []ArmReport `json:"arms"`
	Warnings []Warning   `json:"warnings,omitzero"`
	// Results are all cells in the plan's order.
	Results []Result `json:"results"`
}

// ArmReport is one arm's part.
type ArmReport struct {
	Arm   string `json:"arm"`
	Cells int    `json:"cells"`
	// Success and Lenient are defined at Result.
	Success Rate        `json:"success"`
	Lenient Rate        `json:"lenient"`
	Suites  []NamedRate `json:"suites"`
	Tasks   []NamedRate `json:"tasks"`
	// Steps, Wasted and Seconds are means over the cells.
	Steps   float64 `json:"steps_mean"`
	StepsSD float64 `json:"steps_sd"`
	Wasted  float64 `json:"wasted_steps_mean"`
	Seconds float64 `json:"seconds_mean"`
	// Tokens is the sum; USD too, nil when a cell's cost is unknown.
	Tokens int      `json:"tokens"`
	USD    *float64 `json:"cost_usd,omitzero"`

	// Stuck is what the incidents of its cells came to.
	Stuck Stuck `json:"stuck"`

	Recoveries     []ReasonCount  `json:"recoveries,omitzero"`
	Substitutions  map[string]int `json:"substitutions"`
	Nudges         int            `json:"nudges"`
	DoneRejections map[string]int `json:"done_rejections"`
	// Halted counts the cells that ended as loop.
	Halted int               `json:"halted"`
	Ends   map[string]int    `json:"ends"`
	False  *FalseIntervening `json:"false_interventions,omitzero"`
	// Signalled are the cells of the suites controls and healthy in which a soft or hard signal held, among those
	// that the bare loop solved where the study has it: a control on which a faulty brain is stuck
	// is no false alarm.
	Signalled Rate `json:"controls_signalled"`
	// Cases say when the arm's own detectors spoke on the suites stuck and healthy, by task.
	Cases []CaseReport `json:"cases,omitzero"`
	// Shadow says how good the gates in shadow mode would have been; nil where none ruled.
	Shadow []ShadowReport `json:"shadow,omitzero"`
	// Faulted and Interrupted count attempts, apart from the agent's failures.
	Faulted     int `json:"infrastructure_faults"`
	Interrupted int `json:"interrupted"`
	// Versus is nil for the base arm.
	Versus *Versus `json:"versus_base,omitzero"`
}

// NamedRate is the success in one suite or task.
type NamedRate struct {
	Name string `json:"name"`
	Rate
}

// ReasonCount is how often one reason code was dispatched and had an effect.
type ReasonCount struct {
	Reason cua.Reason `json:"reason"`
	Tried
}

// FalseIntervening are interventions where none was needed: on controls and forms that the
// bare loop solved under the same seed.
type FalseIntervening struct {
	// Cells are those with at least one, among those that the bare loop solved.
	Cells Rate `json:"cells"`
	// Harmed counts those of them that then failed or took more steps than the bare loop: an
	// intervention that only shortens the way is not needed, but does no harm.
	Harmed int `json:"harmed"`
	// Gates counts the interventions.
	Gates map[string]int `json:"gates"`
}

// Versus compares an arm with the base on the same cells.
type Versus struct {
	Base   string `json:"base"`
	Pairs  int    `json:"pairs"`
	Better int    `json:"better"`
	Worse  int    `json:"worse"`
	// Points is the difference of success in percentage points.
	Points float64 `json:"points"`
	// P is McNemar's exact p, Adjusted that after Holm's correction over the arms.
	P        float64 `json:"p"`
	Adjusted float64 `json:"p_adjusted"`
}

// Significant says whether the adjusted p is below 0.05.
func (v Versus) Significant() bool { return v.Adjusted < alpha }

// Difference is the difference in points, or "~" when it may be chance.
func (v Versus) Difference() string {
	if !v.Significant() {
		return "~"
	}
	return fmt.Sprintf("%+.0f points", v.Points)
}

// Warning is something to know before a number is believed.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Report sums the study up, finished or not.
func (s *Study) Report() (Report, error) {
	cells, err := s.Plan.Cells()
	if err != nil {
		return Report{}, err
	}
	by := map[Cell]Result{}
	for _, r := range s.Results {
		by[r.Cell] = r
	}
	rep := Report{Plan: s.Plan, Total: len(cells), Done: len(s.Results)}
	for _, c := range cells {
		if r, ok := by[c]; ok {
			rep.Results = append(rep.Results, r)
		}
	}
	for _, a := range s.Plan.Arms {
		rep.Arms = append(rep.Arms, armReport(a.Name, rep.Results, by))
	}
	rep.compare(by)
	rep.warn()
	return rep, nil
}

func armReport(arm string, all []Result, by map[Cell]Result) ArmReport {
	var mine []Result
	for _, r := range all {
		if r.Arm == arm {
			mine = append(mine, r)
		}
	}
	a := ArmReport{Arm: arm, Cells: len(mine), Success: rate(mine, succeeded), Lenient: rate(mine, func(r Result) bool { return r.Lenient }),
		Suites:        grouped(mine, func(r Result) string { return r.Suite }),
		Tasks:         grouped(mine, func(r Result) string { return r.Task }),
		Substitutions: map[string]int{}, DoneRejections: map[string]int{}, Ends: map[string]int{}}
	var steps, wasted, seconds []float64
	recovered := map[cua.Reason]Tried{}
	for _, r := range mine {
		steps = append(steps, float64(r.Steps))
		wasted = append(wasted, float64(r.Wasted))
		seconds = append(seconds, float64(r.DurationMS)/1000)
		a.Tokens += r.Tokens
		a.Nudges += r.Nudges
		a.Faulted += r.Faulted
		a.Interrupted += r.Interrupted
		a.Ends[string(r.End)]++
		add(a.Substitutions, r.Substitutions)
		for code, n := range r.DoneRejections {
			a.DoneRejections[string(code)] += n
		}
		for reason, n := range r.Recoveries {
			sum := recovered[reason]
			recovered[reason] = Tried{sum.Count + n.Count, sum.Effect + n.Effect}
		}
	}
	a.USD = cost(mine)
	a.Stuck = priced(mine)
	a.Halted = a.Ends[string(cua.EndLoop)]
	a.Steps, a.StepsSD = mean(steps)
	a.Wasted, _ = mean(wasted)
	a.Seconds, _ = mean(seconds)
	for _, reason := range cua.Reasons() {
		if n := recovered[reason]; n.Count > 0 {
			a.Recoveries = append(a.Recoveries, ReasonCount{reason, n})
		}
	}
	a.False = falseInterventions(mine, by)
	a.Signalled = signalled(mine, by)
	a.Cases = caseReports(mine)
	a.Shadow = shadowReports(mine)
	return a
}

func succeeded(r Result) bool { return r.Success }

func rate(rs []Result, is func(Result) bool) Rate {
	yes := 0
	for _, r := range rs {
		if is(r) {
			yes++
		}
	}
	return Wilson(yes, len(rs))
}

// grouped is the success by key, in the order in which keys first appear.
func grouped(rs []Result, key func(Result) string) []NamedRate {
	var names []string
	groups := map[string][]Result{}
	for _, r := range rs {
		k := key(r)
		if groups[k] == nil {
			names = append(names, k)
		}
		groups[k] = append(groups[k], r)
	}
	out := make([]NamedRate, len(names))
	for i, n := range names {
		out[i] = NamedRate{n, rate(groups[n], succeeded)}
	}
	return out
}

func add(to, from map[string]int) {
	for k, n := range from {
		to[k] += n
	}
}

// cost is the sum; nil when a cell used tokens at an unknown price.
func cost(rs []Result) *float64 {
	sum, known := 0.0, false
	for _, r := range rs {
		switch {
		case r.USD != nil:
			sum, known = sum+*r.USD, true
		case r.Tokens > 0:
			return nil
		}
	}
	if !known {
		return nil
	}
	return &sum
}

// falseInterventions looks at the cells of controls, healthy and forms that the bare loop solved; nil
// when the study has no such cell.
func falseInterventions(mine []Result, by map[Cell]Result) *FalseIntervening {
	f := FalseIntervening{Gates: map[string]int{}}
	yes, n := 0, 0
	for _, r := range mine {
		bare := r.Cell
		bare.Arm = bareArm
		if !calm(r.Cell) && r.Suite != "forms" || !by[bare].Success {
			continue
		}
		n++
		if len(r.Interventions) > 0 {
			yes++
			if !r.Success || r.Steps > by[bare].Steps {
				f.Harmed++
			}
		}
		add(f.Gates, r.Interventions)
	}
	if n == 0 {
		return nil
	}
	f.Cells = Wilson(yes, n)
	return &f
}

// signalled is the rate of signals on controls.
func signalled(mine []Result, by map[Cell]Result) Rate {
	return rate(slices.DeleteFunc(slices.Clone(mine), func(r Result) bool {
		c := r.Cell
		c.Arm = bareArm
		bare, ok := by[c]
		return !calm(r.Cell) || ok && !bare.Success
	}), Result.signalled)
}

// compare sets Versus of every arm but the base.
func (rep *Report) compare(by map[Cell]Result) {
	var p []float64
	var compared []*ArmReport
	for i := range rep.Arms {
		a := &rep.Arms[i]
		if a.Arm == rep.Plan.Base {
			continue
		}
		v := &Versus{Base: rep.Plan.Base}
		for _, r := range rep.Results {
			if r.Arm != a.Arm {
				continue
			}
			c := r.Cell
			c.Arm = rep.Plan.Base
			base, ok := by[c]
			if !ok {
				continue
			}
			v.Pairs++
			if r.Success && !base.Success {
				v.Better++
			}
			if !r.Success && base.Success {
				v.Worse++
			}
		}
		if v.Pairs > 0 {
			v.Points = 100 * float64(v.Better-v.Worse) / float64(v.Pairs)
		}
		v.P = McNemar(v.Better, v.Worse)
		a.Versus = v
		p, compared = append(p, v.P), append(compared, a)
	}
	for i, adjusted := range Holm(p) {
		compared[i].Versus.Adjusted = adjusted
	}
}

func (rep *Report) warn() {
	say := func(code, format string, args ...any) {
		rep.Warnings = append(rep.Warnings, Warning{code, fmt.Sprintf(format, args...)})
	}
	if rep.Plan.Brain.Model == "" {
		say("mechanisms_only", "The brain is %s, which is no model: the table shows that the mechanisms work, not what they are worth to a model.", brainName(rep.Plan))
	}
	if rep.Done < rep.Total {
		say("unfinished", "%d of %d cells are done.", rep.Done, rep.Total)
	}
	cells := map[int]bool{}
	for _, a := range rep.Arms {
		cells[a.Cells] = true
		if a.Faulted > 0 {
			say("faults", "Arm %s: %d attempts ended by an infrastructure fault; each such cell was tried once more.", a.Arm, a.Faulted)
		}
		if a.Interrupted > 0 {
			say("interrupted", "Arm %s: %d attempts were interrupted and made again.", a.Arm, a.Interrupted)
		}
		if v := a.Versus; v != nil && v.Better+v.Worse > 0 && v.Better+v.Worse < fewestPairs {
			say("few_pairs", "Arm %s differs from %s in %d cells: fewer than %d cannot be told from chance.", a.Arm, v.Base, v.Better+v.Worse, fewestPairs)
		}
	}
	if n := unpriced(rep.Results); n > 0 {
		say("incidents_unknown", "%d cells were scored before incidents were kept: what being stuck cost there is not counted.", n)
	}
	if len(cells) > 1 {
		say("unequal_sets", "The arms have unequal numbers of cells; only cells that both arms have are compared.")
	}
	if len(rep.Plan.Seeds) < 5 {
		say("few_seeds", "Fewer than five seeds a task (%d): intervals are wide.", len(rep.Plan.Seeds))
	}
	say("clustered", "Cells of one task are alike: the intervals treat them as independent and are too narrow for other tasks.")
}

func brainName(p Plan) string {
	name := p.Brain.Name
	if p.Brain.Model != "" {
		name += ":" + p.Brain.Model
	}
	if len(p.Faults) > 0 {
		name += " with faults " + strings.Join(p.Faults, ", ")
	}
	return name
}

// counted lists name ×n, the most frequent first.
func counted(m map[string]int) string {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(m[b]-m[a], strings.Compare(a, b)) })
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s %d", k, m[k])
	}
	return strings.Join(keys, ", ")
}
