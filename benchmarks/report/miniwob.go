package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/miniwob"
	"github.com/cua-runner/cua-runner/benchmarks/table"
)

// MiniWoBReport is the result of a study on MiniWoB++.
type MiniWoBReport struct {
	Profile string `json:"profile"`
	// Episodes are those of one arm and brain that have a result, Distinct those that do not play the same
	// page again.
	Episodes int `json:"episodes"`
	Distinct int `json:"distinct"`
	// Caps are the numbers of steps for which successes are counted: what the study's cap gave, and what ten
	// steps would have given.
	Caps []int `json:"caps"`
	// Rows have one of a subset, fault and arm each.
	Rows   []MiniWoBRow    `json:"rows"`
	Floors []miniwob.Floor `json:"floors"`
	// HarnessMS is the mean time of an episode beside its brain and beside waits for late answers; SharedMS
	// that time divided by the episodes that ran side by side: what one more episode cost the study.
	HarnessMS float64 `json:"harness_ms"`
	SharedMS  float64 `json:"harness_shared_ms"`
	// Waited are the episodes in which answers were waited for that come late, LateMS for how long in all.
	Waited int     `json:"episodes_waited"`
	LateMS float64 `json:"late_ms"`
}

// MiniWoBRow is one arm on one subset, played by a brain with one fault; Fault is "" where the study has one
// brain.
type MiniWoBRow struct {
	Suite string `json:"suite"`
	Fault string `json:"fault,omitzero"`
	Arm   string `json:"arm"`
	// Success is that of the profile, within each of the report's caps.
	Success []benchmarks.Rate `json:"success"`
	// Full is a raw reward of 1 within the study's cap.
	Full benchmarks.Rate `json:"success_full"`
	// Raw and Timed are the mean rewards; an episode that the page did not end has 0.
	Raw   float64 `json:"raw_reward_mean"`
	Timed float64 `json:"timed_reward_mean"`
	// Versus compares the success within the study's cap with that of the base in the same episodes; nil for
	// the base. Its p values are corrected over all rows.
	Versus *Paired `json:"versus_base,omitzero"`
}

// AtCap is the success within the study's cap.
func (r MiniWoBRow) AtCap() benchmarks.Rate { return r.Success[len(r.Success)-1] }

// subset is what asked for the row's tasks.
func (r MiniWoBRow) subset() string {
	if r.Suite == benchmarks.MiniWoBSuite {
		return miniwob.All
	}
	return strings.TrimPrefix(r.Suite, benchmarks.MiniWoBSuite+"-")
}

// usualCap is the number of steps that published results are for.
const usualCap = 10

// miniwobReport is nil where the study does not play it.
func (rep Report) miniwobReport(by map[benchmarks.Cell]benchmarks.Result) *MiniWoBReport {
	m := rep.Plan.MiniWoB
	if m == nil {
		return nil
	}
	out := &MiniWoBReport{Profile: m.Profile.Name, Caps: []int{m.Cap}, Floors: miniwob.Floors()}
	if m.Cap > usualCap {
		out.Caps = []int{usualCap, m.Cap}
	}
	rows := map[benchmarks.Cell][]benchmarks.Result{} // by suite, fault and arm
	for _, r := range rep.Results {
		key := benchmarks.Cell{Suite: r.Suite, Fault: r.Fault, Arm: r.Arm}
		rows[key] = append(rows[key], r)
	}
	out.count(rep.Results)
	for _, s := range m.PlayedSuites() {
		for _, fault := range rep.Plan.Brains() {
			for _, arm := range rep.Plan.Arms {
				key := benchmarks.Cell{Suite: s.Name, Fault: fault, Arm: arm.Name}
				if len(rows[key]) > 0 {
					out.Rows = append(out.Rows, miniwobRow(key, rows[key], out.Caps, rep.Plan.Base, by))
				}
			}
		}
	}
	var tests []*Test
	for _, r := range out.Rows {
		if r.Versus != nil {
			tests = append(tests, &r.Versus.Test)
		}
	}
	adjust(tests)
	return out
}

// count adds up what the episodes were and how long the harness took.
func (out *MiniWoBReport) count(results []benchmarks.Result) {
	episodes := map[benchmarks.Cell]bool{}
	for _, r := range results {
		page := r.Cell
		page.Arm, page.Fault = "", ""
		episodes[page] = true
		out.HarnessMS += r.HarnessMS
		out.SharedMS += r.HarnessMS / float64(max(r.Workers, 1))
		if r.MiniWoB != nil && r.MiniWoB.LateMS > 0 {
			out.Waited++
			out.LateMS += r.MiniWoB.LateMS
		}
	}
	if n := float64(len(results)); n > 0 {
		out.HarnessMS, out.SharedMS = out.HarnessMS/n, out.SharedMS/n
	}
	for page := range episodes {
		out.Episodes++
		if page.Repeat == 0 {
			out.Distinct++
		}
	}
}

