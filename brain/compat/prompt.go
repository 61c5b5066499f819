package compat

import (
	"fmt"

	"github.com/cua-runner/cua-runner/brain/model"
)

// function is the name of the only function of all families but two.
const function = "computer_use"

func defaultSystem(p profile, _ model.Screen, native bool) string {
	out := "You operate a web browser for a user: you see screenshots and call actions, and the runner does them." + rules + `

One action a reply, by ` + function + `. Points are [x, y] on a grid from 0,0 (top left) to 1000,1000 (bottom right) of the screenshot.
- left_click_drag goes from coordinate to end_coordinate. type goes to the focus, or to coordinate, which is pressed first.
- key presses keys together: ["ctrl", "a"]. scroll goes amount notches of the wheel, 100 px each, in a direction.
- select_option chooses the option with the label text in the drop-down list at coordinate; no screenshot shows the open list.
- answer ends the task as done, with what was asked for in text. terminate ends it with a status. ask_user asks the user text, and ends too.`
	if !native {
		out += "\nReply with one JSON object and nothing else, by this schema:\n" + asJSON(p.parameters)
	}
	return out
}

// named is one action of a family, with its help.
type named struct{ name, help string }

// qwenActions are those of Qwen's own computer_use, faraActions those of Fara's.
var (
	qwenActions = []named{
		{"key", "Performs key down presses on the arguments passed in order, then performs key releases in reverse order."},
		{"type", "Type a string of text on the keyboard."},
		{"mouse_move", "Move the cursor to a specified (x, y) pixel coordinate on the screen."},
		{"left_click", "Click the left mouse button at a specified (x, y) pixel coordinate on the screen."},
		{"left_click_drag", "Click and drag the cursor to a specified (x, y) pixel coordinate on the screen."},
		{"right_click", "Click the right mouse button at a specified (x, y) pixel coordinate on the screen."},
		{"middle_click", "Click the middle mouse button at a specified (x, y) pixel coordinate on the screen."},
		{"double_click", "Double-click the left mouse button at a specified (x, y) pixel coordinate on the screen."},
		{"triple_click", "Triple-click the left mouse button at a specified (x, y) pixel coordinate on the screen."},
		{"scroll", "Performs a scroll of the mouse scroll wheel."},
		{"hscroll", "Performs a horizontal scroll."},
		{"select_option", "Choose the option with the visible label `text` in the drop-down list at coordinate."},
		{"visit_url", "Visit the address `url`."},
		{"history_back", "Go back to the previous page."},
		{"wait", "Wait specified seconds for the change to happen."},
		{"terminate", "Terminate the current task and report its completion status."},
		{"answer", "Answer a question, which ends the task."},
	}
	faraActions = []named{
		{"key", "Performs key down presses on the arguments passed in order, then performs key releases in reverse order."},
		{"type", "Type a string of text on the keyboard."},
		{"mouse_move", "Move the cursor to a specified (x, y) pixel coordinate on the screen."},
		{"left_click", "Click the left mouse button at a specified (x, y) pixel coordinate on the screen."},
		{"scroll", "Performs a scroll of the mouse scroll wheel."},
		{"visit_url", "Visit a specified URL."},
		{"web_search", "Perform a web search with a specified query."},
		{"history_back", "Go back to the previous page in the browser history."},
		{"pause_and_memorize_fact", "Pause and memorize a fact for future reference."},
		{"wait", "Wait specified seconds for the change to happen."},
		{"terminate", "Terminate the current task and report its completion status."},
	}
)

func qwenParameters(actions []named) map[string]any {
	var enum []string
	for _, a := range actions {
		enum = append(enum, a.name)
	}
	said := func(help string, types ...string) map[string]any {
		out := kind(types...)
		out["description"] = help
		return out
	}
	props := ordered{
		{"action", map[string]any{"type": "string", "enum": enum, "description": actionHelp(actions)}},
		{"keys", map[string]any{"type": "array", "items": kind("string"), "description": "Required only by `action=key`."}},
		{"text", said("Required only by `action=type`, `action=select_option` and `action=answer`.", "string")},
		{"coordinate", map[string]any{"type": "array", "items": kind("number"), "description": "(x, y): The x (pixels from the left edge) and y (pixels from the top edge) coordinates to move the mouse to."}},
		{"pixels", said("The amount of scrolling to perform. Positive values scroll up, negative values scroll down. Required only by `action=scroll` and `action=hscroll`.", "number")},
		{"time", said("The seconds to wait. Required only by `action=wait`.", "number")},
		{"url", said("The address to visit. Required only by `action=visit_url`.", "string")},
		{"status", map[string]any{"type": "string", "enum": []string{"success", "failure"}, "description": "The status of the task. Required only by `action=terminate`."}},
	}
	if actions[len(actions)-1].name != "answer" {
		props = append(props, member{"query",
			said("The query to search for. Required only by `action=web_search`.", "string")},
			member{"fact", said("The fact to remember. Required only by `action=pause_and_memorize_fact`.",
				"string")},
			member{"press_enter", said("Whether to press the Enter key after typing. Only by `action=type`.",
				"boolean")},
			member{"delete_existing_text",
				said("Whether to delete existing text before typing. Only by `action=type`.", "boolean")})
	}
	return map[string]any{"type": "object", "properties": props, "required": []string{"action"}}
}

func actionHelp(actions []named) string {
	out := "The action to perform. The available actions are:"
	for _, a := range actions {
		out += "\n* `" + a.name + "`: " + a.help
	}
	return out
}

