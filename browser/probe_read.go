package browser

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// readInput is what a reading is about.
type readInput struct {
	At      *cua.Point  // the action's point, for the scroll container
	Pointer *cua.Point  // where the mouse is, for what it hovers over
	Net     []cua.Write // writes that only network events know
	Docs    int         // documents that the action asked the site for and that were answered well
	Keep    int         // as in probeArgs
	Look    int         // as in probeArgs
	Paint   *paintArgs  // as in probeArgs
}

// args are for a document whose viewport begins at off; without it the document is asked about no
// place at all.
func (r readInput) args(off *cua.Point) probeArgs {
	a := probeArgs{Keep: r.Keep, Paint: r.Paint, Look: r.Look}
	if r.At != nil && off != nil {
		a.X, a.Y = new(r.At.X-off.X), new(r.At.Y-off.Y)
	}
	if r.Pointer != nil && off != nil {
		a.Pointer = &[2]float64{r.Pointer.X - off.X, r.Pointer.Y - off.Y}
	}
	return a
}

// read observes the page, unless a step has just done so. The observation is the baseline of the next
// locate's idle changes.
func (p *probe) read(ctx context.Context, r readInput) (cua.Observation, error) {
	all := p.ready
	p.ready = nil
	if all == nil {
		var err error
		r.Look = p.looks.next()
		ask := func(off *cua.Point) string { return exprProbe(r.args(off)) }
		if all, err = everywhere(ctx, p, 0, ask, func(q *probeRaw) bool { return q.Covered }); err != nil {
			return cua.Observation{}, err
		}
	}
	o, err := p.merge(all, unpolled(r.Net, p.polls, p.caused))
	if err != nil {
		return o, err
	}
	o.Answered += r.Docs
	p.last = o
	p.looks.keep(all)
	p.watchPolls(all)
	p.kept = keptBy(all)
	return o, nil
}

// changes are what has happened to the page since the last read. A frame that was taken meanwhile may show
// it.
type changes struct {
	// boxes are the places of what moved by itself, secret those where the page shows what is secret now.
	boxes, secret []cua.Box
	late          bool // something else has changed the page
}

// stirred asks what has moved since the last read; answer waits.
func (p *probe) stirred(ctx context.Context) (answer func() (changes, error)) {
	ask := same(exprStirred(p.prints()))
	came := beginEverywhere(ctx, p, 0, ask, func(s *stirred) bool { return s.Covered })
	return func() (m changes, err error) {
		all, err := came()
		if err != nil {
			return changes{}, err
		}
		for _, s := range all {
			m.late = m.late || s.Late
			for _, d := range s.Secret {
				m.secret = append(m.secret, p.paint.places(d.Path, d.Boxes, p.offsets[d.Path])...)
			}
			off := p.offsets[s.Path]
			for _, b := range s.Boxes {
				if b.finite() && len(m.boxes) < maxStirred {
					m.boxes = append(m.boxes, shift(b.box(), off.X, off.Y))
				}
			}
		}
		return m, nil
	}
}

// maxStirred caps the places that one observation holds.
const maxStirred = 100

// watchPolls keeps where the page writes to by itself: when an action leaves the document, only
// the network's record of it is left, which does not know causes.
func (p *probe) watchPolls(all []probeRaw) {
	p.polls = nil
	for i := range all {
		for _, q := range all[i].flatten() {
			p.polls = append(p.polls, q.Polls...)
		}
	}
}

