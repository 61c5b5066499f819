package browser

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

// typing puts a's text into a field, or where the focus is, and reads it back. Text that an
// insertion did not bring in is typed key by key.
func (s *Session) typing(ctx context.Context, t *tab, a cua.Action) error {
	if name := cua.SecretName(a.Text); name != "" {
		return s.keep(ctx, t, a, name)
	}
	held, err := t.focus(ctx, a)
	if err != nil {
		return err
	}
	field, err := t.focused(ctx)
	if err != nil {
		return err
	}
	switch {
	case a.Into != "" && (field == nil || !field.Editable && !takesKeys(*field)):
		return failing(cua.FailNotInteractable, "%s takes no text", cua.ClipBytes(a.Into, 200))
	case field == nil || !field.Editable && field.Type != "select":
		// A page may listen for keys without a field: a game, an editor of its own.
		if err := held(ctx); err != nil {
			return err
		}
		s.note("no field has the focus; the keys went to the page")
		return t.input.typeText(ctx, withoutEnd(a), a.Into != "", named(a, held))
	case field.Type == "select":
		if err := held(ctx); err != nil {
			return err
		}
		return t.byScript(ctx, func(ctx context.Context) error {
			return t.probe.selectOption(ctx, field.ID, nil, withoutEnd(a))
		})
	}
	text, enter := lastLine(*field, withoutEnd(a))
	err = t.fill(ctx, *field, text, a, held)
	switch {
	case !enter:
		return err
	case err != nil:
		return cutShort(err, "Return was not pressed")
	}
	return t.input.press(ctx, "Return")
}

// takesKeys says whether a control that is no text field is chosen from by typing.
func takesKeys(f cua.Field) bool {
	return f.Type == "select" || stepped(f.Type) || f.Role == "combobox" || f.Role == "listbox" ||
		f.Role == "spinbutton"
}

// withoutEnd is the text of a. One for a named control is a value and no input of keys: a line end at its end
// is dropped, for it would send the form.
func withoutEnd(a cua.Action) string {
	if a.Into == "" {
		return a.Text
	}
	return strings.TrimRight(a.Text, "\r\n")
}

// What an action has not done when a dialog cut it short.
const (
	nothingTyped    = "nothing was typed"
	nothingUploaded = "nothing was uploaded"
)

// focus brings the focus to where a wants it; nowhere leaves it alone. held is to be asked right before each
// input: it fails when the focus is no longer in the element that a names, and without one it never does.
func (t *tab) focus(ctx context.Context, a cua.Action) (held permit, err error) {
	free := func(context.Context) error { return nil }
	if a.Point == nil && a.Mark == 0 && a.Into == "" {
		return free, nil
	}
	if a.Point != nil || a.Mark != 0 {
		p, reaches, err := t.aim(ctx, a)
		if err != nil {
			return nil, err
		}
		if err := t.input.click(ctx, p, input.MouseButtonLeft, 1, reaches); err != nil || a.Into == "" {
			return free, cutShort(err, nothingTyped)
		}
	}
	var want element
	err = t.byScript(ctx, func(ctx context.Context) (err error) {
		want, err = t.probe.hold(ctx, a.Into)
		return err
	})
	if err != nil {
		return nil, cutShort(err, nothingTyped)
	}
	held = func(ctx context.Context) error {
		got, err := t.focused(ctx)
		if err == nil && (got == nil || got.ID != want.Field.ID || got.Frame != want.Field.Frame) {
			return failing(cua.FailNotInteractable, "%s: the page moves the focus elsewhere",
				cua.ClipBytes(a.Into, 200))
		}
		return err
	}
	if want.local != "" {
		return held, focusArrives(ctx, held)
	}
	return held, nil
}

// focusLag is how long the browser may take to tell the other processes of a page that a frame has the focus.
const focusLag = 500 * time.Millisecond

// focusArrives waits until held holds, at most focusLag.
func focusArrives(ctx context.Context, held permit) error {
	limit, cancel := context.WithTimeout(ctx, focusLag)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		err := held(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-limit.Done():
			return err
		}
	}
}

// lastLine splits off a line end at the end of text for a field of one line: it stands for
// Return.
func lastLine(f cua.Field, text string) (string, bool) {
	if f.Tag == "textarea" || f.Type == "contenteditable" || !strings.HasSuffix(text, "\n") {
		return text, false
	}
	return strings.TrimRight(text, "\r\n"), true
}

// fill inserts text into the focused field f, as a says, and sees to it that it landed. held is asked before
// each input.
func (t *tab) fill(ctx context.Context, f cua.Field, text string, a cua.Action, held permit) error {
	if err := held(ctx); err != nil {
		return err
	}
	if stepped(f.Type) {
		return t.byScript(ctx, func(ctx context.Context) error {
			_, err := t.probe.set(ctx, f.ID, text)
			return err
		})
	}
	selectAll := func() error {
		if !a.Clear || f.Empty {
			return nil
		}
		err := t.byScript(ctx, func(ctx context.Context) error {
			_, err := t.probe.into(ctx, f.ID, "clear")
			return err
		})
		if err != nil {
			return cutShort(err, nothingTyped)
		}
		return held(ctx)
	}
	if err := selectAll(); err != nil {
		return err
	}
	if text == "" {
		if a.Clear && !f.Empty {
			return t.input.press(ctx, "Delete")
		}
		return nil
	}
	if err := t.input.insert(ctx, text); err != nil {
		return err
	}
	after, err := t.focused(ctx)
	if err != nil || landed(f, after, text) {
		// A page that goes on to another document, field or dialog after the text has taken it.
		if errors.Is(err, errNoContext) || errors.Is(err, frames.ErrDialogOpen) {
			err = nil
		}
		return err
	}
	t.note("the text did not land and was typed key by key")
	if err := selectAll(); err != nil {
		return err
	}
	return t.input.typeText(ctx, text, a.Into != "", named(a, held))
}

