package runner_test

import (
	"testing"

	"github.com/cua-runner/cua-runner/browser"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/runner/envtest"
)

func TestConformanceScripted(t *testing.T) {
	envtest.Conformance(t, func(_ *testing.T, site envtest.Site) (runner.Env, func(string) string) {
		return &envtest.Env{Site: site}, envtest.URL
	})
}

// The suite holds for frames of the screencast and for screenshots alike.
func TestConformanceChromium(t *testing.T) {
	t.Parallel() // most of it is waiting
	for name, o := range map[string]browser.SessionOptions{"screencast": {}, "capture": {Capture: true}} {
		t.Run(name, func(t *testing.T) {
			envtest.Conformance(t, func(t *testing.T, site envtest.Site) (runner.Env, func(string) string) {
				srv := serve(t, site.Handler().ServeHTTP)
				return sessionWith(t, o), func(page string) string { return srv.URL + "/" + page }
			})
		})
	}
}
