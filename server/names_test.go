package server

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/cua/redact"
)

// A name that is not known is refused with the place and the names that are known there.
func TestUnknownNamesListTheKnownOnes(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	id := s.ended(asked("three"))["id"].(string)
	path := "/v1/cua/" + id
	for _, row := range []struct {
		name, method, path string
		body               any
		at, known          string
	}{
		{"a body", "POST", "/v1/cua", with("instructions", "x"), "body.instructions", "known: ablate, allow, arm, "},
		{"a field", "POST", "/v1/cua", with("fields", []any{map[string]any{"label": "a", "value": "b", "text": "c"}}), "body.fields[0].text", "known: label, value"},
		{"a secret", "POST", "/v1/cua", with("secrets", map[string]any{"P.W": map[string]any{"text": "c"}}), "body.secrets.P.W.text", "known: from_server, origin, value"},
		{"a gate", "POST", "/v1/cua", with("shadow", []string{"nosuch"}), "body.shadow", "known: "},
		{"a gate in the config", "POST", "/v1/cua", with("config", map[string]any{"shadow": []string{"nosuch"}}), "body.config", "known: "},
		{"a small viewport", "POST", "/v1/cua", with("viewport", map[string]any{"w": 63, "h": 800}), "body.viewport", "64 to 8192"},
		{"the body of a resume", "POST", path + "/resume", map[string]any{"steps": 3}, "body.steps", "known: max_steps, secrets"},
		{"the body of a rewind", "POST", path + "/rewind", map[string]any{"stepp": 3}, "body.stepp", "known: consent, facets, step"},
		{"a query of a list", "GET", "/v1/cua?stat=ended", nil, "query.stat", "known: after, arm, limit, state, tag"},
		{"a query of none", "GET", path + "?x=1", nil, "query.x", "none is known here"},
		{"a query of an export", "GET", path + "/export?fromat=csv", nil, "query.fromat", "known: format"},
		{"a query of a journal", "GET", path + "/journal?since=3", nil, "query.since", "known: after"},
		{"a query of events", "GET", path + "/events?since=3", nil, "query.since", "known: after"},
		{"a tag without a value", "GET", "/v1/cua?tag=shop", nil, "query.tag", "NAME:VALUE"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := s.do(row.method, row.path, row.body).want(t, 422)
			var p Problem
			if err := json.Unmarshal(got.body, &p); err != nil || len(p.Errors) != 1 ||
				p.Errors[0].Location != row.at || !strings.Contains(p.Errors[0].Message, row.known) {
				t.Errorf("%v: %s, want %s: …%s…", err, got.body, row.at, row.known)
			}
		})
	}
}

