package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

func (rep *Report) say(code, format string, args ...any) {
	rep.Warnings = append(rep.Warnings, benchmarks.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

func (rep *Report) warn() {
	say := rep.say
	if why := mechanismsOnly(rep.Plan); why != "" {
		say("mechanisms_only", "The brain is %s%s", brainName(rep.Plan), why)
	}
	if rep.Plan.Tasklist != nil {
		for _, line := range rep.Plan.Tasklist.LeftOut() {
			say("left_out", "Left out, and not in the numbers: %s.", line)
		}
	}
	rep.warnOfWorth()
	if rep.Done < rep.Total {
		say("unfinished", "%d of %d cells are done.", rep.Done, rep.Total)
	}
	rep.warnOfBuilds()
	cells := map[int]bool{}
	for _, a := range rep.Arms {
		cells[a.Cells] = true
		rep.warnOfAttempts(a, say)
		warnOfPairs(a, say)
	}
	tasks := rep.taskCount()
	if (len(rep.Arms) > 1 || rep.Plan.Repeats > 1) && tasks > 0 && tasks < benchmarks.FewestTasks {
		say("few_tasks",
			"The cells are of fewer than %d tasks (%d): differences of numbers a cell, wrong interventions "+
				"and k tries are not statistically significant.", benchmarks.FewestTasks, tasks)
	}
	if n := rep.Checks.BrokenJournals; n > 0 {
		say("invariants_broken", "%d of %d journals break an invariant: they are named under Invariants.", n,
			rep.Checks.Journals)
	}
	if n := rep.Done - rep.Checks.Journals; n > 0 {
		say("unchecked",
			"%d cells have no journal that was checked: they were scored by an older program, or could not "+
				"be played.", n)
	}
	if n := unpriced(rep.Results); n > 0 {
		say("incidents_unknown",
			"%d cells were scored before incidents were kept: what being stuck cost there is not counted.", n)
	}
	if n := ungiven(*rep); n > 0 {
		say("lessons_unknown",
			"%d cells were scored before it was kept which lessons they were given: cua-runner lessons "+
				"report reads their journals.", n)
	}
	if len(cells) > 1 {
		say("unequal_sets",
			"The arms have unequal numbers of cells; only cells that both arms have are compared.")
	}
	seeds := len(rep.Plan.Seeds)
	if rep.Plan.MiniWoB != nil {
		seeds = rep.Plan.MiniWoB.Episodes
	}
	if seeds < 5 {
		say("few_seeds", "Fewer than five seeds a task (%d): intervals are wide.", seeds)
	}
	say("clustered",
		"Cells of one task are alike: the intervals treat them as independent and are too narrow for "+
			"other tasks.")
}

// warnOfBuilds says which programs and browsers played cells of the study beside those that began it.
func (rep *Report) warnOfBuilds() {
	by, in := map[string]int{}, map[string]int{}
	for _, r := range rep.Results {
		if r.Build != "" {
			by[r.Build]++
		}
		if r.Browser != "" {
			in[r.Browser]++
		}
	}
	for _, browser := range slices.Sorted(maps.Keys(in)) {
		rep.say("other_browser", "Cells that another browser (%s) played than the one that began the study "+
			"(%s): %d.", browser, cmp.Or(rep.Plan.Browser.String(), "unknown"), in[browser])
	}
	for _, build := range slices.Sorted(maps.Keys(by)) {
		rep.say("other_build", "Cells that another program (%s) played than the one that began the study "+
			"(%s): %d.", build, cmp.Or(rep.Plan.Build.String(), "unknown"), by[build])
	}
}

// warnOfPairs says how little the comparison of a with the base arm may rest on.
func warnOfPairs(a ArmReport, say func(code, format string, args ...any)) {
	v := a.Versus
	if v == nil {
		return
	}
	if few, of := v.few(); few {
		say("few_pairs",
			"Arm %s differs from %s in %s cells: fewer than %d are not statistically significant.", a.Arm,
			v.Base, of, benchmarks.FewestPairs)
	}
	if n := v.onFewTasks(); n > 0 {
		say("few_differ",
			"What tells arm %s from %s is of few tasks (%d): p takes their cells as independent, and says "+
				"little of other tasks.", a.Arm, v.Base, n)
	}
}

// warnOfAttempts says what is to be known of the arm's attempts.
func (rep *Report) warnOfAttempts(a ArmReport, say func(code, format string, args ...any)) {
	if a.Retried > 0 {
		say("retried", "Arm %s: cells that took more than one attempt: %d (%s).", a.Arm, a.Retried,
			a.beside())
	}
	if a.Slow > 0 {
		say("slow",
			"Arm %s: in %d cells the harness took more than %d times the study's time a step, although "+
				"they ran alone: something else kept the machine busy, or their pages are heavy.", a.Arm,
			a.Slow, benchmarks.OverPace)
	}
	if a.Cut > 0 {
		say("interrupted_intents", "Arm %s: %s. A further attempt began its cell anew: a server of your own "+
			"may have got a form twice.", a.Arm, trajectories.CutWords(a.Cut, a.PossiblySent))
	}
	if a.Errors > 0 {
		say("faults", "Arm %s: cells that an infrastructure fault ended, and that count as failures: %d.%s",
			a.Arm, a.Errors, firstError(rep.of(a.Arm)))
	}
}

// beside says what the attempts were that do not count, without those of which there was none.
func (a Attempts) beside() string {
	const counted = "attempts that ended by an infrastructure fault: %d, interrupted: %d"
	out := fmt.Sprintf(counted, a.Faulted, a.Interrupted)
	if a.SharedDeaths > 0 {
		out += fmt.Sprintf(", with a browser that other cells used: %d", a.SharedDeaths)
	}
	if a.Overloads > 0 {
		out += fmt.Sprintf(", on a machine that was too busy: %d", a.Overloads)
	}
	return out
}

// mechanismsOnly is why the study shows no more than that mechanisms work, as the end of a sentence on the
// brain; "" where it is a model without faults. Whether a brain of the user's own asks a model is not known
// here.
func mechanismsOnly(p benchmarks.Plan) string {
	switch own := strings.HasPrefix(p.Brain.Name, "exec:") || strings.HasPrefix(p.Brain.Name, "http"); {
	case len(p.Faults)+len(p.EachFault) > 0 && (own || p.Brain.Model != ""):
		return ": it was given faults, so the table shows that the mechanisms work, not what they are " +
			"worth to it."
	case own:
		return ", a program of your own: where no model is behind it, the table shows that the mechanisms " +
			"work, not what they are worth to a model."
	case p.Brain.Model == "":
		return ", which is no model: the table shows that the mechanisms work, not what they are worth to " +
			"a model."
	}
	return ""
}

// firstError names the first of the cells in error and says what ended it, as " The first, EPISODE: DETAIL.";
// "" where no cell has a detail.
func firstError(mine []benchmarks.Result) string {
	for _, r := range mine {
		if r.End.Infrastructure() && r.Detail != "" {
			return fmt.Sprintf(" The first, %s: %s.", r.Episode,
				strings.TrimRight(cua.Flat(r.Detail), "."))
		}
	}
	return ""
}

// few reports whether the arms differ in too few cells to tell anything, strictly or in what is solved, and
// in how many.
func (v *Versus) few() (few bool, of string) {
	strict, lenient := v.Better+v.Worse, v.Lenient.Better+v.Lenient.Worse
	is := func(n int) bool { return n > 0 && n < benchmarks.FewestPairs }
	switch {
	case is(strict) && strict == lenient:
		return true, fmt.Sprint(strict)
	case is(strict) && is(lenient):
		return true, fmt.Sprintf("%d (strict) and %d (solved)", strict, lenient)
	case is(strict):
		return true, fmt.Sprintf("%d (strict)", strict)
	case is(lenient):
		return true, fmt.Sprintf("%d (solved)", lenient)
	}
	return false, ""
}

// onFewTasks is how many tasks a significant difference in success is of, where these are few; else 0.
func (v *Versus) onFewTasks() int {
	for _, p := range []Paired{v.Paired, v.Lenient} {
		if p.Significant() && p.Differing < benchmarks.FewestTasks {
			return p.Differing
		}
	}
	return 0
}

func brainName(p benchmarks.Plan) string {
	name := p.Brain.Name
	if p.Brain.Model != "" {
		name += ":" + p.Brain.Model
	}
	if len(p.EachFault) > 0 {
		name += " with one fault at a time: " + strings.Join(p.EachFault, ", ")
		if len(p.Faults) > 0 {
			name += "; with each, " + strings.Join(p.Faults, ", ")
		}
		return name
	}
	if len(p.Faults) > 0 {
		name += " with faults " + strings.Join(p.Faults, ", ")
	}
	return name
}

// taskCount is how many tasks have results.
func (rep Report) taskCount() int {
	seen := map[string]bool{}
	for _, r := range rep.Results {
		seen[r.Task] = true
	}
	return len(seen)
}

// ungiven is of how many cells it is not known which lessons they were given.
func ungiven(rep Report) int {
	n := 0
	for _, r := range rep.Results {
		if _, ok := r.Played(); !ok && len(rep.Plan.Lessons) > 0 && !r.End.Infrastructure() {
			n++
		}
	}
	return n
}
