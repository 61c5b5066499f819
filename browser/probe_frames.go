package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

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
