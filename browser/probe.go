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
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/browser/internal/frames"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// errNoContext is in the chain of an error when the document to be read is not there, or went
// away in the middle: a navigation is under way. The read may be repeated.
var errNoContext = errors.New("no document to read")

// errNavigating is in the chain when the page announced that it is being left.
var errNavigating = fmt.Errorf("a new document is coming: %w", errNoContext)

// frameLimit is how much longer than asked a frame below the top one may take.
const frameLimit = 700 * time.Millisecond

// silentLimit is how long one may take that did not answer in time the last time.
const silentLimit = 250 * time.Millisecond

// maxFrameLimit is what it is at most where more patience was asked for: less than one look may take.
const maxFrameLimit = 3 * time.Second

// probeOptions are what a probe needs to know of its episode.
type probeOptions struct {
	Viewport      cua.Size
	Secrets       map[string]string // values by name
	ReadEndpoints []string
	SettleCap     time.Duration
	Key           *digestKey // nil is that of the process
}

// probe reads one tab: it installs the scripts in each of its frames, keeps their execution
// contexts, asks all frames at once and joins the answers. One caller at a time, beside events.
type probe struct {
	key   string
	main  string
	world string
	in    mergeInput

	settleCap time.Duration

	mu       sync.Mutex
	page     wire.Caller // session of the tab itself
	stops    map[wire.Caller]func()
	contexts []*frameContext
	parents  map[cdp.FrameID]cdp.FrameID // of frames that are no top frame
	last     cua.Observation             // baseline of idle changes
	looks    looks                       // that last is of
	offsets  map[string]cua.Point        // of frames in the top viewport, by path
	dialogs  map[string]string           // that hold frames, by the frame's path
	polls    []cua.Write                 // where the document of the last read writes to by itself
	caused   []cua.Write                 // what the action wrote before its document was left
	ready    []probeRaw                  // what a step has read already; nil is nothing
	armed    string                      // the topmost document when the action began
	paint    painting
	kept     []keptFrame // what the documents of the last read must be given back
}

// frameContext is the isolated world of one document.
type frameContext struct {
	s       wire.Caller
	id      runtime.ExecutionContextID
	unique  string
	frame   cdp.FrameID
	covered bool // its parent answers for it
	path    string
	placed  bool // path is known: its parent is of another origin and was asked
	silent  bool // it did not answer in time when it was last asked
}

func newProbe(o probeOptions) *probe {
	p := &probe{key: newProbeKey(), settleCap: o.SettleCap, in: mergeInput{Viewport: o.Viewport,
		Secrets: o.Secrets, Spelled: redact.New(o.Secrets), ReadEndpoints: o.ReadEndpoints,
		Key: o.Key},
		stops:   map[wire.Caller]func(){},
		parents: map[cdp.FrameID]cdp.FrameID{}, offsets: map[string]cua.Point{}, dialogs: map[string]string{}}
	p.main, p.world = probeScripts(p.key, o.SettleCap, o.Viewport)
	return p
}

// patience is how long a frame may take: more than frameLimit where actions are waited for longer.
func (p *probe) patience() time.Duration { return max(frameLimit, min(p.settleCap/2, maxFrameLimit)) }

// readEndpoints sets the paths whose requests are no writes.
func (p *probe) readEndpoints(paths []string) { p.in.ReadEndpoints = paths }

// listen follows the documents of a session; the tab's own comes first.
func (p *probe) listen(s wire.Caller) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.page == nil {
		p.page = s
	}
	p.stops[s] = s.Listen(func(method string, params jsonv2.Value) { p.event(s, method, params) })
}

// attach installs the scripts on a session before its target runs. Its commands may be answered later.
func (p *probe) attach(ctx context.Context, s wire.Caller) error {
	for _, script := range []page.AddScriptToEvaluateOnNewDocumentParams{
		{Source: p.main, RunImmediately: new(true)},
		{Source: p.world, WorldName: probeWorld, RunImmediately: new(true)},
	} {
		if _, err := cdp.Call(ctx, s, page.AddScriptToEvaluateOnNewDocument, script); err != nil {
			return fmt.Errorf("browser: installing the probe: %w", err)
		}
	}
	return nil
}

