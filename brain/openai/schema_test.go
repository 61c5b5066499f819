package openai_test

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// sent is a request that the brain made, the second of a conversation, by the SDK.
func sent(t *testing.T, options string, calls ...object) string {
	t.Helper()
	f, b := asking(t, brain.Options{}, options, says(calls...), says(message("final_answer", "SUCCESS: x")))
	if f.request == nil {
		t.Skip("no schema of the vendor here: requests cannot be held against it")
	}
	turn := theTurn(t)
	for d := decide(t, b, turn); d.Action.Kind != cua.Done; d = decide(t, b, turn) {
		turn = after(turn, d, nil)
	}
	return string(f.bodies[len(f.bodies)-1])
}

// TestTheSchemaCatchesBadRequests: what the brain sends is valid by the vendor's own schema, and the schema
// finds what is not.
func TestTheSchemaCatchesBadRequests(t *testing.T) {
	const server, client, preview = "&effort=low&summary=auto", "&state=client", "&tool=preview"
	for _, row := range []struct{ name, options, old, new string }{
		{"an answer without call_id", server, `"call_id":"c1",`, ``},
		{"an answer with an empty call_id", server, `"call_id":"c1"`, `"call_id":""`},
		{"an answer whose call_id is too long", server, `"call_id":"c1"`, `"call_id":"` + strings.Repeat("c", 65) + `"`},
		{"an answer in words", server, `"type":"computer_screenshot"`, `"type":"text"`},
		{"an item that is none", server, `"type":"computer_call_output"`, `"type":"mouse_output"`},
		{"a check that is acknowledged without its id", server, `"call_id":"c1"`, `"call_id":"c1","acknowledged_safety_checks":[{"code":"x"}]`},
		{"a tool that is none", server, `{"type":"computer"}`, `{"type":"komputer"}`},
		{"a function without a name", server, `"name":"navigate",`, ``},
		{"an effort that is none", server, `"effort":"low"`, `"effort":"lazy"`},
		{"a summary that is none", server, `"summary":"auto"`, `"summary":"short"`},
		{"an action that is none, sent back", client, `"type":"click"`, `"type":"teleport"`},
		{"a click without a place, sent back", client, `"x":5,`, ``},
		{"something unknown included", client, `"reasoning.encrypted_content"`, `"reasoning.plain"`},
		{"a function call without arguments, sent back", client, `"arguments":"{}",`, ``},
		{"a preview tool without its width", preview, `"display_width":64,`, ``},
		{"a preview tool for no known system", preview, `"environment":"browser"`, `"environment":"amiga"`},
		{"a truncation that is none", preview, `"truncation":"auto"`, `"truncation":"often"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			call := acts(click)
			if row.options == preview {
				call["action"] = click
				delete(call, "actions")
			}
			good := sent(t, row.options, call, functionCall("c2", "reload", "{}"))
			if !strings.Contains(good, row.old) {
				t.Fatalf("nothing to replace: %s", good)
			}
			if err := schemas.request.Check([]byte(good)); err != nil {
				t.Fatalf("as it was sent: %v", err)
			}
			if schemas.request.Check([]byte(strings.Replace(good, row.old, row.new, 1))) == nil {
				t.Errorf("the schema allows it")
			}
		})
	}
}
