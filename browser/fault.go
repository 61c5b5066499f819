package browser

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
)

const (
	// rung bounds each step of the ladder for a hung page; all of them and the wait that found
	// it out take less than 10 s.
	rung = 1200 * time.Millisecond
	// ladder bounds all of them.
	ladder = 5500 * time.Millisecond
	// maxBreaks is how often a page may crash or hang at one URL: then the episode ends.
	maxBreaks = 2
	// relapse is how soon a page that hangs again whenever it is interrupted does so.
	relapse = 100 * time.Millisecond
)

// mend deals with an error that is no failure of the step: a crashed or hung page, a browser
// that is gone. It reports the page as it is afterwards.
func (s *Session) mend(ctx context.Context, w *settling, out cua.Outcome, err error) cua.Outcome {
	out.Settle = w.report
	if ctx.Err() != nil {
		return out
	}
	began := time.Now()
	if f := s.guilt(); f != nil {
		return s.faulted(w, out, f)
	}
	switch {
	case errors.Is(err, wire.ErrGone):
		return s.broken(w, out, err)
	case errors.Is(err, wire.ErrDetached):
		// The tab closed in the middle: what is left is the page now.
		limit, cancel := context.WithTimeout(ctx, rung)
		s.awaitTabs(limit, func() bool { _, at, _ := s.count(w.t); return at == 0 })
		cancel()
	case errors.Is(err, wire.ErrCrashed):
		out.Failure = &cua.Failure{Kind: cua.FailExec, Detail: "the tab crashed and was reloaded"}
		w.fault("tab_crash")
		if err := w.revive(ctx); err != nil {
			return s.beyond(ctx, w, out, faultCrash, err)
		}
	case errors.Is(err, context.DeadlineExceeded):
		out.Failure = &cua.Failure{Kind: cua.FailTimeout,
			Detail: "the page did not answer and was interrupted"}
		w.fault("hung")
		if err := w.hangs(); err != nil {
			return s.beyond(ctx, w, out, faultHung, err)
		}
		how, err := w.unhang(ctx)
		s.note("hung page: " + how)
		if err != nil {
			return s.beyond(ctx, w, out, faultHung, err)
		}
	default:
		out.Failure = &cua.Failure{Kind: cua.FailExec, Detail: cua.ClipBytes(err.Error(), 300)}
	}
	return s.afterwards(ctx, w, out, began)
}

// afterwards looks at the page once a fault was dealt with.
func (s *Session) afterwards(ctx context.Context, w *settling, out cua.Outcome, began time.Time) cua.Outcome {
	err := w.settle(ctx, rung)
	if err == nil {
		out.After, err = w.observe(ctx, nil)
	}
	out.Settle = w.report
	out.SettleMS += ms(time.Since(began))
	switch {
	case err == nil || ctx.Err() != nil:
		return out
	case errors.Is(err, errEndless):
		return s.beyond(ctx, w, out, faultGoesOn, err)
	}
	return s.beyond(ctx, w, out, faultUnread, err)
}

// beyond is the outcome when the page cannot be mended: by its own doing, unless the browser is gone.
func (s *Session) beyond(ctx context.Context, w *settling, out cua.Outcome, name string,
	err error) cua.Outcome {
	switch f := s.guilt(); {
	case f != nil:
		return s.faulted(w, out, f)
	case Lost(err):
		return s.broken(w, out, err)
	case s.b.silent(ctx):
		return s.broken(w, out, fmt.Errorf("%w: the connection does not answer", wire.ErrGone))
	}
	return s.faulted(w, out, &siteFault{name, err.Error()})
}

// unanswered is err; where that is a timeout, and the browser itself does not answer either, the browser is
// ended and the error is that of a browser that is gone. One that hangs between two episodes would make all
// that follow fail.
func (b *Browser) unanswered(ctx context.Context, err error) error {
	if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return err
	}
	limit, cancel := context.WithTimeout(ctx, b.slack(commandTimeout))
	defer cancel()
	_, failed := cdp.Call(limit, b.root, cdpbrowser.GetVersion, cdp.Empty{})
	if failed == nil || ctx.Err() != nil {
		return err
	}
	if b.remote {
		b.conn.Close()
	} else {
		b.proc.Kill()
	}
	return fmt.Errorf("%w: it does not answer", wire.ErrGone)
}

// broken is the outcome when the environment is of no more use.
func (s *Session) broken(w *settling, out cua.Outcome, err error) cua.Outcome {
	return s.lost(w, out, &cua.Failure{Kind: cua.FailEnv, Detail: cua.ClipBytes(err.Error(), 300)})
}

// lost is the outcome of a step after which the session is of no more use: the page as it was seen last.
func (s *Session) lost(w *settling, out cua.Outcome, f *cua.Failure) cua.Outcome {
	out.Failure = f
	out.After = s.lastKnown()
	if w != nil {
		out.Settle = w.report
	}
	return out
}

