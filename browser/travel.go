package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

// travel does the kinds that change the document or the tab.
func (s *Session) travel(ctx context.Context, w *settling, a cua.Action) error {
	switch a.Kind {
	case cua.Navigate:
		u, err := address(s.allowed(), a.URL)
		if err != nil {
			return denied(err)
		}
		return w.visit(ctx, u.String())
	case cua.Reload:
		var posted bool
		w.t.look(func(st *tabState) { posted = st.posted })
		if posted { // a person would be asked first
			return failing(cua.FailPolicy,
				"this page answers a form that was sent, and a reload would send it again: "+
					"navigate to its address instead")
		}
		return w.load(ctx, func(ctx context.Context) error {
			_, err := cdp.Call(ctx, w.t.s, page.Reload, page.ReloadParams{})
			return err
		})
	case cua.Back:
		return w.pages(ctx, -1)
	case cua.Forward:
		return w.pages(ctx, 1)
	case cua.NewTab:
		return s.openTab(ctx, w, a.URL)
	case cua.SwitchTab:
		s.mu.Lock()
		n := len(s.tabs)
		var t *tab
		if a.Tab >= 1 && a.Tab <= n {
			t = s.tabs[a.Tab-1]
		}
		s.mu.Unlock()
		if t == nil {
			return failing(cua.FailNotFound, "there is no tab %d of %d", a.Tab, n)
		}
		w.turn(t)
		return s.activate(ctx, t)
	}
	return s.closeTab(ctx, w, a.Tab)
}

func denied(err error) error {
	var p *PolicyError
	if errors.As(err, &p) {
		return failing(cua.FailPolicy, "%s: %s", p.URL, p.Reason)
	}
	return err
}

// turn makes the settling go on with another tab.
func (w *settling) turn(t *tab) {
	w.t, w.moved, w.frame = t, true, frames.Want{}
	t.look(func(st *tabState) { w.opened, w.seq, w.commits = st.opened, st.seq, st.commits })
	w.s.mu.Lock()
	w.tabs = w.s.tabs
	w.s.mu.Unlock()
}

// visit goes to an address and waits until its document is there.
func (w *settling) visit(ctx context.Context, address string) error {
	var res page.NavigateResult
	downloads := w.s.downloaded()
	err := w.load(ctx, func(ctx context.Context) (err error) {
		res, err = cdp.Call(ctx, w.t.s, page.Navigate, page.NavigateParams{URL: address})
		return err
	})
	switch {
	case err != nil:
		return err
	case res.IsDownload || w.s.downloaded() > downloads:
		return failing(cua.FailNav, "a download, which is denied: %s", cua.ClipBytes(address, 200))
	case res.ErrorText == "net::ERR_ABORTED":
		return failing(cua.FailNav, "the site sent no document (%s) at %s", res.ErrorText,
			cua.ClipBytes(address, 200))
	}
	return nil // another error shows its page, which siteFailure reports
}

func (s *Session) downloaded() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.downloads
}

// load runs a command that is answered only when a document arrives, and stops the load when
// that takes longer than a document may.
func (w *settling) load(ctx context.Context, command func(context.Context) error) error {
	w.moved, w.frame = true, frames.Want{}
	limit, cancel := context.WithDeadline(ctx, w.until)
	defer cancel()
	read, done := w.t.interruptible(limit)
	defer done()
	err := command(read)
	switch {
	case err == nil, context.Cause(read) == errDialog:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limit.Err() == nil:
		return refusal(err)
	}
	if err := w.stop(ctx); err != nil {
		return err
	}
	return failing(cua.FailTimeout, "the document did not come within %v", w.s.opts.docTimeout())
}

// refusal turns an error that the browser answered into the step's failure; other errors are
// faults.
func refusal(err error) error {
	var answer *cdproto.Error
	if errors.As(err, &answer) {
		return failing(cua.FailNav, "%s", answer.Message)
	}
	return err
}

// pages goes back or forward by one page of the tab's own history. The blank page that each tab
// starts with is not part of it.
func (w *settling) pages(ctx context.Context, by int) error {
	h, err := cdp.Call(ctx, w.t.s, page.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return err
	}
	i := int(h.CurrentIndex) + by
	if i < 0 || i >= len(h.Entries) || i == 0 && h.Entries[0].URL == "about:blank" {
		return failing(cua.FailNav, "there is no page to go to")
	}
	var before int
	w.t.look(func(st *tabState) { before = st.seq })
	if err := w.load(ctx, func(ctx context.Context) error {
		_, err := cdp.Call(ctx, w.t.s, page.NavigateToHistoryEntry,
			page.NavigateToHistoryEntryParams{EntryID: h.Entries[i].ID})
		return err
	}); err != nil {
		return err
	}
	// The answer comes before the navigation begins.
	limit, cancel := context.WithTimeout(ctx, navigationStart)
	defer cancel()
	w.t.until(limit, func(st *tabState) bool { return st.seq != before || st.dialog != nil })
	return nil
}

// openTab opens a tab and goes to the address to, if there is one.
func (s *Session) openTab(ctx context.Context, w *settling, to string) error {
	if to != "" {
		u, err := address(s.allowed(), to)
		if err != nil {
			return denied(err)
		}
		to = u.String()
	}
	t, err := s.newTab(ctx)
	if err != nil {
		return err
	}
	w.turn(t)
	if to == "" {
		return nil
	}
	return w.visit(ctx, to)
}

// closeTab closes the n-th tab, 0 the active one. The last one cannot be closed.
func (s *Session) closeTab(ctx context.Context, w *settling, n int) error {
	s.mu.Lock()
	count, t := len(s.tabs), w.t
	if n > 0 && n <= count {
		t = s.tabs[n-1]
	}
	s.mu.Unlock()
	switch {
	case n > count:
		return failing(cua.FailNotFound, "there is no tab %d of %d", n, count)
	case count < 2:
		return failing(cua.FailExec, "the last tab cannot be closed")
	}
	if _, err := cdp.Call(ctx, s.b.root, target.CloseTarget,
		target.CloseTargetParams{TargetID: t.id}); err != nil {
		return fmt.Errorf("closing a tab: %w", err)
	}
	gone := s.awaitTabs(ctx, func() bool {
		_, at, _ := s.count(t)
		return at == 0
	})
	if !gone {
		return failing(cua.FailTimeout, "the tab did not close")
	}
	return nil
}

// answerOpen answers the open dialog.
func (t *tab) answerOpen(ctx context.Context, accept bool, text string) error {
	var open bool
	t.look(func(st *tabState) { open = st.dialog != nil })
	if !open {
		return failing(cua.FailExec, "no dialog is open")
	}
	return t.answer(ctx, accept, text)
}

// answer closes a dialog and waits until it is closed.
func (t *tab) answer(ctx context.Context, accept bool, text string) error {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	before := 0
	t.look(func(st *tabState) { before = st.dialogs })
	_, err := cdp.Call(ctx, t.s, page.HandleJavaScriptDialog,
		page.HandleJavaScriptDialogParams{Accept: accept, PromptText: text})
	if err != nil {
		return err
	}
	if !t.until(ctx, func(st *tabState) bool { return st.dialogs > before }) {
		return fmt.Errorf("closing a dialog: %w", context.DeadlineExceeded)
	}
	return nil
}
