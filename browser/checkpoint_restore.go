package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/cua-runner/cua-runner/cua"
)

// restoration is one return to a checkpoint.
type restoration struct {
	s     *Session
	want  *cua.PageState
	asked []string
	seal  sealer
	// failed are the facets that could not even be tried.
	failed map[string]bool
}

func (r *restoration) asks(facet string) bool { return slices.Contains(r.asked, facet) }

// lose notes why a facet is not restored.
func (r *restoration) lose(facet string, err error) {
	r.failed[facet] = true
	r.s.note(facet + " was not given back: " + cua.ClipBytes(err.Error(), 200))
}

// Restore returns to the page of a checkpoint and reads the named facets back from it: each one is in
// the outcome (restored, drifted, unsupported), and every other facet is kept. The page is reloaded by
// its address, with what was stored in place before its first script runs; then its controls get their values
// as a person would have given them, and it is scrolled. Nothing is sent twice: the address is only ever
// fetched. Without Checkpoint.Page the address is all that can be restored.
func (s *Session) Restore(ctx context.Context, c cua.Checkpoint, facets []string) (cua.Outcome, error) {
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return cua.Outcome{}, err
	}
	defer leave()
	s.takeLog()
	r := &restoration{s: s, asked: facets, seal: newSealer(s.opts.Secrets), failed: map[string]bool{}}
	if c.Page == nil {
		r.want = &cua.PageState{URL: r.seal.text(c.URL)}
	} else {
		s.digests.adopt(c.Page.DigestKey)
		r.want = r.known(*c.Page)
	}
	out := r.run(ctx)
	out.Facets = r.readBack(&out, c.Page != nil)
	out.Log = append(s.takeLog(), out.Log...)
	if err := ctx.Err(); err != nil {
		if s.ctx.Err() != nil {
			err = errClosed
		}
		return out, fmt.Errorf("browser: returning to a checkpoint: %w", err)
	}
	return out, nil
}

// run gives everything back and observes.
func (r *restoration) run(ctx context.Context) cua.Outcome {
	s := r.s
	s.used = true
	t, err := s.ground(ctx, cua.Action{Kind: cua.Navigate})
	switch {
	case t == nil:
		return s.groundless(cua.Outcome{}, err)
	case err != nil:
		return s.mend(ctx, s.watch(t), cua.Outcome{}, err)
	}
	s.resumeScreencast(t)
	defer s.suspendScreencast()
	w := s.watch(t)
	t.begin()
	var out cua.Outcome
	began := time.Now()
	if s.asIs {
		s.asIs = false
	} else {
		err = r.giveBack(ctx, w)
	}
	out.DispatchMS = ms(time.Since(began))
	if err != nil && !errors.As(err, &out.Failure) {
		return s.mend(ctx, w, out, err)
	}
	return s.conclude(ctx, w, nil, out)
}

// giveBack does it facet by facet. The error is that of the tabs or of the address; without those there is
// nothing to give the rest to.
func (r *restoration) giveBack(ctx context.Context, w *settling) error {
	to, err := r.seal.open(r.want.URL)
	if err != nil {
		return failing(cua.FailExec, "the address is not known any more: %v", err)
	}
	u, err := address(r.s.allowed(), to)
	if err != nil {
		return denied(err)
	}
	if err := r.tabs(ctx, w); err != nil {
		return err
	}
	if err := w.t.arm(cua.Action{Kind: cua.Navigate}); err != nil {
		return err
	}
	r.cookies(ctx)
	if err := r.open(ctx, w, u.String()); err != nil {
		return err
	}
	if err := w.settle(ctx, settleCap); err != nil {
		return err
	}
	r.stored(ctx, w)
	if r.asks(cua.FacetForm) {
		if err := r.form(ctx, w); err != nil {
			return err
		}
	}
	if !r.asks(cua.FacetScroll) {
		return nil
	}
	err = r.toFrames(ctx, w, "scroll", func(f cua.FrameState) (any, error) {
		return map[string]any{"path": f.Path, "x": f.X, "y": f.Y, "boxes": f.Boxes}, nil
	}, nil)
	if err != nil {
		r.lose(cua.FacetScroll, err)
	}
	return nil
}