// named is held where a names the control that its text is for; without one the keys follow the focus.
func named(a cua.Action, held permit) permit {
	if a.Into == "" {
		return nil
	}
	return held
}

// stepped says whether a field of that type takes a value and no text at a caret.
func stepped(typ string) bool {
	switch typ {
	case "date", "time", "datetime-local", "month", "week", "range", "color":
		return true
	}
	return false
}

// landed says whether the field's value moved, or is what it was to become. The page may have
// formatted it, so it need not be the text itself.
func landed(before cua.Field, after *cua.Field, text string) bool {
	if after == nil || after.ID != before.ID {
		return true
	}
	return after.ValueDigest != before.ValueDigest || after.ValueDigest == cua.Digest(text) ||
		after.Secret != ""
}

// chooserWait is how long a press may take to open a file chooser.
const chooserWait = 2 * time.Second

// upload presses at a's place and gives the file chooser that opens files of the task's
// fixtures.
func (s *Session) upload(ctx context.Context, t *tab, a cua.Action) error {
	files, err := s.fixtures(a.Files)
	if err != nil {
		return err
	}
	p, reaches, err := t.aim(ctx, a)
	if err != nil {
		return err
	}
	if err := t.input.click(ctx, p, input.MouseButtonLeft, 1, reaches); err != nil {
		return cutShort(err, nothingUploaded)
	}
	limit, cancel := context.WithTimeout(ctx, chooserWait)
	defer cancel()
	var chooser *page.EventFileChooserOpened
	t.until(limit, func(st *tabState) bool {
		chooser = st.chooser
		return chooser != nil || st.dialog != nil
	})
	if chooser == nil && t.dialog() {
		return cutShort(errDialogOpened, nothingUploaded)
	}
	if chooser == nil || chooser.BackendNodeID == 0 {
		return failing(cua.FailNotInteractable, "nothing there opens a file chooser")
	}
	if len(files) > 1 && chooser.Mode == page.FileChooserOpenedModeSelectSingle {
		return failing(cua.FailExec, "the field takes one file, not %d", len(files))
	}
	return t.byScript(ctx, func(ctx context.Context) (err error) {
		// The chooser may be that of a frame in another process.
		for _, c := range t.sessions() {
			_, err = cdp.Call(ctx, c, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: files,
				BackendNodeID: chooser.BackendNodeID})
			if err == nil || ctx.Err() != nil {
				break
			}
		}
		return err
	})
}

// sessions are the sessions of the page and of its out-of-process frames, the page first.
func (t *tab) sessions() []*wire.Session {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []*wire.Session{t.s}
	for _, c := range t.children {
		out = append(out, c)
	}
	return out
}

// maxUpload caps one file.
const maxUpload = 32 << 20

// fixtures copies the named files to where the browser may read them: it may run as another
// user. Names that lead out of the fixtures' folder are refused.
func (s *Session) fixtures(names []string) ([]string, error) {
	if s.opts.Fixtures == "" {
		return nil, failing(cua.FailPolicy, "the task has no files to upload")
	}
	if s.b.remote {
		return nil, failing(cua.FailExec, "file upload: %v", errUnsupported)
	}
	root, err := os.OpenRoot(s.opts.Fixtures)
	if err != nil {
		return nil, failing(cua.FailExec, "opening the fixtures: %v", err)
	}
	defer root.Close()
	dir, err := os.MkdirTemp(s.b.profile.Dir, "upload-")
	if err != nil {
		return nil, failing(cua.FailExec, "copying a fixture: %v", err)
	}
	if err := s.b.hand(dir); err != nil {
		return nil, failing(cua.FailExec, "copying a fixture: %v", err)
	}
	var out []string
	for _, name := range names {
		to := filepath.Join(dir, filepath.Base(name))
		if err := copyFixture(root, name, to); err != nil {
			return nil, failing(cua.FailExec, "no fixture %q: %v", cua.ClipBytes(name, 100), err)
		}
		if err := s.b.hand(to); err != nil {
			return nil, failing(cua.FailExec, "copying a fixture: %v", err)
		}
		out = append(out, to)
	}
	return out, nil
}

// hand gives a file to the user that the browser runs as.
func (b *Browser) hand(path string) error {
	if b.info.User == 0 {
		return nil
	}
	return os.Chown(path, b.info.User, b.info.User)
}

func copyFixture(root *os.Root, name, to string) error {
	from, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe is not waited for
	if err != nil {
		return err
	}
	defer from.Close()
	if st, err := from.Stat(); err != nil || !st.Mode().IsRegular() || st.Size() > maxUpload {
		return errors.New("not a file, or too big")
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	return errors.Join(err, out.Close())
}
