package tty

import (
	"context"
	"fmt"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// Consent asks the person about the safety check of a model, one question at a time. Only "yes" agrees;
// nobody there, or no answer, is no consent. The error is that of ctx.
func (p *Person) Consent(ctx context.Context, c brain.SafetyCheck) (brain.Consent, error) {
	p.checks.Lock()
	defer p.checks.Unlock()
	answer, err := p.Ask(ctx, fmt.Sprintf("%s wants a person to look (%s): %s", Safe(c.Provider),
		Safe(c.Code), Safe(c.Message)), fmt.Sprintf("  about to: %s on %s", allWords(c), c.URL),
		"  do it? yes or no:")
	switch {
	case ctx.Err() != nil:
		return brain.NoConsent, ctx.Err()
	case err != nil || Safe(answer) == "":
		return brain.NoConsent, nil
	case Safe(answer) == "yes":
		return brain.Granted, nil
	}
	return brain.Denied, nil
}

// allWords are all that one answer agrees to.
func allWords(c brain.SafetyCheck) string {
	out := actionWords(c.Action)
	for _, a := range c.Then {
		out += ", then " + actionWords(a)
	}
	return out
}

// actionWords are an action for a person: what it is and what it would type, which is a secret's name where
// it is one.
func actionWords(a cua.Action) string {
	out := string(a.Kind)
	for _, part := range []string{a.Text, a.Keys, a.URL} {
		if part != "" {
			out += fmt.Sprintf(" %q", part)
		}
	}
	if a.Point != nil {
		out += fmt.Sprintf(" at %.0f,%.0f", a.Point.X, a.Point.Y)
	}
	return out
}
