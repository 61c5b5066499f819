package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"

	"github.com/cua-runner/cua-runner/cua"
)

// errUnnamed is in the chain when a document does not know yet where it lies among the frames: its
// parent is of another origin, so it has to be told.
var errUnnamed = errors.New("a frame that was not told its place")

// tell finds out, from the document that holds c, where c lies, and tells it. It does so once a
// document; depth bounds the documents above.
func (p *probe) tell(ctx context.Context, c *frameContext, depth int) error {
	path, err := p.placeOf(ctx, c, depth)
	if err != nil {
		return fmt.Errorf("browser: placing a frame: %w", err)
	}
	_, err = eval[any](ctx, c, exprCalled(path))
	return err
}

// placeOf is the path of the document of c, known or asked of its parent: only the parent's own
// process knows which element shows it.
func (p *probe) placeOf(ctx context.Context, c *frameContext, depth int) (string, error) {
	p.mu.Lock()
	path, known := c.path, c.placed
	i := slices.IndexFunc(p.contexts, func(o *frameContext) bool { return o.frame == p.parents[c.frame] })
	var parent *frameContext
	if i >= 0 {
		parent = p.contexts[i]
	}
	p.mu.Unlock()
	switch {
	case known:
		return path, nil
	case parent == nil || depth == 0:
		return "", errNoContext
	}
	path, err := pathIn(ctx, parent, c.frame)
	if errors.Is(err, errUnnamed) {
		if err := p.tell(ctx, parent, depth-1); err != nil {
			return "", err
		}
		path, err = pathIn(ctx, parent, c.frame)
	}
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	c.path, c.placed = path, true
	p.mu.Unlock()
	return path, nil
}

// pathIn asks the document of parent for the path of the frame that it holds.
func pathIn(ctx context.Context, parent *frameContext, frame cdp.FrameID) (string, error) {
	owner, err := cdp.Call(ctx, parent.s, dom.GetFrameOwner, dom.GetFrameOwnerParams{FrameID: frame})
	if err != nil {
		return "", err
	}
	node, err := cdp.Call(ctx, parent.s, dom.ResolveNode,
		dom.ResolveNodeParams{BackendNodeID: owner.BackendNodeID, ExecutionContextID: parent.id})
	if err != nil {
		return "", err
	}
	if node.Object == nil {
		return "", errNoContext
	}
	r, err := cdp.Call(ctx, parent.s, runtime.CallFunctionOn,
		runtime.CallFunctionOnParams{ObjectID: node.Object.ObjectID,
			FunctionDeclaration: "function(){return __cua.pathOf(this)}", ReturnByValue: new(true)})
	if err != nil {
		return "", err
	}
	if err := thrown(r.ExceptionDetails); err != nil {
		return "", err
	}
	var path string
	if err := json.Unmarshal(r.Result.Value, &path); err != nil {
		return "", err
	}
	_, err = cdp.Call(ctx, parent.s, runtime.ReleaseObject,
		runtime.ReleaseObjectParams{ObjectID: node.Object.ObjectID})
	return path, err
}

// thrown is the error of a script that did not end well, nil when it did.
func thrown(d *runtime.ExceptionDetails) error {
	if d == nil {
		return nil
	}
	text := d.Text
	if x := d.Exception; x != nil {
		text = x.Description
	}
	switch {
	case strings.Contains(text, "__cua unnamed"):
		return errUnnamed
	case strings.Contains(text, "__cua is not defined"):
		return fmt.Errorf("%w (its script has not run)", errNoContext)
	}
	return fmt.Errorf("browser: reading the page: %s", cua.ClipBytes(text, 300))
}

// everywhere evaluates expr in all documents at once. The top one's error is the error; a frame
// that fails or hangs is left out. wait is how long the expression itself may take; expr makes it for
// a document whose viewport begins at off in the top one.
func everywhere[T any](ctx context.Context, p *probe, wait time.Duration, expr func(off *cua.Point) string,
	covered func(*T) bool) ([]T, error) {
	return beginEverywhere(ctx, p, wait, expr, covered)()
}

// beginEverywhere is everywhere in two steps. The function that it returns waits for the answers, and is to
// be called once.
func beginEverywhere[T any](ctx context.Context, p *probe, wait time.Duration,
	expr func(off *cua.Point) string, covered func(*T) bool) (answers func() ([]T, error)) {
	all := p.open()
	if len(all) == 0 {
		return func() ([]T, error) { return nil, errNoContext }
	}
	type answer struct {
		v  T
		ok bool
	}
	rest := make([]answer, len(all)-1)
	var wg sync.WaitGroup
	for i, c := range all[1:] {
		wg.Go(func() {
			limit, cancel := context.WithTimeout(ctx, p.limitOf(c, wait))
			defer cancel()
			v, err := eval[T](limit, c, expr(p.origin(c)))
			if errors.Is(err, errUnnamed) && p.tell(limit, c, maxDepth) == nil {
				v, err = eval[T](limit, c, expr(p.origin(c)))
			}
			rest[i] = answer{v, err == nil}
			p.mu.Lock()
			c.silent = limit.Err() != nil && ctx.Err() == nil
			p.mu.Unlock()
		})
	}
	first := beginEval[T](ctx, all[0], expr(&cua.Point{}))
	return func() ([]T, error) {
		top, err := first()
		if err != nil {
			return nil, err // the others end with ctx, or with their own limit
		}
		wg.Wait()
		out := []T{top}
		for i, a := range rest {
			switch {
			case !a.ok:
			case covered(&a.v):
				p.mu.Lock()
				all[i+1].covered = true
				p.mu.Unlock()
			default:
				out = append(out, a.v)
			}
		}
		return out, nil
	}
}

// limitOf is how long frame c may take over something that itself may take wait. A frame that hung the last
// time is waited for shortly: each step asks several times.
func (p *probe) limitOf(c *frameContext, wait time.Duration) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.silent {
		return silentLimit
	}
	return wait + p.patience()
}

// same is an expression that asks nothing about a place.
func same(expr string) func(*cua.Point) string { return func(*cua.Point) string { return expr } }

// origin is where the viewport of c was in the top one at the last read; nil is unknown.
func (p *probe) origin(c *frameContext) *cua.Point {
	p.mu.Lock()
	defer p.mu.Unlock()
	if off, ok := p.offsets[c.path]; ok && c.placed {
		return &off
	}
	return nil
}
