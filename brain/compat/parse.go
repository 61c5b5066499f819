package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// said is one call as a reply has it, whatever its dialect: a verb, and arguments under names of their own.
type said struct {
	verb string
	args map[string]any
	// raw is the text that it was read from.
	raw string
}

// spoken is a reply's text after reading: what was thought, and the calls in their order.
type spoken struct {
	thought string
	calls   []said
}

// errNoCall says that a text holds no call at all.
var errNoCall = errors.New("the reply names no action")

// Texts are untrusted: more than these is cut or not looked at.
const (
	maxText    = 64 << 10 // bytes of a reply that are read
	maxCalls   = 16       // calls of one reply that are taken
	maxObjects = 64       // places of a text at which a JSON object is tried
)

// parseText reads the calls out of a reply's text, in this order: <tool_call> elements, JSON in a fence or bare, lines
// that begin with Action:. The first dialect that the text speaks counts, also where it speaks it badly: then the
// error says what is wrong. A text without a call is errNoCall.
func parseText(text string) (spoken, error) {
	if len(text) > maxText {
		text = strings.ToValidUTF8(text[:maxText], "")
	}
	thought, text := splitThinking(text)
	for _, read := range []func(string) (spoken, error){parseTags, parseJSON, parseActions} {
		s, err := read(text)
		if errors.Is(err, errNoCall) {
			continue
		}
		s.thought = join(thought, s.thought)
		if len(s.calls) > maxCalls {
			return s, fmt.Errorf("%d calls in one reply; at most %d can be done", len(s.calls), maxCalls)
		}
		return s, err
	}
	return spoken{thought: join(thought, text)}, errNoCall
}

// splitThinking takes a leading <think> element off, which some servers leave in the text. One that is not closed was cut
// and has nothing behind it.
func splitThinking(text string) (thought, rest string) {
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

// parseTags reads <tool_call> elements: JSON, or the XML of newer Qwen templates. The last may lack its end, which some
// servers take for a stop word.
func parseTags(text string) (spoken, error) {
	head, rest, ok := strings.Cut(text, openTag)
	if !ok {
		return spoken{}, errNoCall
	}
	out := spoken{thought: strings.TrimSpace(head)}
	for ok {
		var body string
		body, rest, _ = strings.Cut(rest, closeTag)
		calls, err := parseBody(strings.TrimSpace(body))
		if err != nil {
			return out, fmt.Errorf("<tool_call>: %w", err)
		}
		out.calls = append(out.calls, calls...)
		_, rest, ok = strings.Cut(rest, openTag)
	}
	return out, nil
}

func parseBody(body string) ([]said, error) {
	if strings.HasPrefix(body, "<function=") {
		s, err := parseXML(body)
		return []said{s}, err
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
		calls[i].raw = body
	}
	return calls, nil
}

var (
	xmlFunction  = regexp.MustCompile(`(?s)^<function=([\w.-]+)>(.*?)(?:</function>|$)`)
	xmlParameter = regexp.MustCompile(`(?s)<parameter=([\w.-]+)>(.*?)</parameter>`)
)

// parseXML reads <function=NAME><parameter=KEY>value</parameter></function>; a value is JSON where it is, else text.
func parseXML(body string) (said, error) {
	m := xmlFunction.FindStringSubmatch(body)
	if m == nil {
		return said{}, errors.New("the function element cannot be read")
	}
	args := map[string]any{}
	for _, p := range xmlParameter.FindAllStringSubmatch(m[2], -1) {
		var v any
		text := strings.TrimSpace(p[2])
		if err := decodeWhole(text, &v); err != nil {
			v = text
		}
		args[p[1]] = v
	}
	s := named(m[1], args)
	s.raw = body
	return s, nil
}

// parseJSON reads the first JSON value of the text that is a call, or a list of calls.
func parseJSON(text string) (spoken, error) {
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
				calls[i].raw = text[at:end]
			}
			return spoken{thought: join(beforeFence(text[:at]), thoughtOf(v)), calls: calls}, nil
		}
		from = at + int(dec.InputOffset())
	}
	if cutCall.MatchString(text) {
		return spoken{}, errors.New("the JSON of the call ends too early or is malformed")
	}
	return spoken{}, errNoCall
}

// cutCall is what a call looks like whose JSON cannot be read.
var cutCall = regexp.MustCompile(`\{\s*"(name|action|tool_name|tool_call|arguments|thought|note)"\s*:`)

func beforeFence(text string) string {
	text = strings.TrimSpace(text)
	if i := strings.LastIndex(text, "```"); i >= 0 && !strings.Contains(text[i:], "\n") {
		text = text[:i]
	}
	return strings.TrimSpace(text)
}

// thoughtOf is what a call in JSON says that it thinks, beside or inside its arguments.
func thoughtOf(v any) string {
	m, _ := v.(map[string]any)
	var all []string
	for _, k := range []string{"note", "thought", "reasoning"} {
		if s, ok := m[k].(string); ok {
			all = append(all, s)
		}
	}
	return join(all...)
}

// callsOf are the calls that a JSON value is: {name, arguments}, {action, …}, {tool_name, …}, {tool_call: …} or
// {function: …} around one of them, or a list. False for a value that is no call.
func callsOf(v any) ([]said, bool) {
	switch v := v.(type) {
	case []any:
		var out []said
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

// callOf is the call that one object is.
func callOf(m map[string]any) ([]said, bool) {
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
			return []said{named(name, a)}, true
		case string:
			var args map[string]any
			if decodeWhole(a, &args) == nil {
				return []said{named(name, args)}, true
			}
		}
	}
	return []said{named(name, m)}, true
}

// wrappers are the names of functions that carry the verb in their arguments.
var wrappers = map[string]bool{"computer_use": true, "computer": true, "browser_use": true, "mobile_use": true, "browser": true}

// named is a call of a function: its verb is the action in the arguments where the function is but a wrapper.
func named(name string, args map[string]any) said {
	verb := strings.ToLower(strings.TrimSpace(name))
	if inner, ok := args["action"].(string); ok && (wrappers[verb] || verb == "") {
		verb = strings.ToLower(strings.TrimSpace(inner))
	}
	return said{verb: verb, args: args}
}

// decodeFirst decodes the first JSON value of s; what follows it does not count.
func decodeFirst(s string, v any) error { return json.NewDecoder(strings.NewReader(s)).Decode(v) }

// decodeWhole decodes s, which is one JSON value and nothing else.
func decodeWhole(s string, v any) error { return json.Unmarshal(bytes.TrimSpace([]byte(s)), v) }

// join puts texts that are not empty under one another.
func join(texts ...string) string {
	var out []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	return strings.Join(out, "\n")
}
