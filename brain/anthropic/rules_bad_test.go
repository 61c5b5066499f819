package anthropic

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

// good is a request that breaks no rule: two batches of the browser toolset, answered.
func good() exchange {
	shot := object{"type": "image", "source": object{"type": "base64", "media_type": "image/png",
		"data": base64.StdEncoding.EncodeToString(pngOf(64, 40))}}
	use := func(id, name string) object {
		return object{"type": "tool_use", "id": id, "name": name, "input": object{},
			"toolset_name": "browser"}
	}
	result := func(id string, content ...any) object {
		return object{"type": "tool_result", "tool_use_id": id, "toolset_name": "browser", "content": content}
	}
	failed := func(id, why string) object {
		r := result(id, text2(why))
		r["is_error"] = true
		return r
	}
	tab := func(id string, active bool) object {
		return object{"tab_id": id, "title": "t", "url": "http://x/", "active": active}
	}
	state := func(changes list, tabs ...any) object {
		s := object{"type": "browser_state", "tabs": tabs}
		if changes != nil {
			s["state_changes"] = changes
		}
		return s
	}
	first := list{thought(1), use("a", "screenshot"), use("b", "left_click"), use("c", "type")}
	second := list{thought(2), use("d", "new_tab")}
	return exchange{
		served: []list{first, second},
		body: object{"model": "claude-sonnet-5-5", "max_tokens": 100,
			"tools": list{object{"type": browserTool}}, "messages": list{
				object{"role": "user", "content": list{text2("go"), shot}},
				object{"role": "assistant", "content": first},
				object{"role": "user", "content": list{result("a", text2("Done."), shot,
					state(nil, tab("tab_1", true))),
					failed("b", "Failed: nothing there"), failed("c", browserHalt), text2("The page now")}},
				object{"role": "assistant", "content": second},
				object{"role": "user", "content": list{result("d", state(list{object{"type": "tab_opened",
					"tab_id": "tab_2"}}, tab("tab_1", false), tab("tab_2", true)))}},
			}},
	}
}

func text2(s string) object { return object{"type": "text", "text": s} }

