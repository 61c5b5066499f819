package openai_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

// shotOf is a picture of that size as a data URL.
func shotOf(t *testing.T, w, h int) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewPaletted(image.Rect(0, 0, w, h),
		color.Palette{color.White})); err != nil {
		t.Fatal(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

// talk is a conversation that the vendor takes: a first request with its response, and the answer to it.
type talk struct {
	first, second object
	output        []object
}

const (
	talkOutput = `[{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"},
		{"type":"computer_call","id":"cu_1","call_id":"c1","status":"completed","actions":[{"type":"screenshot"}],
			"pending_safety_checks":[{"id":"s1","code":"malicious_instructions","message":"look"}]},
		{"type":"function_call","id":"fc_1","call_id":"c2","name":"reload","arguments":"{}","status":"completed"}]`
	talkHead = `"model":"m","instructions":"x","tools":[{"type":"computer"},{"type":"function","name":"reload","parameters":{},"strict":true}],`
	talkUser = `{"role":"user","content":[{"type":"input_text","text":"go"},{"type":"input_image","image_url":"SHOT","detail":"original"}]}`
	answer1  = `{"type":"computer_call_output","call_id":"c1","output":{"type":"computer_screenshot","image_url":"SHOT","detail":"original"},
		"acknowledged_safety_checks":[{"id":"s1","code":"malicious_instructions","message":"look"}]}`
	answer2 = `{"type":"function_call_output","call_id":"c2","output":"Done."}`
)

func parsed[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return v
}

// newTalk makes both requests of words; SHOT stands for a picture.
func newTalk(t *testing.T, stored bool, edit func(string) string) talk {
	t.Helper()
	fill := strings.NewReplacer("SHOT", shotOf(t, 64, 64)).Replace
	if edit == nil {
		edit = func(s string) string { return s }
	}
	out := talk{output: parsed[[]object](t, talkOutput)}
	if stored {
		out.first = parsed[object](t, fill(`{`+talkHead+`"store":true,"input":[`+talkUser+`]}`))
		out.second = parsed[object](t, fill(edit(`{`+talkHead+`"store":true,"previous_response_id":"resp_1","input":[`+answer1+`,`+answer2+`]}`)))
		return out
	}
	stateless := `{` + talkHead + `"store":false,"include":["reasoning.encrypted_content"],"input":[`
	out.first = parsed[object](t, fill(stateless+talkUser+`]}`))
	echoed := strings.TrimSuffix(strings.TrimPrefix(talkOutput, "["), "]")
	out.second = parsed[object](t, fill(edit(stateless+talkUser+`,`+echoed+`,`+answer1+`,`+answer2+`]}`)))
	return out
}

// TestRulesCatchBadRequests: each rule that no schema holds, with a request that breaks it and nothing else.
func TestRulesCatchBadRequests(t *testing.T) {
	replace := func(old, new string) func(string) string {
		return func(s string) string {
			if !strings.Contains(s, old) {
				panic("nothing to replace: " + old)
			}
			return strings.Replace(s, old, new, 1)
		}
	}
	big := shotOf(t, 6001, 8)
	many := shotOf(t, 3232, 3232)
	for _, row := range []struct {
		name   string
		stored bool
		edit   func(string) string
		want   string // "" is valid
	}{
		{"valid", true, nil, ""},
		{"valid, nothing kept", false, nil, ""},
		{"an unknown response", true, replace(`"resp_1"`, `"resp_9"`), "is not known"},
		{"a response that is not kept", true, replace(`"store":true`, `"store":false`), "without store"},
		{"a call that is not answered", true, replace(","+answer2, ""), "is not answered"},
		{"a call that is answered twice", true, replace(answer2, answer2+","+answer2), "answers no open call"},
		{"a function's answer without an id, which the schema allows", true, replace(`"call_id":"c2",`, ""), "answers no open call"},
		{"a call that is left for later", false, replace(answer2, `{"type":"message","role":"assistant","content":[]},`+answer2), "not answered before the next response"},
		{"an answer to no call", true, replace(`"call_id":"c2"`, `"call_id":"c7"`), "answers no open call"},
		{"an answer of another kind", true, replace(answer2, strings.Replace(answer1, `"c1"`, `"c2"`, 1)), "answers a function_call"},
		{"a safety check that nobody acknowledged", true, replace(`,
		"acknowledged_safety_checks":[{"id":"s1","code":"malicious_instructions","message":"look"}]`, ""), "0 safety checks are acknowledged, of 1"},
		{"a safety check without its message", true, replace(`,"message":"look"`, ""), "not echoed whole"},
		{"another safety check", true, replace(`"id":"s1"`, `"id":"s2"`), "not echoed whole"},
		{"a screenshot without detail", true, replace(`,"detail":"original"`, ""), "the detail"},
		{"a screenshot of low detail", true, replace(`"original"`, `"low"`), "the detail"},
		{"a screenshot that is too wide", true, replace("SHOT", big), "too large"},
		{"a screenshot of too many patches", true, replace("SHOT", many), "too large"},
		{"a screenshot that is none", true, replace("SHOT", "data:image/png;base64,aaaa"), "no picture"},
		{"no instructions", true, replace(`"instructions":"x",`, ""), "instructions"},
		{"no computer", true, replace(`{"type":"computer"},`, ""), "0 computers"},
		{"two computers", true, replace(`{"type":"computer"},`, `{"type":"computer"},{"type":"computer"},`), "2 computers"},
		{"a function that is not strict", true, replace(`"strict":true`, `"strict":false`), "not strict"},
		{"the preview tool without truncation", true, replace(`{"type":"computer"}`, `{"type":"computer_use_preview","display_width":64,"display_height":64,"environment":"browser"}`), "truncation"},
		{"a display of another size", true, replace(`{"type":"computer"}`, `{"type":"computer_use_preview","display_width":65,"display_height":64,"environment":"browser"}`), "the display"},
		{"items sent again that the server keeps", true, replace(`"previous_response_id":"resp_1","input":[`, `"input":[`+strings.TrimSuffix(strings.TrimPrefix(talkOutput, "["), "]")+","), "sent again"},
		{"reasoning left out", false, replace(`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"e"},`, ""), "2 items of responses are sent again, of 3"},
		{"reasoning changed", false, replace(`"encrypted_content":"e"`, `"encrypted_content":"f"`), "was changed"},
		{"nothing kept and nothing included", false, replace(`"include":["reasoning.encrypted_content"],`, ""), "not included"},
	} {
		t.Run(row.name, func(t *testing.T) {
			v, k := newVendor(), newTalk(t, row.stored, row.edit)
			all, wrong := v.accept(k.first)
			if len(wrong) > 0 {
				t.Fatalf("the first request: %v", wrong)
			}
			v.answered("resp_1", all, k.output, row.stored)
			_, wrong = v.accept(k.second)
			switch {
			case row.want == "" && len(wrong) > 0:
				t.Errorf("it is valid, but: %v", wrong)
			case row.want != "" && !strings.Contains(strings.Join(wrong, "; "), row.want):
				t.Errorf("got %q, want %q", wrong, row.want)
			}
		})
	}
}
