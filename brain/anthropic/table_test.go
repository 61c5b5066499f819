package anthropic

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
)

// TestFaults: the faults that every wire is shown to survive, with each of the three tools.
func TestFaults(t *testing.T) {
	schemas(t)
	for _, spec := range []string{"anthropic", "anthropic?tool=computer",
		"anthropic:claude-opus-4-6?tool=computer_20251124"} {
		t.Run(spec, func(t *testing.T) {
			wiretest.Faults(t, func(t *testing.T) wiretest.Service { return service(t, spec) })
		})
	}
}

func service(t *testing.T, spec string) wiretest.Service {
	var f *fake
	return wiretest.Service{
		Key: plantedKey, Attempt: 2 * time.Minute, Lacks: []wiretest.Saying{wiretest.SayCheck},
		Brain: func(o brain.Options) brain.Brain {
			f = newFake(t, nil)
			s, err := brain.ParseSpec(spec)
			if err != nil {
				t.Fatal(err)
			}
			o.Key = func(string) string { return plantedKey }
			b, err := Open(s, o)
			if err != nil {
				t.Fatal(err)
			}
			return b
		},
		Error: func(_ int, message string) string {
			return fmt.Sprintf(`{"type":"error","error":{"type":"api_error","message":%q},"request_id":"r1"}`, message)
		},
		Answer: func(w http.ResponseWriter, r *http.Request, body []byte, s wiretest.Saying, words string) {
			f.requests = append(f.requests, body)
			isBeta := r.URL.Query().Get("beta") == "true"
			f.check(wiretest.Value(t, body), body, strings.Join(r.Header.Values("anthropic-beta"),
				","), isBeta)
			f.answer(w, saying(f, spec, s, words), isBeta)
			if words != "" { // a key that a model repeats is taken out, and is not sent back either
				raw, err := json.Marshal(f.served)
				if err == nil {
					f.served = nil
					err = json.Unmarshal([]byte(model.Redact(string(raw), plantedKey)), &f.served)
				}
				if err != nil {
					t.Error(err)
				}
			}
		},
	}
}

// saying is what the fake model says.
func saying(f *fake, spec string, s wiretest.Saying, words string) say {
	calls := func(name string, in object) say {
		switch {
		case strings.Contains(spec, olderTool):
			in["action"] = name
			return say{blocks: list{thought(0), f.use("", olderName, in)}}
		case strings.Contains(spec, "computer"):
			return say{blocks: list{thought(0), f.use("computer", name, in)}}
		}
		return say{blocks: list{thought(0), f.use("browser", name, in)}}
	}
	press := func(x any) say {
		if strings.Contains(spec, "computer") {
			return calls("left_click", object{"coordinate": list{x, 400}})
		}
		return calls("left_click", object{"target": object{"type": "coordinate", "x": x, "y": 400}})
	}
	switch s {
	case wiretest.SayTwo:
		one, two := press(640), press(640)
		return say{blocks: append(one.blocks, two.blocks[1])}
	case wiretest.SayDone:
		return say{blocks: list{thought(0), text("SUCCESS: pressed")}}
	case wiretest.SayProse:
		return say{blocks: list{text("I would press it. " + words)}}
	case wiretest.SayNothing:
		return say{}
	case wiretest.SayCut:
		r := press(640)
		r.stop = "max_tokens"
		return r
	case wiretest.SayMalformed:
		return press("in the middle")
	case wiretest.SayUnknownAction:
		return calls("teleport", object{})
	case wiretest.SayUnknownKey:
		return calls("key", object{"text": "Hyperdrive"})
	case wiretest.SayOutside:
		return press(5000)
	case wiretest.SayRefusal:
		why := object{"type": "refusal", "category": "cyber", "explanation": "not that"}
		if strings.Contains(spec, olderTool) { // the beta API says more
			why["fallback_credit_token"], why["fallback_has_prefill_claim"],
				why["recommended_model"] = nil, nil, nil
		}
		return say{blocks: list{text("I cannot.")}, stop: "refusal", detail: why}
	}
	return press(640)
}
