//go:build !no_gemini

package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// plantedKey is to be found in the header of a request and nowhere else.
const plantedKey = "planted-key-9d1f3a"

// modelServer is a model behind Gemini's API that answers one reply after the other, the last one for ever.
// While it answers it looks for the key in the command lines of all processes.
type modelServer struct {
	t       *testing.T
	replies []string // parts of a content, or a status code and a message
	mu      sync.Mutex
	n       int
}

func serveModel(t *testing.T, replies ...string) string {
	t.Helper()
	t.Setenv("GEMINI_API_KEY", plantedKey)
	s := httptest.NewServer(&modelServer{t: t, replies: replies})
	t.Cleanup(s.Close)
	return s.URL
}

func (s *modelServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Header.Get("X-Goog-Api-Key") != plantedKey {
		s.t.Errorf("the key was not sent as a header: %s", r.URL)
	}
	processesHide(s.t, plantedKey)
	reply := s.replies[min(s.n, len(s.replies)-1)]
	s.n++
	w.Header().Set("Content-Type", "application/json")
	if status, message, failed := strings.Cut(reply, " "); failed && len(status) == 3 {
		var code int
		fmt.Sscan(status, &code)
		w.WriteHeader(code)
		json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": code, "message": message,
			"status": "FAILED"}})
		return
	}
	fmt.Fprintf(w, `{"candidates":[{"finishReason":"STOP","content":{"role":"model","parts":[%s]}}],
		"usageMetadata":{"promptTokenCount":1000,"candidatesTokenCount":100,"totalTokenCount":1100}}`, reply)
}

// processesHide fails the test where a command line holds the key.
func processesHide(t *testing.T, key string) {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Error(err)
	}
	for _, path := range lines {
		if line, err := os.ReadFile(path); err == nil && strings.Contains(string(line), key) {
			t.Errorf("%s holds the key", path)
		}
	}
}

// Replies of the model.
const (
	looks   = `{"functionCall":{"name":"take_screenshot","args":{"intent":"I look"}}}`
	gives   = `{"text":"FAILURE: I do not know the way"}`
	signsIn = `{"functionCall":{"name":"click","args":{"x":1,"y":1,"safety_decision":{"decision":"require_confirmation","explanation":"signs you in"}}}}`
)

