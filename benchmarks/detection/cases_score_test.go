package detection_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks/detection"
	"github.com/cua-runner/cua-runner/benchmarks/suites"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/runner"
)

// Due dates of the suite stuck, in steps (docs/detection-errors.md#the-cases).
const (
	softDue = 8
	hardDue = 12
)

// detecting is the arm in which the detectors speak to nobody, and nothing else is on.
func detecting(t *testing.T) runner.Config {
	t.Helper()
	cfg, err := runner.DefaultConfig().Arm("detectors")
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// score is what the detectors said of one run.
type score struct {
	soft, hard int      // numbers of the steps after which the first of each held; 0 is never
	shapes     []string // that spoke, each with the first step of each level
}

// detected is what d says of the first signals.
func detected(d detection.Detected) score {
	s := score{soft: d.SoftAt, hard: d.HardAt}
	for _, sig := range d.Signals {
		word := fmt.Sprintf("%s %s ", sig.Shape, sig.Level)
		if sig.Level.AtLeast(cua.Soft) && !slices.ContainsFunc(s.shapes,
			func(w string) bool { return strings.HasPrefix(w, word) }) {
			s.shapes = append(s.shapes, word+strconv.Itoa(sig.Step+1))
		}
	}
	return s
}

// due checks the due dates of a stuck case and the silence of a healthy one.
func due(t *testing.T, task suites.Task, by string, s score) {
	t.Helper()
	switch {
	case task.Ambiguous:
	case task.Suite == "stuck" && (s.soft == 0 || s.soft > softDue || s.hard == 0 || s.hard > hardDue):
		t.Errorf("%s: first soft after step %d, due by %d; first hard after step %d, due by %d (%v; -v "+
			"tells more)", by, s.soft, softDue, s.hard, hardDue, s.shapes)
	case task.Suite == "healthy" && s.soft+s.hard > 0:
		t.Errorf("%s: soft after step %d, hard after step %d, want never (%v; -v tells more)", by, s.soft,
			s.hard, s.shapes)
	}
}
