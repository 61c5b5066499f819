package server

import (
	"bufio"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/trajectories"
)

func TestAnEpisodeOverHTTP(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	e := s.ended(asked("three"))
	result, _ := e["result"].(map[string]any)
	if e["state"] != "ended" || result["termination_reason"] != "done" || result["steps"] != 4.0 ||
		e["step"] != 4.0 {
		t.Fatalf("the episode is %v", e)
	}
	if _, ok := result["loop_recoveries_by_reason"].(map[string]any); !ok {
		t.Error("loop_recoveries_by_reason is no object")
	}
	self := e["links"].(map[string]any)["self"].(string)
	got := s.do("GET", self, nil).want(t, 200)
	again := s.do("GET", self, nil, "If-None-Match", got.Header.Get("ETag")).want(t, 304)
	if len(again.body) > 0 {
		t.Errorf("a body: %s", again.body)
	}
	var steps struct{ Items []trajectories.Record }
	text := s.do("GET", self+"/steps?after=1&limit=2", nil).want(t, 200).body
	var page struct {
		Items []struct{ N int }
		Next  int
	}
	if err := json.Unmarshal(text, &page); err != nil || len(page.Items) != 2 || page.Next != 3 {
		t.Errorf("steps %s (%v, %v)", text, err, steps)
	}
	lines := strings.Split(strings.TrimSpace(string(s.do("GET", self+"/journal", nil).want(t, 200).body)),
		"\n")
	if want := got.Header.Get("ETag"); want != etag(len(lines)) {
		t.Errorf("the ETag is %s, and there are %d records", want, len(lines))
	}
	var cps []map[string]any
	if err := json.Unmarshal(s.do("GET", self+"/checkpoints", nil).want(t, 200).body, &cps); err != nil ||
		len(cps) == 0 || cps[0]["step"] != 1.0 || cps[0]["crosses"] == nil {
		t.Fatalf("checkpoints %v (%v)", cps, err)
	}
	frame := s.do("GET", self+"/blobs/"+cps[0]["frame"].(string), nil).want(t, 200)
	if frame.Header.Get("Content-Type") != "image/png" || !strings.Contains(frame.Header.Get("Cache-Control"),
		"immutable") {
		t.Errorf("a frame with %v", frame.Header)
	}
	s.do("GET", self+"/export?format=json", nil).want(t, 200)
	s.do("DELETE", self, nil).want(t, 204)
	s.do("GET", self, nil).want(t, 404)
}

// event is one server-sent event.
type event struct{ id, kind, data string }

// stream opens the events of an episode.
func (s *site) stream(path string, headers ...string) (*http.Response, func() (event, bool)) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "GET", s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.token)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { resp.Body.Close() })
	in := bufio.NewReaderSize(resp.Body, 1<<20)
	return resp, func() (ev event, ok bool) {
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return ev, false
			}
			line = strings.TrimSuffix(line, "\n")
			switch name, value, _ := strings.Cut(line, ": "); {
			case line == "" && ev.kind != "":
				return ev, true
			case name == "id":
				ev.id = value
			case name == "event":
				ev.kind = value
			case name == "data":
				ev.data = value
			}
		}
	}
}

// The events are the records of the journal, each once and in order, from wherever a reader goes on.
func TestEvents(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	s.player.gate = make(chan struct{})
	path := s.begin(asked("three"))
	_, next := s.stream(path + "/events")
	var got []event
	var states []string
	for {
		ev, ok := next()
		if !ok {
			break
		}
		if ev.kind == "status" {
			var st status
			if err := json.Unmarshal([]byte(ev.data), &st); err != nil || ev.id != "" {
				t.Errorf("a status %+v (%v)", ev, err)
			}
			states = append(states, string(st.State))
			if st.Stage == "decide" {
				s.player.gate <- struct{}{}
			}
			continue
		}
		got = append(got, ev)
	}
	journal := strings.Split(strings.TrimSpace(string(s.do("GET", path+"/journal", nil).want(t, 200).body)),
		"\n")
	if len(got) != len(journal) {
		t.Fatalf("%d events, %d records", len(got), len(journal))
	}
	for i, ev := range got {
		var r struct{ Type string }
		if err := json.Unmarshal([]byte(journal[i]), &r); err != nil {
			t.Fatal(err)
		}
		if ev.data != journal[i] || etag(i+1) != `"`+ev.id+`"` || ev.kind != r.Type {
			t.Errorf("event %d is %.120v", i, ev)
		}
	}
	if states[len(states)-1] != "ended" || !slices.Contains(states, "running") {
		t.Errorf("states %v", states)
	}
	_, next = s.stream(path+"/events", "Last-Event-ID", got[3].id)
	if ev, ok := next(); !ok || ev != got[4] {
		t.Errorf("after %s comes %.80v", got[3].id, ev)
	}
	s.do("GET", path+"/events?after="+got[len(got)-1].id, nil).want(t, 204)
}

