package compat_test

import (
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
)

// TestTheSchemaCatchesBadRequests: what the brain sends is valid by the schema of the API that all these
// servers follow, and the schema finds what is not.
func TestTheSchemaCatchesBadRequests(t *testing.T) {
	const tools, json = "&temperature=0.5", "&format=json"
	for _, row := range []struct{ name, options, old, new string }{
		{"a message of nobody", tools, `"role":"system"`, `"role":"page"`},
		{"an answer without the id of its call", tools, `"tool_call_id":"call_1_0",`, ``},
		{"a call without an id", tools, `"id":"call_1_0",`, ``},
		{"a call without arguments", tools, `"arguments":"{\"action\":\"wait\"}",`, ``},
		{"a picture without its address", tools, `{"url":"data:`, `{"uri":"data:`},
		{"a part that is none", tools, `"type":"image_url"`, `"type":"hologram"`},
		{"a function without a name", tools, `"function":{"name":"computer_use",`, `"function":{`},
		{"a choice of tools that is none", tools, `"tool_choice":"required"`, `"tool_choice":"please"`},
		{"a temperature above 2", tools, `"temperature":0.5`, `"temperature":2.5`},
		{"no model", tools, `"model":"m",`, ``},
		{"messages that are none", tools, `"messages":[`, `"messages":7,"was":[`},
		{"a response format that is none", json, `"type":"json_schema"`, `"type":"xml"`},
		{"a response format without a name", json, `"name":"computer_use",`, ``},
	} {
		t.Run(row.name, func(t *testing.T) {
			said := native(`{"action":"wait"}`)
			if row.options == json {
				said = reply{text: `{"action":"wait"}`}
			}
			f, b := asking(t, brain.Options{}, row.options, says(said), says(reply{text: "SUCCESS: x"}))
			if f.request == nil {
				t.Skip("no schema of the vendor here: requests cannot be held against it")
			}
			turn := theTurn(t)
			d, err := b.Decide(t.Context(), turn)
			if err == nil {
				_, err = b.Decide(t.Context(), after(turn, d))
			}
			if err != nil {
				t.Fatal(err)
			}
			good := string(f.bodies[1])
			if !strings.Contains(good, row.old) {
				t.Fatalf("nothing to replace: %.3000s", good)
			}
			if err := f.request.Check([]byte(good)); err != nil {
				t.Fatalf("as it was sent: %v", err)
			}
			if f.request.Check([]byte(strings.Replace(good, row.old, row.new, 1))) == nil {
				t.Error("the schema allows it")
			}
		})
	}
}