func (w *settling) fault(name string) { w.report.Faults = append(w.report.Faults, name) }

// revive reloads a crashed tab, unless its page has crashed or hung at that URL before.
func (w *settling) revive(ctx context.Context) error {
	if n, url := w.t.breaks(); n >= maxBreaks {
		return fmt.Errorf("%w %d times at %s", wire.ErrCrashed, n, url)
	}
	return w.reload(ctx, "")
}

// hangs counts that the page hangs. It is an error where it has crashed or hung at that URL before.
func (w *settling) hangs() error {
	w.t.update(func(st *tabState) { st.breaks[st.url]++ })
	if n, url := w.t.breaks(); n >= maxBreaks {
		return fmt.Errorf("the page did not answer %d times at %s", n, url)
	}
	return nil
}

// breaks is how often the page has crashed or hung at the URL that it shows.
func (t *tab) breaks() (n int, url string) {
	t.look(func(st *tabState) { n, url = st.breaks[st.url], cua.ClipBytes(st.url, 200) })
	return n, url
}

// reload brings a crashed tab back, with its page or with another address.
func (w *settling) reload(ctx context.Context, address string) error {
	t := w.t
	t.s.Revive()
	w.moved, w.frame = true, frames.Want{}
	w.until = time.Now().Add(w.s.opts.docTimeout())
	var commits int
	t.look(func(st *tabState) {
		commits, w.seq = st.commits, st.seq
		if address == "" && st.posted { // what answers a form is asked for anew, and not sent again
			address = st.url
		}
	})
	limit, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	var err error
	if address == "" {
		_, err = cdp.Call(limit, t.s, page.Reload, page.ReloadParams{})
	} else {
		_, err = cdp.Call(limit, t.s, page.Navigate, page.NavigateParams{URL: address})
	}
	if err != nil {
		return fmt.Errorf("reloading a crashed tab: %w", err)
	}
	t.update(func(st *tabState) { st.crashed = false })
	t.until(limit, func(st *tabState) bool { return st.commits > commits || st.dialog != nil })
	t.startScreencast()
	return nil
}

// unhang climbs the ladder until the page answers: end the script; end the process and reload;
// end it again and show a blank page. When nothing helps the browser is ended. It says how far
// it went. (A navigation does not come before the end of the process: a hung page holds it up,
// and it holds up Page.crash.)
//
// No page hangs a blank one: on a busy machine that has all the time that is left. A browser that ended the
// process of a page is sound, and other sessions use it: it is not ended for that page. Where the browser is
// ended although it answers itself, the page is to blame, unless its process is stopped: a page busies its
// process, but only the machine stops it.
func (w *settling) unhang(ctx context.Context) (string, error) {
	t := w.t
	w.moved, w.frame = true, frames.Want{}
	all, stop := context.WithTimeout(ctx, ladder)
	defer stop()
	var sound atomic.Bool // the browser itself answers
	go func() {
		_, err := cdp.Call(all, w.s.b.root, cdpbrowser.GetVersion, cdp.Empty{})
		sound.Store(err == nil)
	}()
	for _, c := range t.sessions() {
		_ = c.Post(runtime.TerminateExecution.Method, cdp.Empty{}, nil)
	}
	if t.answers(all, rung) {
		return "its script was ended", nil
	}
	first := w.end(all)
	if first && w.reload(all, "") == nil && t.answers(all, rung) {
		return "its process was ended and it was reloaded", nil
	}
	second := w.end(all)
	if second && w.reload(all, "about:blank") == nil && t.answers(all, ladder) {
		return "its process was ended and it was left for a blank page", nil
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case first || second:
		return "its process was ended", errors.New("the process of the page was ended, and no other answers")
	case w.s.b.remote:
		return "", errors.New("the page did not answer, and a remote browser is not ours to end")
	}
	if sound.Load() && !w.s.b.stopped() {
		w.s.blame(faultHung, "the page did not answer, and its process could not be ended")
	}
	w.s.b.proc.Kill()
	return "the browser was ended", fmt.Errorf("%w: a page hung it", wire.ErrGone)
}

// end ends the page's process. It is false when that cannot be done.
func (w *settling) end(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, rung)
	defer cancel()
	_ = w.t.s.Post(page.Crash.Method, cdp.Empty{}, nil)
	gone := w.t.until(ctx, func(st *tabState) bool { return st.crashed })
	// It is no crash of the page's own.
	w.t.update(func(st *tabState) { st.breaks[st.url] = max(0, st.breaks[st.url]-1) })
	return gone
}

// answers says whether the page runs scripts within that time, and still does a moment later.
func (t *tab) answers(ctx context.Context, within time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	ask := func() error {
		_, err := cdp.Call(ctx, t.s, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
		return err
	}
	if ask() != nil {
		return false
	}
	moment, stop := context.WithTimeout(ctx, relapse)
	defer stop()
	t.until(moment, func(st *tabState) bool { return st.crashed || st.dialog != nil })
	return ask() == nil
}