// about describes the function to the Qwen family, including the size of the screen.
func about(on model.Screen) string {
	w, h := on.Size.W, on.Size.H
	if on.Grid > 0 {
		w, h = on.Grid, on.Grid
	}
	return fmt.Sprintf("Use a mouse and keyboard to interact with a web browser, and take screenshots.\n* "+
		"The screen's resolution is %dx%d.\n"+
		"* Make sure to click any buttons, links, icons, etc with the cursor tip in the center of the "+
		"element.", w, h)
}

// qwenSystem contains the function, as in Qwen's own template, if it is not sent as a tool.
func qwenSystem(p profile, on model.Screen, native bool) string {
	out := "You are a helpful assistant that operates a web browser." + rules + `
- Say in one line what you do and why, then call one action. When the task is done, and the page shows it, terminate with
  success and say in that line what was asked for, with the values themselves.`
	if native {
		return out
	}
	tool := ordered{{"type", "function"}, {"function", ordered{{"name", function}, {"description", about(on)},
		{"parameters", p.parameters}}}}
	return out + "\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n" +
		"You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n" +
		asJSON(tool) + "\n</tools>\n\n" +
		"For each function call, return a json object with function name and arguments within " +
		"<tool_call></tool_call> XML tags:\n" +
		"<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>"
}

// tarsSystem is UI-TARS' own prompt for computers, with the address of the browser.
func tarsSystem(profile, model.Screen, bool) string {
	return `You are a GUI agent. You are given a task and your action history, with screenshots. You need to perform the next action to complete the task.` + rules + `

## Output Format
Thought: ...
Action: ...

## Action Space
click(point='<point>x1 y1</point>')
left_double(point='<point>x1 y1</point>')
right_single(point='<point>x1 y1</point>')
drag(start_point='<point>x1 y1</point>', end_point='<point>x2 y2</point>')
hotkey(key='ctrl c') # Split keys with a space and use lowercase. Also, do not use more than 3 keys in one hotkey action.
type(content='xxx') # Use escape characters \', \", and \n in content part to ensure we can parse the content in normal python string format. If you want to submit your input, use \n at the end of content.
scroll(point='<point>x1 y1</point>', direction='down or up or right or left')
select_option(point='<point>x1 y1</point>', text='xxx') # Choose the option with that label in a drop-down list; its open list is not shown.
visit_url(url='xxx')
wait() # Sleep for 5s and take a screenshot to check for any changes.
finished(content='xxx') # Use escape characters \', \", and \n in content part. Say there what was asked for.
call_user() # Ask the user what only they can decide: the question stands in Thought.

## Note
- Write a small plan and finally summarize your next action (with its target element) in one sentence in Thought part.`
}

// holoTools are the actions of Holo's harness in its format: one object per tool, its name beside its
// arguments.
var holoTools = []struct {
	name, help string
	args       []string // element, content and the like; x and y are integers
}{
	{"click", "Click an element.", []string{"element", "x", "y"}},
	{"double_click", "Double-click an element.", []string{"element", "x", "y"}},
	{"right_click", "Right-click an element.", []string{"element", "x", "y"}},
	{"write", "Type at the focus.", []string{"content", "press_enter"}},
	{"press_key", "Press keys together, as ctrl+a.", []string{"key"}},
	{"select_option", "Choose an option of a drop-down list by its label.", []string{"option", "x", "y"}},
	{"scroll", "Scroll up, down, left or right.", []string{"direction", "x", "y"}},
	{"goto", "Open an address.", []string{"url"}},
	{"go_back", "Go back to the previous page.", nil},
	{"refresh", "Reload the page.", nil},
	{"wait", "Wait for seconds.", []string{"seconds"}},
	{"answer", "End the task as done, with what was asked for.", []string{"content"}},
	{"ask_user", "Ask the user what only they can decide.", []string{"question"}},
	{"terminate", "End the task, which cannot be done.", []string{"content"}},
}

// holoParameters is the object with which Holo answers: its note, its thought, and one tool.
func holoParameters() map[string]any {
	var tools []any
	for _, t := range holoTools {
		props := ordered{{"tool_name", map[string]any{"type": "string", "const": t.name}}}
		required := []string{"tool_name"}
		for _, a := range t.args {
			v := kind("string")
			switch a {
			case "x", "y":
				v = map[string]any{"type": "integer", "minimum": 0, "maximum": thousand}
			case "seconds":
				v = kind("number")
			case "press_enter":
				v = kind("boolean")
			}
			props, required = append(props, member{a, v}), append(required, a)
		}
		tools = append(tools, map[string]any{"type": "object", "description": t.help, "properties": props,
			"required": required, "additionalProperties": false})
	}
	return map[string]any{"type": "object", "additionalProperties": false,
		"required": []string{"note", "thought", "tool_call"}, "properties": ordered{{"note",
			kind("string", "null")}, {"thought", kind("string")}, {"tool_call",
			map[string]any{"anyOf": tools}}}}
}

// holoSystem also contains the schema, because the family was trained with it in both places.
func holoSystem(p profile, _ model.Screen, _ bool) string {
	return "You are an agent that operates a web browser for a user." + rules + `

Each step, reply with one JSON object: note is what later steps will need from this screen (null for nothing), thought is a one-line
plan, tool_call is the one action. x and y are integers from 0 to 1000, relative to the newest screenshot.
<output_format>
` + asJSON(p.parameters) + `
</output_format>`
}

// observed returns the wrapper of Holo's turns.
func observed() (before, after string) { return "<observation>\n", "\n</observation>" }