func miniwobRow(key benchmarks.Cell, rs []benchmarks.Result, caps []int, base string,
	by map[benchmarks.Cell]benchmarks.Result) MiniWoBRow {
	row := MiniWoBRow{Suite: key.Suite, Fault: key.Fault, Arm: key.Arm}
	for _, n := range caps {
		row.Success = append(row.Success, rate(rs, func(r benchmarks.Result) bool {
			return r.Lenient &&
				r.Steps <= n
		}))
	}
	full := 0
	for _, r := range rs {
		if v := r.MiniWoB; v != nil && !r.End.Infrastructure() {
			row.Raw += v.Raw / float64(len(rs))
			row.Timed += v.Timed / float64(len(rs))
			if v.Full {
				full++
			}
		}
	}
	row.Full = benchmarks.Wilson(full, len(rs))
	if key.Arm != base {
		versus := compared(pairs(rs, base, by), solved)
		row.Versus = &versus
	}
	return row
}

// miniwobTable is false where the study does not play it.
func (rep Report) miniwobTable() (table.Table, bool) {
	m := rep.MiniWoB
	if m == nil {
		return table.Table{}, false
	}
	faults := len(rep.Plan.EachFault) > 0
	t := table.Table{Title: m.title(), Note: m.words(), Head: []string{"subset"}}
	if faults {
		t.Head = append(t.Head, "fault")
	}
	t.Head = append(t.Head, "arm", "cells")
	for _, n := range m.Caps {
		t.Head = append(t.Head, fmt.Sprintf("in %d steps", n))
	}
	t.Head = append(t.Head, "raw 1", "raw", "timed", "vs "+rep.Plan.Base)
	for _, r := range m.Rows {
		line := []string{r.subset()}
		if faults {
			line = append(line, rep.Plan.FaultName(r.Fault))
		}
		line = append(line, r.Arm, strconv.Itoa(r.Full.Of))
		for _, s := range r.Success {
			line = append(line, s.Percent())
		}
		t.Rows = append(t.Rows, append(line, r.Full.Percent(), fmt.Sprintf("%.2f", r.Raw),
			fmt.Sprintf("%.2f", r.Timed), r.VersusWords()))
	}
	return t, true
}

// Cap is the study's.
func (m *MiniWoBReport) Cap() int { return m.Caps[len(m.Caps)-1] }

func (m *MiniWoBReport) title() string {
	return fmt.Sprintf("MiniWoB++, profile %s: success (95 %% Wilson intervals), mean rewards", m.Profile)
}

// VersusWords are the difference to the base in points, and how many episodes are better and worse: "~ [-5,
// 25] 2/0"; "base" for the base itself.
func (r MiniWoBRow) VersusWords() string {
	if r.Versus == nil {
		return "base"
	}
	return r.Versus.Words() + " " + r.Versus.tally()
}

// MiniWoBGroup are the rows of one subset and fault, an arm each.
type MiniWoBGroup struct {
	Subset, Fault string
	Rows          []MiniWoBRow
}

// Groups are the rows in their order.
func (m *MiniWoBReport) Groups() []MiniWoBGroup {
	var out []MiniWoBGroup
	for _, r := range m.Rows {
		if n := len(out); n == 0 || out[n-1].Subset != r.subset() || out[n-1].Fault != r.Fault {
			out = append(out, MiniWoBGroup{Subset: r.subset(), Fault: r.Fault})
		}
		last := &out[len(out)-1]
		last.Rows = append(last.Rows, r)
	}
	return out
}

// words are what must be known to read the numbers.
func (m *MiniWoBReport) words() string {
	return strings.Join([]string{m.RuleWords(), m.FloorWords(), m.TimeWords()}, " ")
}

// RuleWords say what counts as success, and of how many episodes.
func (m *MiniWoBReport) RuleWords() string {
	rule := "a raw reward above 0"
	if i := slices.IndexFunc(miniwob.Profiles(),
		func(p miniwob.Profile) bool { return p.Name == m.Profile }); i >= 0 && miniwob.Profiles()[i].Full {
		rule = "a raw reward of 1"
	}
	distinct := "all distinct"
	if m.Distinct < m.Episodes {
		distinct = fmt.Sprintf(
			"of which %d are distinct: the benchmark plays some tasks twice under one seed", m.Distinct)
	}
	return fmt.Sprintf("Success is %s. %d episodes, %s. "+
		"Raw and timed are mean rewards, without and with what the time took off. Differences are of "+
		"success in %d steps, in points, with better/worse episodes; "+
		"McNemar's exact test with Holm's correction over the rows; ~ may be chance.", rule, m.Episodes,
		distinct, m.Cap())
}

// FloorWords say what brains score that do not read the goal.
func (m *MiniWoBReport) FloorWords() string {
	var floors []string
	for _, f := range m.Floors {
		any := benchmarks.Wilson(f.Any, f.Of)
		floors = append(floors, fmt.Sprintf("%s %.1f %% [%.1f, %.1f]", f.Name, 100*any.Share, 100*any.Low,
			100*any.High))
	}
	return fmt.Sprintf("Floors over all tasks (raw reward above 0, ten steps): %s.",
		strings.Join(floors, "; "))
}

// TimeWords say what an episode cost beside its brain.
func (m *MiniWoBReport) TimeWords() string {
	return fmt.Sprintf("Harness time, without brain and without waits for late answers: %.2f s an episode, "+
		"%.2f s of the study's time. "+
		"Late answers were waited for in %d episodes, %.1f s in all.", m.HarnessMS/1000, m.SharedMS/1000,
		m.Waited, m.LateMS/1000)
}
