package mcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

type urlIn struct {
	session
	URL string `json:"url" jsonschema:"http:// or https://"`
}

type shotIn struct {
	session
	Type string `json:"type,omitempty" jsonschema:"no difference: the picture is as the browser gives it"`
}

type findIn struct {
	session
	Text string `json:"text" jsonschema:"part of a text or of an element's name"`
}

type waitIn struct {
	session
	Time     float64 `json:"time,omitempty" jsonschema:"seconds, at most 60"`
	Text     string  `json:"text,omitempty" jsonschema:"wait at most 10 s until this is on the page"`
	TextGone string  `json:"textGone,omitempty" jsonschema:"wait at most 10 s until this is not on the page"`
}

type dialogIn struct {
	session
	Accept     bool   `json:"accept"`
	PromptText string `json:"promptText,omitempty"`
}

type tabsIn struct {
	session
	Action string `json:"action" jsonschema:"list, new, select or close"`
	Index  *int   `json:"index,omitempty" jsonschema:"from 0, for select and close"`
	URL    string `json:"url,omitempty" jsonschema:"for new"`
}

// addReading adds the tools that read, wait and go elsewhere.
func (s *Server) addReading() {
	tool(s, "browser_snapshot", "The elements in view with their refs, and the page's text", reads,
		func(_ *seat, _ *cua.Observation, _ session) (order, error) {
			return order{actions: []cua.Action{{Kind: cua.Extract}}, show: showElements}, nil
		})
	tool(s, "browser_find", "The elements and lines of text that contain a text", reads,
		func(_ *seat, _ *cua.Observation, in findIn) (order, error) {
			return order{actions: []cua.Action{{Kind: cua.Find, Text: in.Text}}, show: showElements,
				find: in.Text}, nil
		})
	tool(s, "browser_take_screenshot", "A picture of the view. Use browser_snapshot to act", reads,
		func(_ *seat, _ *cua.Observation, _ shotIn) (order, error) {
			return order{actions: []cua.Action{{Kind: cua.Observe}}, show: showShot}, nil
		})
	tool(s, "browser_wait_for", "Wait for some time, or for a text to appear or disappear", reads, planWait)
	tool(s, "browser_handle_dialog", "Answer an open dialog", acts,
		func(_ *seat, now *cua.Observation, in dialogIn) (order, error) {
			if now.Dialog == nil {
				return order{}, errors.New("no dialog is open")
			}
			return one(cua.Action{Kind: cua.AnswerDlg, Accept: in.Accept, Text: in.PromptText}), nil
		})
	tool(s, "browser_tabs", "List, open, select or close tabs", moves, planTabs)
	tool(s, "browser_navigate_back", "Go back to the previous page", moves,
		func(_ *seat, _ *cua.Observation, _ session) (order, error) {
			return one(cua.Action{Kind: cua.Back}), nil
		})
	add(s, "browser_navigate", "Open a page; the first call opens the browser", moves, s.navigate)
}

// navigate opens the browser on the page, or goes there.
func (s *Server) navigate(ctx context.Context, in urlIn) (*sdk.CallToolResult, *Result, error) {
	return s.call(ctx, in.Session, func(st *seat) (*Result, error) {
		if st.play != nil {
			if err := st.ready(ctx); err == nil && st.play.now.card != nil {
				return st.paused(), nil
			} else if err == nil {
				return st.make(ctx, one(cua.Action{Kind: cua.Navigate, URL: in.URL}))
			} else if st.play != nil {
				return nil, err
			}
		}
		if _, _, err := cua.ParseAddress(in.URL); err != nil {
			return nil, fmt.Errorf("browser_navigate: %w", err)
		}
		if err := st.begin(ctx, in.URL); err != nil {
			return nil, err
		}
		if err := st.ready(ctx); err != nil {
			return nil, fmt.Errorf("%s could not be opened: %w", clip(in.URL, 200), err)
		}
		r := st.result(order{}, nil, nil)
		r.Asked, r.Did = "open the page", "Opened the page"
		r.snapshot(st, "")
		return r, nil
	})
}

// planWait is a wait, or looks and waits in turn.
func planWait(_ *seat, _ *cua.Observation, in waitIn) (order, error) {
	text, gone := in.Text, in.TextGone != ""
	if gone {
		text = in.TextGone
	}
	if text == "" {
		return one(cua.Action{Kind: cua.Wait, MS: int(in.Time * 1000)}), nil
	}
	o := order{enough: func(s *cua.Step) bool {
		return s.Proposed.Kind == cua.Find && strings.Contains(s.Feedback, notOnPage) == gone
	}}
	for range 10 {
		o.actions = append(o.actions, cua.Action{Kind: cua.Find, Text: text},
			cua.Action{Kind: cua.Wait, MS: 1000})
	}
	o.actions[len(o.actions)-1] = cua.Action{Kind: cua.Find, Text: text}
	return o, nil
}

// notOnPage is what a find says that finds nothing.
const notOnPage = "is not on the page"

func planTabs(_ *seat, now *cua.Observation, in tabsIn) (order, error) {
	n := max(now.Tab, 1)
	if in.Index != nil {
		n = *in.Index + 1
	}
	switch in.Action {
	case "list":
		return one(cua.Action{Kind: cua.Observe}), nil
	case "new":
		return order{actions: []cua.Action{{Kind: cua.NewTab, URL: in.URL}}, show: showElements}, nil
	case "select":
		return order{actions: []cua.Action{{Kind: cua.SwitchTab, Tab: n}}, show: showElements}, nil
	case "close":
		return order{actions: []cua.Action{{Kind: cua.CloseTab, Tab: n}}, show: showElements}, nil
	}
	return order{}, fmt.Errorf("action is list, new, select or close, not %q", clip(in.Action, 40))
}