// detach forgets a session and its documents.
func (p *probe) detach(s wire.Caller) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if stop := p.stops[s]; stop != nil {
		stop()
	}
	delete(p.stops, s)
	p.contexts = slices.DeleteFunc(p.contexts, func(c *frameContext) bool { return c.s == s })
}

// event keeps the list of documents. It runs on the connection's reader.
func (p *probe) event(s wire.Caller, method string, params jsonv2.Value) {
	switch method {
	case "Runtime.executionContextCreated":
		var e struct {
			Context struct {
				ID       runtime.ExecutionContextID `json:"id"`
				Name     string                     `json:"name"`
				UniqueID string                     `json:"uniqueId"`
				AuxData  struct {
					FrameID cdp.FrameID `json:"frameId"`
				} `json:"auxData"`
			} `json:"context"`
		}
		if json.Unmarshal(params, &e) == nil && e.Context.Name == probeWorld {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.drop(func(c *frameContext) bool { return c.s == s && c.frame == e.Context.AuxData.FrameID })
			p.contexts = append(p.contexts, &frameContext{s: s, id: e.Context.ID, unique: e.Context.UniqueID,
				frame: e.Context.AuxData.FrameID})
		}
	case "Runtime.executionContextDestroyed":
		var e struct {
			ID     runtime.ExecutionContextID `json:"executionContextId"`
			Unique string                     `json:"executionContextUniqueId"`
		}
		if json.Unmarshal(params, &e) == nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.drop(func(c *frameContext) bool {
				return c.s == s && (c.unique == e.Unique || e.Unique == "" && c.id == e.ID)
			})
		}
	case "Runtime.executionContextsCleared", "Inspector.targetCrashed":
		p.mu.Lock()
		defer p.mu.Unlock()
		p.drop(func(c *frameContext) bool { return c.s == s })
	case "Page.frameAttached":
		var e struct {
			FrameID cdp.FrameID `json:"frameId"`
			Parent  cdp.FrameID `json:"parentFrameId"`
		}
		if json.Unmarshal(params, &e) == nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.parents[e.FrameID] = e.Parent
		}
	}
}

func (p *probe) drop(gone func(*frameContext) bool) { p.contexts = slices.DeleteFunc(p.contexts, gone) }

// open are the documents that answer for themselves, the top one first; nil without it.
func (p *probe) open() []*frameContext {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.contexts, func(c *frameContext) bool {
		return c.s == p.page && p.parents[c.frame] == ""
	})
	if i < 0 {
		return nil
	}
	out := []*frameContext{p.contexts[i]}
	for j, c := range p.contexts {
		if j != i && !c.covered {
			out = append(out, c)
		}
	}
	return out
}

// eval evaluates expr in one document and decodes its answer.
func eval[T any](ctx context.Context, c *frameContext, expr string) (T, error) {
	return beginEval[T](ctx, c, expr)()
}

// beginEval is eval in two steps. The function that it returns waits for the answer, and is to be called
// once.
func beginEval[T any](ctx context.Context, c *frameContext, expr string) (answer func() (T, error)) {
	var r runtime.EvaluateResult
	came := c.s.Begin(ctx, runtime.Evaluate.Method, runtime.EvaluateParams{Expression: expr,
		UniqueContextID: c.unique, ReturnByValue: new(true), AwaitPromise: new(true)}, &r)
	return func() (T, error) {
		var zero T
		err := came()
		switch {
		case err != nil && lostContext(err.Error()):
			return zero, fmt.Errorf("%w (%v)", errNoContext, err)
		case err != nil:
			return zero, err
		case r.ExceptionDetails != nil:
			return zero, thrown(r.ExceptionDetails)
		case r.Result == nil:
			return zero, errors.New("browser: reading the page: no answer")
		}
		var text string
		if err := json.Unmarshal(r.Result.Value, &text); err != nil {
			return zero, fmt.Errorf("browser: reading the page: %w", err)
		}
		return decode[T](text)
	}
}

