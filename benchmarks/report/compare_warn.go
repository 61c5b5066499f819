package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
)

// warn says how the studies differ beside their arms, and what their cells cannot tell.
func (c *Comparison) warn(a, b *benchmarks.Study) {
	say := func(code, format string, args ...any) {
		c.Warnings = append(c.Warnings, benchmarks.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	for _, s := range []struct {
		name string
		benchmarks.Plan
	}{{"A", a.Plan}, {"B", b.Plan}} {
		if why := mechanismsOnly(s.Plan); why != "" {
			say("mechanisms_only", "The brain of %s is %s%s", s.name, brainName(s.Plan), why)
		}
	}
	if absolute(a.Dir) == absolute(b.Dir) {
		say("same_study", "Both are the same study: cua-runner report compares its arms.")
	}
	for _, s := range []struct {
		name string
		Side
	}{{"A", c.A}, {"B", c.B}} {
		if s.Done < s.Total {
			say("unfinished", "Study %s is unfinished: %d of %d cells.", s.name, s.Done, s.Total)
		}
	}
	c.warnOfPlans(say, a.Plan, b.Plan)
	for _, p := range c.Pairs {
		p.warn(say, a.Plan, b.Plan)
	}
	say("clustered",
		"Cells of one task are alike: the intervals of successes treat them as independent and are too "+
			"narrow for other tasks.")
}

func absolute(dir string) string {
	if path, err := filepath.Abs(dir); err == nil {
		return path
	}
	return dir
}

// sayer adds a warning.
type sayer func(code, format string, args ...any)

// warnOfPlans says what the studies were started with otherwise.
func (c *Comparison) warnOfPlans(say sayer, a, b benchmarks.Plan) {
	for _, d := range []struct{ code, what, a, b string }{
		{"different_builds", "programs that began them", c.A.Build, c.B.Build},
		{"different_browsers", "browsers", c.A.Browser, c.B.Browser},
		{"different_suites", "suites", strings.Join(slices.Sorted(slices.Values(a.Suites)), ", "), strings.Join(slices.Sorted(slices.Values(b.Suites)), ", ")},
		{"different_tasks", "tasks", only(a.Tasks, b.Tasks), only(b.Tasks, a.Tasks)},
		{"different_brains", "brains", brainID(a), brainID(b)},
		{"different_faults", "faults of the brains", faultList(a), faultList(b)},
		{"different_seeds", "seeds", fmt.Sprint(a.Seeds), fmt.Sprint(b.Seeds)},
		{"different_machines", "machines", fmt.Sprintf("%s/%s, %d processors", a.Host.OS, a.Host.Arch, a.Host.CPUs), fmt.Sprintf("%s/%s, %d processors", b.Host.OS, b.Host.Arch, b.Host.CPUs)},
	} {
		if d.a != d.b {
			say(d.code, "The %s differ: %s; %s.", d.what, dash(d.a), dash(d.b))
		}
	}
	if c.A.Build == c.B.Build && a.Build.Revision == "" {
		say("unknown_revision",
			"The revision of the programs (%s) is not known: they may differ. The studies began %s and %s.",
			c.A.Build, a.Started.Format("2006-01-02 15:04"), b.Started.Format("2006-01-02 15:04"))
	}
}

// brainID is the brain with its model and settings but for its chance and faults, which are compared by
// themselves.
func brainID(p benchmarks.Plan) string {
	settings := bytes.NewBuffer(p.Brain.Settings)
	var fields map[string]any
	if json.Unmarshal(p.Brain.Settings, &fields) == nil {
		delete(fields, "rates")
		delete(fields, "words")
		delete(fields, "seed")
		if text, err := json.Marshal(fields); err == nil {
			settings = bytes.NewBuffer(text)
		}
	}
	return strings.TrimSpace(strings.Join([]string{p.Brain.Name, p.Brain.Model, p.Brain.Director,
		strings.Trim(settings.String(), "{}")}, " "))
}

func faultList(p benchmarks.Plan) string {
	out := strings.Join(p.Faults, ", ")
	if len(p.EachFault) > 0 {
		out += " with one of " + strings.Join(p.EachFault, ", ")
	}
	return out
}

// only are the first tasks that are not among others, and how many more there are.
func only(tasks, others []string) string {
	rest := slices.DeleteFunc(slices.Clone(tasks), func(t string) bool { return slices.Contains(others, t) })
	const most = 5
	if len(rest) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(rest[:most], ", "), len(rest)-most)
	}
	return strings.Join(rest, ", ")
}

func (p ArmPair) warn(say sayer, a, b benchmarks.Plan) {
	if p.OnlyA+p.OnlyB > 0 {
		say("unequal_sets",
			"Arms %s: %d cells are in both; %d more are in A alone and %d in B alone, and count for nothing.",
			p, p.Cells, p.OnlyA, p.OnlyB)
	}
	if p.A == p.B && !sameConfig(a, b, p.A) {
		say("different_arms", "Arm %s has another configuration in A than in B.", p.A)
	}
	if n := p.Lenient.Better + p.Lenient.Worse; n > 0 && n < benchmarks.FewestPairs {
		say("few_pairs",
			"Arms %s differ in %d solved cells: fewer than %d are not statistically significant.", p, n,
			benchmarks.FewestPairs)
	}
	if len(p.Each) > 0 && p.Each[0].Tasks < benchmarks.FewestTasks {
		say("few_tasks",
			"The cells of arms %s are of fewer than %d tasks (%d): differences of numbers a cell are not "+
				"statistically significant.", p, benchmarks.FewestTasks, p.Each[0].Tasks)
	}
	if p.Retried > 0 {
		say("retried", "Arms %s: %d cells took more than one attempt.", p, p.Retried)
	}
	if p.Faulted > 0 {
		say("faults", "Arms %s: %d cells were ended by an infrastructure fault; they count as failures.",
			p, p.Faulted)
	}
	if n := p.Cells - min(p.WrongA.Cells.Of, p.WrongB.Cells.Of); n > 0 {
		say("wrong_unknown", "Arms %s: in %d cells wrong interventions were not counted.", p, n)
	}
}

// sameConfig reports whether the arm is configured alike in both.
func sameConfig(a, b benchmarks.Plan, arm string) bool {
	of := func(p benchmarks.Plan) []byte {
		x, err := p.FindArm(arm)
		if err != nil {
			return nil
		}
		text, err := json.Marshal(x.Config)
		if err != nil {
			return nil // it was read from JSON
		}
		return text
	}
	return bytes.Equal(of(a), of(b))
}
