package formats

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// tool is an action as a function that a model may call.
type tool struct {
	Type     string       `json:"type"` // function
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  map[string]any `json:"parameters"`
}

// toolAbout says what each action does and which fields of cua.Action it has.
var toolAbout = map[cua.Kind][2]string{
	cua.Click:       {"Press the primary button at a point or mark.", "point mark"},
	cua.DoubleClick: {"Press it twice.", "point mark"},
	cua.TripleClick: {"Press it three times.", "point mark"},
	cua.RightClick:  {"Press the secondary button.", "point mark"},
	cua.MiddleClick: {"Press the middle button.", "point mark"},
	cua.Hover:       {"Move the pointer there.", "point mark"},
	cua.Drag:        {"Drag from a point to another.", "point mark to"},
	cua.Type:        {"Type text into a control, or into the focused one.", "point mark text clear"},
	cua.Key:         {"Press one key or chord.", "keys"},
	cua.Scroll:      {"Scroll by CSS pixels.", "point mark dx dy"},
	cua.Navigate:    {"Open an address.", "url"},
	cua.Back:        {"Go back.", ""}, cua.Forward: {"Go forward.", ""},
	cua.Reload: {"Load the page again.", ""}, cua.Wait: {"Wait.", "ms"},
	cua.Select: {"Select the option with that text.", "point mark text"},
	cua.Upload: {"Give files to a file control.", "point mark files"},
	cua.NewTab: {"Open a tab.", "url"}, cua.SwitchTab: {"Show a tab.", "tab"},
	cua.CloseTab:  {"Close a tab.", "tab"},
	cua.AnswerDlg: {"Answer the dialog.", "accept text"},
	cua.Rewind:    {"Restore the page to what it was before a step.", "step facets"},
	cua.Ask:       {"Ask a person.", "text"}, cua.Done: {"End the task.", "success text"},
	cua.Observe: {"Look at the page.", ""}, cua.Zoom: {"Look at a place more closely.", "point mark"},
	cua.Find: {"Find text on the page.", "text"}, cua.Extract: {"Read the page.", "text"},
}

// toolTypes are the JSON types of the fields of cua.Action.
var toolTypes = map[string]map[string]any{
	"point": placeType(), "to": placeType(), "mark": {"type": "integer"}, "text": {"type": "string"},
	"clear": {"type": "boolean"}, "keys": {"type": "string"}, "url": {"type": "string"},
	"dx": {"type": "number"}, "dy": {"type": "number"}, "ms": {"type": "integer"}, "tab": {"type": "integer"},
	"files":  {"type": "array", "items": map[string]any{"type": "string"}},
	"accept": {"type": "boolean"}, "step": {"type": "integer"},
	"facets":  {"type": "array", "items": map[string]any{"type": "string"}},
	"success": {"type": "boolean"},
}

func placeType() map[string]any {
	number := map[string]any{"type": "number"}
	return map[string]any{"type": "object", "properties": map[string]any{"x": number, "y": number},
		"required": []string{"x", "y"}}
}

// tools are the actions that an agent may take, in the order in which they are documented.
func tools() []tool {
	var out []tool
	for _, k := range cua.Kinds() {
		properties := map[string]any{}
		for _, name := range strings.Fields(toolAbout[k][1]) {
			properties[name] = toolTypes[name]
		}
		out = append(out, tool{"function", toolFunction{string(k), toolAbout[k][0],
			map[string]any{"type": "object", "properties": properties}}})
	}
	return out
}

// arguments are the fields of a beside its kind, and without what its author says of it.
func arguments(a cua.Action) map[string]any {
	out := map[string]any{}
	raw, err := json.Marshal(a)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil { // an action holds nothing that JSON does not
		return map[string]any{}
	}
	delete(out, "kind")
	delete(out, "why")
	return out
}

// call is a as one line of JSON: its kind as name, its arguments.
func call(a cua.Action) string {
	raw, err := json.Marshal(struct {
		Name      cua.Kind       `json:"name"`
		Arguments map[string]any `json:"arguments"`
	}{a.Kind, arguments(a)})
	if err != nil {
		return ""
	}
	return string(raw)
}

// outcomeWords is the outcome of a step in one line: its failure, what changed, and the feedback.
func outcomeWords(s *cua.Step) string {
	var out []string
	switch {
	case s.Failure != nil:
		out = append(out, strings.TrimSpace(string(s.Failure.Kind)+" "+s.Failure.Detail))
	case s.Effect == nil:
	case s.Effect.Any():
		out = append(out, "changed: "+joinedChanges(s.Effect.Progress))
	default:
		out = append(out, "no effect")
	}
	if s.Feedback != "" {
		out = append(out, s.Feedback)
	}
	return strings.Join(out, "\n")
}

func joinedChanges(list []cua.Change) string {
	seen := map[string]bool{}
	for _, c := range list {
		seen[string(c)] = true
	}
	return strings.Join(slices.Sorted(maps.Keys(seen)), ", ")
}

// liveSteps are the numbers of the steps that no rewind undid.
func liveSteps(steps []cua.Step) map[int]bool {
	out := map[int]bool{}
	for _, s := range cua.Live(steps) {
		out[s.N] = true
	}
	return out
}

// modelMade says whether a model decided s: neither a person nor a policy did. usage is that of the decision.
func modelMade(s *cua.Step, usage cua.Usage) bool {
	return s.By != cua.Person && (usage.Tokens() > 0 || usage.Attempts > 0)
}