// nothingHolds fails the test where a file below dir or one of the texts holds the key.
func nothingHolds(t *testing.T, dir string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(text, plantedKey) {
			t.Errorf("the key was printed: %s", text)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if strings.Contains(string(b), plantedKey) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBrainsAreChecked(t *testing.T) {
	for _, row := range []struct {
		name, reply string
		code        int
		says        string
	}{
		{"it answers", `{"text":"OK"}`, exitOK, "ok, 1100 tokens, 0.002400 USD"},
		{"a key that does not hold", "401 the key " + plantedKey + " is not valid", exitInfra, "no answer: gemini: 401 FAILED: \"the key [key] is not valid\""},
		{"no such model", "404 no such model", exitInfra, "no answer: gemini: 404"},
	} {
		t.Run(row.name, func(t *testing.T) {
			spec := "gemini:gemini-3.5-flash?base_url=" + serveModel(t, row.reply)
			code, out, errs := command(t, "brains", "--check", spec)
			if code != row.code || !strings.Contains(out, row.says) {
				t.Errorf("exit code %d: %s%s", code, out, errs)
			}
			nothingHolds(t, t.TempDir(), out, errs)
		})
	}
	t.Run("another server at the address", func(t *testing.T) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"status":"up"}`)
		}))
		defer s.Close()
		for _, p := range []struct{ name, variable string }{{"anthropic", "ANTHROPIC_API_KEY"},
			{"openai", "OPENAI_API_KEY"}, {"gemini", "GEMINI_API_KEY"},
			{"openai-compatible:m", "OPENAI_COMPATIBLE_API_KEY"}} {
			t.Setenv(p.variable, plantedKey)
			if code, out, _ := command(t, "brains", "--check",
				p.name+"?base_url="+s.URL); code != exitInfra || !strings.Contains(out,
				"not a reply of a model") {
				t.Errorf("%s: exit code %d: %s", p.name, code, out)
			}
		}
	})
	t.Setenv("GEMINI_API_KEY", plantedKey)
	if code, out, _ := command(t, "brains"); code != exitOK || !strings.Contains(out,
		"key: GEMINI_API_KEY (set)") {
		t.Errorf("exit code %d: %s", code, out)
	}
	t.Setenv("GEMINI_API_KEY", "")
	for _, row := range []struct {
		args []string
		says string
	}{
		{[]string{"brains", "--check", "gemini"}, "set GEMINI_API_KEY"},
		{[]string{"brains", "--check", "heuristic"}, "nothing to check"},
		{[]string{"brains", "gemini"}, "only with --check"},
	} {
		if code, _, errs := command(t, row.args...); code != exitUsage || !strings.Contains(errs, row.says) {
			t.Errorf("%v: exit code %d: %s", row.args, code, errs)
		}
	}
}

func TestARunWithAModel(t *testing.T) {
	yes, no := hook(t, "exit 0"), hook(t, "exit 1")
	prices := filepath.Join(t.TempDir(), "prices.json")
	if err := os.WriteFile(prices, []byte(`{"usd_per_million_tokens":{"gemini":{"of-my-own":{"input":1000,"output":0}}}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name    string
		model   string
		replies []string
		args    []string
		code    int
		end     cua.EndReason
		cost    float64 // of the whole; -1 is not known
	}{
		{"it gives up", "gemini-3.5-flash", []string{looks, gives}, nil, exitFailed, cua.EndDoneFailed, 0.0048},
		{"tokens", "gemini-3.5-flash", []string{looks}, []string{"--max-tokens", "2000"}, exitFailed, cua.EndMaxTokens, 0.0048},
		{"cost", "gemini-3.5-flash", []string{looks}, []string{"--max-cost-usd", "0.004"}, exitFailed, cua.EndMaxCost, 0.0048},
		{"cost by a price of one's own", "of-my-own", []string{looks}, []string{"--max-cost-usd", "1.5", "--prices", prices}, exitFailed, cua.EndMaxCost, 2},
		{"a price that nobody knows", "of-my-own", []string{gives}, nil, exitFailed, cua.EndDoneFailed, -1},
		{"a key that does not hold", "gemini-3.5-flash", []string{"401 bad key " + plantedKey}, nil, exitInfra, cua.EndBrainError, -1},
		{"a check and nobody there", "gemini-3.5-flash", []string{signsIn}, nil, exitFailed, cua.EndAsked, 0.0024},
		{"a check that halts", "gemini-3.5-flash", []string{signsIn}, []string{"--on-safety", "halt"}, exitFailed, cua.EndAsked, 0.0024},
		{"a hook that does not agree", "gemini-3.5-flash", []string{signsIn}, []string{"--on-safety", "hook:" + no}, exitFailed, cua.EndAsked, 0.0024},
		{"a hook that agrees", "gemini-3.5-flash", []string{signsIn, gives}, []string{"--on-safety", "hook:" + yes}, exitFailed, cua.EndDoneFailed, 0.0048},
	} {
		t.Run(row.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "run")
			args := append([]string{"run", loginPage(t) + "/", "--goal", "Look around", "--out",
				out, "--json",
				"--brain", "gemini:" + row.model + "?base_url=" + serveModel(t, row.replies...)}, row.args...)
			code, stdout, stderr := command(t, args...)
			if code != row.code {
				t.Fatalf("exit code %d: %s %s", code, stdout, stderr)
			}
			nothingHolds(t, out, stdout, stderr)
			j, err := trajectories.Read(out)
			if err != nil {
				t.Fatal(err)
			}
			if j.End.Reason != row.end {
				t.Errorf("ended as %s: %s %s", j.End.Reason, j.End.Detail, j.End.Answer)
			}
			if got := j.End.Totals.USD; (got == nil) != (row.cost < 0) || got != nil &&
				fmt.Sprintf("%.6f", *got) != fmt.Sprintf("%.6f", row.cost) {
				t.Errorf("it cost %v, want %v", got, row.cost)
			}
			if strings.Contains(stderr, "price of") != (row.model == "of-my-own" && len(row.args) == 0) {
				t.Errorf("it was warned of prices: %s", stderr)
			}
		})
	}
}

