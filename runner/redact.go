package runner

import (
	"context"
	"errors"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// cleanEnv is an Env that reports no value of a secret: what the page shows again is redacted before anything
// else of the episode sees it. So history, prompts and journal say the same.
type cleanEnv struct {
	Env
	set *redact.Set
	// real are the identities of controls that contain a value, by what is reported of them: an action may
	// name one.
	real map[string]string
}

// clean is env with its reports redacted.
func clean(env Env, set *redact.Set) *cleanEnv {
	return &cleanEnv{Env: env, set: set, real: map[string]string{}}
}

func (c *cleanEnv) Reset(ctx context.Context, task cua.Task) (cua.Observation, error) {
	o, err := c.Env.Reset(ctx, task)
	return c.page(o), redactError(c.set, err)
}

func (c *cleanEnv) Locate(ctx context.Context, a cua.Action) (cua.Target, error) {
	t, err := c.Env.Locate(ctx, c.aimed(a))
	if t.Idle.Page != nil {
		page := c.page(*t.Idle.Page)
		t.Idle.Page = &page
	}
	c.know(t.ID)
	return redact.Value(c.set, t), redactError(c.set, err)
}

func (c *cleanEnv) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	out, err := c.Env.Act(ctx, c.aimed(a))
	return c.outcome(out), redactError(c.set, err)
}

func (c *cleanEnv) Restore(ctx context.Context, cp cua.Checkpoint, facets []string) (cua.Outcome, error) {
	out, err := c.Env.Restore(ctx, cp, facets)
	return c.outcome(out), redactError(c.set, err)
}

func (c *cleanEnv) Denials() []cua.Denial { return redact.Value(c.set, c.Env.Denials()) }

func (c *cleanEnv) outcome(out cua.Outcome) cua.Outcome {
	after := c.page(out.After)
	out.After = cua.Observation{}
	out = redact.Value(c.set, out)
	out.After = after
	return out
}

// page is o redacted. The identities that it redacts are remembered.
func (c *cleanEnv) page(o cua.Observation) cua.Observation {
	for i := range o.Fields {
		c.know(o.Fields[i].ID)
	}
	for i := range o.Marks {
		c.know(o.Marks[i].ID)
	}
	if o.Focus != nil {
		c.know(o.Focus.ID)
	}
	return redact.Value(c.set, o)
}

func (c *cleanEnv) know(id string) {
	if shown := c.set.Text(id); shown != id {
		c.real[shown] = id
	}
}

// aimed is a with the identity that the page knows.
func (c *cleanEnv) aimed(a cua.Action) cua.Action {
	if id, ok := c.real[a.Into]; ok {
		a.Into = id
	}
	return a
}

// redactError is err with its text redacted. A *cua.Failure in it is redacted itself.
func redactError(set *redact.Set, err error) error {
	if err == nil {
		return nil
	}
	if f, ok := errors.AsType[*cua.Failure](err); ok {
		f.Detail = set.Text(f.Detail)
	}
	if text := err.Error(); set.Holds(text) {
		return &redactedError{set.Text(text), err}
	}
	return err
}

type redactedError struct {
	text  string
	cause error
}

func (e *redactedError) Error() string { return e.text }

func (e *redactedError) Unwrap() error { return e.cause }

// redactDecision is d without values of secrets. One that would type a value itself types the secret by its
// name. One that contains a value beside other text, or in an address, is refused: the value belongs into its
// field alone.
func redactDecision(set *redact.Set, d cua.Decision) cua.Decision {
	out := redact.Value(set, d)
	a := out.Action
	if a.Kind == cua.Type && a.Text != d.Action.Text && cua.SecretName(a.Text) == "" ||
		a.URL != d.Action.URL {
		out.Failure = &cua.Failure{Kind: cua.FailPolicy,
			Detail: "the action contains the value of a secret; type <secret:NAME> alone"}
	}
	return out
}
