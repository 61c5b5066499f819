package openai

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/cua"
)

// function is one of our own tools, for an action that the computer tool does not have.
type function struct {
	name string
	help string
	args []arg
	// does converts the arguments to an action.
	does func(a args, on model.Screen) (cua.Action, *cua.Failure)
}

// arg is one argument. All are required, because strict functions demand it.
type arg struct {
	name, typ, help string
}

// args are the arguments of one call. A missing argument is zero.
type args struct {
	URL      string  `json:"url"`
	Text     string  `json:"text"`
	Answer   string  `json:"answer"`
	Question string  `json:"question"`
	Option   string  `json:"option"`
	Success  bool    `json:"success"`
	Accept   bool    `json:"accept"`
	X        float64 `json:"x"`
	Y        float64 `json:"y"`
	Tab      int     `json:"tab"`
}

// fixed is a function that ignores its arguments.
func fixed(k cua.Kind) func(args, model.Screen) (cua.Action, *cua.Failure) {
	return func(args, model.Screen) (cua.Action, *cua.Failure) { return cua.Action{Kind: k}, nil }
}

// functions are the tools that are offered in addition to the computer.
func functions() []function {
	return []function{
		{"navigate", "Opens an address in the active tab. The computer shows the page alone, without an address bar.",
			[]arg{{"url", "string", "the address, http or https"}},
			func(a args, _ model.Screen) (cua.Action, *cua.Failure) { return model.Open(a.URL) }},
		{"reload", "Reloads the page.", nil, fixed(cua.Reload)},
		{"select_option", "Chooses an option of a drop-down list; no screenshot shows the open list.",
			[]arg{{"x", "number", "of the list, in pixels of the screenshot"}, {"y", "number", "of the list"},
				{"option", "string", "the option's visible label"}}, choose},
		{"answer_dialog", "Answers the JavaScript dialog that is open; no screenshot shows it.",
			[]arg{{"accept", "boolean", "true is OK, false is Cancel"},
				{"text", "string", "what to enter in a prompt, else empty"}},
			func(a args, _ model.Screen) (cua.Action, *cua.Failure) {
				return cua.Action{Kind: cua.AnswerDlg, Accept: a.Accept, Text: a.Text}, nil
			}},
		{"switch_tab", "Goes to another open tab.", []arg{{"tab", "integer", "its number, from 1"}},
			func(a args, _ model.Screen) (cua.Action, *cua.Failure) {
				return cua.Action{Kind: cua.SwitchTab, Tab: a.Tab}, nil
			}},
		{"close_tab", "Closes the active tab.", nil, fixed(cua.CloseTab)},
		{"read_page", "Reads the text of the page, also of what is not in view.", nil, fixed(cua.Extract)},
		{"done", "Ends the task, as a message that begins with SUCCESS: or FAILURE: does. Call it alone.",
			[]arg{{"success", "boolean", "whether the page shows that the task is done"},
				{"answer", "string", "what was asked for, or why it cannot be done"}},
			func(a args, _ model.Screen) (cua.Action, *cua.Failure) {
				return cua.Action{Kind: cua.Done, Success: a.Success, Text: a.Answer}, nil
			}},
		{"ask", "Asks the user what only they can know or decide, as a message that begins with ASK: does. It ends the episode.",
			[]arg{{"question", "string", "the question"}},
			func(a args, _ model.Screen) (cua.Action, *cua.Failure) {
				return cua.Action{Kind: cua.Ask, Text: a.Question}, nil
			}},
	}
}

func choose(a args, on model.Screen) (cua.Action, *cua.Failure) {
	p, bad := on.Point(a.X, a.Y)
	return cua.Action{Kind: cua.Select, Point: &p, Text: a.Option}, bad
}

// parameters is the JSON schema of the arguments of f, in the form for strict functions.
func (f function) parameters() map[string]any {
	props, required := map[string]any{}, []string{}
	for _, a := range f.args {
		props[a.name] = map[string]any{"type": a.typ, "description": a.help}
		required = append(required, a.name)
	}
	return map[string]any{"type": "object", "properties": props, "required": required,
		"additionalProperties": false}
}

// call converts a call of one of our functions. An unknown function is a failure of kind unknown_action.
// Invalid arguments are a failure of kind schema_reject.
func call(name, arguments string, on model.Screen) (cua.Action, *cua.Failure) {
	var known []string
	for _, f := range functions() {
		known = append(known, f.name)
		if f.name != name {
			continue
		}
		a, err := f.read(arguments)
		if err != nil {
			return cua.Action{}, model.Unreadable(fmt.Sprintf("%s: %v", name, err), arguments)
		}
		return f.does(a, on)
	}
	bad := model.Unknown(name)
	bad.Detail += "; the functions are " + strings.Join(known, ", ")
	return cua.Action{}, bad
}

// read decodes the arguments and returns an error for a missing one. A model that is not forced to follow
// the strict schema may omit arguments.
func (f function) read(arguments string) (args, error) {
	var a args
	if arguments == "" && len(f.args) == 0 {
		return a, nil
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal([]byte(arguments), &given); err != nil {
		return a, fmt.Errorf("the arguments are no JSON object: %w", err)
	}
	for _, want := range f.args {
		if v, ok := given[want.name]; !ok || string(v) == "null" {
			return a, fmt.Errorf("needs %s", want.name)
		}
	}
	if err := json.Unmarshal([]byte(arguments), &a); err != nil {
		return a, fmt.Errorf("the arguments do not fit: %w", err)
	}
	return a, nil
}
