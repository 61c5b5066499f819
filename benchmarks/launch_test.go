package benchmarks_test

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/browser"
)

// launch starts a browser, or skips where there is none. CI sets CI: there a missing browser
// is a failure.
func launch(t *testing.T) *browser.Browser {
	t.Helper()
	return launchWith(t, browser.Options{})
}

func launchWith(t *testing.T, o browser.Options) *browser.Browser {
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

// patience is for how long what an action sets off is waited for: only a failure uses it up, however
// busy the machine is.
const patience = time.Minute
