// Package dialect parses replies of several families of vision models: calls in <tool_call> elements, in
// JSON, and in lines that begin with Action:, with the verbs and argument names that each family was
// trained on. It does no I/O.
package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Call is one call of a reply in any dialect: a verb with named arguments.
type Call struct {
	// Verb is the verb in lower case, as the family names it.
	Verb string
	// Args are decoded JSON values; those of an Action: line are strings.
	Args map[string]any
	// Raw is the parsed text.
	Raw string
}

// Reply is a parsed text: the thought, and the calls in order.
type Reply struct {
	// Thought is the text before the calls, or the thought in a call; "" means none.
	Thought string
	// Calls are the calls. If Parse returns no error, there are at most MaxCalls.
	Calls []Call
}

// ErrNoCall reports a text without a call.
var ErrNoCall = errors.New("the reply names no action")

// MaxCalls is the maximum number of calls in one reply. More calls are a loop of the model and not a plan.
const MaxCalls = 16

// Texts are untrusted: what exceeds these limits is cut or ignored.
const (
	maxText    = 64 << 10 // parsed bytes of a reply
	maxObjects = 64       // positions at which a JSON object is tried
)

// Parse parses the calls of a reply, in this order: <tool_call> elements, JSON in a fence or bare, lines
// that begin with Action:. The first dialect that occurs counts, even if it is malformed; then the error
// says what is wrong. A text without a call is ErrNoCall.
func Parse(text string) (Reply, error) {
	thought, text := SplitThinking(cua.ClipBytes(text, maxText))
	for _, read := range []func(string) (Reply, error){parseTags, parseJSON, parseActions} {
		s, err := read(text)
		if errors.Is(err, ErrNoCall) {
			continue
		}
		s.Thought = Join(thought, s.Thought)
		if len(s.Calls) > MaxCalls {
			return s, fmt.Errorf("%d calls in one reply; at most %d can be done", len(s.Calls), MaxCalls)
		}
		return s, err
	}
	return Reply{Thought: Join(thought, text)}, ErrNoCall
}

// SplitThinking separates a leading <think> element, which some servers leave in the text. An element that
// is not closed was truncated and has nothing after it.
func SplitThinking(text string) (thought, rest string) {
	head := strings.TrimSpace(text)
	if i := strings.Index(head, "</think>"); i >= 0 && !strings.Contains(head[:i], "<tool_call>") {
		return strings.TrimSpace(strings.TrimPrefix(head[:i], "<think>")), head[i+len("</think>"):]
	}
	if in, ok := strings.CutPrefix(head, "<think>"); ok {
		return strings.TrimSpace(in), ""
	}
	return "", text
}

const (
	openTag  = "<tool_call>"
	closeTag = "</tool_call>"
)

// parseTags parses <tool_call> elements: JSON, or the XML of newer Qwen templates. The last end tag may be
// missing, because some servers use it as a stop word.
func parseTags(text string) (Reply, error) {
	head, rest, ok := strings.Cut(text, openTag)
	if !ok {
		return Reply{}, ErrNoCall
	}
	out := Reply{Thought: strings.TrimSpace(head)}
	for ok {
		var body string
		body, rest, _ = strings.Cut(rest, closeTag)
		calls, err := parseBody(strings.TrimSpace(body))
		if err != nil {
			return out, fmt.Errorf("<tool_call>: %w", err)
		}
		out.Calls = append(out.Calls, calls...)
		_, rest, ok = strings.Cut(rest, openTag)
	}
	return out, nil
}

func parseBody(body string) ([]Call, error) {
	if strings.HasPrefix(body, "<function=") {
		s, err := parseXML(body)
		return []Call{s}, err
	}
	var v any
	if err := decodeFirst(body, &v); err != nil {
		return nil, fmt.Errorf("no JSON: %w", err)
	}
	calls, ok := callsOf(v)
	if !ok {
		return nil, errors.New("no name and no action in it")
	}
	for i := range calls {
		calls[i].Raw = body
	}
	return calls, nil
}

var (
	xmlFunction  = regexp.MustCompile(`(?s)^<function=([\w.-]+)>(.*?)(?:</function>|$)`)
	xmlParameter = regexp.MustCompile(`(?s)<parameter=([\w.-]+)>(.*?)</parameter>`)
)

