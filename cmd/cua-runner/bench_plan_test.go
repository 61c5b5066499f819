package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/cua-runner/cua-runner/cua"
)

// planOf is the plan of a bench command line.
func planOf(args ...string) (arms []string, base string, faults []string, err error) {
	f, cmd := &benchFlags{}, &cobra.Command{}
	f.add(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		return nil, "", nil, err
	}
	o, err := f.model.opener(&app{}, func(string) string { return "" })
	if err != nil {
		return nil, "", nil, err
	}
	p, err := f.plan(o)
	for _, a := range p.Arms {
		arms = append(arms, a.Name)
	}
	return arms, p.Base, p.EachFault, err
}

// every is an arm without each mechanism but those named.
func every(but ...string) []string {
	var out []string
	for _, m := range cua.Mechanisms() {
		if !slices.Contains(but, m.Name) {
			out = append(out, "-"+m.Name)
		}
	}
	return out
}

func TestArmsOfAStudy(t *testing.T) {
	alone := slices.Concat([]string{"default"}, every("ledger", "director", "lessons"))
	for _, row := range []struct {
		name string
		args string
		arms []string
		base string
	}{
		{"what is run where nothing is said", "", []string{"default", "off"}, "off"},
		{"without the bare loop", "--arms default,classic", []string{"default", "classic"}, "classic"},
		{"a base of one's own", "--arms default,classic,off --base classic", []string{"default", "classic", "off"}, "classic"},
		{"each mechanism", "--arms each", alone, "default"},
		{"each and more", "--arms each,classic", append(slices.Clone(alone), "classic"), "default"},
		{"each and the bare loop", "--arms off,each --base default", append([]string{"off"}, alone...), "default"},
		{"each, and some of them named first", "--arms -nudge,default,each", slices.Concat([]string{"-nudge", "default"}, every("ledger", "director", "lessons", "nudge")), "default"},
		{"each of those that are on", "--arms each --ablate nudge,breaker", append([]string{"default"}, every("ledger", "director", "lessons", "nudge", "breaker")...), "default"},
		{"differences in the names", "--arms classic-loop_recovery,default+ledger", []string{"classic-loop_recovery", "default+ledger"}, "default+ledger"},
		{"flags are in the names", "--arms default,classic,off --ablate nudge --set detector.soft=4 --base classic",
			[]string{"default-nudge{detector.soft=4}", "classic-nudge{detector.soft=4}",
				"off{detector.soft=4}"}, "classic-nudge{detector.soft=4}"},
		{"each with a director", "--arms each --director heuristic", append([]string{"default"}, every("ledger", "lessons")...), "default"},
		{"each with lessons", "--arms each --lessons LESSONS.md", append([]string{"default"}, every("ledger", "director")...), "default"},
	} {
		t.Run(row.name, func(t *testing.T) {
			arms, base, _, err := planOf(strings.Fields(row.args)...)
			if err != nil || !slices.Equal(arms, row.arms) || base != row.base {
				t.Errorf("arms %v against %s, %v; want %v against %s", arms, base, err, row.arms, row.base)
			}
		})
	}
}

// However a fault is written, its brain has one name.
func TestEachFaultHasOneName(t *testing.T) {
	for _, row := range []struct {
		args string
		want []string
		says string
	}{
		{"--each-fault click_fixation=1,return_submitter=.5", []string{"click_fixation=1", "return_submitter=0.5"}, ""},
		{"--each-fault off_target=1.0@20px --each-fault none", []string{"off_target=1@20", "none"}, ""},
		{"--each-fault click_fixation=1,click_fixation=1.0", nil, "twice"},
		{"--each-fault clack=1", nil, `unknown fault "clack"`},
		{"--each-fault click_fixation", nil, "want name=rate"},
		{"--fault words=none --each-fault none,click_fixation=1", []string{"none", "click_fixation=1"}, ""},
		{"--each-fault none,words=loud", nil, `unknown value "loud"; known: kept, none, wrong, negated`},
		{"--fault words=kept --each-fault none,words=none", nil, "words=kept and words=none: a cell has each fault once"},
	} {
		_, _, got, err := planOf(strings.Fields(row.args)...)
		if row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)) || row.says == "" &&
			(err != nil || !slices.Equal(got, row.want)) {
			t.Errorf("%s: %v, %v", row.args, got, err)
		}
	}
}
