package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/egress"
)

// Reset starts an episode: cookies, storage and tabs of an earlier one are gone, the task's start
// page is shown. The error of a start page that cannot be shown is a *cua.Failure (nav_error,
// policy_denied, timeout; site_fault where the page itself is to blame; env_error when the browser is gone).
func (s *Session) Reset(ctx context.Context, task cua.Task) (cua.Observation, error) {
	return s.restart(ctx, task, nil)
}

// restart is Reset with what is to be done to the page between its load and the first look at it; nil is
// nothing.
func (s *Session) restart(ctx context.Context, task cua.Task, prepare func(context.Context,
	*tab) error) (cua.Observation, error) {
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return cua.Observation{}, err
	}
	defer leave()
	o, err := s.reset(ctx, task, prepare)
	switch {
	case err != nil && s.ctx.Err() != nil:
		err = errClosed
	case Lost(err):
		err = &cua.Failure{Kind: cua.FailEnv, Detail: err.Error()}
	}
	if err != nil {
		return o, fmt.Errorf("browser: starting at %q: %w", cua.ClipBytes(task.Page(), 200), err)
	}
	return o, nil
}

func (s *Session) reset(ctx context.Context, task cua.Task, prepare func(context.Context,
	*tab) error) (cua.Observation, error) {
	s.task = task
	if err := s.begin(ctx, task); err != nil {
		return cua.Observation{}, err
	}
	s.mu.Lock()
	t := s.active
	s.mu.Unlock()
	defer s.suspendScreencast()
	w := s.watch(t)
	if err := t.arm(cua.Action{Kind: cua.Navigate}); err != nil {
		return cua.Observation{}, err
	}
	s.takeLog()
	var err error
	if !s.asIs {
		err = w.visit(ctx, task.Page())
	}
	if err == nil && prepare != nil {
		if err = w.documents(ctx); err == nil {
			// Wait begins no action, so the requests of the script still count as those of the load.
			if err = t.arm(cua.Action{Kind: cua.Wait}); err == nil {
				err = prepare(ctx, t)
			}
		}
		if err != nil && !Lost(err) {
			return cua.Observation{}, err
		}
	}
	out := cua.Outcome{}
	if err != nil && !errors.As(err, &out.Failure) {
		out = s.mend(ctx, w, out, err)
	} else {
		out = s.conclude(ctx, w, nil, out)
	}
	if err := ctx.Err(); err != nil {
		return out.After, err
	}
	if badAnswers[out.After.NavError] {
		out.Failure = (&siteFault{faultAnswer, out.After.NavError + " at " + out.After.URL}).failure()
	}
	if out.Failure != nil && !s.shown(t, out) {
		return out.After, out.Failure
	}
	return out.After, nil
}

// shown says whether the start page can be worked with all the same: one that asks for a password, one that
// crashed or hung once and was brought back.
func (s *Session) shown(t *tab, out cua.Outcome) (ok bool) {
	if out.Failure.Kind.End() != "" {
		return false
	}
	mended := slices.Contains(out.Settle.Faults, "tab_crash") || slices.Contains(out.Settle.Faults, "hung")
	t.look(func(st *tabState) { ok = (mended || st.unauthorized) && st.navError == "" })
	return ok
}

// begin gives the episode a fresh context and its allow-list.
func (s *Session) begin(ctx context.Context, task cua.Task) error {
	if s.used {
		s.asIs = false
		limit, cancel := context.WithTimeout(ctx, s.b.slack(commandTimeout))
		err := s.dispose(limit)
		cancel()
		if err := s.b.unanswered(ctx, err); err != nil {
			return err
		}
		if err := s.open(ctx); err != nil {
			return err
		}
	}
	s.used, s.last = true, cua.Observation{}
	for _, entry := range task.Allow {
		if _, err := egress.ParseEntry(entry); err != nil {
			return failing(cua.FailPolicy, "%v", err)
		}
	}
	policy := s.policy(task)
	if _, err := address(policy.Allow, task.Page()); err != nil {
		return denied(err)
	}
	s.mu.Lock()
	s.allow, s.auth = policy.Allow, task
	t := s.active
	if s.proxy != nil { // a remote browser has none
		s.proxy.Permit(policy)
	}
	s.mu.Unlock()
	t.probe.readEndpoints(task.ReadEndpoints)
	return nil
}

