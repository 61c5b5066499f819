package openai_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	_ "image/png"
	"maps"
	"reflect"
	"slices"
	"strings"
)

type object = map[string]any

// vendor is what the vendor knows of its conversations, and the rules of the Responses API that no schema
// holds.
type vendor struct {
	// responses are the items up to and with a response, by its id.
	responses map[string][]object
	// sent are the output items of a conversation that the server keeps nothing of, in order; issued are all
	// by id.
	sent []object
}

func newVendor() *vendor { return &vendor{responses: map[string][]object{}} }

// accept is the conversation that a request continues, with its input, and what is wrong with the request.
func (v *vendor) accept(body object) (all []object, wrong []string) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	input := items(body["input"])
	if id, ok := body["previous_response_id"].(string); ok {
		before, known := v.responses[id]
		if !known {
			say("previous_response_id %q is not known", id)
		}
		if body["store"] == false {
			say("previous_response_id without store")
		}
		all = slices.Clone(before)
	} else {
		v.echoed(input, body, say)
	}
	all = append(all, input...)
	answers(all, say)
	v.standing(body, all, say)
	for _, image := range images(input) {
		checkImage(image, say)
	}
	return all, wrong
}

// answered takes in the output that a request got.
func (v *vendor) answered(id string, all, output []object, stored bool) {
	output = decoded(output)
	if stored {
		v.responses[id] = append(slices.Clone(all), output...)
		return
	}
	v.sent = append(v.sent, output...)
}

// decoded is what output is on the wire.
func decoded(output []object) []object {
	var out []object
	raw, err := json.Marshal(output)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		panic(err) // what the tests make up can be written
	}
	return out
}

type complain func(format string, args ...any)

// echoed checks what a request brings along of earlier responses: all of it, in order, unchanged.
func (v *vendor) echoed(input []object, body object, say complain) {
	var got []object
	for _, i := range input {
		if issued(i) {
			got = append(got, i)
		}
	}
	if body["store"] != false {
		if len(got) > 0 {
			say("items of responses are sent again to a server that keeps them")
		}
		return
	}
	if include, _ := json.Marshal(body["include"]); !bytes.Contains(include,
		[]byte("reasoning.encrypted_content")) {
		say("store is false and reasoning.encrypted_content is not included")
	}
	if len(got) == 0 {
		v.sent = nil // a new conversation
		return
	}
	if len(got) != len(v.sent) {
		say("%d items of responses are sent again, of %d", len(got), len(v.sent))
		return
	}
	for i := range got {
		if !reflect.DeepEqual(got[i], v.sent[i]) {
			say("item %d (%v) was changed or is out of order", i, v.sent[i]["type"])
		}
	}
}

// issued reports whether an item is of a kind that responses hold.
func issued(i object) bool {
	t := i["type"]
	return t == "reasoning" || t == "computer_call" || t == "function_call" || i["role"] == "assistant"
}

// answers checks that each call is answered once, right behind the response that made it, and each answer has
// a call.
func answers(all []object, say complain) {
	open := map[string]object{}
	for i, item := range all {
		id, _ := item["call_id"].(string)
		switch t := item["type"]; t {
		case "computer_call", "function_call":
			open[id] = item
		case "computer_call_output", "function_call_output":
			call, ok := open[id]
			switch {
			case !ok:
				say("the output of %q answers no open call", id)
				continue
			case call["type"].(string)+"_output" != t:
				say("the %v of %q answers a %v", t, id, call["type"])
			}
			checks(call, item, say)
			delete(open, id)
		default:
			later := issued(item) && i > 0 && !issued(all[i-1])
			if later && len(open) > 0 {
				say("%d calls were not answered before the next response", len(open))
			}
		}
	}
	for id := range maps.Keys(open) {
		say("the call %q is not answered", id)
	}
}

// checks checks that the pending safety checks of a call are acknowledged whole, and no others.
func checks(call, output object, say complain) {
	pending, _ := call["pending_safety_checks"].([]any)
	acknowledged, _ := output["acknowledged_safety_checks"].([]any)
	if len(pending) != len(acknowledged) {
		say("%d safety checks are acknowledged, of %d", len(acknowledged), len(pending))
		return
	}
	for i := range pending {
		if !reflect.DeepEqual(pending[i], acknowledged[i]) {
			say("a safety check is not echoed whole")
		}
	}
}

// standing checks what the server does not keep: instructions and tools.
func (v *vendor) standing(body object, all []object, say complain) {
	if text, _ := body["instructions"].(string); text == "" {
		say("instructions are not carried over and must be sent again")
	}
	tools := items(body["tools"])
	computers := 0
	for _, t := range tools {
		switch t["type"] {
		case "computer":
			computers++
		case "computer_use_preview":
			computers++
			if body["truncation"] != "auto" {
				say("the preview tool needs truncation auto")
			}
			size := display(all)
			if size != (image.Point{}) && (t["display_width"] != float64(size.X) ||
				t["display_height"] != float64(size.Y)) {
				say("the display is said to be %v×%v and the screenshot is %d×%d", t["display_width"],
					t["display_height"], size.X, size.Y)
			}
		case "function":
			if t["strict"] != true {
				say("function %v is not strict", t["name"])
			}
		}
	}
	if computers != 1 {
		say("%d computers among the tools", computers)
	}
}

// display is the size of the newest screenshot.
func display(all []object) image.Point {
	list := images(all)
	if len(list) == 0 {
		return image.Point{}
	}
	c, _, _ := image.DecodeConfig(bytes.NewReader(picture(list[len(list)-1])))
	return image.Pt(c.Width, c.Height)
}

// images are the screenshots of items, in order.
func images(all []object) []object {
	var out []object
	for _, i := range all {
		if o, ok := i["output"].(object); ok && i["type"] == "computer_call_output" {
			out = append(out, o)
		}
		for _, c := range items(i["content"]) {
			if c["type"] == "input_image" {
				out = append(out, c)
			}
		}
	}
	return out
}

// checkImage checks the bounds of a screenshot: with detail original, up to 6000 px and 10,000 patches of 32
// px.
func checkImage(i object, say complain) {
	if i["detail"] != "original" {
		say("the detail of a screenshot is %v", i["detail"])
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(picture(i)))
	switch {
	case err != nil:
		say("a screenshot is no picture: %v", err)
	case max(c.Width, c.Height) > 6000, ((c.Width+31)/32)*((c.Height+31)/32) > 10_000:
		say("a screenshot of %d×%d is too large", c.Width, c.Height)
	}
}

// picture is the data of an image item; nil where it holds none.
func picture(i object) []byte {
	url, _ := i["image_url"].(string)
	_, data, _ := strings.Cut(url, ";base64,")
	out, _ := base64.StdEncoding.DecodeString(data)
	return out
}

func decodedBody(raw []byte) (object, error) {
	var body object
	err := json.Unmarshal(raw, &body)
	return body, err
}

func items(v any) []object {
	var out []object
	list, _ := v.([]any)
	for _, e := range list {
		if o, ok := e.(object); ok {
			out = append(out, o)
		}
	}
	return out
}

// texts are all texts that a conversation's messages and answers hold.
func texts(all []object) string {
	var out []string
	for _, i := range all {
		if s, ok := i["output"].(string); ok {
			out = append(out, s)
		}
		for _, c := range items(i["content"]) {
			if s, ok := c["text"].(string); ok {
				out = append(out, s)
			}
		}
	}
	return strings.Join(out, "\n")
}
