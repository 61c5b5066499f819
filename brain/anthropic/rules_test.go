package anthropic

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"reflect"
	"slices"
	"strings"
)

// object and list are untyped JSON.
type object = map[string]any
type list = []any

// exchange is one request with what the rules need to know of the conversation before it.
type exchange struct {
	body   object
	betas  string
	size   int
	served []list // the content of every reply that the fake has given, oldest first
	paused bool   // the last of them was a pause: it may be the last message
}

// broken says which rules that no schema holds a request breaks: what the vendor's service answers with
// status 400.
func (e exchange) broken() []string {
	var out []string
	for _, rule := range []func(exchange) error{
		exchange.alternates, exchange.answersEachCall, exchange.echoesToolset, exchange.haltsInTheirWords,
		exchange.errorsAreText,
		exchange.oneState, exchange.tabResults, exchange.looksAreShown, exchange.imagesFit,
		exchange.echoesReplies,
		exchange.fewBreakpoints, exchange.oneToolset, exchange.prunesWhereItMay,
	} {
		if err := rule(e); err != nil {
			out = append(out, err.Error())
		}
	}
	return out
}

func blocks(message any) list {
	switch c := message.(object)["content"].(type) {
	case list:
		return c
	case string:
		return list{object{"type": "text", "text": c}}
	}
	return nil
}

func kindIs(block any, kind string) bool { return block.(object)["type"] == kind }

func of(all list, kind string) (out []object) {
	for _, b := range all {
		if kindIs(b, kind) {
			out = append(out, b.(object))
		}
	}
	return out
}

func (e exchange) messages() list { m, _ := e.body["messages"].(list); return m }

func (e exchange) results() (out []object) {
	for _, m := range e.messages() {
		out = append(out, of(blocks(m), "tool_result")...)
	}
	return out
}

func content(result object) list { c, _ := result["content"].(list); return c }

// calls are the tool_use blocks by id.
func (e exchange) calls() map[string]object {
	out := map[string]object{}
	for _, m := range e.messages() {
		for _, b := range of(blocks(m), "tool_use") {
			out[b["id"].(string)] = b
		}
	}
	return out
}

func (e exchange) alternates() error {
	all := e.messages()
	if len(all) == 0 || all[0].(object)["role"] != "user" || all[len(all)-1].(object)["role"] != "user" &&
		!e.paused {
		return fmt.Errorf("messages must begin and end with the user's")
	}
	for i, m := range all {
		if len(blocks(m)) == 0 {
			return fmt.Errorf("message %d is empty", i)
		}
		for _, b := range blocks(m) {
			if b.(object)["text"] == "" {
				return fmt.Errorf("message %d: text blocks must not be empty", i)
			}
		}
	}
	return nil
}

func (e exchange) answersEachCall() error {
	all := e.messages()
	for i, m := range all {
		if m.(object)["role"] != "assistant" {
			continue
		}
		var want, got []string
		for _, b := range of(blocks(m), "tool_use") {
			want = append(want, b["id"].(string))
		}
		if i+1 < len(all) {
			words := false
			for _, b := range blocks(all[i+1]) {
				if kindIs(b, "tool_result") && words {
					return fmt.Errorf("message %d: results must come before everything else", i+1)
				}
				words = words || !kindIs(b, "tool_result")
			}
			for _, b := range of(blocks(all[i+1]), "tool_result") {
				got = append(got, b["tool_use_id"].(string))
			}
		}
		if !slices.Equal(want, got) {
			return fmt.Errorf("message %d: calls %v are answered by %v", i, want, got)
		}
	}
	calls := e.calls()
	for _, r := range e.results() {
		if calls[r["tool_use_id"].(string)] == nil {
			return fmt.Errorf("the result %v answers no call", r["tool_use_id"])
		}
	}
	return nil
}

