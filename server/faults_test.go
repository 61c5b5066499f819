package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// What the machine cannot do is a problem without the cause, which is in the log, and no episode is left.
func TestProblemsOfTheMachine(t *testing.T) {
	for _, row := range []struct {
		name  string
		cause error
		code  Code
	}{
		{"a full disk", syscall.ENOSPC, DiskFull},
		{"a used up quota", syscall.EDQUOT, DiskFull},
		{"a disk that fails", syscall.EIO, Internal},
		{"any other error", errors.New("CANARY-4711"), Internal},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := serve(t, t.TempDir(), nil)
			var mended atomic.Bool
			s.server.store = func(dir string, r record) error {
				if mended.Load() {
					return accept(dir, r)
				}
				return &fs.PathError{Op: "write", Path: filepath.Join(dir, "CANARY-4711"), Err: row.cause}
			}
			got := s.do("POST", "/v1/cua", asked("three"), "Idempotency-Key", "k").want(t, codes()[row.code])
			var p Problem
			if err := json.Unmarshal(got.body, &p); err != nil || p.Code != row.code ||
				p.Status != got.StatusCode || p.Instance != "/v1/cua" ||
				got.Header.Get("Content-Type") != problemType {
				t.Errorf("%v: %s", err, got.body)
			}
			s.logMu.Lock()
			if !strings.Contains(s.log.String(), "CANARY-4711") ||
				bytes.Contains(got.body, []byte("CANARY")) {
				t.Errorf("the log has %q, the answer is %s", s.log, got.body)
			}
			s.logMu.Unlock()
			list := s.do("GET", "/v1/cua", nil).want(t, 200).body
			if !strings.HasPrefix(string(list), `{"items":[]}`) {
				t.Errorf("there is an episode: %s", list)
			}
			// Once there is room the same key is accepted.
			mended.Store(true)
			s.begin(asked("three"), "Idempotency-Key", "k")
		})
	}
}

// A journal that is broken in its middle is a problem of its episode alone: the others are listed, the next
// start plays on, and the broken one can be deleted.
func TestABrokenJournal(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, dir, nil)
	id := s.ended(asked("three"))["id"].(string)
	path := filepath.Join(dir, "a", id, "journal.jsonl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.IndexByte(text, '\n') + 1
	text = append(append(bytes.Clone(text[:at]), []byte("CANARY-4711\n")...), text[at:]...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range [][2]string{{"GET", ""}, {"GET", "/steps"}, {"GET", "/journal"},
		{"GET", "/checkpoints"}, {"GET", "/export"}, {"POST", "/resume"}} {
		var p Problem
		got := s.do(row[0], "/v1/cua/"+id+row[1], nil).want(t, 500)
		if err := json.Unmarshal(got.body, &p); err != nil || p.Code != Internal ||
			bytes.Contains(got.body, []byte("CANARY")) || bytes.Contains(got.body, []byte(dir)) {
			t.Errorf("%s %s: %s", row[0], row[1], got.body)
		}
	}
	other := s.ended(asked("three"))["id"].(string)
	for range 2 {
		list := string(s.do("GET", "/v1/cua", nil).want(t, 200).body)
		if !strings.Contains(list, id) || !strings.Contains(list, other) || strings.Contains(list, "CANARY") {
			t.Errorf("the list is %s", list)
		}
		s.do("GET", "/metrics", nil).want(t, 200)
		s.server.Drain(t.Context())
		s = serve(t, dir, nil)
		s.logMu.Lock()
		if !strings.Contains(s.log.String(), id) {
			t.Errorf("the start says %q", s.log)
		}
		s.logMu.Unlock()
	}
	s.do("DELETE", "/v1/cua/"+id, nil).want(t, 204)
	s.do("GET", "/v1/cua/"+id, nil).want(t, 404)
	s.do("GET", "/v1/cua/"+other, nil).want(t, 200)
}

// The metrics are the sums of the journals, and a counter does not fall when an episode is deleted.
func TestMetricsAddUp(t *testing.T) {
	s := serve(t, t.TempDir(), nil)
	three := s.ended(asked("three"))
	s.ended(many("long"))
	asking := s.begin(asked("ask"))
	s.await(asking, Paused)
	s.do("POST", asking+"/stop", nil).want(t, 200)
	s.do("POST", asking+"/resume", nil).want(t, 202) // its end is the second
	s.await(asking, Ended)
	waiting := s.begin(asked("ask"))
	s.await(waiting, Paused)
	want := map[string]float64{`cua_episodes{state="ended"}`: 3, `cua_episodes{state="paused"}`: 1}
	for _, e := range s.server.tenants[0].all() {
		j, err := readJournal(e.dir)
		if err != nil {
			t.Fatal(err)
		}
		want["cua_steps_total"] += float64(len(j.t.Steps))
		for _, end := range j.t.Ends {
			want[`cua_ends_total{reason="`+string(end.Reason)+`"}`]++
		}
	}
	if len(want) < 5 || want["cua_steps_total"] < 107 {
		t.Fatalf("what ran is too little: %v", want)
	}
	sums := func() map[string]float64 {
		out := map[string]float64{}
		lines := bufio.NewScanner(bytes.NewReader(s.do("GET", "/metrics", nil).want(t, 200).body))
		for lines.Scan() {
			if name, value, ok := strings.Cut(lines.Text(), " "); ok && name != "#" {
				out[name], _ = strconv.ParseFloat(value, 64)
			}
		}
		return out
	}
	got := sums()
	for name, v := range got {
		if strings.HasPrefix(name, "cua_ends_total") || strings.HasPrefix(name, "cua_steps_total") {
			if want[name] != v {
				t.Errorf("%s is %g, the journals say %g", name, v, want[name])
			}
		}
	}
	for name, v := range want {
		if got[name] != v {
			t.Errorf("%s is %g, the journals say %g", name, got[name], v)
		}
	}
	s.do("DELETE", three["links"].(map[string]any)["self"].(string), nil).want(t, 204)
	after := sums()
	if after[`cua_episodes{state="ended"}`] != 2 || after["cua_steps_total"] != got["cua_steps_total"] {
		t.Errorf("after a deletion: %v", after)
	}
}