// lostContext says whether Chromium's message means that the document went away.
func lostContext(message string) bool {
	for _, s := range []string{"Cannot find context", "context was destroyed", "uniqueContextId not found",
		"navigated or closed", "Cannot find default execution context", "Promise was collected"} {
		if strings.Contains(message, s) {
			return true
		}
	}
	return false
}

// arm tells all documents that an action begins, before its first input is sent, and the topmost one with
// which number its animation frames begin. press says that a move and a press follow at once. It waits for no
// answer: a press says the same.
func (p *probe) arm(kind cua.Kind, from func(document string) int, press bool) error {
	all := p.open()
	if len(all) == 0 {
		return errNoContext
	}
	p.caused, p.ready, p.armed = nil, nil, all[0].unique
	first := from(p.armed)
	for _, c := range all {
		expr := exprBegin(kind != cua.Wait && !kind.ReadOnly(), first, press)
		first = 0
		_ = c.s.Post(runtime.Evaluate.Method, runtime.EvaluateParams{Expression: expr,
			UniqueContextID: c.unique}, func(error) {})
	}
	return nil
}

// stepInput is what a step of the probe is about.
type stepInput struct {
	from func(document string) int // the number with which a document's animation frames begin; 0 is none
	// of buttons and keys that were sent to the document and may not have come
	releases int
	read     readInput
}

// stepRaw is the answer of a wait with the look after it.
type stepRaw struct {
	Settled settled   `json:"settled"`
	Probe   *probeRaw `json:"probe"`
}

// step waits until nothing that the action set off is open in any document, at most limit. Where one document
// answers for the whole page it is looked at in the same trip, and its animation frames have numbers.
func (p *probe) step(ctx context.Context, limit time.Duration, in stepInput) (settled, error) {
	p.ready = nil
	all := p.open()
	if len(all) != 1 {
		s, err := p.settle(ctx, limit)
		s.Tag, s.Why = 0, frames.WhyFrames
		return s, err
	}
	if all[0].unique != p.armed {
		in.releases = 0 // another document has heard them
	}
	in.read.Look = p.looks.next()
	expr := exprStep(int(limit.Milliseconds()), in.from(all[0].unique), in.releases,
		in.read.args(&cua.Point{}))
	got, err := eval[stepRaw](ctx, all[0], expr)
	if err != nil {
		return settled{}, err
	}
	if got.Probe != nil && !got.Probe.Covered {
		p.ready = []probeRaw{*got.Probe}
	}
	if len(p.last.Pickers) > 0 || p.picked() {
		got.Settled.Tag, got.Settled.Why = 0, frames.WhyPicker
	}
	return p.left(got.Settled), nil
}

// picked says whether a list of the browser's own is open in what was just read.
func (p *probe) picked() bool {
	open := func(q *probeRaw) bool { return len(q.Pickers) > 0 }
	return len(p.ready) > 0 && slices.ContainsFunc(p.ready[0].flatten(), open)
}

// settle is step for a page of several documents.
func (p *probe) settle(ctx context.Context, limit time.Duration) (settled, error) {
	all, err := everywhere(ctx, p, limit, same(exprSettle(int(limit.Milliseconds()))),
		func(s *settled) bool { return s.Covered })
	if err != nil {
		return settled{}, err
	}
	return p.left(joinSettled(all)), nil
}

// left keeps what a document that is being left has told of its requests.
func (p *probe) left(s settled) settled {
	if s.Navigating {
		p.polls = append(p.polls, s.Polls...)
		p.caused = append(p.caused, s.Writes...)
	}
	return s
}

// joinSettled is the longest of the waits with everything that was waited for. Only the top
// document's navigation counts as one: a frame's is followed by its own load.
func joinSettled(all []settled) settled {
	out := settled{Navigating: all[0].Navigating}
	for _, s := range all {
		out.MS = max(out.MS, s.MS)
		out.Capped = out.Capped || s.Capped
		out.Later = append(out.Later, s.Later...)
		out.Nav = append(out.Nav, s.Nav...)
		out.Polls = append(out.Polls, s.Polls...)
		out.Writes = append(out.Writes, s.Writes...)
		for _, f := range s.For {
			if !slices.Contains(out.For, f) && len(out.For) < 20 {
				out.For = append(out.For, f)
			}
		}
	}
	return out
}