func (e exchange) echoesToolset() error {
	calls := e.calls()
	for _, r := range e.results() {
		if c := calls[r["tool_use_id"].(string)]; c != nil && !reflect.DeepEqual(c["toolset_name"],
			r["toolset_name"]) {
			return fmt.Errorf("the result %v has toolset_name %v, its call %v", r["tool_use_id"],
				r["toolset_name"], c["toolset_name"])
		}
	}
	return nil
}

func (e exchange) haltsInTheirWords() error {
	calls := e.calls()
	for _, r := range e.results() {
		for _, b := range content(r) {
			text, _ := b.(object)["text"].(string)
			if !strings.HasPrefix(strings.ToLower(text), "not executed") {
				continue
			}
			want := "Not executed: an earlier computer action in this turn failed."
			if c := calls[r["tool_use_id"].(string)]; c != nil && c["toolset_name"] == "browser" {
				want = "Not executed: an earlier action in this turn failed."
			}
			if text != want || r["is_error"] != true || len(content(r)) != 1 {
				return fmt.Errorf("the result %v halts with %q, is_error %v", r["tool_use_id"], text,
					r["is_error"])
			}
		}
	}
	return nil
}

func (e exchange) errorsAreText() error {
	for _, r := range e.results() {
		if r["is_error"] != true {
			continue
		}
		if n := len(of(content(r), "text")); n == 0 || n != len(content(r)) {
			return fmt.Errorf("the error %v holds something else than text", r["tool_use_id"])
		}
	}
	return nil
}

func (e exchange) oneState() error {
	for _, r := range e.results() {
		states := of(content(r), "browser_state")
		if len(states) > 1 {
			return fmt.Errorf("the result %v has %d browser_state blocks", r["tool_use_id"], len(states))
		}
		for _, s := range states {
			active, ids := 0, map[any]bool{}
			tabs, _ := s["tabs"].(list)
			for _, t := range tabs {
				if t.(object)["active"] == true {
					active++
				}
				ids[t.(object)["tab_id"]] = true
			}
			if len(tabs) > 0 && active != 1 || len(ids) != len(tabs) {
				return fmt.Errorf("the result %v: %d of %d tabs are active, %d ids", r["tool_use_id"], active,
					len(tabs), len(ids))
			}
			changes, _ := s["state_changes"].(list)
			for _, c := range changes {
				if id := c.(object)["tab_id"]; kindIs(c, "tab_opened") && !ids[id] {
					return fmt.Errorf("the result %v: the opened tab %v is not among the tabs",
						r["tool_use_id"], id)
				}
			}
		}
	}
	return nil
}

func (e exchange) tabResults() error {
	calls := e.calls()
	for _, r := range e.results() {
		c := calls[r["tool_use_id"].(string)]
		if c == nil || c["toolset_name"] != "browser" || r["is_error"] == true ||
			!tabMember(c["name"].(string)) {
			continue
		}
		states := of(content(r), "browser_state")
		if len(states) != 1 || len(content(r)) != 1 {
			return fmt.Errorf("the result %v of %v is not exactly one browser_state",
				r["tool_use_id"], c["name"])
		}
		if c["name"] != "new_tab" {
			continue
		}
		changes, _ := states[0]["state_changes"].(list)
		opened := of(changes, "tab_opened")
		if len(opened) != 1 {
			return fmt.Errorf("new_tab reports %d opened tabs", len(opened))
		}
		for _, t := range states[0]["tabs"].(list) {
			if t.(object)["active"] == true && t.(object)["tab_id"] != opened[0]["tab_id"] {
				return fmt.Errorf("new_tab reports the opened tab %v, active is %v", opened[0]["tab_id"],
					t.(object)["tab_id"])
			}
		}
	}
	return nil
}

