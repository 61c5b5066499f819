package browser

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/input"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// The clipboard and a drag carry text from where it is to wherever a page wants it. A brain that does what a
// page says could so take a secret out of the field that it belongs in, without ever naming it. A chord that
// takes text out of a field that was given a secret is not pressed. The content of the clipboard or of a
// drag, however it came there, is examined before it is put in anywhere. The value of another session's
// secret is not known here.

// taking says what c does with the clipboard: "copy" and "cut" put what is selected there, "paste" brings it
// in; "" is none of them. Those of other keyboards count too: Control+Insert, Shift+Delete, Shift+Insert.
func (c chord) taking() string {
	b := c.bits()
	command := b&(controlBit|metaBit) != 0
	switch {
	case command && c.main.code == "KeyC", b&controlBit != 0 && c.main.code == "Insert":
		return "copy"
	case command && c.main.code == "KeyX", b&shiftBit != 0 && c.main.code == "Delete":
		return "cut"
	case command && c.main.code == "KeyV", b&shiftBit != 0 && c.main.code == "Insert":
		return "paste"
	}
	return ""
}

// keys presses the chords of a one after the other, and each that moves text by the clipboard only where it
// moves no secret. A chord that may not be pressed is a FailPolicy; those before it were pressed.
func (s *Session) keys(ctx context.Context, t *tab, keys string) error {
	chords, err := parseKeys(keys)
	if err != nil {
		return err
	}
	if len(s.opts.Secrets) == 0 || !slices.ContainsFunc(chords,
		func(c chord) bool { return c.taking() != "" }) {
		return t.input.pressAll(ctx, chords, t.input.fly)
	}
	for i, c := range chords {
		if err := s.mayTake(ctx, t, c.taking()); err != nil {
			return err
		}
		err := t.input.pressAll(ctx, []chord{c}, t.input.each)
		if i < len(chords)-1 {
			err = cutShort(err, "not all keys were pressed")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// mayTake says why the clipboard may not be used so now; nil is permission.
func (s *Session) mayTake(ctx context.Context, t *tab, how string) error {
	switch how {
	case "copy", "cut":
		if name, err := t.given(ctx, elementArgs{Op: "value"}); err != nil || name != "" {
			return refused(err, how+" refused: the field holds the secret %s", name)
		}
	case "paste":
		held, err := s.clipboard(ctx)
		if err != nil {
			return failing(cua.FailPolicy,
				"paste refused: what the clipboard holds could not be looked at: %v", err)
		}
		if name := s.carried(held); name != "" {
			return refused(nil, "paste refused: the clipboard holds the secret %s", name)
		}
	}
	return nil
}

// refused is err, or else the refusal of what would move the secret of that name.
func refused(err error, format, name string) error {
	if err != nil {
		return err
	}
	return failing(cua.FailPolicy, format+"; it is typed as <secret:"+name+"> where it belongs", name)
}

// given is the name of the secret that the control which a names was given, or holds; "" is none.
func (t *tab) given(ctx context.Context, a elementArgs) (string, error) {
	e, err := t.element(ctx, func(ctx context.Context) (element, error) { return t.probe.element(ctx, a) })
	var none *NotFoundError
	if errors.As(err, &none) {
		return "", nil
	}
	if err != nil || e.Field.Empty {
		return "", err
	}
	if e.Field.Secret != "" {
		return e.Field.Secret, nil
	}
	return e.Given, nil
}

// carried is the name of the secret that stands in one of texts, in any of its spellings; "" is none. A value
// of less than four bytes is looked for as the whole text alone.
func (s *Session) carried(texts []string) string {
	seal := newSealer(s.opts.Secrets)
	for _, name := range seal.names {
		value := s.opts.Secrets[name]
		forms := redact.New(map[string]string{name: value})
		for _, text := range texts {
			switch {
			case value == "":
			case strings.TrimSpace(text) == value, masked(strings.TrimSpace(text), value):
				return name
			case forms.Holds(text):
				return name
			}
		}
	}
	return ""
}

// drag drags from from to to, and drops no secret.
func (s *Session) drag(ctx context.Context, t *tab, from, to cua.Point) error {
	if len(s.opts.Secrets) == 0 {
		return t.input.dragTo(ctx, from, to, nil)
	}
	name, err := t.given(ctx, elementArgs{X: &from.X, Y: &from.Y, Op: "value"})
	if err != nil {
		return err
	}
	return t.input.dragTo(ctx, from, to, func(d *input.DragData) error {
		held := cmp.Or(name, s.carried(dragged(d)))
		if held == "" {
			return nil
		}
		return refused(nil, "drop refused: what is dragged holds the secret %s", held)
	})
}

// dragged are the texts that a drag carries.
func dragged(d *input.DragData) []string {
	var out []string
	for _, item := range d.Items {
		out = append(out, item.Data, item.Title, item.BaseURL)
	}
	return out
}

// exprPasted makes a page of ours keep all that is pasted into it; exprKept is that.
const (
	exprPasted = `(() => { const kept = [], el = document.createElement('textarea');
	  el.addEventListener('paste', (e) => { for (const type of e.clipboardData.types) kept.push(e.clipboardData.getData(type)); e.preventDefault(); });
	  document.body.append(el); el.focus(); globalThis.__kept = kept; return 'null'; })()`
	exprKept = `JSON.stringify(globalThis.__kept)`
)

// clipboard are the texts that a paste would bring now, one a format. The browser shows its clipboard to
// nobody but a page into which it is pasted: a blank one in a session of its own, so that no other page hears
// of it.
func (s *Session) clipboard(ctx context.Context) ([]string, error) {
	look, err := s.b.NewSession(ctx, SessionOptions{NoState: true})
	if err != nil {
		return nil, err
	}
	defer look.Close() //nolint:errcheck // a blank page has nothing to lose
	look.mu.Lock()
	t := look.active
	look.mu.Unlock()
	all := t.probe.open()
	if len(all) == 0 {
		return nil, errNoContext
	}
	if _, err := eval[any](ctx, all[0], exprPasted); err != nil {
		return nil, err
	}
	if err := t.input.press(ctx, "Control+v"); err != nil {
		return nil, err
	}
	return eval[[]string](ctx, all[0], exprKept)
}
