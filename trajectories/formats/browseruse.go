package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// useItem is one entry of a history that browser-use saved: one decision. Versions of the form
// differ in names and in what they leave out, so every field may be missing.
type useItem struct {
	Output   *useOutput  `json:"model_output"`
	Results  []useResult `json:"result"`
	State    useState    `json:"state"`
	Metadata useMetadata `json:"metadata"`
}

// useOutput is what the model said. Older versions keep its words in CurrentState.
type useOutput struct {
	useWords
	CurrentState useWords          `json:"current_state"`
	Actions      []json.RawMessage `json:"action"`
}

type useWords struct {
	Thinking   string `json:"thinking"`
	Evaluation string `json:"evaluation_previous_goal"`
	Memory     string `json:"memory"`
	NextGoal   string `json:"next_goal"`
}

type useResult struct {
	IsDone    bool   `json:"is_done"`
	Error     string `json:"error"`
	Judgement *struct {
		Verdict *bool `json:"verdict"`
	} `json:"judgement"`
}

// useState is the page that the model decided upon.
type useState struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	// Tabs are the open ones; only their number counts.
	Tabs     []json.RawMessage `json:"tabs"`
	Elements []*useElement     `json:"interacted_element"`
	// Screenshot is base64 in older versions, a file in newer ones.
	Screenshot     string `json:"screenshot"`
	ScreenshotPath string `json:"screenshot_path"`
}

// useElement is what an action was aimed at, by its older and its newer names.
type useElement struct {
	TagName    string         `json:"tag_name"`
	NodeName   string         `json:"node_name"`
	XPath      string         `json:"xpath"`
	NodePath   string         `json:"x_path"`
	Name       string         `json:"ax_name"`
	Attributes map[string]any `json:"attributes"`
	// Hash names the element where no path does.
	Hash     json.RawMessage `json:"element_hash"`
	Bounds   *useBox         `json:"bounds"`
	Viewport *struct {
		TopLeft cua.Point `json:"top_left"`
		Width   float64   `json:"width"`
		Height  float64   `json:"height"`
	} `json:"viewport_coordinates"`
}

type useBox struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

type useMetadata struct {
	Start       float64 `json:"step_start_time"` // s
	End         float64 `json:"step_end_time"`
	InputTokens float64 `json:"input_tokens"`
}

// browserUse reads the entries one by one; frame is what a screenshot file holds, by a digest.
func browserUse(list []byte, frame func(path string) string) (*Run, error) {
	dec := json.NewDecoder(bytes.NewReader(list))
	if open, err := dec.Token(); err != nil || open != json.Delim('[') {
		return nil, errors.New("history: a list belongs there")
	}
	run := &Run{Format: BrowserUse, Source: string(BrowserUse)}
	var f foreignRun
	for n := 0; dec.More(); n++ {
		var item useItem
		at := partAt(dec, list)
		err := plainError(dec.Decode(&item))
		if err == nil {
			err = item.add(&f, n, frame)
		}
		if err == nil && len(f.steps) > maxSteps {
			err = fmt.Errorf("more than %d steps", maxSteps)
		}
		if err != nil {
			return nil, &partError{fmt.Sprintf("entry %d of the history", n), at, err}
		}
		for len(run.Index) < len(f.steps) {
			run.Index = append(run.Index, n)
		}
		for _, r := range item.Results {
			if r.Judgement != nil {
				run.Success = r.Judgement.Verdict
			}
		}
	}
	if _, err := dec.Token(); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	f.refuseEarlyDone()
	run.History = f.history()
	run.End = foreignEnd(run.History)
	return run, nil
}

// refuseEarlyDone makes a done that the agent went on after one that was refused, unless the
// agent took it: then another task followed.
func (r *foreignRun) refuseEarlyDone() {
	for i := range r.steps[:max(len(r.steps)-1, 0)] {
		if s := &r.steps[i]; s.Action != nil && s.Action.Kind == cua.Done && !r.told[i].taken {
			s.Action, s.Failure = nil, &cua.Failure{Kind: cua.FailDoneRefused}
		}
	}
}

// add puts the steps of entry n behind those of f.
func (u *useItem) add(f *foreignRun, n int, frame func(string) string) error {
	page := seen{url: u.State.URL, title: u.State.Title, all: cua.Digest(u.State.Screenshot),
		tabs: len(u.State.Tabs)}
	if page.all == "" && u.State.ScreenshotPath != "" {
		page.all = frame(u.State.ScreenshotPath)
	}
	first := len(f.steps)
	var actions []json.RawMessage
	if u.Output != nil {
		actions = u.Output.Actions
	}
	for i, raw := range actions {
		s, err := u.step(i, raw)
		if err != nil {
			return err
		}
		f.add(s, told{page: page, decision: n, taken: i < len(u.Results) && u.Results[i].IsDone})
	}
	if len(actions) == 0 {
		f.add(cua.Step{Failure: u.failure(0, cua.FailModel)}, told{page: page, decision: n})
	}
	m := u.Metadata
	if m.InputTokens < 0 || m.InputTokens > maxNumber || math.Abs(m.Start) > maxNumber ||
		math.Abs(m.End) > maxNumber {
		return errors.New("metadata: tokens or times beyond all measure")
	}
	s := &f.steps[first]
	s.Usage.InputTokens, s.Timing.Decide = int(m.InputTokens), 1000*max(m.End-m.Start, 0)
	if u.Output != nil {
		s.Thought = cua.HeadBytes(u.Output.thought(), maxThought)
	}
	return nil
}

// failure is why action i failed; nil says that it did not.
func (u *useItem) failure(i int, kind cua.FailureKind) *cua.Failure {
	if i >= len(u.Results) || u.Results[i].Error == "" {
		return nil
	}
	return failure(u.Results[i].Error, kind)
}

// step is action i. An action that has no result beside others that have one was never done:
// the page changed under a batch.
func (u *useItem) step(i int, raw json.RawMessage) (cua.Step, error) {
	var el *useElement
	if i < len(u.State.Elements) {
		el = u.State.Elements[i]
	}
	a, t, err := useAction(raw, el)
	if err != nil {
		return cua.Step{}, fmt.Errorf("action %d: %w", i, err)
	}
	out := cua.Step{Proposed: a, Target: t}
	switch {
	case a.Kind == "":
		out.Failure = &cua.Failure{Kind: cua.FailSchema, Detail: "an action without a name"}
	case i < len(u.Results) || len(u.Results) == 0:
		out.Action = &a
		out.Failure = u.failure(i, cua.FailExec)
	}
	return out, nil
}

func (o *useOutput) thought() string {
	var out []string
	for _, w := range []useWords{o.useWords, o.CurrentState} {
		for _, s := range []string{w.Thinking, w.Evaluation, w.Memory, w.NextGoal} {
			if s != "" {
				out = append(out, s)
			}
		}
	}
	return strings.Join(out, "\n")
}