// What was checked is what counts, also where a name is there twice.
func TestNamesTwiceInABody(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	long := strings.Repeat("x", 70_000)
	body := func(more string) string {
		text, err := json.Marshal(asked("three"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSuffix(string(text), "}") + "," + more + "}"
	}
	for _, row := range []struct{ name, more, gone string }{
		{"secrets", `"secrets":{"LONG":{"value":"` + long + `"}},"secrets":{"PW":{"value":"opensesame"}}`, "LONG"},
		{"tags", `"tags":{"a":5},"tags":{"b":"c"}`, `"a"`},
		{"a value of a list", `"allow":["one.test","two.test"],"allow":["three.test"]`, "two.test"},
		{"a field's value", `"fields":[{"label":"kept","value":"kept","value":"word"}]`, `"value":"kept"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := s.do("POST", "/v1/cua", body(row.more), "Prefer", "wait=60").want(t, 200)
			if strings.Contains(string(r.body), row.gone) {
				t.Errorf("what was not checked is in it: %s", r.body)
			}
		})
	}
}

// A method that a resource does not support is answered with those that it does.
func TestAllowedMethods(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	path := "/v1/cua/" + s.ended(asked("three"))["id"].(string)
	for _, row := range []struct{ name, method, path, allow string }{
		{"the list", "PUT", "/v1/cua", "GET, HEAD, POST"},
		{"an episode", "PATCH", path, "DELETE, GET, HEAD"},
		{"a verb", "GET", path + "/stop", "POST"},
		{"asked for", "OPTIONS", path + "/journal", "GET, HEAD"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := s.do(row.method, row.path, nil).want(t, 405); got.Header.Get("Allow") != row.allow {
				t.Errorf("Allow: %q, want %q", got.Header.Get("Allow"), row.allow)
			}
		})
	}
	get := s.do("GET", path+"/journal", nil).want(t, 200)
	head := s.do("HEAD", path+"/journal", nil).want(t, 200)
	if len(head.body) != 0 || head.Header.Get("ETag") != get.Header.Get("ETag") {
		t.Errorf("HEAD: %v, %d bytes", head.Header, len(head.body))
	}
}

// Where a stream or the journal continues must be the number of a record.
func TestWhereEventsContinue(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	path := "/v1/cua/" + s.ended(asked("three"))["id"].(string)
	for _, row := range []struct {
		name, id, after string
		status          int
		at              string
	}{
		{"from the beginning", "0", "", 200, ""},
		{"beyond the end", "5000", "", 204, ""},
		{"a negative number", "-1", "", 422, "header.Last-Event-ID"},
		{"no number", "abc", "", 422, "header.Last-Event-ID"},
		{"a large number", "99999999999999999999", "", 422, "header.Last-Event-ID"},
		{"a sign", "+1", "", 422, "header.Last-Event-ID"},
		{"an exponent", "1e3", "", 422, "header.Last-Event-ID"},
		{"a fraction", "1.0", "", 422, "header.Last-Event-ID"},
		{"hexadecimal", "0x1", "", 422, "header.Last-Event-ID"},
		{"digits in groups", "1_000", "", 422, "header.Last-Event-ID"},
		{"digits of another script", "\u0661", "", 422, "header.Last-Event-ID"},
		{"two numbers", "1, 2", "", 422, "header.Last-Event-ID"},
		{"a sign in the query", "", "%2B1", 422, "query.after"},
		{"a blank in the query", "", "%201", 422, "query.after"},
		{"the header counts", "x", "1", 422, "header.Last-Event-ID"},
		{"a negative number in the query", "", "-1", 422, "query.after"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := s.do("GET", path+"/events?after="+row.after, nil, "Last-Event-ID", row.id)
			got.want(t, row.status)
			if row.at != "" && !strings.Contains(string(got.body), `"location":"`+row.at+`"`) {
				t.Errorf("%s, want %s", got.body, row.at)
			}
		})
	}
}

// If-Match and If-None-Match are lists. A weak ETag says what is known, but changes nothing.
func TestConditions(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	path := "/v1/cua/" + s.ended(asked("three"))["id"].(string)
	tag := s.do("GET", path, nil).want(t, 200).Header.Get("ETag")
	for _, row := range []struct {
		name, method, header, value string
		status                      int
	}{
		{"known", "GET", "If-None-Match", tag, 304},
		{"known, of several", "GET", "If-None-Match", `"0", ` + tag, 304},
		{"known, from a proxy that compresses", "GET", "If-None-Match", "W/" + tag, 304},
		{"any", "GET", "If-None-Match", "*", 304},
		{"not known", "GET", "If-None-Match", `"0", "1"`, 200},
		{"changed", "DELETE", "If-Match", `"0"`, 412},
		{"changed, of several", "DELETE", "If-Match", `"0", "1"`, 412},
		{"a weak one changes nothing", "DELETE", "If-Match", "W/" + tag, 412},
		{"no ETag", "DELETE", "If-Match", "x", 412},
		{"one of several", "DELETE", "If-Match", `"0", ` + tag, 204},
	} {
		t.Run(row.name, func(t *testing.T) {
			s.do(row.method, path, nil, row.header, row.value).want(t, row.status)
		})
	}
}

// What moves the cursor of a terminal or turns the direction of writing is escaped in each answer, and the
// JSON says the same.
func TestAnswersShowWhatIsUnseen(t *testing.T) {
	const hostile = "\x1b[2J \u009b31m \u202egnp.exe\u202c \u2066<b>\u2069 \u200b \u2028 end"
	scripts["hostile"] = []cua.Scripted{press("Next"), {Action: cua.Action{Kind: cua.Ask, Text: hostile}},
		done()}
	s := serve(t, t.TempDir(), nil)
	path := s.begin(with("brain", "hostile"))
	if v := s.await(path, Paused); v["question"] != hostile {
		t.Errorf("the question is %q", v["question"])
	}
	s.do("POST", path+"/stop", nil).want(t, 200)
	s.await(path, Ended)
	for _, at := range []string{"", "/steps", "/journal", "/events"} {
		body := string(s.do("GET", path+at, nil).want(t, 200).body)
		if !strings.Contains(body, `\u202egnp.exe\u202c`) || redact.Visible(body) != body {
			t.Errorf("%q: %q", at, body)
		}
	}
}
