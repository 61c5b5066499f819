package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/cua-runner/cua-runner/cua"
)

// Begin is Reset for a page that must be told to start: script is run in the start page's own world once its
// document has loaded. The page is first looked at once the promise that it returned, if any, is fulfilled,
// and its calls of fetch and XMLHttpRequest are answered or the time limit of settling is over. Timers are
// not waited for. The value is what the script, or the promise, came to, as JSON; nil where a dialog opened
// meanwhile: the page answers nothing then. A script that throws is an error that says so.
func (s *Session) Begin(ctx context.Context, task cua.Task, script string) (cua.Observation,
	json.RawMessage, error) {
	var value json.RawMessage
	o, err := s.restart(ctx, task, func(ctx context.Context, t *tab) (err error) {
		read, done := t.interruptible(ctx)
		defer done()
		if value, err = t.evaluate(read, script); context.Cause(read) == errDialog {
			return nil
		}
		return err
	})
	return o, value, err
}

// Ask evaluates script in the own world of the page that is shown and returns what it, or the promise that it
// returned, came to, as JSON. Nothing is dispatched, settled or observed. The value is nil while a dialog is
// open: the page answers nothing then.
func (s *Session) Ask(ctx context.Context, script string) (json.RawMessage, error) {
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	t, err := s.here()
	if err != nil {
		return nil, fmt.Errorf("browser: asking the page: %w", err)
	}
	limit, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	read, done := t.interruptible(limit)
	defer done()
	value, err := t.evaluate(read, script)
	switch {
	case context.Cause(read) == errDialog:
		return nil, nil
	case Lost(err):
		err = &cua.Failure{Kind: cua.FailEnv, Detail: err.Error()}
	case err != nil && s.guilt() != nil:
		err = s.guilt().failure()
	}
	if err != nil {
		return nil, fmt.Errorf("browser: asking the page: %w", err)
	}
	return value, nil
}

// evaluate runs script in the page's own world. Its error is what the script threw, or why it could not run.
func (t *tab) evaluate(ctx context.Context, script string) (json.RawMessage, error) {
	r, err := cdp.Call(ctx, t.s, runtime.Evaluate, runtime.EvaluateParams{Expression: script,
		ReturnByValue: new(true), AwaitPromise: new(true)})
	switch {
	case err != nil:
		return nil, err
	case r.ExceptionDetails != nil:
		return nil, thrown(r.ExceptionDetails)
	case r.Result == nil:
		return nil, errors.New("no answer")
	}
	return json.RawMessage(r.Result.Value), nil
}
