package study

import (
	"math/rand/v2"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/manifest"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
)

func TestWhoDidTheHarm(t *testing.T) {
	ours := func(*rand.Rand) suites.Variant { return suites.Variant{} }
	own := cua.Step{}
	passed := cua.Step{Rulings: []cua.Ruling{{Gate: "rescue", Verdict: cua.Pass}}}
	replaced := cua.Step{Rulings: []cua.Ruling{{Gate: "rescue", Verdict: cua.Replace}}}
	halted := cua.Step{Rulings: []cua.Ruling{{Gate: "breaker", Verdict: cua.Halt}}}
	shadowed := cua.Step{Rulings: []cua.Ruling{{Gate: "rescue", Verdict: cua.Replace, Shadow: true}}}
	capped := cua.Step{Rulings: []cua.Ruling{{Gate: "limits", Verdict: cua.Halt}}}
	for _, row := range []struct {
		name   string
		task   suites.Task
		end    cua.EndReason
		reward float64
		steps  []cua.Step
		want   string
	}{
		{"the brain's own last action", suites.Task{Build: ours}, cua.EndEnvEnded, 0, []cua.Step{replaced,
			own}, harmByBrain},
		{"a replacement", suites.Task{Build: ours}, cua.EndEnvEnded, 0, []cua.Step{own, replaced}, "rescue"},
		{"a gate that passed", suites.Task{Build: ours}, cua.EndEnvEnded, 0, []cua.Step{passed}, harmByBrain},
		{"a gate in shadow mode", suites.Task{Build: ours}, cua.EndEnvEnded, 0, []cua.Step{shadowed},
			harmByBrain},
		{"a failure without harm", suites.Task{Build: ours}, cua.EndMaxSteps, 0, []cua.Step{replaced}, ""},
		{"a page that is not ours", suites.Task{}, cua.EndEnvEnded, 0, []cua.Step{replaced}, ""},
		{"a claim where the form was refused", suites.Task{Build: ours, False: true}, cua.EndDone, 0,
			[]cua.Step{own}, harmByDone},
		{"that claim turned down", suites.Task{Build: ours, False: true}, cua.EndDoneFailed, 1,
			[]cua.Step{own}, ""},
		{"that claim where it is right", suites.Task{Build: ours}, cua.EndDone, 1, []cua.Step{own}, ""},
		{"a poll that is stopped", suites.Task{Build: ours, Untouched: true}, cua.EndAsked, 0,
			[]cua.Step{own, halted}, "breaker"},
		{"a poll that is replaced and ends well", suites.Task{Build: ours, Untouched: true}, cua.EndDone, 1,
			[]cua.Step{replaced, own}, "rescue"},
		{"a poll that is left alone", suites.Task{Build: ours, Untouched: true}, cua.EndDone, 1,
			[]cua.Step{passed, shadowed}, ""},
		{"a poll that reaches the cap", suites.Task{Build: ours, Untouched: true}, cua.EndMaxSteps, 0,
			[]cua.Step{own, capped}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := harmDone(row.task, benchmarks.Result{End: row.end, Reward: row.reward},
				row.steps); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
	for _, row := range []struct {
		name  string
		judge manifest.Verdict
		steps []cua.Step
		want  string
	}{
		{"a manifest's harm by a replacement", manifest.Verdict{Judged: true, Harmed: true}, []cua.Step{own, replaced}, "rescue"},
		{"a manifest's harm by the brain", manifest.Verdict{Judged: true, Harmed: true}, []cua.Step{replaced, own}, harmByBrain},
		{"a manifest's task that failed", manifest.Verdict{Judged: true, Guarded: true}, []cua.Step{replaced}, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := benchmarks.Result{End: cua.EndEnvEnded, Judged: &row.judge}
			if got := harmDone(suites.Task{}, r, row.steps); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
}
