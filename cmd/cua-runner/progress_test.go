package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/benchmarks/study"
	"github.com/cua-runner/cua-runner/cua"
)

// Where there is no terminal a line a cell is printed; what ended a cell that is in error is said there and
// then.
func TestALineOfProgressSaysWhyACellIsInError(t *testing.T) {
	for _, row := range []struct {
		name string
		last benchmarks.Result
		ends string
	}{
		{"in error", benchmarks.Result{End: cua.EndBrainError, Detail: "asking the brain:\nno answer"}, "left 0s  asking the brain: no answer\n"},
		{"the agent's own failure", benchmarks.Result{End: cua.EndMaxSteps, Detail: "3 steps were made, the cap is 3"}, "left 0s\n"},
		{"in error, and nothing is said", benchmarks.Result{End: cua.EndEnvError}, "left 0s\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var said bytes.Buffer
			newProgress(testApp(t, &bytes.Buffer{}, &said), false).show(study.Progress{Done: 1, Total: 1,
				Last: &row.last})
			if !strings.HasSuffix(said.String(), row.ends) {
				t.Errorf("%q does not end with %q", said.String(), row.ends)
			}
		})
	}
}

// A study of which nothing could be played does not end well, and one with a single cell that was played
// does.
func TestAStudyOfErrorsAloneIsNone(t *testing.T) {
	broken := benchmarks.Result{Episode: "login@off.1-2", End: cua.EndBrainError, Detail: "no answer"}
	played := benchmarks.Result{End: cua.EndMaxSteps}
	if err := playedAny(&benchmarks.Study{Results: []benchmarks.Result{played, broken}}); err != nil {
		t.Error(err)
	}
	err := playedAny(&benchmarks.Study{Results: []benchmarks.Result{broken, broken}})
	var coded *exitError
	if !errors.As(err, &coded) || coded.code != exitInfra || !strings.Contains(err.Error(),
		"each of 2 cells; the last, login@off.1-2: no answer") {
		t.Errorf("%v", err)
	}
}