// unpolled are the writes of net without those that the page made by itself: to where it polls,
// and not among what the action is known to have caused.
func unpolled(net, polls, caused []cua.Write) []cua.Write {
	same := func(w cua.Write) func(cua.Write) bool {
		return func(v cua.Write) bool { return v.Method == w.Method && v.URL == w.URL }
	}
	var out []cua.Write
	left := slices.Clone(caused)
	for _, w := range net {
		if i := slices.IndexFunc(left, same(w)); i >= 0 {
			left = slices.Delete(left, i, i+1)
		} else if slices.ContainsFunc(polls, same(w)) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// merge joins answers.
func (p *probe) merge(all []probeRaw, net []cua.Write) (cua.Observation, error) {
	if err := p.placeFrames(all); err != nil {
		return cua.Observation{}, err
	}
	in := p.in
	in.NetWrites = net
	return mergeProbes(all, in)
}

// placeFrames keeps where the frames are, and what is secret in them.
func (p *probe) placeFrames(all []probeRaw) error {
	frames, err := place(all, p.in.Viewport)
	if err != nil {
		return err
	}
	p.paint.hide(frames)
	clear(p.offsets)
	clear(p.dialogs)
	for path, f := range frames {
		p.offsets[path] = cua.Point{X: f.dx, Y: f.dy}
		p.dialogs[path] = f.dialog
	}
	return nil
}

// locate asks what a is aimed at, and what changed since the last read. busy says that
// something mutated or is animated, so that a frame is needed to know about pixels.
func (p *probe) locate(ctx context.Context, a cua.Action) (t cua.Target, busy bool, err error) {
	args := locateArgs{ID: a.Into, Probe: probeArgs{Paint: p.prints(), Since: p.looks.last}}
	if a.Point != nil {
		args.X, args.Y, args.ID = &a.Point.X, &a.Point.Y, ""
	} else if a.Mark > 0 {
		m, ok := markTarget(p.last, a.Mark)
		if !ok {
			return t, false, &NotFoundError{ID: fmt.Sprintf("mark %d", a.Mark)}
		}
		args.ID = m.ID
	}
	all, still, err := p.askLocate(ctx, args)
	if err != nil {
		return t, false, err
	}
	probes := make([]probeRaw, len(all))
	for i := range all {
		probes[i] = all[i].Probe
		busy = busy || all[i].busy()
	}
	p.watchPolls(probes)
	now := p.last
	if still {
		err = p.placeFrames(probes)
	} else {
		now, err = p.merge(probes, nil)
	}
	if err != nil {
		return t, false, err
	}
	busy = busy || !slices.Equal(now.Pickers, p.last.Pickers) // a list that closed by itself
	if path, x, y, ok := all[0].frameAt(); ok {
		all = p.askFrame(ctx, all, path, x, y, args)
	}
	t = p.target(args, all)
	if !still {
		t.Idle = idleBetween(p.last, now, probes)
	}
	if p.last.URL != "" && (busy || t.Idle.Any() || now.Scroll != p.last.Scroll) {
		now.Hover = p.last.Hover // Locate does not say where the pointer is
		t.Idle.Page = &now
	}
	if args.ID != "" && t.ID == "" {
		return t, busy, &NotFoundError{ID: args.ID}
	}
	return t, busy, nil
}

// askLocate asks all documents. still says that the page is as it was at the last look: none of the answers
// says what its document shows.
func (p *probe) askLocate(ctx context.Context, args locateArgs) (all []located, still bool, err error) {
	ask := func(off *cua.Point) string {
		l := args
		if args.X != nil && off != nil {
			l.Probe.X, l.Probe.Y = new(*args.X-off.X), new(*args.Y-off.Y)
		}
		return exprLocate(l)
	}
	all, err = everywhere(ctx, p, 0, ask, func(l *located) bool { return l.Covered })
	if err != nil {
		return nil, false, err
	}
	some, still := p.looks.unchanged(all)
	if still || !some {
		return all, still, nil
	}
	args.Probe.Since = 0 // one has changed: all are to say what they show now
	all, err = everywhere(ctx, p, 0, ask, func(l *located) bool { return l.Covered })
	return all, false, err
}

// looks are the looks at a page that documents were asked for, by number.
type looks struct {
	asked int             // number of the newest one
	last  int             // number of the last one that was read; 0 is none, or one of a page that moves
	docs  map[string]bool // the documents that answered to that one
}

// next is the number of a look that is about to be asked for.
func (l *looks) next() int {
	l.asked++
	return l.asked
}

// keep notes that the answers to the newest look were read.
func (l *looks) keep(all []probeRaw) {
	l.last, l.docs = l.asked, map[string]bool{}
	for i := range all {
		for _, q := range all[i].flatten() {
			l.docs[q.Doc] = true
			if q.Busy {
				l.last = 0
			}
		}
	}
}

// unchanged says whether some of the documents that have answered are the same as at the last look, and
// whether all of that look are.
func (l *looks) unchanged(now []located) (some, all bool) {
	n, of := 0, 0
	for i := range now {
		for _, q := range now[i].Probe.flatten() {
			some = some || q.Same
			if of++; q.Same && l.docs[q.Doc] {
				n++
			}
		}
	}
	return some, n == of && n == len(l.docs)
}

// askFrame asks the cross-origin frame at path about the point in its own coordinates.
func (p *probe) askFrame(ctx context.Context, all []located, path string, x, y float64,
	args locateArgs) []located {
	args.X, args.Y = &x, &y
	args.Probe.X, args.Probe.Y = nil, nil
	more, err := everywhere(ctx, p, 0, same(exprLocate(args)), func(l *located) bool { return l.Covered })
	if err != nil {
		return all
	}
	for _, l := range more {
		if l.Probe.Path == path {
			if deeper, x, y, ok := l.frameAt(); ok && strings.HasPrefix(deeper, path+"/") &&
				strings.Count(deeper, "/") < maxDepth {
				return p.askFrame(ctx, all, deeper, x, y, args)
			}
			l.Target.Frame = path
			return append([]located{l}, all...)
		}
	}
	return all
}

// target is the first answer that found something, in coordinates of the top viewport. Without an
// element it is the place itself.
func (p *probe) target(args locateArgs, all []located) cua.Target {
	var t cua.Target
	for _, l := range all {
		r := l.Target
		if r.Missing || r.ID == "" && r.Tag == "" && r.Point == nil {
			continue
		}
		t = r.target(p.offsets[l.Probe.Path])
		t.Dialog = cmp.Or(t.Dialog, p.dialogs[t.Frame])
		break
	}
	if args.X != nil {
		t.Point = &cua.Point{X: *args.X, Y: *args.Y}
		if t.ID == "" {
			t.ID = fmt.Sprintf("@%d,%d", int(*args.X)/8, int(*args.Y)/8)
		}
	}
	return t
}

// markTarget is the n-th mark of o.
func markTarget(o cua.Observation, n int) (cua.Mark, bool) {
	for _, m := range o.Marks {
		if m.N == n {
			return m, true
		}
	}
	return cua.Mark{}, false
}

// text is what can be read on the page, the top document first, at most max bytes.
func (p *probe) text(ctx context.Context, max int) (string, error) {
	all, err := everywhere(ctx, p, 0, same(exprText(max)), func(t *textRaw) bool { return t.Covered })
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, t := range all {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t.Text)
	}
	return cua.ClipBytes(b.String(), max), nil
}
