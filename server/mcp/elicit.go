package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cua-runner/cua-runner/trajectories"
)

// pauseQuestion is the id of the question to the person about a paused episode.
const pauseQuestion = "pause"

// The choices of a person; going back names its step.
const (
	choiceContinue = "continue"
	choiceStop     = "stop"
)

func choiceBack(step int) string { return fmt.Sprintf("go back to before step %d", step) }

// asks reports whether the client can put a question to a person.
func asks(req *sdk.CallToolRequest) bool {
	c := req.ClientCapabilities()
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// question asks the person what to do about the pause of r. The same call then comes again with the answer.
func (r *Result) question() *sdk.CallToolResult {
	choices, message := []string{choiceContinue}, r.Detail
	for _, c := range r.card.Choices {
		if c.Kind != trajectories.ChooseRewind {
			continue
		}
		choices = append(choices, choiceBack(c.Step))
		if len(c.Crosses) > 0 {
			message += fmt.Sprintf(" Going back does not undo what steps %v sent.", c.Crosses)
		}
	}
	schema, _ := json.Marshal(map[string]any{"type": "object", "required": []string{"choice"},
		"properties": map[string]any{"choice": map[string]any{"type": "string",
			"enum": append(choices, choiceStop)}}})
	return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{pauseQuestion: &sdk.ElicitParams{
		Mode: "form", Message: message, RequestedSchema: json.RawMessage(schema)}}}
}

// answer is what the person said; nil if they were not asked.
func answer(req *sdk.CallToolRequest) *sdk.ElicitResult {
	a, _ := req.Params.InputResponses[pauseQuestion].(*sdk.ElicitResult)
	return a
}

// answered does what the person chose about a paused episode.
func (s *Server) answered(ctx context.Context, name string,
	a *sdk.ElicitResult) (*sdk.CallToolResult, *Result, error) {
	return s.call(ctx, name, func(st *seat) (*Result, error) {
		if err := st.ready(ctx); err != nil {
			return nil, err
		}
		p := st.play
		if p.now.card == nil {
			return nil, errors.New("the episode is not paused any more")
		}
		choice, _ := a.Content["choice"].(string)
		switch {
		case a.Action != "accept":
			return st.paused(), nil
		case choice == choiceStop:
			return st.close(), nil
		case choice == choiceContinue:
			return st.chosen(ctx, trajectories.PauseChoice{Kind: trajectories.ChooseContinue})
		}
		for _, c := range p.now.card.Choices {
			if c.Kind == trajectories.ChooseRewind && choice == choiceBack(c.Step) {
				c.Consent = true // the question named what is not undone
				return st.chosen(ctx, c)
			}
		}
		return st.paused(), nil
	})
}

// chosen goes on from a pause.
func (s *seat) chosen(ctx context.Context, c trajectories.PauseChoice) (*Result, error) {
	p := s.play
	made := len(p.steps)
	if err := p.choose(ctx, c); err != nil {
		return nil, err
	}
	p.back = p.back || c.Kind == trajectories.ChooseRewind
	r := s.result(order{show: showElements}, p.steps[made:], nil)
	if c.Kind == trajectories.ChooseContinue && r.Outcome == Done {
		r.Outcome, r.Detail = NotExecuted, "The person chose to continue. The call was not made: "+
			"make it again only if it is still right."
	}
	return r, nil
}
