package benchmarks_test

import (
	"testing"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
)

// overseen is b with its requests read: one that holds a sentinel, or a frame in the history, fails the test.
func overseen(t testing.TB, b runner.Brain) runner.Brain {
	t.Helper()
	return &envtest.Overseen{Brain: b, Fault: func(what string) { t.Error(what) }}
}
