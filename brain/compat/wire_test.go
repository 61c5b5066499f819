package compat_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model/wiretest"
	"github.com/cua-runner/cua-runner/cua"
)

func shot(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewPaletted(image.Rect(0, 0, w, h),
		color.Palette{color.White})); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestRulesCatchBadRequests: each rule, with a request that breaks it and nothing else.
func TestRulesCatchBadRequests(t *testing.T) {
	data := "data:image/png;base64," + base64.StdEncoding.EncodeToString(shot(t, 8, 8))
	user := `{"role":"user","content":[{"type":"text","text":"go"},{"type":"image_url","image_url":{"url":"` + data + `"}}]}`
	call := `{"role":"assistant","content":"","tool_calls":[{"type":"function","id":"c1","function":{"name":"f","arguments":"{}"}}]}`
	tool := `{"role":"tool","tool_call_id":"c1","content":"Done."}`
	good := `{"role":"system","content":"s"},` + user + `,` + call + `,` + tool + `,` + user
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("nothing to replace: %s", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	for _, row := range []struct{ name, messages, want string }{
		{"valid", good, ""},
		{"no system message", replace(`{"role":"system","content":"s"},`, ""), "no system message"},
		{"a system message in the middle", replace(tool+`,`, tool+`,{"role":"system","content":"s"},`), "in the middle"},
		{"a call that is not answered", replace(tool+`,`, ""), "before 1 calls were answered"},
		{"an answer to no call", replace(`"tool_call_id":"c1"`, `"tool_call_id":"c2"`), "answers no open call"},
		{"an answer twice", replace(tool, tool+`,`+tool), "answers no open call"},
		{"the last call open", replace(`,`+tool+`,`+user, ""), "1 calls are not answered"},
		{"arguments that are no object", replace(`"arguments":"{}"`, `"arguments":"x"`), "no object"},
		{"two turns of the user in a row", replace(user, user+`,`+user), "a second user"},
		{"an empty message", replace(call+`,`+tool, `{"role":"assistant"}`), "is empty"},
		{"nothing is asked", replace(tool+`,`+user, tool+`,{"role":"assistant","content":"x"}`), "nothing is asked"},
		{"an image by its address", replace(data, "https://example.org/a.png"), "not sent in the request"},
		{"too many images", replace(call+`,`+tool+`,`, `{"role":"assistant","content":"x"},`+user+`,{"role":"assistant","content":"x"},`), "3 images, of at most 2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var body object
			if err := json.Unmarshal([]byte(`{"messages":[`+row.messages+`]}`), &body); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(rules(body, 2), "; ")
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}

// inside is a transport that serves in this process, without a network: so time is the test's own.
type inside struct{ http.Handler }

func (in inside) RoundTrip(r *http.Request) (*http.Response, error) {
	came := make(chan *http.Response, 1)
	go func() {
		rec := httptest.NewRecorder()
		in.ServeHTTP(rec, r)
		came <- rec.Result()
	}()
	select {
	case res := <-came:
		return res, nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// answer is one answer of the server in place of a model.
type answer func(f *fake, w http.ResponseWriter, r *http.Request)

func says(r reply) answer {
	return func(f *fake, w http.ResponseWriter, _ *http.Request) {
		f.check(len(f.bodies))
		f.write(w, len(f.bodies), r, "")
	}
}

func ends(finish, text string) answer {
	return func(f *fake, w http.ResponseWriter, _ *http.Request) {
		f.check(len(f.bodies))
		f.write(w, len(f.bodies), reply{text: text}, finish)
	}
}

func fails(code int, message string) answer {
	return func(f *fake, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"error":{"message":%q,"type":"t","code":null,"param":null}}`, message)
	}
}

func native(args ...string) reply {
	var out reply
	for _, a := range args {
		out.calls = append(out.calls, object{"type": "function", "function": object{"name": "computer_use",
			"arguments": a}})
	}
	return out
}

func asking(t *testing.T, o brain.Options, extra string, answers ...answer) (*fake, brain.Brain) {
	t.Helper()
	f := newFake(t, flatTools, 1000)
	for i, a := range answers {
		f.turns[i+1] = func(w http.ResponseWriter, r *http.Request) bool {
			a(f, w, r)
			return true
		}
	}
	return f, f.brain(extra, inside{f}, "https://local.test/v1", o)
}

// theTurn is a first turn on a page of 100×100 px.
func theTurn(t *testing.T) *cua.Turn {
	page := cua.Observation{URL: "http://h/", Viewport: cua.Size{W: 100, H: 100}}
	return &cua.Turn{Task: cua.Task{Goal: "press it"}, History: cua.History{Start: page}, Now: page,
		Number: 1, Decision: 1, Frames: []cua.Shot{{Data: shot(t, 100, 100), Mime: "image/png"}}}
}

// after is the turn behind t in which d was done.
func after(t *cua.Turn, d cua.Decision) *cua.Turn {
	next := *t
	s := cua.Step{N: t.Number, Decision: t.Decision, Proposed: d.Action, By: d.By, Failure: d.Failure,
		After: t.Now, Effect: &cua.Effect{Progress: []cua.Change{cua.ChangeDOM}}}
	if d.Failure == nil {
		s.Action = &d.Action
	}
	next.History.Steps = append(next.History.Steps, s)
	next.Number, next.Decision = t.Number+1, t.Decision+1
	return &next
}

// TestReplies: what comes of each kind of reply, and that the request behind it is valid, which the fake
// checks.
func TestReplies(t *testing.T) {
	click := says(native(`{"action":"left_click","coordinate":[500,500],"thought":"there"}`))
	wait := says(native(`{"action":"wait","seconds":1}`))
	nothing := func(f *fake, w http.ResponseWriter, _ *http.Request) {
		f.raw(w, object{"id": "x", "choices": []object{}})
	}
	for _, row := range []struct {
		name     string
		answers  []answer
		want     string
		requests int
	}{
		{"a native call", []answer{click}, "click 50,50", 1},
		{"a native call without the wrapper's verb", []answer{says(reply{calls: []object{{"type": "function", "function": object{"name": "click", "arguments": `{"x":500,"y":500}`}}}})}, "click 50,50", 1},
		{"a call in the text", []answer{says(reply{text: `<tool_call>{"name":"computer_use","arguments":{"action":"wait"}}</tool_call>`})}, "wait", 1},
		{"native calls before the text", []answer{says(reply{text: `{"action":"wait"}`, calls: native(`{"action":"left_click","coordinate":[0,0]}`).calls})}, "click 0,0", 1},
		{"a verdict in words", []answer{says(reply{text: "<think>hm</think>SUCCESS: it is 42"})}, "done true it is 42", 1},
		{"malformed arguments, then a call", []answer{says(native(`{"action":`)), click}, "click 50,50", 2},
		{"an unknown action", []answer{says(native(`{"action":"teleport"}`)), says(native(`{"action":"fly"}`))}, "failed: unknown_action", 2},
		{"a point outside", []answer{says(native(`{"action":"left_click","coordinate":[1001,5]}`)), click}, "click 50,50", 2},
		{"the end of the grid is inside", []answer{says(native(`{"action":"left_click","coordinate":[1000,1000]}`))}, "click 99,99", 1},
		{"nothing", []answer{says(reply{}), click}, "click 50,50", 2},
		{"no choices", []answer{nothing, nothing}, "failed: schema_reject the completion has no choices", 2},
		{"the cap on tokens", []answer{ends("length", `<tool_call>{"name":`), ends("length", "")}, "failed: schema_reject the reply was cut short", 2},
		{"a filter", []answer{ends("content_filter", ""), click}, "click 50,50", 2},
		{"too long: started over", []answer{fails(400, "This model's maximum context length is 8192 tokens."), click}, "click 50,50", 2},
		{"two calls in one reply", []answer{says(native(`{"action":"wait"}`, `{"action":"left_click","coordinate":[1,1]}`))}, "wait", 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, b := asking(t, brain.Options{}, "", append(row.answers, wait)...)
				turn := theTurn(t)
				d, err := b.Decide(t.Context(), turn)
				if got := wiretest.Told(d, err); !strings.Contains(got, row.want) ||
					len(f.bodies) != row.requests {
					t.Errorf("got %q after %d requests; want %q after %d", got, len(f.bodies), row.want,
						row.requests)
				}
				if err == nil && !d.Refused && d.Action.Kind != cua.Done {
					if _, err := b.Decide(t.Context(), after(turn, d)); err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}

// TestImagesAreDropped: a request holds as many screenshots as the profile keeps, the newest; older ones are
// said to be left out.
func TestImagesAreDropped(t *testing.T) {
	for _, row := range []struct {
		options string
		want    []int
	}{
		{"", []int{1, 2, 3, 4, 5, 3}},
		{"&images=1", []int{1, 1, 1, 1, 1, 1}},
		{"&profile=holo&format=tools", []int{1, 2, 3, 3, 3, 3}},
		{"&profile=uitars&images=2", []int{1, 2, 2, 2, 2, 2}},
	} {
		t.Run(row.options, func(t *testing.T) {
			f, b := asking(t, brain.Options{}, row.options)
			f.mind = nil
			var got []int
			turn := theTurn(t)
			for n := range row.want {
				f.turns[n+1] = func(w http.ResponseWriter, _ *http.Request) bool {
					body := f.check(n + 1)
					messages := list(body["messages"])
					got = append(got, len(shots(messages)))
					if gone := strings.Count(texts(messages),
						"[an older screenshot was left out]"); gone+got[n] != n+1 {
						t.Errorf("request %d: %d pictures and %d left out", n+1, got[n], gone)
					}
					f.write(w, n+1, reply{text: "Action: wait()"}, "")
					return true
				}
				d, err := b.Decide(t.Context(), turn)
				if err != nil {
					t.Fatal(err)
				}
				turn = after(turn, d)
			}
			if !reflect.DeepEqual(got, row.want) {
				t.Errorf("got %v, want %v", got, row.want)
			}
		})
	}
}

// TestWhatIsOffered: the format decides how the action is offered, and the profile's own fields go along.
func TestWhatIsOffered(t *testing.T) {
	for _, row := range []struct {
		options string
		has     []string
		not     []string
	}{
		{"", []string{`"tool_choice":"required"`, `"tools":[`, `"max_tokens":4096`}, []string{"response_format", "structured_outputs", "temperature"}},
		{"&format=json", []string{`"response_format":{"json_schema":{`, `"properties":{"thought":{"type":"string"},"action":`, `"strict":true`}, []string{`"tools"`}},
		{"&format=structured&thinking=off", []string{`"structured_outputs":{"json":{`, `"chat_template_kwargs":{"enable_thinking":false}`}, []string{`"tools"`, "response_format"}},
		{"&profile=qwen25vl", []string{`resolution is 112x112`, `<tools>`}, []string{`"tools":`, "response_format"}},
		{"&profile=qwen3vl&format=tools", []string{`resolution is 1000x1000`, `"tools":[`}, []string{`<tools>`}},
		{"&profile=fara", []string{`"temperature":0`, "pause_and_memorize_fact"}, []string{"triple_click"}},
		{"&profile=uitars", []string{"finished(content='xxx')"}, []string{`"tools"`, "response_format"}},
		{"&profile=holo", []string{`"structured_outputs":{"json":{`, "output_format", "observation"}, []string{`"tools"`}},
	} {
		t.Run(row.options, func(t *testing.T) {
			f, b := asking(t, brain.Options{}, row.options, says(reply{text: "SUCCESS: x"}))
			if _, err := b.Decide(t.Context(), theTurn(t)); err != nil {
				t.Fatal(err)
			}
			body := string(f.bodies[0])
			for _, x := range row.has {
				if !strings.Contains(body, x) {
					t.Errorf("no %s in %.3000s", x, body)
				}
			}
			for _, x := range row.not {
				if strings.Contains(body, x) {
					t.Errorf("%s in it", x)
				}
			}
		})
	}
}

// TestOptions: what a spec may say; a key may be left out, and is in no error.
func TestOptions(t *testing.T) {
	for _, row := range []struct{ spec, want string }{
		{"openai-compatible:m", ""},
		{"openai-compatible:org/m?profile=fara&images=1&temperature=0.5&coordinates=relative1000&max_tokens=0&long_edge=900&thinking=on", ""},
		{"openai-compatible", "needs a model"},
		{"openai-compatible:m?profile=gpt", "profile must be one of default, qwen25vl, qwen3vl, fara, uitars, holo"},
		{"openai-compatible:m?profile=uitars&format=json", "format must be one of text"},
		{"openai-compatible:m?images=0", "images must be a number of 1 or more"},
		{"openai-compatible:m?temperature=hot", "temperature must be a number"},
		{"openai-compatible:m?coordinates=percent", "coordinates must be one of"},
		{"openai-compatible:m?attempt=0s", "attempt must be a duration"},
		{"openai-compatible:m?api_key=" + key, `has no option "api_key"`},
	} {
		t.Run(row.spec, func(t *testing.T) {
			_, err := brain.Open(row.spec, options(""))
			if row.want == "" && err != nil || row.want != "" && (err == nil ||
				!strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), key)) {
				t.Errorf("got %v, want %q", err, row.want)
			}
		})
	}
}

// TestWithoutAKey: no header is made up, and none is taken from the environment.
func TestWithoutAKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-of-another-service")
	t.Setenv("OPENAI_BASE_URL", "http://elsewhere.test/v1")
	o := options("")
	o.Transport = inside{http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "" || r.URL.Host != "local.test" {
			t.Errorf("%s was told %q", r.URL.Host, got)
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"ok"}}],"usage":{"prompt_tokens":9,"completion_tokens":1}}`)
	})}
	b, err := brain.Open("openai-compatible:m?base_url=https://local.test/v1", o)
	if err != nil {
		t.Fatal(err)
	}
	if u, err := b.(brain.Checker).Check(t.Context()); err != nil || u.InputTokens != 9 || u.Attempts != 1 {
		t.Errorf("%+v, %v", u, err)
	}
}