// copied is a deep copy of e, so that a row breaks its own.
func copied(t *testing.T, e exchange) exchange {
	t.Helper()
	raw, err := json.Marshal(struct{ Body, Served any }{e.body, e.served})
	if err != nil {
		t.Fatal(err)
	}
	var c struct {
		Body   object
		Served []list
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return exchange{body: c.Body, served: c.Served, betas: e.betas, size: len(raw)}
}

// at is the content of a message, and of a result in it.
func (e *exchange) at(message int) list { return blocks(e.messages()[message]) }
func (e *exchange) result(message, n int) object {
	return of(e.at(message), "tool_result")[n]
}
func (e *exchange) set(message int, c list) { e.messages()[message].(object)["content"] = c }

func big(w, h int) object {
	return object{"type": "image", "source": object{"type": "base64", "media_type": "image/png",
		"data": base64.StdEncoding.EncodeToString(pngOf(w, h))}}
}

func TestTheRulesCatchBadRequests(t *testing.T) {
	schemas(t)
	if bad := copied(t, good()).broken(); len(bad) > 0 {
		t.Fatalf("the good request breaks %v", bad)
	}
	opened := func(e *exchange) object { return content(e.result(4, 0))[0].(object) }
	for _, row := range []struct {
		name   string
		change func(*exchange)
		says   string // a part of the rule's answer
	}{
		{"a call without an answer", func(e *exchange) { e.set(2, e.at(2)[1:]) }, "are answered by"},
		{"an answer twice", func(e *exchange) { e.set(2, append(list{e.at(2)[0]}, e.at(2)...)) }, "are answered by"},
		{"answers in another order", func(e *exchange) { c := e.at(2); c[0], c[1] = c[1], c[0] }, "are answered by"},
		{"an answer to no call", func(e *exchange) { e.set(0, append(e.at(0), object{"type": "tool_result", "tool_use_id": "z"})) }, "answers no call"},
		{"words before results", func(e *exchange) { c := e.at(2); e.set(2, append(list{c[3]}, c[:3]...)) }, "results must come before"},
		{"no toolset_name", func(e *exchange) { delete(e.result(2, 0), "toolset_name") }, "has toolset_name"},
		{"another toolset_name", func(e *exchange) { e.result(2, 1)["toolset_name"] = "computer" }, "has toolset_name"},
		{"the computer's halt text", func(e *exchange) { e.result(2, 2)["content"] = list{text2(computerHalt)} }, "halts with"},
		{"a halt text that continues", func(e *exchange) { e.result(2, 2)["content"] = list{text2(browserHalt + " Sorry.")} }, "halts with"},
		{"a halt that is no error", func(e *exchange) { delete(e.result(2, 2), "is_error") }, "halts with"},
		{"a picture in an error", func(e *exchange) { r := e.result(2, 1); r["content"] = append(content(r), e.at(0)[1]) }, "something else than text"},
		{"a state in an error", func(e *exchange) {
			r := e.result(2, 1)
			r["content"] = append(content(r), content(e.result(2, 0))[2])
		}, "something else than text"},
		{"an error without words", func(e *exchange) { e.result(2, 1)["content"] = list{} }, "something else than text"},
		{"two states", func(e *exchange) { r := e.result(2, 0); r["content"] = append(content(r), content(r)[2]) }, "browser_state blocks"},
		{"no active tab", func(e *exchange) { opened(e)["tabs"].(list)[1].(object)["active"] = false }, "tabs are active"},
		{"two active tabs", func(e *exchange) { opened(e)["tabs"].(list)[0].(object)["active"] = true }, "tabs are active"},
		{"one id for two tabs", func(e *exchange) { opened(e)["tabs"].(list)[0].(object)["tab_id"] = "tab_2" }, "tabs are active"},
		{"an opened tab that is not there", func(e *exchange) { opened(e)["state_changes"].(list)[0].(object)["tab_id"] = "tab_9" }, "is not among the tabs"},
		{"a tab result with words", func(e *exchange) { r := e.result(4, 0); r["content"] = append(content(r), text2("Done.")) }, "not exactly one browser_state"},
		{"a tab result without a state", func(e *exchange) { e.result(4, 0)["content"] = list{text2("Done.")} }, "not exactly one browser_state"},
		{"a new tab that opened none", func(e *exchange) { delete(opened(e), "state_changes") }, "reports 0 opened"},
		{"a new tab that is not active", func(e *exchange) { opened(e)["state_changes"].(list)[0].(object)["tab_id"] = "tab_1" }, "reports the opened tab"},
		{"a screenshot without a picture", func(e *exchange) { r := e.result(2, 0); r["content"] = append(content(r)[:1], content(r)[2]) }, "shows nothing"},
		{"a picture too wide", func(e *exchange) { e.set(0, append(e.at(0), big(2600, 40))) }, "one of 2600×40"},
		{"a picture of too many patches", func(e *exchange) { e.set(0, append(e.at(0), big(2000, 1960))) }, "(5040 tokens)"},
		{"many pictures, one above 2000 px", func(e *exchange) {
			for range 20 {
				e.set(0, append(e.at(0), e.at(0)[1]))
			}
			e.set(0, append(e.at(0), big(2100, 40)))
		}, "one of 2100×40"},
		{"a picture of another type than it says", func(e *exchange) { e.at(0)[1].(object)["source"].(object)["media_type"] = "image/jpeg" }, "png found"},
		{"a picture that is none", func(e *exchange) { e.at(0)[1].(object)["source"].(object)["data"] = "AAAA" }, "cannot be read"},
		{"too many pictures", func(e *exchange) {
			for range 100 {
				e.set(0, append(e.at(0), e.at(0)[1]))
			}
		}, "102 images"},
		{"a body that is too large", func(e *exchange) { e.size = 33 << 20 }, "bytes"},
		{"a thought that was changed", func(e *exchange) { e.at(1)[0].(object)["thinking"] = "thought 1" }, "not what the model said"},
		{"a signature that was changed", func(e *exchange) { e.at(3)[0].(object)["signature"] = "x" }, "not what the model said"},
		{"a thought that was left out", func(e *exchange) { e.set(1, e.at(1)[1:]) }, "not what the model said"},
		{"a call that was changed", func(e *exchange) { e.at(1)[2].(object)["input"] = object{"x": 1} }, "not what the model said"},
		{"replies in another order", func(e *exchange) { e.served[0], e.served[1] = e.served[1], e.served[0] }, "not what the model said"},
		{"five breakpoints", func(e *exchange) {
			for i := range 5 {
				e.set(0, append(e.at(0), object{"type": "text", "text": "x",
					"cache_control": object{"type": "ephemeral", "n": i}}))
			}
		}, "5 cache breakpoints"},
		{"a toolset with a name", func(e *exchange) { e.body["tools"].(list)[0].(object)["name"] = "browser" }, "takes no name"},
		{"two toolsets", func(e *exchange) { e.body["tools"] = append(e.body["tools"].(list), object{"type": computerTool}) }, "2 tools"},
		{"the old tool without its header", func(e *exchange) { e.body["tools"].(list)[0].(object)["type"] = olderTool }, "with the beta header"},
		{"the old tool's header for a toolset", func(e *exchange) { e.betas = "computer-use-2025-11-24" }, "with the beta header"},
		{"a model whose pictures may not be taken away", func(e *exchange) {
			e.body["model"] = "claude-opus-5-5"
			e.set(0, list{text2(omitted)})
		}, "taken away on our side"},
		{"context management without its header", func(e *exchange) { e.body["context_management"] = object{"edits": list{}} }, "with the beta header"},
		{"an assistant at the end", func(e *exchange) { e.body["messages"] = e.messages()[:4] }, "begin and end"},
		{"an empty text", func(e *exchange) { e.set(0, append(e.at(0), text2(""))) }, "must not be empty"},
		{"an empty message", func(e *exchange) { e.set(0, list{}) }, "is empty"},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := copied(t, good())
			row.change(&e)
			if bad := strings.Join(e.broken(), "\n"); !strings.Contains(bad, row.says) {
				t.Errorf("broken %q, want %q", bad, row.says)
			}
		})
	}
}

