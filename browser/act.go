package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto"

	"github.com/cua-runner/cua-runner/cua"
)

// inputTimeout bounds the dispatch of one action: the page acknowledges input when its
// handlers are done, so more than this is a hung page.
const inputTimeout = 4 * time.Second

func failing(kind cua.FailureKind, format string, args ...any) error {
	return &cua.Failure{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// Act does a, waits until what it set off is over, and observes. A fault of the page is the outcome's
// failure; an error means that the call was misused, or that ctx or the session ended. After a failure that
// ends the episode the session is of no more use until it is reset.
func (s *Session) Act(ctx context.Context, a cua.Action) (cua.Outcome, error) {
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return cua.Outcome{}, err
	}
	defer leave()
	if err := a.Validate(s.view); err != nil {
		return cua.Outcome{}, fmt.Errorf("browser: doing an action: %w", err)
	}
	if a.Kind.Ends() || a.Kind == cua.Rewind {
		return cua.Outcome{}, fmt.Errorf("browser: doing an action: %s is not for the page", a.Kind)
	}
	s.takeLog()
	out := s.do(ctx, a)
	out.Log = append(s.takeLog(), out.Log...)
	if err := ctx.Err(); err != nil {
		if s.ctx.Err() != nil {
			err = errClosed
		}
		return out, fmt.Errorf("browser: %s: %w", a.Kind, err)
	}
	if f := out.Failure; f != nil && f.Kind == cua.FailEnv && s.Left() != nil {
		// The page lives on in the remote browser. The effect of the action there is not known, so it is no
		// step.
		return out, fmt.Errorf("browser: %s: %w", a.Kind, f)
	}
	return out, nil
}

// do is Act without its guards.
func (s *Session) do(ctx context.Context, a cua.Action) cua.Outcome {
	s.used, s.asIs = true, false
	var out cua.Outcome
	if f := s.guilt(); f != nil {
		return s.faulted(nil, out, f)
	}
	t, err := s.ground(ctx, a)
	switch {
	case t == nil:
		return s.groundless(out, err)
	case err != nil:
		return s.mend(ctx, s.watch(t), out, err)
	}
	s.resumeScreencast(t)
	defer s.suspendScreencast()
	w := s.watch(t)
	t.begin()
	began := time.Now()
	out.Text, err = s.dispatch(ctx, w, a)
	out.DispatchMS = ms(time.Since(began))
	w.sender, w.sent = t, t.input.releases()
	if err != nil && !errors.As(err, &out.Failure) {
		return s.mend(ctx, w, out, err)
	}
	return s.conclude(ctx, w, a.Point, out)
}

// groundless is the outcome when there is no tab to act on.
func (s *Session) groundless(out cua.Outcome, err error) cua.Outcome {
	if f := s.guilt(); f != nil {
		return s.faulted(nil, out, f)
	}
	return s.broken(nil, out, err)
}

// conclude settles and observes after the dispatch.
func (s *Session) conclude(ctx context.Context, w *settling, acted *cua.Point, out cua.Outcome) cua.Outcome {
	w.acted = acted
	began := time.Now()
	err := w.settle(ctx, s.opts.settleLimit())
	out.SettleMS = ms(time.Since(began))
	if err == nil {
		err = w.landed(ctx)
	}
	if err == nil {
		began = time.Now()
		out.After, err = w.observe(ctx, acted)
		out.ObserveMS = ms(time.Since(began))
	}
	out.Settle = w.report
	if err != nil {
		return s.mend(ctx, w, out, err)
	}
	if out.Failure == nil {
		out.Failure = w.siteFailure()
	}
	return out
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// begin forgets what belonged to the action before.
func (t *tab) begin() {
	t.input.begin()
	t.update(func(st *tabState) {
		st.denied, st.chooser, st.shown = nil, nil, 0
		clear(st.scripts)
	})
}

// siteFailure is why the site did not show what the action asked for; nil when it did, or when
// it asked for no document.
func (w *settling) siteFailure() (f *cua.Failure) {
	if f := w.t.denial(); f != nil {
		return f
	}
	w.t.look(func(st *tabState) {
		switch {
		case st.commits == w.commits && !w.moved:
		case st.navError != "":
			f = &cua.Failure{Kind: cua.FailNav, Detail: st.navError + " at " + cua.ClipBytes(st.url, 200)}
		case st.unauthorized:
			f = &cua.Failure{Kind: cua.FailNav,
				Detail: "the site asks for HTTP authentication (status 401) at " + cua.ClipBytes(st.url, 200)}
		}
	})
	return f
}

// ground finds the tab to act on; nil is none. A dialog that the brain does not answer is dismissed. The
// error beside a tab is one to be mended.
func (s *Session) ground(ctx context.Context, a cua.Action) (*tab, error) {
	s.mu.Lock()
	t := s.active
	gone := true
	for _, x := range s.tabs {
		gone = gone && x != t
	}
	if gone && len(s.tabs) > 0 {
		t = s.tabs[len(s.tabs)-1]
	}
	empty := len(s.tabs) == 0
	s.mu.Unlock()
	switch {
	case t == nil:
		return nil, errors.New("the session has no page; reset it first")
	case empty:
		s.note("the last tab was closed; a blank one was opened")
		return s.newTab(ctx)
	case gone:
		limit, cancel := context.WithTimeout(ctx, setupTimeout)
		defer cancel()
		if err := s.activate(limit, t); err != nil {
			return t, err
		}
	}
	var open *cua.Dialog
	t.look(func(st *tabState) { open = st.dialog })
	if open != nil && a.Kind != cua.AnswerDlg && !a.Kind.ReadOnly() {
		s.note("the " + open.Type + " was dismissed")
		var closed *cdproto.Error // by the page itself, in the meantime
		if err := t.answer(ctx, false, ""); err != nil && !errors.As(err, &closed) {
			return t, err
		}
	}
	return t, nil
}
