package gemini

import (
	"encoding/json"
	"slices"
	"strings"

	"google.golang.org/genai"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
)

// read converts a response into a reply, and stores the model's message, unchanged, for the next request.
// A reply that cannot be executed as a whole is not stored, because nothing in it can be answered.
func (w *wire) read(resp *genai.GenerateContentResponse) model.Reply {
	if f := resp.PromptFeedback; f != nil && f.BlockReason != "" {
		return model.Reply{Refused: true, Thought: "the prompt was blocked: " + string(f.BlockReason) + " " +
			f.BlockReasonMessage}
	}
	if len(resp.Candidates) == 0 || resp.Candidates[0] == nil {
		return model.Reply{Failure: model.Unreadable("the reply has no candidate", raw(resp))}
	}
	c := resp.Candidates[0]
	switch c.FinishReason {
	case genai.FinishReasonSafety, genai.FinishReasonBlocklist, genai.FinishReasonProhibitedContent,
		genai.FinishReasonSPII, genai.FinishReasonRecitation, genai.FinishReasonImageSafety,
		genai.FinishReasonImageProhibitedContent:
		return model.Reply{Refused: true, Thought: strings.TrimSpace("the model declines: " +
			string(c.FinishReason) + " " + c.FinishMessage)}
	case genai.FinishReasonMaxTokens:
		return model.Reply{Failure: model.Cut(raw(c))}
	case genai.FinishReasonMalformedFunctionCall, genai.FinishReasonUnexpectedToolCall,
		genai.FinishReasonTooManyToolCalls:
		return model.Reply{Failure: model.Unreadable(strings.TrimSpace(string(
			c.FinishReason)+" "+c.FinishMessage), raw(c))}
	}
	if c.Content != nil { // a null can neither be parsed nor sent back
		c.Content.Parts = slices.DeleteFunc(c.Content.Parts, func(p *genai.Part) bool { return p == nil })
	}
	if c.Content == nil || len(c.Content.Parts) == 0 {
		return model.Reply{Failure: model.Unreadable("the reply is empty: "+string(c.FinishReason), raw(c))}
	}
	var r model.Reply
	var thoughts, words []string
	for _, p := range c.Content.Parts {
		switch {
		case p.FunctionCall != nil:
			r.Calls = append(r.Calls, w.call(p.FunctionCall))
		case p.Thought && p.Text != "":
			thoughts = append(thoughts, p.Text)
		case p.Text != "":
			words = append(words, p.Text)
		}
	}
	said := strings.Join(words, "\n")
	r.Thought = strings.Join(append(thoughts, words...), "\n")
	if len(r.Calls) == 0 {
		r.Final = model.Final(said)
	}
	w.contents = append(w.contents, &genai.Content{Role: genai.RoleModel, Parts: c.Content.Parts})
	return r
}

func raw(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// check is the safety decision of a call that needs consent; nil if it needs none. Everything that is not
// known to be harmless needs it.
func check(args map[string]any) []brain.SafetyCheck {
	d, ok := args["safety_decision"]
	if !ok || d == nil {
		return nil
	}
	m, _ := d.(map[string]any)
	decision, _ := m["decision"].(string)
	switch strings.ToLower(decision) {
	case "regular", "allow", "allowed":
		return nil
	}
	why, _ := m["explanation"].(string)
	return []brain.SafetyCheck{{Provider: provider, Code: decision, Message: why}}
}
