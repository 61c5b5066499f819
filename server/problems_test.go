package server

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// codes lists the codes with their status.
func codes() map[Code]int {
	out := map[Code]int{}
	for c, s := range statuses {
		out[c] = s.status
	}
	return out
}

// with is a request with one more name.
func with(name string, value any) map[string]any {
	r := asked("three")
	r[name] = value
	return r
}

// Each code has a row, and no answer holds a value of its request.
func TestProblems(t *testing.T) {
	const canary = "CANARY-4711"
	s := serve(t, t.TempDir(), func(o *Options) {
		o.Hosts = []string{"cua.test"}
		o.Tenants = []Tenant{{Name: "a", TokenSHA256: hashOf(aToken), Queued: 1, Running: 1},
			{Name: "b", TokenSHA256: hashOf("the-token-of-b-00"), Brains: []string{"three"},
				Allow: []string{"shop.test"}},
			{Name: "c", TokenSHA256: hashOf("the-token-of-c-00")}}
	})
	s.player.gate = make(chan struct{})
	running := s.begin(asked("three"), "Host", "cua.test", "Idempotency-Key", "once")
	s.begin(asked("three"), "Host", "cua.test")
	seen := map[Code]bool{}
	asC := []string{"Authorization", "Bearer the-token-of-c-00"} // without a list of hosts
	for _, row := range []struct {
		name, method, path string
		body               any
		headers            []string
		code               Code
	}{
		{"no JSON", "POST", "/v1/cua", "{" + canary, nil, BadJSON},
		{"an unknown name", "POST", "/v1/cua", with("instructions", canary), nil, Invalid},
		{"a value of another type", "POST", "/v1/cua", with("max_steps", canary), nil, Invalid},
		{"out of range", "POST", "/v1/cua", with("max_steps", 501), nil, Invalid},
		{"no web address", "POST", "/v1/cua", with("url", "ftp://"+canary), nil, Invalid},
		{"an unknown brain", "POST", "/v1/cua", with("brain", canary), nil, Invalid},
		{"an unknown mechanism", "POST", "/v1/cua", with("ablate", []string{canary}), nil, Invalid},
		{"a setting of another type", "POST", "/v1/cua", with("config", map[string]any{"frames": canary}), nil, Invalid},
		{"a secret without a value", "POST", "/v1/cua", with("instruction", "type <secret:PW>"), nil, Invalid},
		{"a secret that the server lacks", "POST", "/v1/cua", with("secrets", map[string]any{"X": map[string]any{"from_server": true}}), nil, Invalid},
		{"a long wait", "POST", "/v1/cua", asked("three"), []string{"Prefer", "wait=61"}, Invalid},
		{"a long key", "POST", "/v1/cua", asked("three"), []string{"Idempotency-Key", strings.Repeat("k", 256)}, Invalid},
		{"a key with another body", "POST", "/v1/cua", with("seed", 2), []string{"Idempotency-Key", "once"}, IdempotencyReuse},
		{"no token", "GET", "/v1/cua", nil, []string{"Authorization", ""}, Unauthenticated},
		{"a wrong token", "GET", "/v1/cua", nil, []string{"Authorization", "Bearer " + canary}, Unauthenticated},
		{"a start page elsewhere", "POST", "/v1/cua", asked("three"), []string{"Authorization", "Bearer the-token-of-b-00"}, HostNotAllowed},
		{"a start page on the server's machine", "POST", "/v1/cua", with("url", "http://localhost:9/"), asC, HostNotAllowed},
		{"a start page on a private address", "POST", "/v1/cua", with("url", "http://169.254.169.254/"), asC, HostNotAllowed},
		{"a private address in the list", "POST", "/v1/cua", with("allow", []string{"10.0.0.7:80"}), asC, HostNotAllowed},
		{"a name that may resolve to one", "POST", "/v1/cua", with("allow", []string{"db.internal.test:5432"}), asC, HostNotAllowed},
		{"one below a listed host", "POST", "/v1/cua", map[string]any{"instruction": "press Next", "brain": "three", "url": "https://shop.test/", "allow": []string{"db.shop.test:5432"}},
			[]string{"Authorization", "Bearer the-token-of-b-00"}, HostNotAllowed},
		{"another origin", "POST", "/v1/cua", asked("three"), []string{"Origin", "https://evil.test"}, CrossOrigin},
		{"another site", "POST", "/v1/cua", asked("three"), []string{"Sec-Fetch-Site", "cross-site"}, CrossOrigin},
		{"a brain of others", "POST", "/v1/cua", asked("ask"), []string{"Authorization", "Bearer the-token-of-b-00"}, NotYoursToDo},
		{"no such episode", "GET", "/v1/cua/" + strings.Repeat("0", 26), nil, nil, NotFound},
		{"no such path", "GET", "/v2/" + canary, nil, nil, NotFound},
		{"a path out of the folder", "GET", running + "/blobs/..%2f..%2fserver.key", nil, nil, NotFound},
		{"another method", "PUT", "/v1/cua", nil, nil, MethodNotAllowed},
		{"continue what runs", "POST", running + "/continue", nil, nil, WrongState},
		{"delete what runs", "DELETE", running, nil, nil, WrongState},
		{"an old ETag", "POST", running + "/stop", nil, []string{"If-Match", `"999"`}, Changed},
		{"a long body", "POST", "/v1/cua", with("instruction", strings.Repeat("x", maxBody)), nil, TooLarge},
		{"a form", "POST", "/v1/cua", "a=b", []string{"Content-Type", "application/x-www-form-urlencoded"}, MediaType},
		{"another host", "GET", "/v1/cua", nil, []string{"Host", "evil.test"}, WrongHost},
		{"a full queue", "POST", "/v1/cua", asked("three"), nil, QueueFull},
	} {
		t.Run(row.name, func(t *testing.T) {
			got := s.do(row.method, row.path, row.body, append([]string{"Host", "cua.test"},
				row.headers...)...)
			var p Problem
			if err := json.Unmarshal(got.body, &p); err != nil {
				t.Fatalf("%d: %v: %s", got.StatusCode, err, got.body)
			}
			seen[p.Code] = true
			if p.Code != row.code || got.StatusCode != codes()[row.code] || p.Status != got.StatusCode ||
				p.Type != "/problems/"+string(row.code) || p.Title == "" || p.Detail == "" ||
				got.Header.Get("Content-Type") != problemType {
				t.Errorf("%d: %s, want %s", got.StatusCode, got.body, row.code)
			}
			if body := strings.ReplaceAll(string(got.body), `"instance":"/v2/`+canary,
				""); strings.Contains(body, canary) {
				t.Errorf("it repeats what was sent: %s", got.body)
			}
			if wait := row.code == QueueFull; wait != (got.Header.Get("Retry-After") != "") {
				t.Errorf("Retry-After %q", got.Header.Get("Retry-After"))
			}
		})
	}
	close(s.player.gate)
	for _, elsewhere := range []Code{Rate, Draining, DiskFull, Internal} { // tests of their own
		seen[elsewhere] = true
	}
	for code := range codes() {
		if !seen[code] {
			t.Errorf("no row for %s", code)
		}
	}
}

