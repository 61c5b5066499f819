package anthropic

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// wire is the Messages API with the conversation of one episode.
type wire struct {
	options
	client client

	talk   conversation
	refs   refs
	tabs   tabs
	screen model.Screen
	seen   int              // steps of the history that tabs has followed
	opened map[int][]string // tabs by the step that opened them
}

// maxPauses is how often in one reply the service may stop to be asked to go on.
const maxPauses = 4

// Ask satisfies model.Wire.
func (w *wire) Ask(ctx context.Context, say model.Say) (model.Reply, error) {
	if say.Fresh {
		w.talk, w.refs, w.tabs, w.seen, w.opened = conversation{}, refs{}, tabs{}, 0, map[int][]string{}
	}
	w.follow(say.Turn)
	before := w.talk
	w.talk.user(w.user(say))
	r, err := w.reply(ctx, w.scene(say.Turn))
	if err != nil {
		// it was not answered: it is told anew
		w.talk.messages, w.talk.last = w.talk.messages[:len(before.messages)], before.last
	}
	return r, err
}

// follow takes in what happened to the tabs since it was last called.
func (w *wire) follow(t *cua.Turn) {
	steps := t.History.Steps
	from := 0
	if n := len(t.History.Resumed); n > 0 {
		from = t.History.Resumed[n-1].At // another session: its tabs are others
	}
	if w.seen < from || w.tabs.active == 0 {
		page := t.History.Before(from)
		w.tabs, w.seen = tabs{next: w.tabs.next}, from
		w.tabs.see(&page, nil)
	}
	for ; w.seen < len(steps); w.seen++ {
		s := &steps[w.seen]
		w.tabs.see(&s.After, s.Action)
		if len(w.tabs.opened) > 0 {
			w.opened[s.N] = w.tabs.opened
		}
	}
	w.screen = model.Fit(cmp.Or(t.Now.Viewport, model.UsualView), w.limit, 0)
}

// scene is the page as it is in that turn.
func (w *wire) scene(t *cua.Turn) *scene {
	return &scene{now: &t.Now, refs: &w.refs, tabs: &w.tabs, pointer: pointer(t.History.Steps),
		screen: w.screen}
}

// pointer is where the newest of the steps left the pointer; nil where none moved it.
func pointer(steps []cua.Step) *cua.Point {
	for i := len(steps) - 1; i >= 0; i-- {
		a := steps[i].Action
		switch {
		case a == nil:
		case a.To != nil && a.Kind == cua.Drag:
			return a.To
		case !a.Kind.Pointer() && a.Kind != cua.Scroll && (a.Kind != cua.Type || a.Into != ""):
		case a.Point != nil:
			return a.Point
		case (a.Mark > 0 || a.Into != "") && steps[i].Target.Point != nil:
			return steps[i].Target.Point
		}
	}
	return nil
}

// user is the message that says say: results first, then words, then pictures that are in no result.
func (w *wire) user(say model.Say) []sdk.ContentBlockParamUnion {
	blocks, shown := w.results(say)
	text := say.Text
	if say.Fresh && w.kind.browser {
		text += "\nElements:\n" + firstLines(w.scene(say.Turn).tree("", ""), maxListed)
	}
	var images []*sdk.ImageBlockParam
	for i := range say.Shots[:max(0, len(say.Shots)-1)] {
		images = append(images, w.image(&say.Shots[i], say.Turn))
	}
	if !shown && len(say.Shots) > 0 {
		if digest(say.Shots[len(say.Shots)-1].Data) == w.talk.last {
			text += "\nThe screen looks exactly as in the last picture."
		}
		images = append(images, w.newest(say))
	}
	if text = strings.TrimSpace(text); text != "" {
		blocks = append(blocks, sdk.NewTextBlock(text))
	}
	for _, image := range images {
		if image != nil {
			blocks = append(blocks, sdk.ContentBlockParamUnion{OfImage: image})
		}
	}
	if len(blocks) == 0 {
		blocks = append(blocks, sdk.NewTextBlock("Go on."))
	}
	return blocks
}

// maxListed bounds the elements of a first prompt, bytes (about 3,000 tokens): read_page lists the rest.
const maxListed = 12 << 10

// firstLines is as many lines of text as n bytes hold, and a word on the rest.
func firstLines(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[:strings.LastIndexByte(text[:n], '\n')+1] + "More are listed by read_page.\n"
}

// reply asks for a reply and reads it.
func (w *wire) reply(ctx context.Context, s *scene) (model.Reply, error) {
	var used cua.Usage
	for range maxPauses {
		if !w.server {
			w.talk.prune()
		}
		if w.talk.tooLong() {
			return model.Reply{Usage: used}, fmt.Errorf("anthropic: %w", model.ErrTooLong)
		}
		w.talk.mark()
		m, err := w.client.send(ctx, &w.options, w.talk.messages, w.screen.Size)
		if err != nil {
			return model.Reply{Usage: used}, err
		}
		u := usageOf(m.Usage)
		used, w.talk.tokens = used.Plus(u), u.Tokens()
		if m.StopReason == sdk.StopReasonPauseTurn {
			w.talk.assistant(m)
			continue
		}
		r, err := w.read(m, s)
		r.Usage = used
		return r, err
	}
	return model.Reply{Usage: used, Failure: model.Unreadable("the service paused the reply too often", "")},
		nil
}