// open reloads the page. A script that runs before any of the page's own puts back what its origin had
// stored.
func (r *restoration) open(ctx context.Context, w *settling, to string) error {
	if base, fragment, ok := strings.Cut(to, "#"); ok && fragment != "" {
		if here, _, _ := strings.Cut(w.t.url(), "#"); here == base { // it would only be scrolled to
			if err := w.visit(ctx, "about:blank"); err != nil {
				return err
			}
		}
	}
	if r.asks(cua.FacetStorage) && len(r.want.Frames) > 0 {
		script, err := r.storeScript(r.want.Frames[0].Origin)
		if err != nil {
			r.lose(cua.FacetStorage, err)
		}
		limit, cancel := context.WithTimeout(ctx, readTimeout) // a page that hangs does not answer
		added, err := cdp.Call(limit, w.t.s, page.AddScriptToEvaluateOnNewDocument,
			page.AddScriptToEvaluateOnNewDocumentParams{Source: script, WorldName: probeWorld})
		cancel()
		if err != nil {
			return err
		}
		defer func() {
			_ = w.t.s.Post(page.RemoveScriptToEvaluateOnNewDocument.Method,
				page.RemoveScriptToEvaluateOnNewDocumentParams(added), nil)
		}()
	}
	return w.visit(ctx, to)
}

// storeScript fills the storage of origin in the top document alone: frames of its origin share it.
func (r *restoration) storeScript(origin string) (string, error) {
	i := slices.IndexFunc(r.want.Stores, func(s cua.OriginStore) bool { return s.Origin == origin })
	if i < 0 {
		return "", nil
	}
	local, err1 := r.seal.openAll(r.want.Stores[i].Local)
	session, err2 := r.seal.openAll(r.want.Stores[i].Session)
	return fmt.Sprintf(`(function (origin, local, session) {
if (window !== top || location.origin !== origin) return;
const fill = (to, from) => { if (!from) return; to.clear(); for (const k of Object.keys(from)) to.setItem(k, from[k]); };
try { fill(localStorage, local); fill(sessionStorage, session); } catch { /* the page has none, and the reading back says so */ }
})(%s, %s, %s)`, literal(origin), literal(local), literal(session)), firstOf(err1, err2)
}

// stored fills what frames of other origins had stored.
func (r *restoration) stored(ctx context.Context, w *settling) {
	if !r.asks(cua.FacetStorage) || len(r.want.Frames) < 2 {
		return
	}
	top := r.want.Frames[0].Origin
	err := r.toFrames(ctx, w, "store", func(f cua.FrameState) (any, error) {
		i := slices.IndexFunc(r.want.Stores, func(s cua.OriginStore) bool {
			return s.Origin == f.Origin &&
				s.Origin != top
		})
		if i < 0 {
			return nil, nil
		}
		local, err1 := r.seal.openAll(r.want.Stores[i].Local)
		session, err2 := r.seal.openAll(r.want.Stores[i].Session)
		return map[string]any{"path": f.Path, "local": local, "session": session}, firstOf(err1, err2)
	}, nil)
	if err != nil {
		r.lose(cua.FacetStorage, err)
	}
}

// formPasses bounds how often the controls are filled: some come, or get their options, only after others
// were.
const formPasses = 5

// form gives all controls their values, until all are there or another pass changes nothing.
func (r *restoration) form(ctx context.Context, w *settling) error {
	before := -1
	for range formPasses {
		missing := 0
		err := r.toFrames(ctx, w, "putBack", func(f cua.FrameState) (any, error) {
			var list []cua.ControlState
			var lost error
			for _, c := range f.Controls {
				c, err := r.control(c)
				if err != nil {
					lost = err
				}
				list = append(list, c)
			}
			if len(list) == 0 {
				return nil, nil
			}
			return map[string]any{"path": f.Path, "controls": list}, lost
		}, &missing)
		if err != nil {
			r.lose(cua.FacetForm, err)
		}
		if err := w.settle(ctx, settleCap); err != nil {
			return err
		}
		if err != nil || missing == 0 || missing == before {
			return nil
		}
		before = missing
	}
	return nil
}

