// Package browsertest starts the browsers of tests. Only tests import it. The tests of package browser
// cannot: they start their own.
package browsertest

import (
	"cmp"
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/browser"
)

// patience bounds the start of a browser.
const patience = time.Minute

// Launch starts a browser, which is closed with the test: the one that CUA_BROWSER names unless o names one.
// A missing browser fails the test. It does not skip it: a skipped test is easily taken for one that passed.
func Launch(t testing.TB, o browser.Options) *browser.Browser {
	t.Helper()
	b, err := start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func start(o browser.Options) (*browser.Browser, error) {
	o.Path = cmp.Or(o.Path, os.Getenv("CUA_BROWSER"))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return browser.Launch(ctx, o)
}

// Shared is one browser for all tests of a test binary. The first test that needs it starts it, and TestMain
// closes it.
type Shared struct {
	once sync.Once
	b    *browser.Browser
	err  error
}

// Get is the browser. A missing one fails the test, as in Launch.
func (s *Shared) Get(t testing.TB) *browser.Browser {
	t.Helper()
	s.once.Do(func() { s.b, s.err = start(browser.Options{}) })
	if s.err != nil {
		t.Fatal(s.err)
	}
	return s.b
}

// Close closes the browser if a test has started it.
func (s *Shared) Close() error {
	if s.b == nil {
		return nil
	}
	return s.b.Close()
}
