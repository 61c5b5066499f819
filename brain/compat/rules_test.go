package compat_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/png"
	"strings"
)

type object = map[string]any

// rules are what servers of chat completions with vision refuse and no schema says; most images a request may
// hold.
func rules(body object, most int) (wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	messages := list(body["messages"])
	if len(messages) == 0 || messages[0]["role"] != "system" {
		say("the first message is no system message")
	}
	open := map[string]bool{}
	last := "system"
	for i, m := range messages[min(1, len(messages)):] {
		role, _ := m["role"].(string)
		switch {
		case role == "tool":
			id, _ := m["tool_call_id"].(string)
			if !open[id] {
				say("message %d answers no open call", i+1)
			}
			delete(open, id)
		case len(open) > 0:
			say("message %d comes before %d calls were answered", i+1, len(open))
			open = map[string]bool{}
		case role == last:
			say("message %d is a second %s in a row", i+1, role)
		case role == "system":
			say("message %d is a system message in the middle", i+1)
		}
		for _, c := range list(m["tool_calls"]) {
			open[c["id"].(string)] = true
			f, _ := c["function"].(object)
			if text, _ := f["arguments"].(string); !strings.HasPrefix(text, "{") {
				say("message %d has arguments that are no object", i+1)
			}
		}
		if role == "assistant" && m["content"] == nil && m["tool_calls"] == nil {
			say("message %d is empty", i+1)
		}
		last = role
	}
	if len(open) > 0 {
		say("%d calls are not answered", len(open))
	}
	if last == "assistant" {
		say("nothing is asked")
	}
	pictures := shots(messages)
	if len(pictures) > most {
		say("%d images, of at most %d", len(pictures), most)
	}
	for _, p := range pictures {
		if _, _, err := image.DecodeConfig(bytes.NewReader(p)); err != nil {
			say("an image is no picture, or not sent in the request: %v", err)
		}
	}
	return wrong
}

// shots are the pictures of messages, in order; one that is not sent as a data URL is empty.
func shots(messages []object) [][]byte {
	var out [][]byte
	for _, m := range messages {
		for _, part := range list(m["content"]) {
			if part["type"] == "image_url" {
				i, _ := part["image_url"].(object)
				url, _ := i["url"].(string)
				_, data, _ := strings.Cut(url, ";base64,")
				raw, _ := base64.StdEncoding.DecodeString(data)
				out = append(out, raw)
			}
		}
	}
	return out
}

// texts are all texts of messages.
func texts(messages []object) string {
	var out []string
	for _, m := range messages {
		if s, ok := m["content"].(string); ok {
			out = append(out, s)
		}
		for _, part := range list(m["content"]) {
			if s, ok := part["text"].(string); ok {
				out = append(out, s)
			}
		}
	}
	return strings.Join(out, "\n")
}

func list(v any) []object {
	var out []object
	l, _ := v.([]any)
	for _, e := range l {
		if o, ok := e.(object); ok {
			out = append(out, o)
		}
	}
	return out
}
