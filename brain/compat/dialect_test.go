package compat_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// reply is what a fake model answers: text, native calls, or both.
type reply struct {
	text  string
	calls []object
}

// dialect is how a family of models says an action at x, y in its own space.
type dialect func(a cua.Action, x, y int) reply

func flatArgs(a cua.Action, x, y int) object {
	o := object{"thought": "I look.", "coordinate": nil, "end_coordinate": nil, "text": nil, "keys": nil,
		"direction": nil, "amount": nil, "url": nil, "seconds": nil, "status": nil}
	if a.Point != nil {
		o["coordinate"] = []int{x, y}
	}
	switch a.Kind {
	case cua.Click:
		o["action"] = "left_click"
	case cua.Type:
		o["action"], o["text"] = "type", a.Text
	case cua.Select:
		o["action"], o["text"] = "select_option", a.Text
	case cua.Scroll:
		o["action"], o["direction"], o["amount"] = "scroll", "down", 3
	case cua.Done:
		o["action"], o["text"] = "answer", a.Text
	}
	return o
}

func asText(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// flatTools says it by a native call, flatJSON by a bare object.
func flatTools(a cua.Action, x, y int) reply {
	return reply{calls: []object{{"type": "function", "function": object{"name": "computer_use",
		"arguments": asText(flatArgs(a, x, y))}}}}
}

func flatJSON(a cua.Action, x, y int) reply { return reply{text: asText(flatArgs(a, x, y))} }

func tagged(args object) reply {
	return reply{text: "I go on with the form.\n<tool_call>\n" + asText(object{"name": "computer_use",
		"arguments": args}) + "\n</tool_call>"}
}

// qwen terminates; what was asked for stands before the call.
func qwen(a cua.Action, x, y int) reply {
	o := object{}
	if a.Point != nil {
		o["coordinate"] = []int{x, y}
	}
	switch a.Kind {
	case cua.Click:
		o["action"] = "left_click"
	case cua.Type:
		o["action"], o["text"] = "type", a.Text
	case cua.Select:
		o["action"], o["text"] = "select_option", a.Text
	case cua.Scroll:
		o["action"], o["pixels"] = "scroll", -300
	case cua.Done:
		o["action"], o["status"] = "terminate", "success"
	}
	return tagged(o)
}

func tars(a cua.Action, x, y int) reply {
	call := ""
	switch a.Kind {
	case cua.Click:
		call = fmt.Sprintf("click(start_box='<|box_start|>(%d,%d)<|box_end|>')", x, y)
	case cua.Type:
		call = fmt.Sprintf("type(content='%s')", strings.ReplaceAll(a.Text, "'", `\'`))
	case cua.Select:
		call = fmt.Sprintf("select_option(point='<point>%d %d</point>', text='%s')", x, y, a.Text)
	case cua.Scroll:
		call = "scroll(direction='down')"
	case cua.Done:
		call = fmt.Sprintf("finished(content='%s')", a.Text)
	}
	return reply{text: "Thought: I go on with the form.\nAction: " + call}
}

func holo(a cua.Action, x, y int) reply {
	o := object{"element": "it", "x": x, "y": y}
	switch a.Kind {
	case cua.Click:
		o["tool_name"] = "click"
	case cua.Type:
		o = object{"tool_name": "write", "content": a.Text, "press_enter": false}
	case cua.Select:
		o["tool_name"], o["option"] = "select_option", a.Text
	case cua.Scroll:
		o["tool_name"], o["direction"] = "scroll", "down"
	case cua.Done:
		o = object{"tool_name": "answer", "content": a.Text}
	}
	return reply{text: asText(object{"note": nil, "thought": "go on", "tool_call": o})}
}
