package remote

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// answer is the result of next.
type answer struct {
	Actions []action `json:"actions"`
	Thought string   `json:"thought"`
	Usage   *usage   `json:"usage"`
	Done    *done    `json:"done"`
	Refused bool     `json:"refused"`
}

// done ends the task; Text is the answer.
type done struct {
	Success bool   `json:"success"`
	Text    string `json:"text"`
}

type usage struct {
	InputTokens     int      `json:"input_tokens"`
	OutputTokens    int      `json:"output_tokens"`
	CachedTokens    int      `json:"cached_tokens"`
	ReasoningTokens int      `json:"reasoning_tokens"`
	USD             *float64 `json:"cost_usd"`
}

// action is a cua.Action with points in the coordinate space of the brain, and without the fields that
// only our own gates and people may set.
type action struct {
	Kind    cua.Kind `json:"kind"`
	X       *float64 `json:"x"`
	Y       *float64 `json:"y"`
	To      *place   `json:"to"`
	Mark    int      `json:"mark"`
	Text    string   `json:"text"`
	Clear   bool     `json:"clear"`
	Keys    string   `json:"keys"`
	URL     string   `json:"url"`
	DX      float64  `json:"dx"`
	DY      float64  `json:"dy"`
	MS      int      `json:"ms"`
	Tab     int      `json:"tab"`
	Files   []string `json:"files"`
	Accept  bool     `json:"accept"`
	Step    int      `json:"step"`
	Facets  []string `json:"facets"`
	Success bool     `json:"success"`
}

type place struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// maxActions is the limit of one answer. After more actions without a look, the page is another one.
const maxActions = 64

// maxThought is how much of the brain's thought is kept, bytes. A thought that is cut ends with "…".
const maxThought = 16 << 10

// maxTokens is the limit of reported usage, so that sums do not overflow.
const maxTokens = 1 << 40

// read converts the result of next into a reply. An answer that cannot be executed is a failure in the
// reply: the brain is told and asked once more.
func read(raw json.RawMessage, on model.Screen, marks []cua.Mark, batch bool) model.Reply {
	var a answer
	if err := strictly(raw, &a); err != nil {
		return model.Reply{Failure: model.Unreadable("the result of next cannot be read: "+err.Error(),
			string(raw))}
	}
	r := model.Reply{Thought: cua.ClipBytes(strings.ToValidUTF8(a.Thought, ""), maxThought),
		Refused: a.Refused}
	bad := func(format string, args ...any) model.Reply {
		r.Failure = model.Unreadable(fmt.Sprintf(format, args...), string(raw))
		return r
	}
	if u := a.Usage; u != nil {
		for _, n := range []int{u.InputTokens, u.OutputTokens, u.CachedTokens, u.ReasoningTokens} {
			if n < 0 || n > maxTokens {
				return bad("usage: %d is no number of tokens", n)
			}
		}
		if u.USD != nil && *u.USD < 0 {
			return bad("usage: cost_usd must be 0 or more")
		}
		r.Usage = cua.Usage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens,
			CachedTokens: u.CachedTokens, ReasoningTokens: u.ReasoningTokens, USD: u.USD}
	}
	switch n := len(a.Actions); {
	case a.Refused:
		return r
	case n == 0 && a.Done == nil:
		return bad("the result has neither actions nor done")
	case n > 0 && a.Done != nil:
		return bad("the result has both actions and done: say done when the actions were seen to help")
	case n > 1 && !batch:
		return bad("the result has %d actions, and initialize did not say batch", n)
	case n > maxActions:
		return bad("the result has %d actions; at most %d are played", n, maxActions)
	case a.Done != nil:
		r.Final = &cua.Action{Kind: cua.Done, Success: a.Done.Success, Text: a.Done.Text}
		return r
	}
	for _, x := range a.Actions {
		c := model.Call{Name: string(x.Kind)}
		var out cua.Action
		if out, c.Failure = x.action(on, marks); c.Failure == nil {
			c.Actions = []cua.Action{out}
		}
		r.Calls = append(r.Calls, c)
	}
	return r
}

// action is x in CSS pixels, or the failure if there is no such action.
func (x action) action(on model.Screen, marks []cua.Mark) (cua.Action, *cua.Failure) {
	if !x.Kind.Known() {
		return cua.Action{}, model.Unknown(string(x.Kind))
	}
	a := cua.Action{Kind: x.Kind, Text: x.Text, Clear: x.Clear, DX: x.DX, DY: x.DY, MS: x.MS, Tab: x.Tab,
		Files: x.Files, Accept: x.Accept && x.Kind == cua.AnswerDlg, Step: x.Step, Facets: x.Facets,
		Success: x.Success && x.Kind == cua.Done}
	var bad *cua.Failure
	switch {
	case (x.X == nil) != (x.Y == nil):
		return a, model.Bad("%s: x and y go together", x.Kind)
	case x.X != nil:
		if a.Point, bad = point(on, *x.X, *x.Y); bad != nil {
			return a, bad
		}
	case x.Mark != 0:
		// The mark number belongs to this observation, but the action may be executed on a later one, so
		// the point is used.
		if a.Point = centre(marks, x.Mark, on.View); a.Point == nil {
			return a, model.Bad("%s: no element in view has the number %d", x.Kind, x.Mark)
		}
	}
	if x.To != nil {
		if a.To, bad = point(on, x.To.X, x.To.Y); bad != nil {
			return a, bad
		}
	}
	switch x.Kind {
	case cua.Key:
		keys, bad := model.PressSequence(x.Keys, 1)
		a.Keys = keys.Keys
		return a, bad
	case cua.Navigate:
		return model.Open(x.URL)
	case cua.NewTab:
		if x.URL == "" {
			return a, nil
		}
		to, bad := model.Open(x.URL)
		a.URL = to.URL
		return a, bad
	case cua.Scroll:
		return model.ScrollBy(x.DX, x.DY, a.Point)
	}
	return a, nil
}

func point(on model.Screen, x, y float64) (*cua.Point, *cua.Failure) {
	p, bad := on.Point(x, y)
	return &p, bad
}

// centre is the centre of the visible part of a mark; nil if there is no such mark.
func centre(marks []cua.Mark, n int, view cua.Size) *cua.Point {
	for _, m := range marks {
		if m.N == n {
			if p, ok := m.Box.CenterIn(view); ok {
				return &p
			}
		}
	}
	return nil
}
