package guard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// Propose is a line that proposes a step.
type Propose struct {
	Type       string `json:"type"`
	Index      int    `json:"index"`
	ActionType string `json:"action_type"`
	Target     string `json:"target,omitzero"`
	Text       string `json:"text,omitzero"`
	URL        string `json:"url,omitzero"`
	Title      string `json:"title,omitzero"`
	DOMHash    string `json:"dom_hash,omitzero"`
	FormHash   string `json:"form_hash,omitzero"`
	Focus      string `json:"focus,omitzero"`
}

// kinds are the action types of the acting tools of playwright-mcp and chrome-devtools-mcp; a tool that is
// missing here and in readers acts too.
var kinds = map[string]string{"click": "click", "type": "type", "fill": "type", "fill_form": "type",
	"type_text": "type", "select_option": "select", "press_key": "key", "hover": "hover", "drag": "drag",
	"drop": "drag", "navigate": "goto", "navigate_page": "goto", "navigate_back": "back", "tabs": "tab",
	"new_page": "tab", "select_page": "tab", "close_page": "tab", "wait_for": "wait", "evaluate": "script",
	"evaluate_script": "script", "run_code_unsafe": "script", "run_code": "script"}

// readers are the tools that only look, or that do not act on the page.
var readers = []string{"snapshot", "take_screenshot", "take_snapshot", "console_messages", "network_requests",
	"network_request", "find", "close", "resize", "resize_page", "emulate_media", "install", "list_pages",
	"list_console_messages", "list_network_requests", "get_console_message", "get_network_request",
	"emulate", "get_css_styles", "lighthouse_audit", "performance_analyze_insight", "performance_stop_trace",
	"take_heapsnapshot", "screencast_start", "screencast_stop"}

// Acts says whether a tool of a browser MCP server acts on the page.
func Acts(tool string) bool { return !slices.Contains(readers, shortName(tool)) }

// shortName is a tool without the prefixes of client and server.
func shortName(tool string) string {
	if i := strings.LastIndex(tool, "__"); i >= 0 {
		tool = tool[i+2:]
	}
	return strings.TrimPrefix(tool, "browser_")
}

// Call is the step that a call of a tool makes on page p. Typed texts are digests: they stay equal and are
// not stored.
func Call(tool string, arguments json.RawMessage, p *Page, mask map[string]bool) Propose {
	var a struct {
		Element     string `json:"element"`
		Target      string `json:"target"`
		Ref         string `json:"ref"`
		UID         string `json:"uid"`
		StartTarget string `json:"startTarget"`
		EndTarget   string `json:"endTarget"`
		URL         string `json:"url"`
		Key         string `json:"key"`
		DoubleClick bool   `json:"doubleClick"`
		Button      string `json:"button"`
	}
	_ = json.Unmarshal(arguments, &a) // what does not fit is not said
	name := shortName(tool)
	s := Propose{Type: "propose", ActionType: cmp.Or(kinds[name], "other"), URL: p.URL, Title: p.Title,
		DOMHash: p.Digest(mask), FormHash: p.Form, Focus: p.Focus}
	ref := cmp.Or(a.Target, a.Ref, a.UID, a.StartTarget)
	s.Target = cmp.Or(p.Refs[ref], a.Element, ref)
	switch {
	case s.ActionType == "click" && a.DoubleClick:
		s.ActionType = "double_click"
	case s.ActionType == "click" && a.Button == "right":
		s.ActionType = "right_click"
	}
	switch s.ActionType {
	case "goto":
		s.Text = a.URL
	case "key":
		s.Text = a.Key
	case "click", "double_click", "right_click", "hover", "back", "wait":
	default: // whatever the arguments are, equal ones are equal
		s.Text = cua.Digest(string(arguments))
	}
	return s
}

// Says is an answer in words for the agent; "" is nothing.
func (a *Answer) Says() string {
	if a.Verdict == Pass {
		return ""
	}
	text := strings.Join(a.Notes, " ")
	if s := a.Suggest; s != nil {
		what := "press " + s.Text
		if s.Field != "" {
			what = fmt.Sprintf("type the planned value %q", s.Field)
		}
		text += fmt.Sprintf(" Suggestion (%s): %s.", s.Code, what)
	}
	if a.Verdict == Stop {
		text += " Stop here: tell the user what was tried and why it does not work, or do something else."
	}
	return text
}
