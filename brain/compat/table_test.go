package compat_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
)

// TestFaults: the faults that every wire is shown to survive, with calls as a function and in words.
func TestFaults(t *testing.T) {
	for _, extra := range []string{"", "&profile=uitars"} {
		t.Run("openai-compatible"+extra, func(t *testing.T) {
			wiretest.Faults(t, func(t *testing.T) wiretest.Service { return service(t, extra) })
		})
	}
}

func service(t *testing.T, extra string) wiretest.Service {
	var f *fake
	return wiretest.Service{
		Key: key, Attempt: 5 * time.Minute, Lacks: []wiretest.Saying{wiretest.SayCheck},
		Brain: func(o brain.Options) brain.Brain {
			f = newFake(t, flatTools, 1000)
			return f.brain(extra, o.Transport, "https://local.test/v1", o)
		},
		Error: func(_ int, message string) string {
			return fmt.Sprintf(`{"error":{"message":%q,"type":"t","code":null,"param":null}}`, message)
		},
		Answer: func(w http.ResponseWriter, r *http.Request, body []byte, s wiretest.Saying, words string) {
			f.bodies = append(f.bodies, body)
			if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+key {
				t.Errorf("%s with %q", r.URL.Path, r.Header.Get("Authorization"))
			}
			f.check(len(f.bodies))
			switch {
			case s == wiretest.SayCut:
				f.write(w, len(f.bodies), reply{text: "Thought: I will"}, "length")
			case s == wiretest.SayRefusal:
				f.raw(w, object{"choices": []object{{"finish_reason": "stop",
					"message": object{"role": "assistant", "content": nil, "refusal": "I cannot."}}}})
			case extra == "":
				f.write(w, len(f.bodies), spoken(s, words), "")
			default:
				f.write(w, len(f.bodies), written(s, words), "")
			}
		},
	}
}

// spoken is what the fake model says by native calls.
func spoken(s wiretest.Saying, words string) reply {
	press := `{"action":"left_click","coordinate":[500,500]}`
	switch s {
	case wiretest.SayTwo:
		return native(press, press)
	case wiretest.SayDone:
		return native(`{"action":"answer","text":"pressed"}`)
	case wiretest.SayProse:
		return reply{text: "I would press it. " + words}
	case wiretest.SayNothing:
		return reply{}
	case wiretest.SayMalformed:
		return native(`{"action":"left_click","coordinate":`)
	case wiretest.SayUnknownAction:
		return native(`{"action":"teleport"}`)
	case wiretest.SayUnknownKey:
		return native(`{"action":"key","keys":["warp"]}`)
	case wiretest.SayOutside:
		return native(`{"action":"left_click","coordinate":[1001,5]}`)
	}
	return native(press)
}

// written is the same in UI-TARS' words; its picture is 1288×812.
func written(s wiretest.Saying, words string) reply {
	press := "click(point='<point>644 406</point>')"
	action := press
	switch s {
	case wiretest.SayTwo:
		action = press + "\n\n" + press
	case wiretest.SayDone:
		action = "finished(content='pressed')"
	case wiretest.SayProse:
		return reply{text: "I would press it. " + words}
	case wiretest.SayNothing:
		return reply{}
	case wiretest.SayMalformed:
		action = "click(point='<point>644 406"
	case wiretest.SayUnknownAction:
		action = "teleport()"
	case wiretest.SayUnknownKey:
		action = "hotkey(key='warp')"
	case wiretest.SayOutside:
		action = "click(point='<point>1288 5</point>')"
	}
	return reply{text: "Thought: I go on.\nAction: " + action}
}
