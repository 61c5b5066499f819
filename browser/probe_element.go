package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// NotFoundError says that no element of that identity is on the page.
type NotFoundError struct{ ID string }

func (e *NotFoundError) Error() string {
	return "there is no element " + cua.ClipBytes(e.ID, 200) + " on the page now"
}

// OptionError says that a control cannot be given that option or value.
type OptionError struct {
	Label   string
	Reason  string   // why, as the page's script found
	Options []string // the labels that there are
}

func (e *OptionError) Error() string {
	s := fmt.Sprintf("%q cannot be chosen: %s", cua.ClipBytes(e.Label, 100), e.Reason)
	if len(e.Options) > 0 {
		s += "; there are " + cua.ClipBytes(strings.Join(e.Options, " | "), 600)
	}
	return s
}

// element is a control after something was done with it.
type element struct {
	Point cua.Point // middle of what shows of it, in the top viewport
	Box   cua.Box
	Field cua.Field
	// Origin is that of its document, as the document itself knows it.
	Origin string
	// Given is the name of the secret that it was given in this document, whatever it holds by now; "" is
	// none.
	Given string
	local string // path of the frame that answered for it
}

// into brings an element into view and, for op clear or value, does that too.
func (p *probe) into(ctx context.Context, id, op string) (element, error) {
	return p.element(ctx, elementArgs{ID: id, Op: op})
}

// hold gives an element the focus, unless it or something in it has it, and returns what has it then. It is a
// *cua.Failure when something covers the element, an open modal dialog does not hold it, or it does not take
// the focus.
func (p *probe) hold(ctx context.Context, id string) (element, error) {
	return p.element(ctx, elementArgs{ID: id, Op: "hold"})
}

// press is where a press on the element lands: at the point, or in the middle of what shows of the element.
// It is a *cua.Failure when the press would reach something else.
func (p *probe) press(ctx context.Context, id string, at *cua.Point) (element, error) {
	a := elementArgs{ID: id, Op: "press"}
	if at != nil {
		a.X, a.Y = &at.X, &at.Y
	}
	return p.element(ctx, a)
}

// set gives a control that takes no text at a caret (a date, a slider) its value.
func (p *probe) set(ctx context.Context, id, value string) (element, error) {
	return p.element(ctx, elementArgs{ID: id, Op: "set", Text: value})
}

// selectOption chooses an option by its visible label: in the element id, or at a point, or in
// the focused one.
func (p *probe) selectOption(ctx context.Context, id string, at *cua.Point, label string) error {
	a := elementArgs{ID: id, Op: "select", Text: label}
	if id == "" && at != nil {
		a.X, a.Y = &at.X, &at.Y
	}
	_, err := p.element(ctx, a)
	return err
}

// focused is the focused control as it is now, nil when nothing but the body has the focus.
func (p *probe) focused(ctx context.Context) (*cua.Field, error) {
	e, err := p.element(ctx, elementArgs{Op: "value"})
	var none *NotFoundError
	if errors.As(err, &none) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &e.Field, nil
}

// element asks the frame that holds the element: the top document first, then those that it
// points to or that the identity names.
func (p *probe) element(ctx context.Context, a elementArgs) (element, error) {
	all := p.open()
	if len(all) == 0 {
		return element{}, errNoContext
	}
	r, err := eval[elementRaw](ctx, all[0], exprElement(a))
	for depth := 0; err == nil && r.Ask != nil && depth < maxDepth; depth++ {
		if a.X != nil && a.ID == "" {
			a.X, a.Y = new(r.X), new(r.Y)
		}
		r, err = p.elementIn(ctx, all[1:], *r.Ask, a)
	}
	if err == nil && r.Missing && frameOf(a.ID) != "" {
		if a.Op == "hold" {
			if _, err := eval[any](ctx, all[0], exprEnter(frameOf(a.ID))); err != nil {
				return element{}, err
			}
		}
		r, err = p.elementIn(ctx, all[1:], frameOf(a.ID), a)
	}
	if err != nil {
		return element{}, err
	}
	if err := r.fault(a); err != nil {
		return element{}, err
	}
	off := p.offsets[r.local]
	e := element{Point: cua.Point{X: r.Point[0] + off.X, Y: r.Point[1] + off.Y},
		Box: shift(r.Box.box(), off.X, off.Y), Field: r.Field.field(p.in), Origin: r.Origin,
		Given: r.Field.Given, local: r.local}
	e.Field.Frame = r.Path
	e.Field.Box = e.Box
	if (a.Op == "hold" || a.Op == "press") && r.local != "" {
		return e, p.uncovered(ctx, all[0], e, a.ID)
	}
	return e, nil
}

// fault says why r is no element to act on as a asks.
func (r *elementRaw) fault(a elementArgs) error {
	switch {
	case r.Refused != "" && (a.Op == "hold" || a.Op == "press"):
		return failing(cua.FailNotInteractable, "%s: %s", cua.ClipBytes(a.ID, 200), r.Refused)
	case r.Refused != "":
		return &OptionError{Label: a.Text, Reason: r.Refused, Options: r.Options}
	case r.Missing || r.Point == nil:
		return &NotFoundError{ID: a.ID}
	}
	return nil
}

// uncovered asks the top document whether the place of e, which lies in a frame of another origin, shows that
// frame.
func (p *probe) uncovered(ctx context.Context, top *frameContext, e element, id string) error {
	r, err := eval[elementRaw](ctx, top, exprElement(elementArgs{X: &e.Point.X, Y: &e.Point.Y, Op: "value"}))
	if err != nil {
		return err
	}
	if r.Ask == nil || *r.Ask != e.local && !strings.HasPrefix(e.local, *r.Ask+"/") {
		return failing(cua.FailNotInteractable, "%s: covered by what lies over its frame",
			cua.ClipBytes(id, 200))
	}
	return nil
}

// elementIn asks cross-origin frames; the answer of the one at path, or of one above it that
// answers for it, counts.
func (p *probe) elementIn(ctx context.Context, frames []*frameContext, path string,
	a elementArgs) (elementRaw, error) {
	for _, c := range frames {
		p.mu.Lock()
		at, placed := c.path, c.placed
		p.mu.Unlock()
		if !placed || at != path && !strings.HasPrefix(path, at+"/") {
			continue
		}
		here := a
		if off := p.offsets[at]; a.ID != "" && a.X != nil { // the place is in the top viewport
			here.X, here.Y = new(*a.X-off.X), new(*a.Y-off.Y)
		}
		limit, cancel := context.WithTimeout(ctx, p.patience())
		r, err := eval[elementRaw](limit, c, exprElement(here))
		cancel()
		if err == nil && !r.Missing {
			r.local = at
			return r, nil
		}
	}
	return elementRaw{Missing: true}, nil
}
