package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// read converts a response into a reply. An incomplete response leaves the conversation unchanged: its
// calls are not executed, and its request is sent again.
func (w *wire) read(res *responses.Response) model.Reply {
	r := model.Reply{Usage: used(res.Usage)}
	text := outputText(res)
	switch res.Status {
	case responses.ResponseStatusCompleted:
	case responses.ResponseStatusIncomplete:
		if res.IncompleteDetails.Reason == "max_output_tokens" {
			r.Failure = model.Cut(text)
		} else {
			r.Failure = &cua.Failure{Kind: cua.FailModel, Detail: fmt.Sprintf("the response ended early: %q",
				res.IncompleteDetails.Reason)}
		}
		return r
	default:
		code := string(res.Error.Code)
		r.Refused, r.Thought = strings.HasSuffix(code, "_policy") ||
			strings.HasSuffix(code, "_policy_violation"), res.Error.Message
		r.Failure = &cua.Failure{Kind: cua.FailModel,
			Detail: fmt.Sprintf("the response has the status %q: %s %s", res.Status, code,
				brain.Quoted(res.Error.Message, 200))}
		return r
	}
	w.commit(res)
	var thoughts, last []string
	for _, item := range res.Output {
		switch item.Type {
		case "reasoning":
			for _, s := range item.AsReasoning().Summary {
				thoughts = append(thoughts, s.Text)
			}
		case "message":
			said, refusal := messageText(item.AsMessage())
			if refusal != "" {
				return model.Reply{Usage: r.Usage, Refused: true, Thought: refusal}
			}
			thoughts = append(thoughts, said)
			if item.AsMessage().Phase != responses.ResponseOutputMessagePhaseCommentary {
				last = append(last, said)
			}
		case "computer_call":
			r.Calls = append(r.Calls, w.computer(item.AsComputerCall())...)
		case "function_call":
			r.Calls = append(r.Calls, w.function(item.AsFunctionCall()))
		}
	}
	r.Thought = strings.TrimSpace(strings.Join(thoughts, "\n"))
	if len(r.Calls) == 0 {
		if r.Final = model.Final(strings.Join(last, "\n")); r.Final == nil {
			r.Failure = model.NoCall(text)
		}
	}
	return r
}

// commit adds a complete response to the conversation. Items are sent back unchanged and in order, because
// reasoning belongs to the call after it.
func (w *wire) commit(res *responses.Response) {
	if w.set.server {
		w.previous, w.pending = res.ID, nil
		return
	}
	w.items, w.pending = append(w.items, w.pending...), nil
	for _, item := range res.Output {
		w.items = append(w.items,
			param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
	}
}

// computer makes one call of each action of a computer call, because actions are executed one by one and a
// batch may end between them. Consent to the safety checks is asked before the first.
func (w *wire) computer(c responses.ResponseComputerToolCall) []model.Call {
	a := asked{}
	var checks []brain.SafetyCheck
	for _, s := range c.PendingSafetyChecks {
		a.checks = append(a.checks, json.RawMessage(s.RawJSON()))
		checks = append(checks, brain.SafetyCheck{Provider: provider, Code: s.Code, Message: s.Message})
	}
	actions := actionsOf(c)
	if n := len(actions); n > 1 && kindOf(actions[n-1]) == "screenshot" {
		actions = actions[:n-1] // the answer to the call contains a screenshot
	}
	out := []model.Call{{ID: c.CallID, Name: "nothing", Data: a, Checks: checks}}
	for i, raw := range actions {
		act, bad := action(raw, w.on)
		m := model.Call{ID: c.CallID, Name: kindOf(raw), Data: a, Failure: bad}
		if bad == nil {
			m.Actions = []cua.Action{act}
		}
		if i == 0 {
			m.Checks, out = checks, nil
		} else if bad == nil {
			for j := range checks { // consent to a call covers all its checks
				checks[j].Then = append(checks[j].Then, act)
			}
		}
		out = append(out, m)
	}
	return out
}

// actionsOf are the raw actions of a call: the list, or the only one of the preview tool.
func actionsOf(c responses.ResponseComputerToolCall) []string {
	var out []string
	for _, a := range c.Actions {
		out = append(out, a.RawJSON())
	}
	if len(out) == 0 && c.JSON.Action.Valid() {
		out = append(out, c.Action.RawJSON())
	}
	return out
}

// kindOf is the type of a raw action, for messages; "action" if it has none.
func kindOf(raw string) string {
	var a struct {
		Type string `json:"type"`
	}
	if json.Unmarshal([]byte(raw), &a) != nil || a.Type == "" || len(a.Type) > 40 {
		return "action"
	}
	return a.Type
}

func (w *wire) function(c responses.ResponseFunctionToolCall) model.Call {
	m := model.Call{ID: c.CallID, Name: c.Name, Data: asked{function: true}}
	a, bad := call(c.Name, c.Arguments, w.on)
	if m.Failure = bad; bad == nil {
		m.Actions = []cua.Action{a}
	}
	return m
}

func messageText(m responses.ResponseOutputMessage) (said, refusal string) {
	var texts []string
	for _, c := range m.Content {
		switch c.Type {
		case "output_text":
			texts = append(texts, c.Text)
		case "refusal":
			refusal = c.Refusal
		}
	}
	return strings.Join(texts, "\n"), refusal
}

// outputText is all text of a response, to be stored with a failure.
func outputText(res *responses.Response) string {
	var out []string
	for _, item := range res.Output {
		if item.Type == "message" {
			said, _ := messageText(item.AsMessage())
			out = append(out, said)
		}
	}
	return strings.Join(out, "\n")
}

func used(u responses.ResponseUsage) cua.Usage {
	return cua.Usage{
		InputTokens: int(u.InputTokens), CachedTokens: int(u.InputTokensDetails.CachedTokens),
		CacheWriteTokens: int(u.InputTokensDetails.CacheWriteTokens),
		LongCacheTokens:  int(u.InputTokensDetails.CacheWriteTokensDetails.Ttl12hTokens),
		OutputTokens:     int(u.OutputTokens), ReasoningTokens: int(u.OutputTokensDetails.ReasoningTokens),
	}
}

// failed is a one-line error for a missing response. The SDK's own errors have no reason.
func failed(err error) error {
	var e *sdk.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("openai: %w", err)
	}
	// A conversation that the server no longer stores is restarted, too.
	if e.Code == "context_length_exceeded" || e.Code == "previous_response_not_found" ||
		e.StatusCode == http.StatusRequestEntityTooLarge {
		return fmt.Errorf("openai: %w", model.ErrTooLong)
	}
	return fmt.Errorf("openai: the API answered %s %s", strings.TrimSpace(fmt.Sprint(e.StatusCode, " ",
		e.Code)), brain.Quoted(model.Said(e.Message, e.Response), 300))
}
