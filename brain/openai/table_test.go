package openai_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
)

// TestFaults: the faults that every wire is shown to survive.
func TestFaults(t *testing.T) {
	for _, extra := range []string{"", "&state=client", "&tool=preview"} {
		t.Run("openai"+extra, func(t *testing.T) {
			wiretest.Faults(t, func(t *testing.T) wiretest.Service { return service(t, extra) })
		})
	}
}

// TestFaultTable prints the rows of the fault table that are about brains (make faults), for one wire.
func TestFaultTable(t *testing.T) {
	wiretest.FaultTable(t, func(t *testing.T) wiretest.Service { return service(t, "") })
}

func service(t *testing.T, extra string) wiretest.Service {
	f := newFake(t)
	f.response = nil // some answers are bad ones
	return wiretest.Service{
		Key: key, Attempt: 2 * time.Minute,
		Brain: func(o brain.Options) brain.Brain {
			f = newFake(t)
			f.response = nil
			return f.brain(extra, o.Transport, "https://api.test/v1", o)
		},
		Error: func(_ int, message string) string {
			return fmt.Sprintf(`{"error":{"message":%q,"type":"t","code":"c","param":null}}`, message)
		},
		Answer: func(w http.ResponseWriter, r *http.Request, body []byte, s wiretest.Saying, words string) {
			f.bodies = append(f.bodies, body)
			if r.URL.Path != "/v1/responses" || r.Header.Get("Authorization") != "Bearer "+key {
				t.Errorf("%s with %q", r.URL.Path, r.Header.Get("Authorization"))
			}
			if s == wiretest.SayCut {
				f.request = nil
				tokenCap(acts(click))(f, w, r)
				return
			}
			f.answer(w, len(f.bodies), body, spoken(len(f.bodies), s, words, extra == "&tool=preview"))
			if words != "" { // a key that a model repeats is taken out, and is not sent back either
				f.vendor.sent = parsed[[]object](t, model.Redact(asJSON(f.vendor.sent), key))
			}
			if s == wiretest.SayUnknownAction || s == wiretest.SayMalformed {
				f.request = nil // an action that the schema does not know goes back as it came
			}
		},
	}
}

func asJSON(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // what a test makes up can be written
	}
	return string(raw)
}

// spoken is what the fake model says as the output of response n.
func spoken(n int, s wiretest.Saying, words string, preview bool) []object {
	press := object{"type": "click", "button": "left", "x": 640, "y": 400}
	id := fmt.Sprintf("c%d", n)
	one := func(action object) object {
		call := computerCall(id, action)
		if preview {
			call["action"] = action
			delete(call, "actions")
		}
		return call
	}
	switch s {
	case wiretest.SayTwo:
		if !preview {
			return []object{computerCall(id, press, press)}
		}
		second := one(press)
		second["id"], second["call_id"] = "cu_b"+id, "b"+id
		return []object{one(press), second}
	case wiretest.SayDone:
		return []object{message("final_answer", "SUCCESS: pressed")}
	case wiretest.SayProse:
		return []object{message("final_answer", "I would press it. "+words)}
	case wiretest.SayNothing:
		return []object{}
	case wiretest.SayMalformed:
		return []object{one(object{"type": "click", "button": "left", "x": "in the middle"}), functionCall("f"+id, "navigate", `{"url":`)}
	case wiretest.SayUnknownAction:
		return []object{one(object{"type": "teleport"})}
	case wiretest.SayUnknownKey:
		return []object{one(object{"type": "keypress", "keys": []any{"WARP"}})}
	case wiretest.SayOutside:
		return []object{one(object{"type": "click", "button": "left", "x": 1280, "y": 1})}
	case wiretest.SayRefusal:
		return []object{refused("I cannot help with that.")}
	case wiretest.SayCheck:
		call := one(press)
		call["pending_safety_checks"] = []any{object{"id": "sc_" + id, "code": "sensitive_domain",
			"message": "a bank"}}
		return []object{call}
	}
	return []object{one(press)}
}