type taskIn struct {
	session
	Goal         string   `json:"goal" jsonschema:"the task in words"`
	Fields       []valIn  `json:"fields,omitempty" jsonschema:"values that go into forms"`
	OutputFields []string `json:"output_fields,omitempty" jsonschema:"names that the answer must contain"`
}

type valIn struct {
	Label string `json:"label"`
	Value string `json:"value" jsonschema:"<secret:NAME> is a secret that the server has under this name"`
}

type doneIn struct {
	session
	Answer  string `json:"answer" jsonschema:"what was done or found"`
	Success bool   `json:"success"`
}

type rollbackIn struct {
	session
	Step int `json:"step" jsonschema:"the step to undo: the page becomes what it was before it"`
}

// addEpisode adds the tools that are about the episode as a whole.
func (s *Server) addEpisode() {
	add(s, "browser_task", "Say what the job is, before browser_navigate: values are then watched, and a "+
		"premature browser_done is refused", moves, s.setTask)
	tool(s, "browser_done", "Say that the task is done or cannot be done. Closes the browser", moves,
		func(_ *seat, _ *cua.Observation, in doneIn) (order, error) {
			return one(cua.Action{Kind: cua.Done, Text: in.Answer, Success: in.Success}), nil
		})
	add(s, "browser_status", "The page and the state of the session, without a step", reads,
		func(ctx context.Context, in session) (*sdk.CallToolResult, *Result, error) {
			return s.call(ctx, in.Session, func(st *seat) (*Result, error) {
				if err := st.ready(ctx); err != nil {
					return nil, err
				}
				if st.play.now.card != nil {
					return st.paused(), nil
				}
				return st.result(order{}, nil, nil), nil
			})
		})
	add(s, "browser_checkpoints", "The steps that browser_rollback can undo", reads, s.checkpoints)
	add(s, "browser_rollback", "Go back: make the page what it was before a step", acts, s.rollback)
	add(s, "browser_close", "Close the browser", moves,
		func(ctx context.Context, in session) (*sdk.CallToolResult, *Result, error) {
			return s.call(ctx, in.Session, func(st *seat) (*Result, error) {
				if st.play == nil {
					return nil, errOver
				}
				return st.close(), nil
			})
		})
}

func (s *Server) setTask(ctx context.Context, in taskIn) (*sdk.CallToolResult, *Result, error) {
	return s.call(ctx, in.Session, func(st *seat) (*Result, error) {
		if st.play != nil {
			return nil, errors.New("browser_task: a browser is open: call browser_close first")
		}
		values, err := s.planValues(in.Fields)
		if err != nil {
			return nil, fmt.Errorf("browser_task: %w", err)
		}
		st.task = &cua.Task{Goal: in.Goal, OutputFields: in.OutputFields, Fields: values}
		return &Result{Session: st.name, Outcome: Done, Did: "Noted the task. Call browser_navigate now"}, nil
	})
}

// planValues are the values of a task. A secret is one that the server was started with, or a value.
func (s *Server) planValues(in []valIn) (out []cua.PlanValue, err error) {
	for _, f := range in {
		if name := cua.SecretName(f.Value); name != "" && !slices.Contains(s.o.Secrets, name) {
			return nil, fmt.Errorf("%s: this server has no secret %s (--secret); give the value, which is "+
				"recorded by name", f.Label, name)
		}
		out = append(out, cua.PlanValue(f))
	}
	return out, nil
}

// rollback goes back by a step of the episode, or by the choice that a pause offers.
func (s *Server) rollback(ctx context.Context, in rollbackIn) (*sdk.CallToolResult, *Result, error) {
	return s.call(ctx, in.Session, func(st *seat) (*Result, error) {
		if err := st.ready(ctx); err != nil {
			return nil, err
		}
		if st.play.now.card == nil {
			o := one(cua.Action{Kind: cua.Rewind, Step: in.Step})
			o.show = showElements
			return st.make(ctx, o)
		}
		return st.chosen(ctx, trajectories.PauseChoice{Kind: trajectories.ChooseRewind, Step: in.Step})
	})
}

// checkpoints lists the newest live steps before which there is a checkpoint.
func (s *Server) checkpoints(ctx context.Context, in session) (*sdk.CallToolResult, *Result, error) {
	return s.call(ctx, in.Session, func(st *seat) (*Result, error) {
		if err := st.ready(ctx); err != nil {
			return nil, err
		}
		p := st.play
		r := &Result{Session: st.name, Step: len(p.steps), Outcome: Done, Did: "Listed the checkpoints"}
		if p.now.turn == nil {
			return st.paused(), nil
		}
		h := p.now.turn.History
		for _, live := range slices.Backward(cua.Live(h.Steps)) {
			before := h.Before(live.N - 1)
			if before.Checkpoint == "" || len(r.Changes) >= 20 {
				continue
			}
			line := fmt.Sprintf("step %d (%s): before it %s %q", live.N, live.Proposed.Kind, before.URL,
				clip(before.Title, 60))
			if sent := h.Sent(live.N); len(sent) > 0 {
				line += fmt.Sprintf("; steps %v sent something, which is not undone", sent)
			}
			r.Changes = append(r.Changes, line)
		}
		return r, nil
	})
}
