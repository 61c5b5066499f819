package study

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/runner"
)

// Forks are played in the arms of their study and the bare one, or in those asked for: an arm that the study
// has is as it was there.
func TestArmsOfForks(t *testing.T) {
	changed := runner.DefaultConfig()
	changed.Detector.Soft++
	theirs := benchmarks.Arm{Name: "default", Config: changed}
	bare := benchmarks.Arm{Name: benchmarks.BareArm}
	usual := benchmarks.Arm{Name: "default", Config: runner.DefaultConfig()}
	for _, row := range []struct {
		name       string
		old, asked []benchmarks.Arm
		want       string
	}{
		{"those of the study", []benchmarks.Arm{theirs}, nil, "default off"},
		{"the study has the bare one", []benchmarks.Arm{bare, theirs}, nil, "off default"},
		{"asked for", []benchmarks.Arm{bare, theirs}, []benchmarks.Arm{usual, {Name: "classic"}}, "default classic"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := forkArms(row.old, row.asked)
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, a := range got {
				names = append(names, a.Name)
				if a.Name == "default" && a.Config.Detector.Soft != changed.Detector.Soft {
					t.Error("the arm default is not as the study has it")
				}
			}
			if strings.Join(names, " ") != row.want || usual.Config.Detector.Soft == changed.Detector.Soft {
				t.Errorf("%q, want %s", names, row.want)
			}
		})
	}
}

// A study without an intervention has nothing to fork, and the error names it.
func TestPlanForksOfNothing(t *testing.T) {
	s := create(t, 1)
	if _, err := PlanForks(s, nil, ""); err == nil || !strings.Contains(err.Error(), "no episode of "+s.Dir) {
		t.Error(err)
	}
}
