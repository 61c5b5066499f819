package runner_test

import (
	"testing"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/browser/remotetest"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
)

// The suite holds for a browser that somebody else started, over a WebSocket.
func TestConformanceRemote(t *testing.T) {
	t.Parallel() // most of it is waiting
	far := remotetest.Start(t, chromium.Get(t).Info().Path)
	at, err := browser.ParseEndpoint(far.URL(far.Host), "")
	if err != nil {
		t.Fatal(err)
	}
	b, err := browser.Attach(t.Context(), at, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	envtest.Conformance(t, func(t *testing.T, site envtest.Site) (runner.Env, func(string) string) {
		srv := serve(t, site.Handler().ServeHTTP)
		s, err := b.NewSession(t.Context(), browser.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		return s, func(page string) string { return srv.URL + "/" + page }
	})
}
