package studytest

import (
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
)

// Patience is for how long what an action sets off is waited for: only a failure uses it up, however
// busy the machine is.
const Patience = time.Minute

// Overseen is b with its requests read: one that holds a sentinel, or a frame in the history, fails the test.
func Overseen(t testing.TB, b runner.Brain) runner.Brain {
	t.Helper()
	return &envtest.Overseen{Brain: b, Fault: func(what string) { t.Error(what) }}
}