// parseXML parses <function=NAME><parameter=KEY>value</parameter></function>. A value is JSON if it is
// valid JSON, otherwise text.
func parseXML(body string) (Call, error) {
	m := xmlFunction.FindStringSubmatch(body)
	if m == nil {
		return Call{}, errors.New("the function element cannot be read")
	}
	args := map[string]any{}
	for _, p := range xmlParameter.FindAllStringSubmatch(m[2], -1) {
		var v any
		text := strings.TrimSpace(p[2])
		if err := DecodeWhole(text, &v); err != nil {
			v = text
		}
		args[p[1]] = v
	}
	s := Named(m[1], args)
	s.Raw = body
	return s, nil
}

// parseJSON parses the first JSON value of the text that is a call or a list of calls.
func parseJSON(text string) (Reply, error) {
	tried := 0
	for from := 0; tried < maxObjects; tried++ {
		at := strings.IndexAny(text[from:], "{[")
		if at < 0 {
			break
		}
		at += from
		var v any
		dec := json.NewDecoder(strings.NewReader(text[at:]))
		if err := dec.Decode(&v); err != nil {
			from = at + 1
			continue
		}
		if calls, ok := callsOf(v); ok {
			end := at + int(dec.InputOffset())
			for i := range calls {
				calls[i].Raw = text[at:end]
			}
			return Reply{Thought: Join(beforeFence(text[:at]), thoughtOf(v)), Calls: calls}, nil
		}
		from = at + int(dec.InputOffset())
	}
	if cutCall.MatchString(text) {
		return Reply{}, errors.New("the JSON of the call ends too early or is malformed")
	}
	return Reply{}, ErrNoCall
}

// cutCall matches a call whose JSON is malformed.
var cutCall = regexp.MustCompile(`\{\s*"(name|action|tool_name|tool_call|arguments|thought|note)"\s*:`)

func beforeFence(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, "```"); i >= 0 && !strings.Contains(text[i:], "\n") {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}

// thoughtOf is the thought of a call in JSON, beside or inside its arguments.
func thoughtOf(v any) string {
	m, _ := v.(map[string]any)
	var all []string
	for _, k := range []string{"note", "thought", "reasoning"} {
		if s, ok := m[k].(string); ok {
			all = append(all, s)
		}
	}
	return Join(all...)
}

// callsOf converts a JSON value to calls: {name, arguments}, {action, …}, {tool_name, …}, {tool_call: …}
// or {function: …} around one of them, or a list. It is false for any other value.
func callsOf(v any) ([]Call, bool) {
	switch v := v.(type) {
	case []any:
		var out []Call
		for _, x := range v {
			calls, ok := callsOf(x)
			if !ok {
				return nil, false
			}
			out = append(out, calls...)
		}
		return out, len(out) > 0
	case map[string]any:
		for _, k := range []string{"tool_call", "function_call", "function", "tool_calls", "actions"} {
			switch v[k].(type) {
			case map[string]any, []any:
				return callsOf(v[k])
			}
		}
		return callOf(v)
	}
	return nil, false
}

// callOf converts one object to its call.
func callOf(m map[string]any) ([]Call, bool) {
	if inner, ok := m["action"].(map[string]any); ok {
		return callOf(inner)
	}
	name := ""
	for _, k := range []string{"tool_name", "name", "action", "type"} {
		if s, ok := m[k].(string); ok && s != "" {
			name = s
			break
		}
	}
	if name == "" {
		return nil, false
	}
	for _, k := range []string{"arguments", "args", "parameters", "input"} {
		switch a := m[k].(type) {
		case map[string]any:
			return []Call{Named(name, a)}, true
		case string:
			var args map[string]any
			if DecodeWhole(a, &args) == nil {
				return []Call{Named(name, args)}, true
			}
		}
	}
	return []Call{Named(name, m)}, true
}

// wrappers are names of functions whose arguments contain the verb.
var wrappers = map[string]bool{"computer_use": true, "computer": true, "browser_use": true,
	"mobile_use": true, "browser": true}

// Named is a call of a function. If the function is only a wrapper, the verb is the action in the
// arguments.
func Named(name string, args map[string]any) Call {
	verb := strings.ToLower(strings.TrimSpace(name))
	if inner, ok := args["action"].(string); ok && (wrappers[verb] || verb == "") {
		verb = strings.ToLower(strings.TrimSpace(inner))
	}
	return Call{Verb: verb, Args: args}
}

// decodeFirst decodes the first JSON value of s and ignores the rest.
func decodeFirst(s string, v any) error { return json.NewDecoder(strings.NewReader(s)).Decode(v) }

// DecodeWhole decodes s, which must be exactly one JSON value.
func DecodeWhole(s string, v any) error { return json.Unmarshal(bytes.TrimSpace([]byte(s)), v) }

// Join joins the non-empty texts with line breaks.
func Join(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, "\n")
}