// Locate asks the page what a is aimed at and what changed since the last observation. The page
// is not touched. The error of a place that is not there is a *cua.Failure.
func (s *Session) Locate(ctx context.Context, a cua.Action) (cua.Target, error) {
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return cua.Target{}, err
	}
	defer leave()
	t, err := s.here()
	if err != nil {
		return cua.Target{}, fmt.Errorf("browser: locating: %w", err)
	}
	got, err := s.locate(ctx, t, a)
	if err != nil {
		return got, fmt.Errorf("browser: locating: %w", err)
	}
	return got, nil
}

// here is the active tab.
func (s *Session) here() (*tab, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == nil {
		return nil, errors.New("the session has no page; reset it first")
	}
	return s.active, nil
}

func (s *Session) locate(ctx context.Context, t *tab, a cua.Action) (cua.Target, error) {
	var dialog *cua.Dialog
	t.look(func(st *tabState) { dialog = st.dialog })
	if dialog != nil {
		return s.unseen(t), nil
	}
	limit, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	read, done := t.interruptible(limit)
	defer done()
	var got cua.Target
	var busy bool
	var err error
	for range maxReads + 1 {
		moved := t.movement()
		got, busy, err = t.probe.locate(read, a)
		if !errors.Is(err, errNoContext) && !errors.Is(err, errNavigating) {
			break
		}
		w := &settling{s: s, t: t, until: time.Now().Add(s.opts.docTimeout())}
		if err = w.retry(limit, moved); err == nil {
			err = w.documents(limit)
		}
		if err != nil {
			break
		}
	}
	switch {
	case context.Cause(read) == errDialog:
		return s.unseen(t), nil
	case err != nil && ctx.Err() != nil:
		return got, ctx.Err()
	case errors.Is(err, wire.ErrCrashed), errors.Is(err, wire.ErrDetached),
		errors.Is(err, context.DeadlineExceeded), errors.Is(err, errNoContext),
		errors.Is(err, errNavigating), err != nil && s.guilt() != nil:
		// Act will find it again and deal with it; until then nothing is known.
		s.note("locate: " + err.Error())
		return s.unseen(t), nil
	case Lost(err):
		return got, &cua.Failure{Kind: cua.FailEnv, Detail: err.Error()}
	case err != nil:
		return got, dispatched(err)
	}
	if busy || got.Idle.Any() || len(s.outside(t)) > 0 {
		got.Idle.Shot = t.picture(read)
	}
	got.Idle.Changes = append(got.Idle.Changes, s.outside(t)...) // also what came while the picture was taken
	if page := got.Idle.Page; page != nil {
		page.Viewport = s.view
		page.Tabs, page.Tab, page.Downloads = s.count(t)
		t.look(func(st *tabState) { page.Alerts = st.alerts })
	}
	return got, nil
}

// picture is how the page looks now; nil where there is no frame.
func (t *tab) picture(ctx context.Context) *cua.Shot {
	shot, err := t.frames.Take(ctx, frames.Want{Why: frames.WhyAsked})
	if err == nil {
		t.frames.Deduplicate(&shot)
		secret, asked := t.uncovered(ctx)
		err = t.cover(&shot, secret, asked)
	}
	if err != nil {
		t.note("frame: " + err.Error())
		return nil
	}
	return &shot.Shot
}

// unseen is the target when the page cannot be asked.
func (s *Session) unseen(t *tab) cua.Target {
	return cua.Target{Idle: cua.Idle{Changes: s.outside(t)}}
}

// outside are the changes since the last observation that no page knows of.
func (s *Session) outside(t *tab) (out []cua.Change) {
	n, at, downloads := s.count(t)
	if n != s.last.Tabs || at != s.last.Tab {
		out = append(out, cua.ChangeTab)
	}
	if downloads != s.last.Downloads {
		out = append(out, cua.ChangeDownload)
	}
	t.look(func(st *tabState) {
		if (st.dialog == nil) != (s.last.Dialog == nil) || len(st.alerts) > 0 {
			out = append(out, cua.ChangeDialog)
		}
	})
	return out
}
