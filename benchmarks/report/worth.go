package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/table"
)

// WorthReport says what interventions with one reason code were worth: episodes that played on from the same
// state, in the arm of the recorded episode and in the base arm.
type WorthReport struct {
	// Arm is that of the recorded episodes.
	Arm  string `json:"arm"`
	Gate string `json:"gate"`
	Code string `json:"code"`
	// Forks are the pairs that count.
	Forks int `json:"forks"`
	// With and Without are the shares solved (Result.Lenient) in Arm and in the base arm.
	With    benchmarks.Rate `json:"with"`
	Without benchmarks.Rate `json:"without"`
	// Paired compares them.
	Paired
	// Excluded counts the forks that say nothing, by the first reason.
	Excluded map[string]int `json:"excluded,omitzero"`

	pairs []pair
}

// worthReports has an entry for each arm and code; nil if the study is none of forks.
func (rep Report) worthReports(by map[benchmarks.Cell]benchmarks.Result) []WorthReport {
	forks := rep.Plan.Forks
	if forks == nil {
		return nil
	}
	var out []WorthReport
	entry := func(p benchmarks.ForkPoint) *WorthReport {
		i := slices.IndexFunc(out, func(w WorthReport) bool {
			return w.Arm == p.Arm && w.Gate == p.Gate && w.Code == p.Code
		})
		if i < 0 {
			i = len(out)
			out = append(out, WorthReport{Arm: p.Arm, Gate: p.Gate, Code: p.Code,
				Excluded: map[string]int{}})
		}
		return &out[i]
	}
	for _, x := range forks.Excluded {
		entry(x.ForkPoint).Excluded[string(x.Why)]++
	}
	for _, p := range forks.Points {
		c := p.Cell
		c.Fork = p.Arm
		with, ok := by[c]
		without, ok2 := by[c.In(rep.Plan.Base)]
		if !ok || !ok2 || p.Arm == rep.Plan.Base {
			continue
		}
		w := entry(p)
		if why := lostPair(with.Forked, without.Forked); why != "" {
			w.Excluded[string(why)]++
		} else {
			w.pairs = append(w.pairs, pair{with, without})
		}
	}
	for i := range out {
		out[i].count()
	}
	slices.SortStableFunc(out, func(a, b WorthReport) int {
		return cmp.Or(cmp.Compare(a.Arm, b.Arm), b.Forks-a.Forks, cmp.Compare(a.Gate, b.Gate),
			cmp.Compare(a.Code, b.Code))
	})
	var tests []*Test
	for i := range out {
		if out[i].Forks > 0 {
			tests = append(tests, &out[i].Test)
		}
	}
	adjust(tests)
	return out
}

// count compares the pairs.
func (w *WorthReport) count() {
	var with, without []benchmarks.Result
	for _, p := range w.pairs {
		with, without = append(with, p.mine), append(without, p.base)
	}
	w.Forks, w.With, w.Without = len(w.pairs), rate(with, solved), rate(without, solved)
	w.Paired = compared(w.pairs, solved)
}

// lostPair is the first reason for which a pair says nothing; "" is none. A cell that never opened its page
// has no record of a beginning.
func lostPair(with, without *benchmarks.Forked) benchmarks.ForkLoss {
	if with == nil || without == nil {
		return benchmarks.LostOpening
	}
	for _, f := range []*benchmarks.Forked{with, without} {
		if len(f.Lost) > 0 {
			return f.Lost[0]
		}
	}
	if !with.Again {
		return benchmarks.LostRuling
	}
	return ""
}

// Name is the code with its gate: "rescue: tab_to_next_field".
func (w WorthReport) Name() string { return w.Gate + ": " + cmp.Or(w.Code, "–") }

// NoBenefit reports whether no fork was solved with the intervention and not without it.
func (w WorthReport) NoBenefit() bool { return w.Forks > 0 && w.Better == 0 }

// Verdict is the worth in a word.
func (w WorthReport) Verdict() string {
	switch {
	case w.Forks == 0:
		return "not known"
	case w.Significant() && w.Points < 0:
		return "harm"
	case w.NoBenefit() && w.Worse > 0:
		return fmt.Sprintf("nothing, %d worse", w.Worse)
	case w.NoBenefit():
		return "nothing"
	case w.Significant():
		return "gain"
	}
	return "unproven"
}

// ForksWords say in sentences what the study of forks has; "" if it is none.
func (rep Report) ForksWords() string {
	f := rep.Plan.Forks
	if f == nil {
		return ""
	}
	return fmt.Sprintf("Both of a pair play on from the checkpoint before the first intervention of a "+
		"recorded episode: with is the arm of that episode, without is %s. %d episodes had an intervention, "+
		"%d had none. The difference is that of all that the arm does from there on, not of one action. "+
		"Points with an interval at 95 %%, p by McNemar's exact test with Holm's correction over the codes. "+
		"%s",
		rep.Plan.Base, len(f.Points)+len(f.Excluded), f.Untouched, worthNotes)
}

const worthNotes = "nothing: no fork was solved with it and not without. unproven: the difference is not " +
	"statistically significant. Excluded pairs are in no number: sent (a step before the fork sent " +
	"something, which the server of the fork does not have), checkpoint (none there), opening (the page could " +
	"not be opened), url, storage, cookies, form, scroll, tabs (not restored), page (all restored, and the " +
	"page differs), ruling (the gate did not rule so again)."

// worthTable has a row for each arm and code; false if the study is none of forks.
func (rep Report) worthTable() (table.Table, bool) {
	t := table.Table{Title: "Worth of each reason code: solved from here", Note: rep.ForksWords(),
		Head: []string{"arm", "code", "forks", "with", "without", "difference", "better/worse", "p", "worth",
			"excluded"}}
	for _, w := range rep.Worth {
		row := []string{w.Arm, w.Name(), strconv.Itoa(w.Forks), w.With.Percent(), w.Without.Percent(), "–",
			"–", "–", w.Verdict(), dash(counted(w.Excluded))}
		if w.Forks > 0 {
			row[5], row[6], row[7] = w.Words(), w.tally(), pValue(w.Adjusted)
		}
		t.Rows = append(t.Rows, row)
	}
	return t, rep.Plan.Forks != nil
}

// warnOfWorth names the codes that are worth nothing, and how many forks were excluded.
func (rep *Report) warnOfWorth() {
	var nothing []string
	kept, lost := 0, 0
	for _, w := range rep.Worth {
		kept += w.Forks
		for _, n := range w.Excluded {
			lost += n
		}
		if w.NoBenefit() {
			nothing = append(nothing, fmt.Sprintf("%s in %s (%d forks)", w.Name(), w.Arm, w.Forks))
		}
	}
	if len(nothing) > 0 {
		rep.say("worth_nothing",
			"Worth nothing here, because no fork was solved with it and not without: %s.",
			strings.Join(nothing, ", "))
	}
	if lost > 0 {
		rep.say("excluded_forks",
			"%d of %d forks are excluded: they do not begin where the recorded episode was.", lost,
			kept+lost)
	}
}
