package tty

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty/ttytest"
	"github.com/cua-runner/cua-runner/cua"
)

// Only "yes" is consent to a safety check.
func TestConsent(t *testing.T) {
	check := brain.SafetyCheck{Provider: "a model", Code: "malicious", Message: "look\nhere",
		Action: cua.Action{Kind: cua.Type, Text: "hello"}, URL: "https://shop.test",
		Then: []cua.Action{{Kind: cua.Key, Keys: "Return"},
			{Kind: cua.Click, Point: &cua.Point{X: 3.4, Y: 9.6}}, {Kind: cua.Navigate, URL: "/next"}}}
	for _, row := range []struct {
		name  string
		typed []string
		want  brain.Consent
	}{
		{"yes", []string{"yes"}, brain.Granted},
		{"yes with blanks", []string{"  yes "}, brain.Granted},
		{"a letter", []string{"y"}, brain.Denied},
		{"no", []string{"no"}, brain.Denied},
		{"no answer", []string{""}, brain.NoConsent},
		{"nobody", nil, brain.NoConsent},
	} {
		t.Run(row.name, func(t *testing.T) {
			in, keys := io.Pipe()
			said := ttytest.New(keys, []string{"yes or no:"}, row.typed...)
			got, err := New(in, said).Consent(t.Context(), check)
			if err != nil || got != row.want {
				t.Errorf("%v, %v, want %v", got, err, row.want)
			}
			for _, part := range []string{"(malicious): look here\n", `about to: type "hello", then ` +
				`key "Return", then click at 3,10, then navigate "/next" on https://shop.test`} {
				if !strings.Contains(said.All(), part) {
					t.Errorf("no %q in %q", part, said.All())
				}
			}
		})
	}
	in, keys := io.Pipe()
	defer keys.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := New(in, io.Discard).Consent(ctx, check); got != brain.NoConsent || err == nil {
		t.Errorf("given up: %v, %v", got, err)
	}
}