// hook is a policy hook that reads its check and does what script says.
func hook(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hook")
	text := "#!/bin/sh\n[ -z \"$GEMINI_API_KEY\" ] || exit 9\ngrep -q 'signs you in' || exit 8\n" +
		script + "\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBadModelFlags(t *testing.T) {
	t.Setenv("GEMINI_API_KEY", plantedKey)
	bad := filepath.Join(t.TempDir(), "prices.json")
	if err := os.WriteFile(bad, []byte(`{"usd":1}`), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name string
		args []string
		says string
	}{
		{"a cap without a price", []string{"--brain", "gemini:nobody-knows", "--max-cost-usd", "1"}, "the price of gemini:nobody-knows is not known"},
		{"no such option", []string{"--brain", "gemini?api_key=" + plantedKey}, `gemini has no option "api_key"`},
		{"a user in the address", []string{"--brain", "gemini?base_url=http://" + plantedKey + "@a.test"}, "base_url must be"},
		{"no such policy", []string{"--brain", "gemini", "--on-safety", "always"}, "--on-safety must be ask, halt or hook:PROGRAM"},
		{"a hook without a program", []string{"--brain", "gemini", "--on-safety", "hook:"}, "the program is missing"},
		{"prices that cannot be read", []string{"--brain", "gemini", "--prices", bad}, "reading prices"},
		{"a cap below zero", []string{"--brain", "gemini", "--max-tokens", "-1"}, "must be 0 or more"},
	} {
		t.Run(row.name, func(t *testing.T) {
			args := append([]string{"run", "http://127.0.0.1:1/", "--goal", "x", "--out",
				filepath.Join(t.TempDir(), "never")}, row.args...)
			code, out, errs := command(t, args...)
			if code != exitUsage || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, row.says) ||
				strings.Contains(errs+out, plantedKey) {
				t.Errorf("exit code %d: %s", code, errs)
			}
		})
	}
}

func TestAStudyStopsAtItsCap(t *testing.T) {
	out := filepath.Join(t.TempDir(), "study")
	code, stdout, stderr := command(t, "bench", "--suite", "forms", "--seeds", "2", "--arms", "default",
		"--workers", "1", "--out", out, "--max-tokens", "6000", "--brain",
		"gemini:gemini-3.5-flash?base_url="+serveModel(t, looks, gives, looks, looks, gives))
	if code != exitFailed || !strings.Contains(stderr, "the study has used what it may use") ||
		!strings.Contains(stderr, "bench --resume "+out+" --recorded-brain\n") {
		t.Fatalf("exit code %d: %s %s", code, stdout, stderr)
	}
	nothingHolds(t, out, stdout, stderr)
	if code, _, stderr = command(t, "bench", "--resume", out, "--recorded-brain", "--workers", "1",
		"--max-tokens", "6000"); code != exitFailed || !strings.Contains(stderr, "the study has used") {
		t.Errorf("once more: exit code %d: %s", code, stderr)
	}
}

// A provider that answers nobody does not spend a study: --resume plays what it would have spent.
func TestAStudyStopsWhereItsBrainCannotBeAsked(t *testing.T) {
	out := filepath.Join(t.TempDir(), "study")
	replies := []string{gives}
	for range 8 { // both attempts at four cells
		replies = append(replies, "401 the account is closed")
	}
	code, stdout, stderr := command(t, "bench", "--suite", "forms", "--seeds", "1", "--arms", "default",
		"--workers", "1", "--out", out, "--brain", "gemini:gemini-3.5-flash?base_url="+serveModel(t,
			append(replies, gives)...))
	if code != exitFailed || stdout != "" || !strings.Contains(stderr,
		"cua-runner: 1 cells are done; go on with: cua-runner bench --resume "+out+" --recorded-brain\n") ||
		!strings.Contains(stderr,
			"cua-runner: the brain could not be asked in 4 cells in a row: gemini: 401 FAILED: \"the account "+
				"is closed\"; --resume plays them again\n") {
		t.Fatalf("exit code %d: %s %s", code, stdout, stderr)
	}
	if code, stdout, stderr = command(t, "bench", "--resume", out, "--recorded-brain", "--workers",
		"1"); code != exitOK {
		t.Fatalf("going on: exit code %d: %s %s", code, stdout, stderr)
	}
	s, err := benchmarks.Open(out)
	if err != nil || len(s.Results) != 13 {
		t.Fatalf("%d results, %v", len(s.Results), err)
	}
	for i, r := range s.Results {
		if want := map[bool]int{true: 2}[i >= 1 && i < 5]; r.End != cua.EndDoneFailed || r.Faulted != want {
			t.Errorf("%s ended as %s after %d faults, want %d", r.Episode, r.End, r.Faulted, want)
		}
	}
}