// read is what a message says. What can be sent back becomes part of the conversation.
func (w *wire) read(m *sdk.Message, s *scene) (model.Reply, error) {
	words, calls := parts(m)
	switch m.StopReason {
	case sdk.StopReasonRefusal:
		why := strings.TrimSpace(strings.Join([]string{string(m.StopDetails.Category),
			m.StopDetails.Explanation, words}, " "))
		return model.Reply{Refused: true, Thought: why}, nil
	case sdk.StopReasonModelContextWindowExceeded:
		return model.Reply{}, fmt.Errorf("anthropic: %w", model.ErrTooLong)
	case sdk.StopReasonMaxTokens:
		// What was cut cannot be trusted and not be answered: it is as if it had not been said.
		return model.Reply{Thought: words, Failure: model.Cut(m.RawJSON())}, nil
	}
	if why := w.unanswerable(calls); why != "" {
		return model.Reply{Thought: words, Failure: model.Unreadable(why, m.RawJSON())}, nil
	}
	w.talk.assistant(m)
	r := model.Reply{Thought: words}
	for _, c := range calls {
		o, f := w.kind.read(s, c)
		if f == nil {
			s = &scene{now: s.now, refs: s.refs, tabs: s.tabs.after(o), pointer: moved(s.pointer, o),
				screen: s.screen}
		}
		r.Calls = append(r.Calls, model.Call{ID: c.id, Name: c.name, Actions: o.actions, Failure: f,
			Local: f == nil && len(o.actions) == 0,
			Data:  pending{c, o}})
	}
	if len(calls) == 0 {
		r.Final = model.Final(textOf(m))
	}
	return r, nil
}

// moved is where an order leaves the pointer, as far as that is known before it is done.
func moved(was *cua.Point, o order) *cua.Point {
	for _, a := range o.actions {
		if a.To != nil {
			was = a.To
		} else if a.Point != nil && (a.Kind.Pointer() || a.Kind == cua.Scroll) {
			was = a.Point
		}
	}
	return was
}

// parts are the words of a message, thoughts first, and its calls.
func parts(m *sdk.Message) (words string, calls []call) {
	var said []string
	for _, b := range m.Content {
		switch b.Type {
		case "thinking":
			said = append(said, b.Thinking)
		case "text":
			said = append(said, b.Text)
		case "tool_use":
			calls = append(calls, call{id: b.ID, name: b.Name, toolset: b.ToolsetName,
				input: json.RawMessage(b.Input)})
		}
	}
	return strings.TrimSpace(strings.Join(said, "\n")), calls
}

func textOf(m *sdk.Message) string {
	var said []string
	for _, b := range m.Content {
		if b.Type == "text" {
			said = append(said, b.Text)
		}
	}
	return strings.Join(said, "\n")
}

// callID is what the wire takes as the id of a call.
var callID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// unanswerable says why calls cannot be answered: results name them by their ids.
func (w *wire) unanswerable(calls []call) string {
	seen := map[string]bool{}
	for _, c := range calls {
		switch {
		case !callID.MatchString(c.id):
			return "a call has no id that can be answered"
		case seen[c.id] || w.talk.ids[c.id]:
			return "two calls have the same id"
		}
		seen[c.id] = true
	}
	return ""
}

// usageOf is what a message cost, in our terms: the vendor's input counts neither what was read from a cache
// nor what was written to one.
func usageOf(u sdk.Usage) cua.Usage {
	return cua.Usage{
		InputTokens:      int(u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens),
		OutputTokens:     int(u.OutputTokens),
		CachedTokens:     int(u.CacheReadInputTokens),
		CacheWriteTokens: int(u.CacheCreationInputTokens),
		LongCacheTokens:  int(u.CacheCreation.Ephemeral1hInputTokens),
		ReasoningTokens:  int(u.OutputTokensDetails.ThinkingTokens),
	}
}

// tooLong is how the API says that a request does not fit: the prompt, or it and the cap on the reply.
var tooLong = regexp.MustCompile(`(?i)prompt is too long|exceeds? context limit`)

// errorOf is an error of the client without what it holds of the request: the vendor's message, cut, and the
// status.
func errorOf(err error) error {
	var e *sdk.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("anthropic: %w", err)
	}
	var said struct {
		Error struct{ Message string }
	}
	_ = json.Unmarshal([]byte(e.RawJSON()), &said) // a gateway may answer in words of its own
	text := fmt.Sprintf("anthropic: status %d: %s", e.StatusCode,
		brain.Line(strings.TrimSpace(string(e.Type())+" "+model.Said(said.Error.Message, e.Response)), 400))
	if e.StatusCode == 413 || tooLong.MatchString(said.Error.Message) {
		return fmt.Errorf("%s: %w", text, model.ErrTooLong)
	}
	return errors.New(text)
}