func TestAPersonTakesPart(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	t.Run("pause, rewind, continue", func(t *testing.T) {
		s.player.gate = make(chan struct{})
		defer func() { s.player.gate = nil }()
		path := s.begin(asked("three"))
		s.player.gate <- struct{}{}
		s.player.gate <- struct{}{}
		v := s.pausing(path).want(t, 200).episode(t)
		card, _ := v["card"].(map[string]any)
		if v["state"] != "paused" || card["by"] != "person" {
			t.Fatalf("paused it is %v", v)
		}
		s.do("POST", path+"/answer", map[string]any{"text": "x"}).want(t, 409)
		s.do("POST", path+"/continue", nil, "If-Match", `"1"`).want(t, 412)
		var back map[string]any
		text := s.do("POST", path+"/rewind", map[string]any{"step": 1}).want(t, 200).body
		if err := json.Unmarshal(text, &back); err != nil || back["to_step"] != 1.0 {
			t.Errorf("the rewind came to %s", text)
		}
		close(s.player.gate)
		s.await(path, Ended)
	})
	t.Run("answer", func(t *testing.T) {
		path := s.begin(asked("ask"))
		v := s.await(path, Paused)
		if v["question"] != "Which word?" {
			t.Errorf("the question is %v", v["question"])
		}
		s.do("POST", path+"/answer", map[string]any{"text": "x", "secret": "A", "value": "b"}).want(t, 422)
		s.do("POST", path+"/answer", map[string]any{"text": "the blue one"}).want(t, 200)
		s.await(path, Ended)
		text := string(s.do("GET", path+"/journal", nil).want(t, 200).body)
		if !strings.Contains(text, `"answer":"the blue one"`) {
			t.Error("the answer is not in the journal")
		}
		s.do("POST", path+"/continue", nil).want(t, 409)
	})
	t.Run("stop and resume", func(t *testing.T) {
		path := s.begin(asked("ask"))
		s.await(path, Paused)
		if v := s.do("POST", path+"/stop", nil).want(t, 200).episode(t); v["state"] != "ended" ||
			v["can_continue"] != true {
			t.Fatalf("stopped it is %v", v)
		}
		s.do("POST", path+"/resume", nil).want(t, 202)
		s.await(path, Ended)
	})
	t.Run("stop a queued one", func(t *testing.T) {
		s.player.gate = make(chan struct{})
		var paths []string
		for range 5 {
			paths = append(paths, s.begin(asked("three")))
		}
		v := s.do("GET", paths[4], nil).want(t, 200).episode(t)
		if v["state"] != "queued" || v["queue_position"] != 1.0 {
			t.Fatalf("the fifth is %v", v)
		}
		v = s.do("POST", paths[4]+"/stop", nil).want(t, 200).episode(t)
		result, _ := v["result"].(map[string]any)
		if v["state"] != "ended" || result["termination_reason"] != "cancelled" {
			t.Errorf("stopped it is %v", v)
		}
		v = s.do("POST", paths[0]+"/stop", nil).want(t, 200).episode(t)
		if v["state"] != "ended" {
			t.Errorf("stopped it is %v", v)
		}
		close(s.player.gate)
		for _, p := range paths {
			s.await(p, Ended)
		}
	})
}

// If several clients delete an episode at once, one has deleted it, and to the others it is gone.
func TestDeleteAtOnce(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	self := s.ended(asked("three"))["links"].(map[string]any)["self"].(string)
	const n = 16
	got := make(chan int, n)
	for range n {
		go func() { got <- s.do("DELETE", self, nil).StatusCode }()
	}
	seen := map[int]int{}
	for range n {
		seen[<-got]++
	}
	if seen[204] != 1 || seen[404] != n-1 {
		t.Errorf("statuses %v, not one 204 and %d 404", seen, n-1)
	}
}
