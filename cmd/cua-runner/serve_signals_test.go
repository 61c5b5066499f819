package main

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// send sends a request with the token of the server.
func (s *served) send(method, path, body string) *http.Response {
	s.t.Helper()
	token, err := os.ReadFile(filepath.Join(s.dir, "served", "token"))
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// hears reads the events of an episode up to a line that has text.
func (s *served) hears(id, text string) {
	s.t.Helper()
	lines := bufio.NewReader(s.send("GET", "/v1/cua/"+id+"/events", "").Body)
	for {
		line, err := lines.ReadString('\n')
		if strings.Contains(line, text) {
			return
		}
		if err != nil {
			s.t.Fatalf("the events end without %s (%v)", text, err)
		}
	}
}

// using is a process whose command line names text; "" is none.
func using(t *testing.T, text string) string {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		line, err := os.ReadFile(path) // one that has ended has none
		if err == nil && strings.Contains(string(line), text) {
			return path + ": " + strings.ReplaceAll(string(line), "\x00", " ")
		}
	}
	return ""
}

// While the current step ends after a first signal, a second one ends the server at once: no browser and no
// profile are left, and the next start plays the episode on.
func TestASecondSignalEndsTheServer(t *testing.T) {
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("the browser is found by /proc")
	}
	dir, page, profiles := t.TempDir(), loginPage(t), profiles(t)
	t.Setenv("TMPDIR", profiles)
	script := filepath.Join(dir, "script.jsonl")
	write := func(waits string) {
		t.Helper()
		text := `{"kind":"click","on":"User name"}` + "\n" +
			strings.Repeat(`{"kind":"wait","ms":`+waits+"}\n", 4) + // a step that was cut is decided anew
			strings.Repeat(`{"kind":"done","success":true,"text":"waited"}`+"\n", 4) // a first one may be refused
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	id := ""
	for _, row := range []struct {
		name          string
		first, second syscall.Signal
		code          int
	}{{"Ctrl-C twice", syscall.SIGINT, syscall.SIGINT, exitInt},
		{"SIGTERM, then Ctrl-C", syscall.SIGTERM, syscall.SIGINT, exitInt},
		{"Ctrl-C, then SIGTERM", syscall.SIGINT, syscall.SIGTERM, exitTerm}} {
		t.Run(row.name, func(t *testing.T) {
			write("60000")
			s, said := serveIn(t, dir, "--brain", "scripted:"+script, "--grace", "10m")
			if id == "" {
				var e struct{ ID string }
				err := json.NewDecoder(s.send("POST", "/v1/cua", `{"instruction":"wait","url":"`+page+`/"}`).Body).
					Decode(&e)
				if err != nil || e.ID == "" {
					t.Fatalf("no id (%v)", err)
				}
				id = e.ID
			}
			s.hears(id, `"stage":"act","step":2`)
			if using(t, profiles) == "" {
				t.Fatal("no browser is seen")
			}
			_ = s.cmd.Process.Signal(row.first)
			for line := ""; !strings.Contains(line, "again: stop at once"); {
				var err error
				if line, err = said.ReadString('\n'); err != nil {
					t.Fatalf("it does not say that it stops (%v)", err)
				}
			}
			_ = s.cmd.Process.Signal(row.second)
			_ = s.cmd.Wait()
			if code := s.cmd.ProcessState.ExitCode(); code != row.code {
				t.Errorf("exit code %d, want %d", code, row.code)
			}
			if left, err := os.ReadDir(profiles); err != nil || len(left) > 0 {
				t.Errorf("left in the temporary folder: %v, %v", left, err)
			}
			if left := using(t, profiles); left != "" {
				t.Errorf("left: %s", left)
			}
		})
	}
	write("1")
	s, said := serveIn(t, dir, "--brain", "scripted:"+script)
	go said.WriteTo(nowhere{}) //nolint:errcheck // until it ends
	s.hears(id, "event: end")
	_ = s.cmd.Process.Signal(os.Interrupt)
	_ = s.cmd.Wait()
	tr, err := trajectories.Read(filepath.Join(dir, "served", "default", id))
	if err != nil || tr.End == nil || tr.End.Reason != cua.EndDone || len(tr.Ends) != 1 {
		t.Errorf("the episode ends as %+v (%v)", tr.End, err)
	}
}
