package browser

import (
	"context"
	"errors"

	"github.com/cua-runner/cua-runner/cua"
)

// keep types the secret of that name where a says. The policy gate has judged the page as it was; a page
// moves the focus when it likes, so what the focus is in now is judged once more, by the document that holds
// it, and the value goes into that very field of that document. It is never sent as keys, which go to where
// the focus is by then. A secret that may not be typed is a FailPolicy, and nothing was typed.
func (s *Session) keep(ctx context.Context, t *tab, a cua.Action, name string) error {
	value, ok := s.opts.Secrets[name]
	if !ok {
		return failing(cua.FailPolicy, "there is no secret named %s", name)
	}
	if _, err := t.focus(ctx, a); err != nil {
		return err
	}
	named := elementArgs{Op: "value"}
	if a.Point == nil && a.Mark == 0 {
		named.ID = a.Into // a page may want the focus elsewhere: the field that was asked for counts
	}
	e, err := t.element(ctx, func(ctx context.Context) (element, error) {
		return t.probe.element(ctx, named)
	})
	var none *NotFoundError
	if errors.As(err, &none) {
		return failing(cua.FailPolicy, "the secret %s was not typed: no field has the focus", name)
	}
	if err != nil {
		return err
	}
	if err := s.mayKeep(name, e, a); err != nil {
		return failing(cua.FailPolicy, "the secret %s was not typed: %v", name, err)
	}
	value, enter := lastLine(e.Field, value)
	enter = enter && a.Into == ""
	err = t.byScript(ctx, func(ctx context.Context) error {
		return t.probe.keep(ctx, e.local, elementArgs{ID: named.ID, Op: "secret", Text: value,
			Want: e.Field.ID, Origin: e.Origin, Name: name, Clear: a.Clear, Whole: stepped(e.Field.Type)})
	})
	var option *OptionError
	switch {
	case errors.As(err, &option):
		return failing(cua.FailNotInteractable, "the secret %s was not typed: %s", name, option.Reason)
	case errors.As(err, &none):
		return failing(cua.FailNotInteractable, "the secret %s was not typed: its field went away", name)
	case !enter:
		return err
	case err != nil:
		return cutShort(err, "Return was not pressed")
	}
	return t.input.press(ctx, "Return")
}

// keep does a in the documents that the one at path local answers for, and asks no other: not even our own
// world in a document of another site is told the value.
func (p *probe) keep(ctx context.Context, local string, a elementArgs) error {
	for i, c := range p.open() {
		p.mu.Lock()
		at, placed := c.path, c.placed || i == 0
		p.mu.Unlock()
		if !placed || at != local {
			continue
		}
		r, err := eval[elementRaw](ctx, c, exprElement(a))
		switch {
		case err != nil:
			return err
		case r.Refused != "":
			return &OptionError{Reason: r.Refused}
		case !r.Missing && r.Ask == nil:
			return nil
		}
	}
	return &NotFoundError{ID: a.Want}
}

// mayKeep says why e is not given the secret of that name; nil is permission.
func (s *Session) mayKeep(name string, e element, a cua.Action) error {
	if _, err := s.task.CheckSecret(name, e.Origin); err != nil {
		return err
	}
	f := e.Field
	if !f.Editable && f.Type != "select" && !stepped(f.Type) || f.Disabled || f.ReadOnly {
		return errors.New("the focus is in no field that takes text")
	}
	// Without a place the text goes to the focus, and what the gates judged was the focus that they were
	// shown.
	seen := s.last.Focus
	if a.Point == nil && a.Mark == 0 && a.Into == "" && seen != nil && seen.ID != f.ID {
		return errors.New("the page has moved the focus to another field")
	}
	return nil
}
