package studytest

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
)

// Launch starts a browser, or skips where there is none. CI sets CI: there a missing browser
// is a failure.
func Launch(t *testing.T) *browser.Browser {
	t.Helper()
	return LaunchWith(t, browser.Options{})
}

// LaunchWith is Launch with these options.
func LaunchWith(t *testing.T, o browser.Options) *browser.Browser {
	t.Helper()
	o.Path = os.Getenv("CUA_BROWSER")
	b, err := browser.Launch(t.Context(), o)
	var missing *browser.MissingError
	if errors.As(err, &missing) && os.Getenv("CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// Patience is for how long what an action sets off is waited for: only a failure uses it up, however
// busy the machine is.
const Patience = time.Minute

// Overseen is b with its requests read: one that holds a sentinel, or a frame in the history, fails the test.
func Overseen(t testing.TB, b runner.Brain) runner.Brain {
	t.Helper()
	return &envtest.Overseen{Brain: b, Fault: func(what string) { t.Error(what) }}
}