func TestTooManyPosts(t *testing.T) {
	s := serve(t, t.TempDir(), func(o *Options) { o.PostsPerSecond, o.PostsBurst = 0.001, 2 })
	s.ended(asked("three"))
	s.ended(asked("three"))
	if r := s.do("POST", "/v1/cua", asked("three")).want(t, 429); r.Header.Get("Retry-After") == "" ||
		!strings.Contains(string(r.body), `"rate"`) {
		t.Errorf("%v: %s", r.Header, r.body)
	}
	s.do("GET", "/v1/cua", nil).want(t, 200)
}

// After a restart a running episode continues, a queued one runs, and one that has ended is answered as
// before.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, func(o *Options) { o.Running, o.Grace = 1, time.Millisecond })
	ended := s.ended(asked("three"))["id"].(string)
	before := s.do("GET", "/v1/cua/"+ended, nil).want(t, 200)
	s.player.gate = make(chan struct{})
	running, queued := s.begin(asked("three")), s.begin(asked("ask"))
	s.player.gate <- struct{}{}
	if _, err := New(s.server.o); err == nil || !strings.Contains(err.Error(), ErrInUse.Error()) {
		t.Errorf("a second server: %v", err)
	}
	s.server.Drain(t.Context())
	if r := s.do("GET", "/readyz", nil); r.StatusCode != 503 {
		t.Errorf("readyz while it shuts down: %d", r.StatusCode)
	}
	s.do("POST", "/v1/cua", asked("three")).want(t, 503)

	again := serve(t, dir, nil)
	if r := again.do("GET", "/v1/cua/"+ended, nil).want(t, 200); string(r.body) != string(before.body) ||
		r.Header.Get("ETag") != before.Header.Get("ETag") {
		t.Errorf("before %s\nafter %s", before.body, r.body)
	}
	if v := again.await(running, Ended); v["result"].(map[string]any)["termination_reason"] != "done" {
		t.Errorf("what was running is %v", v)
	}
	if v := again.await(queued, Paused); v["question"] != "Which word?" {
		t.Errorf("what was queued is %v", v)
	}
}

// A pause outlives the process: the question is asked again.
func TestAPauseOutlivesTheProcess(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, nil)
	path := s.begin(asked("ask"))
	s.await(path, Paused)
	s.server.Drain(t.Context())
	again := serve(t, dir, nil)
	if v := again.await(path, Paused); v["question"] != "Which word?" {
		t.Errorf("it is %v", v)
	}
	again.do("POST", path+"/answer", map[string]any{"text": "blue"}).want(t, 200)
	again.await(path, Ended)
}

// A value of a secret is in no answer, no log and no file, and is asked for after a restart.
func TestSecretsStayInMemory(t *testing.T) {
	const canary = "hunter2-CANARY-0815"
	dir := t.TempDir()
	s := serve(t, dir, nil)
	r := with("secrets", map[string]any{"PW": map[string]any{"value": canary},
		"OURS": map[string]any{"from_server": true}})
	r["instruction"] = "type " + canary
	r["fields"] = []map[string]any{{"label": "Password", "value": canary}}
	r["brain"] = "ask"
	path := s.begin(r, "Idempotency-Key", "k")
	s.await(path, Paused)
	answers := ""
	for _, p := range []string{path, path + "/steps", path + "/journal", path + "/checkpoints", "/v1/cua",
		"/metrics",
		path + "/export"} {
		answers += string(s.do("GET", p, nil).want(t, 200).body)
	}
	s.server.Drain(t.Context())
	s.logMu.Lock()
	answers += s.log.String()
	s.logMu.Unlock()
	if strings.Contains(answers, canary) || strings.Contains(answers, "from-the-server") ||
		!strings.Contains(answers, "<secret:PW>") {
		t.Error("a value is in an answer, or its name is not")
	}
	again := serve(t, dir, nil)
	v := again.await(path, Interrupted)
	if needs, _ := json.Marshal(v["secrets_needed"]); string(needs) != `["PW"]` {
		t.Errorf("it needs %s", needs)
	}
	again.do("POST", path+"/resume", nil).want(t, 422)
	again.do("POST", path+"/resume", map[string]any{"secrets": map[string]string{"PW": canary}}).want(t, 202)
	again.await(path, Paused)
	holds(t, dir, canary)
}
