package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"

	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

// dispatch does the action itself and nothing after it. It returns what a read-only action
// found. A *cua.Failure is the step's failure; any other error is a fault.
func (s *Session) dispatch(ctx context.Context, w *settling, a cua.Action) (string, error) {
	t := w.t
	if a.Kind == cua.AnswerDlg {
		return "", t.answerOpen(ctx, a.Accept, a.Text)
	}
	if err := t.arm(a); err != nil {
		return "", err
	}
	if a.Kind.ReadOnly() {
		return s.inspect(ctx, t, a)
	}
	if a.Kind == cua.Wait {
		return "", t.idle(ctx, time.Duration(a.MS)*time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(ctx, s.actionTimeout(a.Kind))
	defer cancel()
	var err error
	switch a.Kind {
	case cua.Navigate, cua.Back, cua.Forward, cua.Reload, cua.NewTab, cua.SwitchTab, cua.CloseTab:
		err = s.travel(ctx, w, a)
	case cua.Key:
		err = s.key(ctx, t, a)
	case cua.Type:
		err = s.typing(ctx, t, a)
	case cua.Scroll:
		err = t.wheel(ctx, s.view, a)
	case cua.Upload:
		err = s.upload(ctx, t, a)
	case cua.Select:
		err = t.choose(ctx, a)
	default:
		err = s.press(ctx, t, a)
	}
	return "", dispatched(err)
}

// actionTimeout bounds a dispatch: documents have their own, longer budget.
func (s *Session) actionTimeout(k cua.Kind) time.Duration {
	switch k {
	case cua.Navigate, cua.Reload, cua.NewTab, cua.Back, cua.Forward:
		return s.opts.docTimeout() + commandTimeout
	case cua.Type, cua.Upload, cua.Drag:
		return inputTimeout * 3 / 2 // what finds a hung page and what ends it take 10 s together (see rung)
	}
	return inputTimeout
}

// dispatched sorts the errors of input and probe: what the brain did wrong is a failure; if a dialog opened
// after all input was sent, the action is done.
func dispatched(err error) error {
	var key *KeyError
	var element *NotFoundError
	var option *OptionError
	switch {
	case err == nil, errors.Is(err, errDialogOpened):
		return nil
	case errors.Is(err, frames.ErrDialogOpen):
		return failing(cua.FailExec, "a dialog is open")
	case errors.As(err, &key):
		return failing(cua.FailUnknownAction, "%v", key)
	case errors.As(err, &element):
		return failing(cua.FailNotFound, "%v", element)
	case errors.As(err, &option):
		return failing(cua.FailNotInteractable, "%v", option)
	}
	return err
}

// arm tells page and screencast that what happens from here on was set off by the action. A page with an open
// dialog is not told.
func (t *tab) arm(a cua.Action) error {
	if a.Kind != cua.Wait && !a.Kind.ReadOnly() {
		// A wait may still bring the answers to what the action before it sent.
		t.update(func(st *tabState) { st.requests, st.answeredWell = nil, 0 })
	}
	t.frames.BeginAction()
	if t.dialog() { // the script that waits for the answer continues with the cause it has
		t.probe.caused, t.probe.ready = nil, nil
		return nil
	}
	press := a.Kind.Pressing() && a.Point != nil && a.Into == "" && t.input.single() // see fling
	if err := t.probe.arm(a.Kind, t.frames.FirstTag, press); err != nil && !errors.Is(err, errNoContext) {
		return err
	}
	return nil
}

// place is where a is to be done: its point, the centre of its mark's box as it is now, or that of
// what shows of the element it names.
func (t *tab) place(ctx context.Context, a cua.Action) (cua.Point, error) {
	switch {
	case a.Point != nil:
		return *a.Point, nil
	case a.Mark > 0:
		m, ok := markTarget(t.owner.last, a.Mark)
		if !ok {
			return cua.Point{}, failing(cua.FailNotFound, "there is no mark %d", a.Mark)
		}
		e, err := t.element(ctx, func(ctx context.Context) (element, error) {
			return t.probe.into(ctx, m.ID, "box")
		})
		return e.Point, err
	case a.Into != "":
		e, err := t.element(ctx, func(ctx context.Context) (element, error) {
			return t.probe.press(ctx, a.Into, nil)
		})
		return e.Point, err
	}
	return cua.Point{}, failing(cua.FailExec, "%s: no place to do it", a.Kind)
}

// aim is the place of a press, and what is to be asked once more when the mouse is there: whether the press
// reaches the element that a names. A page may answer to the mouse with something that covers it.
func (t *tab) aim(ctx context.Context, a cua.Action) (cua.Point, permit, error) {
	p, err := t.place(ctx, a)
	if err != nil || a.Into == "" {
		return p, nil, err
	}
	reaches := func(ctx context.Context) error {
		_, err := t.element(ctx, func(ctx context.Context) (element, error) {
			return t.probe.press(ctx, a.Into, &p)
		})
		return err
	}
	if a.Point == nil && a.Mark == 0 {
		return p, reaches, nil // place has asked already
	}
	return p, reaches, reaches(ctx)
}

// press does the pointer kinds.
func (s *Session) press(ctx context.Context, t *tab, a cua.Action) error {
	p, reaches, err := t.aim(ctx, a)
	if err != nil {
		return err
	}
	switch a.Kind {
	case cua.Click:
		return t.input.fling(ctx, p, input.MouseButtonLeft, 1, reaches)
	case cua.DoubleClick:
		return t.input.fling(ctx, p, input.MouseButtonLeft, 2, reaches)
	case cua.TripleClick:
		return t.input.fling(ctx, p, input.MouseButtonLeft, 3, reaches)
	case cua.RightClick:
		return t.input.fling(ctx, p, input.MouseButtonRight, 1, reaches)
	case cua.MiddleClick:
		return t.input.fling(ctx, p, input.MouseButtonMiddle, 1, reaches)
	case cua.Hover:
		return t.input.hover(ctx, p)
	case cua.Drag:
		return s.drag(ctx, t, p, *a.To)
	}
	return failing(cua.FailUnknownAction, "%s is not known here", a.Kind)
}

// key presses a chord, in the named element if there is one.
func (s *Session) key(ctx context.Context, t *tab, a cua.Action) error {
	held, err := t.focus(ctx, a)
	if err != nil {
		return err
	}
	if err := held(ctx); err != nil {
		return err
	}
	return s.keys(ctx, t, a.Keys)
}

// choose selects an option of a select element by its visible label.
func (t *tab) choose(ctx context.Context, a cua.Action) error {
	id := a.Into
	if a.Mark > 0 && a.Point == nil {
		m, ok := markTarget(t.owner.last, a.Mark)
		if !ok {
			return failing(cua.FailNotFound, "there is no mark %d", a.Mark)
		}
		id = m.ID
	}
	return t.byScript(ctx, func(ctx context.Context) error {
		return t.probe.selectOption(ctx, id, a.Point, a.Text)
	})
}

// byScript does what makes handlers of the page run inside a script of ours: focusing an element or setting
// its value. A dialog that they open holds that script up, so it is not waited for: what was done is done.
// Behind a dialog that is open already nothing is done.
func (t *tab) byScript(ctx context.Context, do func(context.Context) error) error {
	read, done := t.interruptible(ctx)
	defer done()
	if context.Cause(read) == errDialog {
		return frames.ErrDialogOpen
	}
	err := do(read)
	if context.Cause(read) == errDialog && (err == nil || errors.Is(err, context.Canceled)) {
		return errDialogOpened
	}
	return err
}

// readByScript is byScript for what is read before something is done. A dialog that opens is
// frames.ErrDialogOpen as well, whatever was read: what was to be done next is not.
func (t *tab) readByScript(ctx context.Context, read func(context.Context) error) error {
	err := t.byScript(ctx, func(ctx context.Context) error {
		err := read(ctx)
		if context.Cause(ctx) == errDialog {
			return nil
		}
		return err
	})
	if errors.Is(err, errDialogOpened) {
		return frames.ErrDialogOpen
	}
	return err
}

// element is what ask reads of an element before something is done with it.
func (t *tab) element(ctx context.Context, ask func(context.Context) (element, error)) (element, error) {
	var e element
	err := t.readByScript(ctx, func(ctx context.Context) (err error) {
		e, err = ask(ctx)
		return err
	})
	return e, err
}

// focused is the focused control as it is now, nil when nothing but the body has the focus.
func (t *tab) focused(ctx context.Context) (f *cua.Field, err error) {
	err = t.readByScript(ctx, func(ctx context.Context) (err error) {
		f, err = t.probe.focused(ctx)
		return err
	})
	return f, err
}

// idle waits, and less when a dialog opens or the tab breaks.
func (t *tab) idle(ctx context.Context, d time.Duration) error {
	limit, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	t.until(limit, func(st *tabState) bool { return st.dialog != nil })
	return ctx.Err()
}

// maxText caps what find and extract read of a page, in bytes.
const maxText = 64 << 10

// inspect does the read-only kinds. A page with an open dialog is not asked.
func (s *Session) inspect(ctx context.Context, t *tab, a cua.Action) (text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	switch a.Kind {
	case cua.Zoom:
		err = t.readByScript(ctx, func(ctx context.Context) error {
			got, _, err := t.probe.locate(ctx, a)
			text = strings.TrimSpace(got.Role + " " + got.Name)
			return err
		})
	case cua.Extract, cua.Find:
		err = t.readByScript(ctx, func(ctx context.Context) (err error) {
			text, err = t.probe.text(ctx, maxText)
			return err
		})
	}
	if err != nil {
		return "", dispatched(err)
	}
	if a.Kind == cua.Find {
		text = found(s.last, text, a.Text)
	}
	return text, nil
}

// maxFound caps the lines that a find returns.
const maxFound = 20

// found lists the marks and the lines of text that contain what is looked for, case ignored.
func found(o cua.Observation, text, what string) string {
	var out []string
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(what)) }
	for _, m := range o.Marks {
		if has(m.Name) && len(out) < maxFound {
			out = append(out, fmt.Sprintf("[%d] %s %s", m.N, m.Role, m.Name))
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); has(line) && len(out) < maxFound {
			out = append(out, cua.ClipBytes(line, 300))
		}
	}
	if len(out) == 0 {
		return fmt.Sprintf("%q is not on the page", cua.ClipBytes(what, 100))
	}
	return strings.Join(out, "\n")
}