// looksAreShown: a screenshot and a zoom that went well hold a picture, or say that it was omitted.
func (e exchange) looksAreShown() error {
	calls := e.calls()
	for _, r := range e.results() {
		c := calls[r["tool_use_id"].(string)]
		if c == nil || r["is_error"] == true {
			continue
		}
		name := c["name"]
		if in, ok := c["input"].(object); ok && in["action"] != nil {
			name = in["action"]
		}
		if name != "screenshot" && name != "zoom" || len(of(content(r), "image")) == 1 {
			continue
		}
		raw, _ := json.Marshal(r)
		if !bytes.Contains(raw, []byte(omitted)) {
			return fmt.Errorf("the result %v of %v shows nothing", r["tool_use_id"], name)
		}
	}
	return nil
}

func (e exchange) images() (out []object) {
	for _, m := range e.messages() {
		out = append(out, of(blocks(m), "image")...)
		for _, r := range of(blocks(m), "tool_result") {
			out = append(out, of(content(r), "image")...)
		}
	}
	return out
}

func (e exchange) imagesFit() error {
	all := e.images()
	edge := 2576
	if len(all) > 20 {
		edge = 2000
	}
	if len(all) > 100 || e.size > 32<<20 {
		return fmt.Errorf("%d images, %d bytes", len(all), e.size)
	}
	for _, i := range all {
		source, _ := i["source"].(object)
		data, _ := source["data"].(string)
		raw, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return fmt.Errorf("an image is not base64: %w", err)
		}
		c, format, err := image.DecodeConfig(bytes.NewReader(raw))
		if err != nil {
			return fmt.Errorf("an image cannot be read: %w", err)
		}
		tokens := ((c.Width + 27) / 28) * ((c.Height + 27) / 28)
		if max(c.Width, c.Height) > edge || tokens > 4784 || source["media_type"] != "image/"+format {
			return fmt.Errorf("%d images, one of %d×%d (%d tokens), %v said, %s found", len(all), c.Width,
				c.Height, tokens, source["media_type"], format)
		}
	}
	return nil
}

// echoesReplies: what the model said comes back in its order, and its thoughts byte for byte.
func (e exchange) echoesReplies() error {
	served := e.served
	for i, m := range e.messages() {
		if m.(object)["role"] != "assistant" {
			continue
		}
		for len(served) > 0 && !reflect.DeepEqual(spoken(served[0]), spoken(blocks(m))) {
			served = served[1:] // a reply that could not be sent back
		}
		if len(served) == 0 {
			return fmt.Errorf("message %d is not what the model said, or its thoughts are not", i)
		}
		served = served[1:]
	}
	return nil
}

// spoken is what has to come back of a reply: all blocks, without what the service fills in, and without
// empty texts.
func spoken(content list) (out list) {
	for _, b := range content {
		if b.(object)["text"] == "" {
			continue
		}
		o := object{}
		for k, v := range b.(object) {
			if v != nil && k != "caller" && k != "citations" && k != "cache_control" {
				o[k] = v
			}
		}
		out = append(out, o)
	}
	return out
}

func (e exchange) fewBreakpoints() error {
	n := 0
	var count func(any)
	count = func(v any) {
		switch v := v.(type) {
		case object:
			if v["cache_control"] != nil {
				n++
			}
			for _, x := range v {
				count(x)
			}
		case list:
			for _, x := range v {
				count(x)
			}
		}
	}
	count(e.body)
	if n > 4 {
		return fmt.Errorf("%d cache breakpoints", n)
	}
	return nil
}

func (e exchange) oneToolset() error {
	tools, _ := e.body["tools"].(list)
	if len(tools) != 1 {
		return fmt.Errorf("%d tools", len(tools))
	}
	t := tools[0].(object)
	old := t["type"] == olderTool
	if old != strings.Contains(e.betas, "computer-use-2025-11-24") {
		return fmt.Errorf("the tool %v with the beta header %q", t["type"], e.betas)
	}
	for _, no := range []string{"name", "display_width_px", "strict", "input_examples", "defer_loading"} {
		if t[no] != nil && !old {
			return fmt.Errorf("a toolset takes no %s", no)
		}
	}
	return nil
}