// control is c with its secrets in clear; one that is not known any more leaves it alone.
func (r *restoration) control(c cua.ControlState) (out cua.ControlState, lost error) {
	out = c
	opened := func(v string) string {
		v, err := r.seal.open(v)
		if err != nil {
			lost, out.Withheld = err, true
		}
		return v
	}
	out.Key, out.Alt, out.Value, out.Chosen = opened(c.Key), opened(c.Alt), opened(c.Value), nil
	if c.Mask != "" {
		out.Value = unmasked(c.Mask, out.Value)
	}
	for _, v := range c.Chosen {
		out.Chosen = append(out.Chosen, opened(v))
	}
	return out, lost
}

// known is p with each control marked as withheld that holds a secret which is not known any more.
func (r *restoration) known(p cua.PageState) *cua.PageState {
	p.Frames = slices.Clone(p.Frames)
	for i := range p.Frames {
		f := &p.Frames[i]
		f.Controls = slices.Clone(f.Controls)
		for j := range f.Controls {
			if opened, err := r.control(f.Controls[j]); err != nil && opened.Withheld {
				r.s.note("a field was not given back: " + err.Error())
				f.Controls[j].Withheld, f.Controls[j].Value, f.Controls[j].Chosen = true, "", nil
			}
		}
	}
	return &p
}

// tabs closes what was opened since, opens again what was closed, and goes to the tab of the checkpoint.
func (r *restoration) tabs(ctx context.Context, w *settling) error {
	if !r.asks(cua.FacetTabs) || len(r.want.Tabs) == 0 {
		return nil
	}
	s := r.s
	s.mu.Lock()
	open := slices.Clone(s.tabs)
	s.mu.Unlock()
	here := map[string]*tab{}
	for _, t := range open {
		here[string(t.id)] = t
	}
	var active *tab
	for i, x := range r.want.Tabs {
		t := here[x.ID]
		switch {
		case t != nil:
		case i+1 == r.want.Tab && !r.wants(w.t): // the one we are in takes its place
			t = w.t
		default:
			var err error
			if t, err = r.reopen(ctx, w, x, i+1 == r.want.Tab); err != nil {
				return err
			}
		}
		here[string(t.id)] = t
		if i+1 == r.want.Tab {
			active = t
		}
	}
	if active == nil {
		active = w.t
	}
	if active != w.t {
		w.turn(active)
		if err := s.activate(ctx, active); err != nil {
			return err
		}
	}
	r.closeOthers(ctx, open, active)
	w.turn(active)
	return nil
}

// wants says whether the checkpoint has t.
func (r *restoration) wants(t *tab) bool {
	return slices.ContainsFunc(r.want.Tabs, func(x cua.TabState) bool { return x.ID == string(t.id) })
}

// closeOthers closes those of open that the checkpoint does not have, but for the active one.
func (r *restoration) closeOthers(ctx context.Context, open []*tab, active *tab) {
	s := r.s
	for _, t := range open {
		if t == active || r.wants(t) {
			continue
		}
		limit, cancel := context.WithTimeout(ctx, commandTimeout)
		if _, err := cdp.Call(limit, s.b.root, target.CloseTarget,
			target.CloseTargetParams{TargetID: t.id}); err != nil {
			r.lose(cua.FacetTabs, err)
		} else {
			s.awaitTabs(limit, func() bool { _, at, _ := s.count(t); return at == 0 })
		}
		cancel()
	}
}

// reopen opens a tab that was closed. The active one gets its page later.
func (r *restoration) reopen(ctx context.Context, w *settling, x cua.TabState, active bool) (*tab, error) {
	t, err := r.s.newTab(ctx)
	if err != nil || active {
		return t, err
	}
	to, err := r.seal.open(x.URL)
	if err == nil && to != "" && to != "about:blank" {
		_, err = address(r.s.allowed(), to)
	}
	if err != nil {
		r.lose(cua.FacetTabs, err)
		return t, nil
	}
	w.turn(t)
	if to == "" || to == "about:blank" {
		return t, nil
	}
	if err := w.visit(ctx, to); err != nil {
		var failed *cua.Failure
		if !errors.As(err, &failed) {
			return t, err
		}
		r.lose(cua.FacetTabs, err)
	}
	return t, w.settle(ctx, settleCap)
}
