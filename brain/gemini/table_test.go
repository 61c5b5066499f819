package gemini

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"google.golang.org/genai"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
)

// TestFaults: the faults that every wire is shown to survive, with the functions of both generations.
func TestFaults(t *testing.T) {
	for _, spec := range []string{"gemini:gemini-3.5-flash",
		"gemini:gemini-2.5-computer-use-preview-10-2025"} {
		t.Run(spec, func(t *testing.T) {
			wiretest.Faults(t, func(t *testing.T) wiretest.Service {
				return service(t, spec,
					spec != "gemini:gemini-3.5-flash")
			})
		})
	}
}

func service(t *testing.T, spec string, older bool) wiretest.Service {
	var f *fake
	return wiretest.Service{
		Key: plantedKey, Attempt: 2 * time.Minute, Clamps: true,
		Brain: func(o brain.Options) brain.Brain {
			f = &fake{t: t}
			return open(t, spec, "https://api.test", o)
		},
		Error: func(status int, message string) string {
			return fmt.Sprintf(`{"error":{"code":%d,"message":%q,"status":"FAILED"}}`, status, message)
		},
		Answer: func(w http.ResponseWriter, r *http.Request, body []byte, s wiretest.Saying, words string) {
			if why := f.validate(r, body); why != "" {
				t.Errorf("an invalid request: %s", why)
			}
			f.answer(w, spoken(s, words, older))
			if words != "" { // a key that a model repeats is taken out, and is not sent back either
				raw, err := json.Marshal(f.said)
				if err == nil {
					f.said = nil
					err = json.Unmarshal([]byte(model.Redact(string(raw), plantedKey)), &f.said)
				}
				if err != nil {
					t.Error(err)
				}
			}
		},
	}
}

// spoken is what the fake model says.
func spoken(s wiretest.Saying, words string, older bool) *genai.GenerateContentResponse {
	name, key := "click", function("press_key", map[string]any{"key": "Hyper"})
	if older {
		name, key = "click_at", function("key_combination", map[string]any{"keys": "hyper+x"})
	}
	press := func(x any) *genai.FunctionCall { return function(name, map[string]any{"x": x, "y": 500.0}) }
	switch s {
	case wiretest.SayTwo:
		return do(press(500.0), press(500.0))
	case wiretest.SayDone:
		return speak("SUCCESS: pressed")
	case wiretest.SayProse:
		return speak("I would press it. " + words)
	case wiretest.SayNothing:
		return reply(genai.FinishReasonStop)
	case wiretest.SayCut:
		return reply(genai.FinishReasonMaxTokens, &genai.Part{Text: "I would say that"})
	case wiretest.SayMalformed:
		return do(press("in the middle"))
	case wiretest.SayUnknownAction:
		return do(function("fly", nil))
	case wiretest.SayUnknownKey:
		return do(key)
	case wiretest.SayOutside:
		return do(press(1400.0))
	case wiretest.SayRefusal:
		return reply(genai.FinishReasonSafety)
	case wiretest.SayCheck:
		c := press(500.0)
		c.Args["safety_decision"] = map[string]any{"decision": "require_confirmation",
			"explanation": "it buys"}
		return do(c)
	}
	return do(press(500.0))
}
