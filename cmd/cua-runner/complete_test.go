package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestCompletions(t *testing.T) {
	words := []string{"default", "off", "jitter=", "none"}
	for _, row := range []struct {
		name, typed string
		list        bool
		want        []string
		space       bool
	}{
		{"nothing typed", "", false, words, false},
		{"a beginning", "de", false, []string{"default"}, true},
		{"what wants a value has no space behind it", "ji", false, []string{"jitter="}, false},
		{"after a comma of a list", "off,", true, []string{"off,default", "off,jitter=", "off,none"}, false},
		{"a beginning after it", "off,n", true, []string{"off,none"}, true},
		{"a value is given once", "jitter=0.5,", true, []string{"jitter=0.5,default", "jitter=0.5,off", "jitter=0.5,none"}, true},
		{"a comma in what is no list", "off,", false, nil, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, directive := completions(words, row.typed, row.list)
			if !slices.Equal(got, row.want) {
				t.Errorf("%q, want %q", got, row.want)
			}
			if space := directive&cobra.ShellCompDirectiveNoSpace == 0; space != row.space ||
				directive&cobra.ShellCompDirectiveNoFileComp == 0 {
				t.Errorf("directive %d", directive)
			}
		})
	}
}

func TestBenchCompletesItsFlags(t *testing.T) {
	for line, want := range map[string]string{
		"--arms default,of": "default,off", "--suite tr": "traps", "--suite forms,tr": "forms,traps", "--task log": "login", "--base cl": "classic",
		"--fault click": "click_fixation=", "--fault wor": "words=none", "--each-fault no": "none", "--each-fault none,jum": "none,jumpy=", "--subset smoke,f": "smoke,forms", "--brain heu": "heuristic",
	} {
		flag, typed, _ := strings.Cut(line, " ")
		if _, out, _ := command(t, "__complete", "bench", flag, typed); !slices.Contains(strings.Fields(out),
			want) {
			t.Errorf("%s: no %s in %q", line, want, out)
		}
	}
	if _, out, _ := command(t, "__complete", "bench", "--suite", "controls", "--task",
		""); !strings.Contains(out, "stepper") || strings.Contains(out, "login") {
		t.Errorf("tasks of the suite controls: %q", out)
	}
}
