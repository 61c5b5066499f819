package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// operations are the requests of the description that name an episode: METHOD PATH.
func operations(t *testing.T) (out []string) {
	t.Helper()
	text, err := os.ReadFile("openapi.json")
	var doc struct{ Paths map[string]map[string]any }
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for method := range maps.Keys(methods) {
			if strings.Contains(path, "{id}") {
				out = append(out, strings.ToUpper(method)+" "+path)
			}
		}
	}
	slices.Sort(out)
	return out
}

// No path answers a tenant with a byte of another one's episode: each operation of the description answers as
// for an id that does not exist, headers included, in each state of the episode.
func TestTenants(t *testing.T) {
	s := serve(t, t.TempDir(), func(o *Options) {
		o.Tenants = append(o.Tenants, Tenant{Name: "b", TokenSHA256: hashOf("the-token-of-b-00")})
		o.Tenants[0].Running, o.Brain = 2, "three"
	})
	ended := s.ended(with("instruction", "press Next for alice"))["id"].(string)
	j, err := readJournal(s.server.tenants[0].find(ended).dir)
	if err != nil {
		t.Fatal(err)
	}
	paused := s.begin(asked("ask"))
	s.await(paused, Paused)
	s.player.gate = make(chan struct{})
	running, queued := s.begin(asked("three")), s.begin(asked("three"))
	s.await(running, Running)
	id := func(path string) string { return strings.TrimPrefix(path, "/v1/cua/") }
	nobody := strings.Repeat("0", 26)
	bodies := map[string]any{"/rewind": map[string]any{"step": 1}, "/answer": map[string]any{"text": "x"},
		"/tell": map[string]any{"text": "x"}, "/handback": map[string]any{"holder": "x"},
		"/takeover": map[string]any{"holder": "x"}, "/resume": map[string]any{"max_steps": 9}}
	all := operations(t)
	if len(all) < 17 {
		t.Fatalf("the description has %d operations on an episode: %v", len(all), all)
	}
	s.token = "the-token-of-b-00"
	for _, state := range []struct{ name, id string }{{"ended", ended}, {"running", id(running)},
		{"paused", id(paused)}, {"queued", id(queued)}} {
		for _, op := range all {
			t.Run(state.name+" "+op, func(t *testing.T) {
				method, path, _ := strings.Cut(op, " ")
				path = strings.Replace(path, "{sha256}", j.t.Start.FrameSHA, 1)
				ask := func(id string) (string, http.Header) {
					_, verb, _ := strings.Cut(path, "{id}")
					r := s.do(method, strings.Replace(path, "{id}", id, 1), bodies[verb]).want(t, 404)
					r.Header.Del("Date")
					return strings.ReplaceAll(string(r.body), id, nobody), r.Header
				}
				theirs, headers := ask(state.id)
				none, want := ask(nobody)
				if theirs != none || !maps.EqualFunc(headers, want, slices.Equal) {
					t.Errorf("%s %v, for an id that does not exist %s %v", theirs, headers, none, want)
				}
			})
		}
	}
	for _, path := range []string{"/v1/cua", "/v1/cua?after=" + strings.Repeat("v", 26)} {
		if body := string(s.do("GET", path, nil).want(t, 200).body); strings.Contains(body, "alice") ||
			strings.Contains(body, ended) {
			t.Errorf("%s: %s", path, body)
		}
	}
	s.do("GET", "/metrics", nil).want(t, 403)
}

// A tenant who has the browser of an episode of their own cannot use its ticket or holder, nor those of
// another tenant, for an episode that is not theirs: it is as if there were none. No try uses a ticket up.
func TestTicketsOfAnotherTenant(t *testing.T) {
	const ofB = "the-token-of-b-00"
	s := gatedSite(t, func(o *Options) {
		o.Tenants = append(o.Tenants, Tenant{Name: "b", TokenSHA256: hashOf(ofB)})
	})
	theirs := s.paused()
	k := s.takeOver(theirs, "")
	s.token = ofB
	own := s.paused()
	mine := s.takeOver(own, "")
	none := "/v1/cua/" + strings.Repeat("0", 26)
	withToken, withTicket := []string{}, []string{"Authorization", ""}
	for _, row := range []struct {
		name, method, path string // the path below an episode
		body               any
		headers            []string
	}{
		{"their ticket", "GET", "/live?ticket=" + k.ticket(), nil, withToken},
		{"my ticket", "GET", "/live?ticket=" + mine.ticket(), nil, withToken},
		{"my ticket and no token", "GET", "/live?ticket=" + mine.ticket(), nil, withTicket},
		{"their holder as ticket", "GET", "/live?ticket=" + k.Holder, nil, withTicket},
		{"my ticket for events", "GET", "/events?ticket=" + mine.ticket(), nil, withTicket},
		{"events", "GET", "/events?after=1", nil, withToken},
		{"taking over", "POST", "/takeover", nil, withToken},
		{"taking over as they", "POST", "/takeover", map[string]any{"holder": k.Holder}, withToken},
		{"taking over as I", "POST", "/takeover", map[string]any{"holder": mine.Holder}, withToken},
		{"handing back as they", "POST", "/handback", map[string]any{"holder": k.Holder}, withToken},
		{"handing back as I", "POST", "/handback", map[string]any{"holder": mine.Holder}, withToken},
	} {
		want := s.do(row.method, none+row.path, row.body, row.headers...)
		got := s.do(row.method, theirs+row.path, row.body, row.headers...)
		if body := strings.ReplaceAll(string(got.body), theirs, none); got.StatusCode != want.StatusCode ||
			got.StatusCode != 404 && got.StatusCode != 401 || body != string(want.body) {
			t.Errorf("%s: %d %s, for an id that does not exist %d %s", row.name, got.StatusCode, got.body,
				want.StatusCode, want.body)
		}
	}
	s.do("GET", own+"/live?ticket="+k.ticket(), nil, withTicket...).want(t, 401)
	s.do("GET", own+"/live?ticket="+k.ticket(), nil).want(t, 401)
	s.do("POST", own+"/handback", map[string]any{"holder": k.Holder}).want(t, 403)
	s.socket(mine)
	s.socket(k)
}
