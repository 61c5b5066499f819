package anthropic

import (
	"fmt"
	"slices"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// The vendor's words for a call that was not tried after a failure. Its models were trained on them.
const (
	computerHalt = "Not executed: an earlier computer action in this turn failed."
	browserHalt  = "Not executed: an earlier action in this turn failed."
)

// pending is the parsed form of a call. It is returned with the outcome of the call.
type pending struct {
	call  call
	order order
}

// results answers every call, in order. shown says that one of the results has the newest picture.
func (w *wire) results(say model.Say) (blocks []sdk.ContentBlockParamUnion, shown bool) {
	for i, o := range say.Outcomes {
		r, has := w.result(say, o, i == len(say.Outcomes)-1)
		blocks, shown = append(blocks, sdk.ContentBlockParamUnion{OfToolResult: r}), shown || has
	}
	return blocks, shown
}

// result answers one call. The last result may have the newest picture of the page; has says so.
func (w *wire) result(say model.Say, o model.Outcome, last bool) (r *sdk.ToolResultBlockParam, has bool) {
	p := o.Call.Data.(pending)
	r = &sdk.ToolResultBlockParam{ToolUseID: o.Call.ID}
	if p.call.toolset != "" {
		r.ToolsetName = param.NewOpt(p.call.toolset)
	}
	wrong := func(text string) (*sdk.ToolResultBlockParam, bool) {
		r.IsError, r.Content = param.NewOpt(true), textContent(text)
		return r, false
	}
	switch {
	case o.Fate == model.NotExecuted:
		return wrong(w.kind.halt)
	case !o.OK():
		return wrong(w.wrong(o, say.Turn))
	case p.order.show == showTabs:
		b, ok := w.tabState(p, o)
		if !ok {
			return wrong("No tab was opened.")
		}
		r.Content = []sdk.ToolResultBlockParamContentUnion{{OfBrowserState: b}}
		return r, false
	}
	text, image := w.told(say, p, o)
	switch {
	case image == nil && (p.order.show == showShot || p.order.show == showZoom):
		return wrong(text)
	case image != nil:
		has = last && p.order.show == showShot
	case last && len(o.Steps) > 0:
		image = w.newest(say)
		has = image != nil
	}
	r.Content = textContent(text)
	if image != nil {
		r.Content = append(r.Content, sdk.ToolResultBlockParamContentUnion{OfImage: image})
	}
	if w.kind.browser {
		r.Content = append(r.Content,
			sdk.ToolResultBlockParamContentUnion{OfBrowserState: w.tabs.state(w.openedBy(o))})
	}
	return r, has
}

// newest is the newest picture of the page; nil if there is none, or if it is identical to the last one
// sent.
func (w *wire) newest(say model.Say) *sdk.ImageBlockParam {
	if len(say.Shots) == 0 {
		return nil
	}
	shot := &say.Shots[len(say.Shots)-1]
	if digest(shot.Data) == w.talk.last {
		return nil
	}
	return w.image(shot, say.Turn)
}

func textContent(text string) []sdk.ToolResultBlockParamContentUnion {
	return []sdk.ToolResultBlockParamContentUnion{{OfText: &sdk.TextBlockParam{Text: text}}}
}

// wrong is the answer to a call that was not done as asked. The action that was done instead is expressed as
// a call.
func (w *wire) wrong(o model.Outcome, t *cua.Turn) string {
	text := o.Text
	if len(o.Steps) == 0 {
		return text
	}
	s := &o.Steps[len(o.Steps)-1]
	if a := o.Instead(t); a != nil {
		text = o.Told(w.instead(*a, s.Action.Into))
	}
	if s.Failure != nil && s.Failure.Kind == cua.FailNotFound && s.Proposed.Into != "" {
		text += " The reference is stale: read the page again."
	}
	return text
}

// tabState is the only block that answers a member that manages tabs. A new tab is the active one and is
// marked as new.
func (w *wire) tabState(p pending, o model.Outcome) (*sdk.BrowserStateBlockParam, bool) {
	if !p.order.opens {
		return w.tabs.state(nil), true
	}
	if now := w.tabs.current(); slices.Contains(w.openedBy(o), now) {
		return w.tabs.state([]string{now}), true
	}
	return nil, false
}

// openedBy are the tabs that a call has opened and that are still open.
func (w *wire) openedBy(o model.Outcome) []string {
	var out []string
	for _, s := range o.Steps {
		for _, id := range w.opened[s.N] {
			if w.tabs.position(id) > 0 {
				out = append(out, id)
			}
		}
	}
	return out
}

// told is the report of a call that was done, and the picture that it asked for.
func (w *wire) told(say model.Say, p pending, o model.Outcome) (string, *sdk.ImageBlockParam) {
	s := w.scene(say.Turn)
	feedback := ""
	if n := len(o.Steps); n > 0 {
		feedback = o.Steps[n-1].Feedback
	}
	switch p.order.show {
	case showPointer:
		if s.pointer == nil {
			return "The pointer was not moved yet.", nil
		}
		x, y := s.screen.Units(*s.pointer)
		return fmt.Sprintf("X=%d, Y=%d", x, y), nil
	case showPage:
		text := s.tree(p.order.filter, p.order.ref)
		if p.order.actions[0].Kind == cua.Extract {
			text += "The page's text: " + brain.Quoted(feedback, max(0, maxPage-len(text)))
		}
		return cua.HeadBytes(text, maxPage), nil
	case showFound:
		return cua.HeadBytes(s.found(p.order.query)+"The page's text that holds these words: "+brain.Quoted(
			feedback, 4000), maxPage), nil
	case showText:
		return "The page's text: " + brain.Quoted(feedback, maxPage-40), nil
	case showShot, showZoom:
		shot, then := shotAfter(say, o)
		if shot == nil {
			return "There is no picture of the page now.", nil
		}
		text := o.Text
		if !then {
			text += " The picture of that moment is no longer at hand: this one is of now."
		}
		if p.order.show == showShot {
			return text, w.image(shot, say.Turn)
		}
		return text, w.zoomed(shot, p.order.region)
	}
	return o.Text, nil
}

// shotAfter is the picture of the page after the last step of a call, or the newest picture if that one is
// no longer available; nil if there is none.
func shotAfter(say model.Say, o model.Outcome) (shot *cua.Shot, then bool) {
	frames := say.Turn.Frames
	if n := len(o.Steps); n > 0 {
		want := o.Steps[n-1].After.FrameSHA
		for i := len(frames) - 1; i >= 0; i-- {
			if digest(frames[i].Data) == want {
				return &frames[i], true
			}
		}
	}
	if len(frames) == 0 {
		return nil, false
	}
	return &frames[len(frames)-1], false
}
