package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"github.com/cua-runner/cua-runner/cua"
)

const (
	// rung bounds each step of the ladder for a hung page; all of them and the wait that found
	// it out take less than 10 s (spec: browser, faults).
	rung = 1200 * time.Millisecond
	// maxCrashes is how often one URL may crash before the episode ends.
	maxCrashes = 2
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
	switch {
	case errors.Is(err, errGone):
		return s.broken(w, out, err)
	case errors.Is(err, errDetached):
		// The tab closed in the middle: what is left is the page now.
		limit, cancel := context.WithTimeout(ctx, rung)
		s.awaitTabs(limit, func() bool { _, at, _ := s.count(w.t); return at == 0 })
		cancel()
	case errors.Is(err, errCrashed):
		out.Failure = &cua.Failure{Kind: cua.FailExec, Detail: "the tab crashed and was reloaded"}
		w.fault("tab_crash")
		if err := w.revive(ctx); err != nil {
			return s.broken(w, out, err)
		}
	case errors.Is(err, context.DeadlineExceeded):
		out.Failure = &cua.Failure{Kind: cua.FailTimeout,
			Detail: "the page did not answer and was interrupted"}
		w.fault("hung")
		how, err := w.unhang(ctx)
		s.note("hung page: " + how)
		if err != nil {
			return s.broken(w, out, err)
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
	if err != nil && ctx.Err() == nil {
		return s.broken(w, out, err)
	}
	return out
}

// broken is the outcome when the environment is of no more use.
func (s *Session) broken(w *settling, out cua.Outcome, err error) cua.Outcome {
	out.Failure = &cua.Failure{Kind: cua.FailEnv, Detail: cua.ClipBytes(err.Error(), 300)}
	out.After = s.last
	out.After.Shot = nil
	if w != nil {
		out.Settle = w.report
	}
	return out
}

func (w *settling) fault(name string) { w.report.Faults = append(w.report.Faults, name) }

// revive reloads a crashed tab, unless its URL has crashed before.
func (w *settling) revive(ctx context.Context) error {
	var crashes int
	var url string
	w.t.look(func(st *tabState) { url = st.url; crashes = st.crashes[url] })
	if crashes >= maxCrashes {
		return fmt.Errorf("%w %d times at %s", errCrashed, crashes, cua.ClipBytes(url, 200))
	}
	return w.reload(ctx, "")
}

// reload brings a crashed tab back, with its page or with another address.
func (w *settling) reload(ctx context.Context, address string) error {
	t := w.t
	t.s.revive()
	w.moved, w.frame = true, want{}
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
	t.show(ctx)
	return nil
}

// unhang climbs the ladder until the page answers: end the script; end the process and reload;
// end it again and show a blank page. When nothing helps the browser is ended. It says how far
// it went. (A navigation does not come before the end of the process: a hung page holds it up,
// and it holds up Page.crash.)
func (w *settling) unhang(ctx context.Context) (string, error) {
	t := w.t
	w.moved, w.frame = true, want{}
	for _, c := range t.sessions() {
		_ = c.post(runtime.TerminateExecution.Method, cdp.Empty{}, nil)
	}
	if t.answers(ctx) {
		return "its script was ended", nil
	}
	if w.end(ctx) && w.reload(ctx, "") == nil && t.answers(ctx) {
		return "its process was ended and it was reloaded", nil
	}
	if w.end(ctx) && w.reload(ctx, "about:blank") == nil && t.answers(ctx) {
		return "its process was ended and it was left for a blank page", nil
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	w.s.b.proc.kill()
	return "the browser was ended", fmt.Errorf("%w: a page hung it", errGone)
}

// end ends the page's process. It is false when that cannot be done.
func (w *settling) end(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, rung)
	defer cancel()
	_ = w.t.s.post(page.Crash.Method, cdp.Empty{}, nil)
	gone := w.t.until(ctx, func(st *tabState) bool { return st.crashed })
	// It is no crash of the page's own.
	w.t.update(func(st *tabState) { st.crashes[st.url] = max(0, st.crashes[st.url]-1) })
	return gone
}

// answers says whether the page runs scripts, and still does a moment later.
func (t *tab) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, rung)
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
