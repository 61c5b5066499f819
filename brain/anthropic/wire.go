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

// wire implements the Messages API and holds the conversation of one episode.
type wire struct {
	options
	client client

	talk   conversation
	refs   refs
	tabs   tabs
	screen model.Screen
	seen   int              // number of steps that tabs has processed
	opened map[int][]string // opened tabs, by step
}

// maxPauses is how often the service may pause one reply and ask to continue.
const maxPauses = 4

// Ask implements model.Wire.
func (w *wire) Ask(ctx context.Context, say model.Say) (model.Reply, error) {
	if say.Fresh {
		w.talk, w.refs, w.tabs, w.seen, w.opened = conversation{}, refs{}, tabs{}, 0, map[int][]string{}
	}
	w.follow(say.Turn)
	before := w.talk
	w.talk.user(w.user(say))
	r, err := w.reply(ctx, w.scene(say.Turn))
	if err != nil {
		// it was not answered, so it is sent again
		w.talk.messages, w.talk.last = w.talk.messages[:len(before.messages)], before.last
	}
	return r, err
}

// follow updates the tabs with the steps since its last call.
func (w *wire) follow(t *cua.Turn) {
	steps := t.History.Steps
	from := 0
	if n := len(t.History.Resumed); n > 0 {
		from = t.History.Resumed[n-1].At // another session has other tabs
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

// scene is the page of that turn.
func (w *wire) scene(t *cua.Turn) *scene {
	return &scene{now: &t.Now, refs: &w.refs, tabs: &w.tabs, pointer: pointer(t.History.Steps),
		screen: w.screen}
}

// pointer is the position of the pointer after the newest step that moved it; nil if none did.
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

// user is the message for say: results, then text, then pictures that are in no result.
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

// maxListed is the limit of the list of elements in a first prompt, bytes (about 3,000 tokens). read_page
// lists the rest.
const maxListed = 12 << 10

// firstLines is the first lines of text that fit into n bytes, with a note about the rest.
func firstLines(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[:strings.LastIndexByte(text[:n], '\n')+1] + "More are listed by read_page.\n"
}

// reply requests a reply and parses it.
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

// read parses a message. A message that can be sent back becomes part of the conversation.
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
		// A truncated reply can neither be trusted nor answered, so it is discarded.
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

// moved is the position of the pointer after an order, as far as it is known before execution.
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

// parts are the text of a message, thoughts first, and its calls.
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

// callID matches a valid id of a call.
var callID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// unanswerable is the reason why calls cannot be answered, because results refer to calls by id; "" if
// they can.
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

// usageOf converts the usage of a message. The vendor's input excludes tokens that were read from or
// written to a cache.
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

// tooLong matches the API's errors for a request that does not fit: the prompt, or the prompt and the cap
// on the reply.
var tooLong = regexp.MustCompile(`(?i)prompt is too long|exceeds? context limit`)

// errorOf is an error of the client without the request that it contains: the vendor's message, cut, and
// the status.
func errorOf(err error) error {
	var e *sdk.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("anthropic: %w", err)
	}
	var said struct {
		Error struct{ Message string }
	}
	_ = json.Unmarshal([]byte(e.RawJSON()), &said) // a gateway may return another format
	text := fmt.Sprintf("anthropic: status %d: %s", e.StatusCode,
		brain.Line(strings.TrimSpace(string(e.Type())+" "+model.Said(said.Error.Message, e.Response)), 400))
	if e.StatusCode == 413 || tooLong.MatchString(said.Error.Message) {
		return fmt.Errorf("%s: %w", text, model.ErrTooLong)
	}
	return errors.New(text)
}