func TestTheSchemaCatchesBadRequests(t *testing.T) {
	schemas(t)
	for _, row := range []struct {
		name   string
		change func(*exchange)
		valid  bool
	}{
		{"as it is", func(*exchange) {}, true},
		{"a name on the toolset", func(e *exchange) { e.body["tools"].(list)[0].(object)["name"] = "browser" }, false},
		{"an unknown member in configs", func(e *exchange) {
			e.body["tools"].(list)[0].(object)["configs"] = object{"teleport": object{"enabled": true}}
		}, false},
		{"a state without tabs", func(e *exchange) { delete(content(e.result(2, 0))[2].(object), "tabs") }, false},
		{"an empty list of changes", func(e *exchange) { content(e.result(4, 0))[0].(object)["state_changes"] = list{} }, false},
		{"a control character in a title", func(e *exchange) {
			content(e.result(4, 0))[0].(object)["tabs"].(list)[0].(object)["title"] = "a\nb"
		}, false},
		{"a title that is too long", func(e *exchange) {
			content(e.result(4, 0))[0].(object)["tabs"].(list)[0].(object)["title"] = strings.Repeat("x",
				4097)
		}, false},
		{"no max_tokens", func(e *exchange) { delete(e.body, "max_tokens") }, false},
		{"a result without its id", func(e *exchange) { delete(e.result(2, 0), "tool_use_id") }, false},
		{"an unknown block", func(e *exchange) { e.set(0, list{object{"type": "video"}}) }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			e := copied(t, good())
			row.change(&e)
			raw, err := json.Marshal(e.body)
			if err != nil {
				t.Fatal(err)
			}
			if err := vendor.request.Check(raw); (err == nil) != row.valid {
				t.Errorf("valid %v, want %v: %v", err == nil, row.valid, err)
			}
		})
	}
}
