package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/recovery"
	"github.com/cua-runner/cua-runner/runner"
	"github.com/cua-runner/cua-runner/trajectories"
)

// listener is a brain whose requests are kept, as models would be sent them.
type listener struct {
	runner.Brain
	heard *[]string
}

func (l listener) Decide(ctx context.Context, t *cua.Turn) (cua.Decision, error) {
	*l.heard = append(*l.heard, brain.PromptOf(t, brain.DefaultPrompt()).Text)
	return l.Brain.Decide(ctx, t)
}

// heard runs one command line and returns its exit code, what it printed, and the requests of its brain.
func heard(t *testing.T, args ...string) (code int, out, err string, requests []string) {
	t.Helper()
	var o, e bytes.Buffer
	a := testApp(t, &o, &e)
	oversee := a.overseen
	a.overseen = func(b runner.Brain) runner.Brain { return listener{oversee(b), &requests} }
	code = execute(a, args, nil)
	return code, o.String(), e.String(), requests
}

// of are the places, from 1, of the requests that hold text.
func of(requests []string, text string) (at []int) {
	for i, r := range requests {
		if strings.Contains(r, text) {
			at = append(at, i+1)
		}
	}
	return at
}

// failedIn are the numbers and kinds of the failed steps.
func failedIn(tr *trajectories.Trajectory) (out []cua.FailureKind) {
	for _, s := range tr.Steps {
		if s.Failure != nil {
			out = append(out, s.Failure.Kind)
		}
	}
	return out
}

// Three failures of three kinds are spoken of in exactly one request; three more end the episode as mistakes,
// and resume continues with fresh counts. Where the process died instead, the counts are the old ones.
func TestMistakesAreToldOnceAndEndTheEpisode(t *testing.T) {
	dir, out := t.TempDir(), filepath.Join(t.TempDir(), "run")
	three := `{"kind":"click","on":"Nowhere"}
{"kind":"navigate","url":"http://127.0.0.1:1/"}
{"kind":"done","success":true,"text":"Signed in."}
`
	script := filepath.Join(dir, "script.jsonl")
	ends := `{"kind":"done","success":false,"text":"I cannot."}` + "\n"
	if err := os.WriteFile(script, []byte(three+three+three+`{"kind":"click","on":"User name"}`+"\n"+ends), 0o644); err != nil {
		t.Fatal(err)
	}
	const note = "steps failed with no success between them"
	url := loginPage(t)
	code, stdout, stderr, requests := heard(t, loginArgs(url, out, "--allow", "127.0.0.1:1", "--brain",
		"scripted:"+script)...)
	if code != exitFailed || !strings.HasPrefix(stdout, "mistakes after 7 steps") {
		t.Fatalf("exit code %d: %s %s", code, stdout, stderr)
	}
	if at := of(requests, note); !slices.Equal(at, []int{4}) || len(requests) != 7 {
		t.Errorf("of %d requests these speak of it: %v", len(requests), at)
	}
	tr := readTest(t, out)
	want := []cua.FailureKind{cua.FailNotFound, cua.FailNav, cua.FailDoneRefused, cua.FailNotFound,
		cua.FailNav, cua.FailDoneRefused}
	if got := failedIn(tr); !slices.Equal(got[:6], want) {
		t.Errorf("failed as %v", got)
	}

	died := filepath.Join(t.TempDir(), "run")
	if err := os.CopyFS(died, os.DirFS(out)); err != nil {
		t.Fatal(err)
	}
	cutAfterStep(t, died, 5)
	code, stdout, stderr, requests = heard(t, "resume", died, "--field", "Password=opensesame")
	if code != exitFailed || !strings.HasPrefix(stdout, "mistakes after 7 steps") ||
		len(of(requests, note)) != 0 {
		t.Errorf("after a crash: exit code %d, %s %s; of %d requests these speak of it: %v", code, stdout,
			stderr, len(requests), of(requests, note))
	}

	code, stdout, stderr, requests = heard(t, "resume", out, "--field", "Password=opensesame")
	if code != exitFailed || strings.HasPrefix(stdout, "mistakes") {
		t.Fatalf("resume: exit code %d: %s %s", code, stdout, stderr)
	}
	tr = readTest(t, out)
	if at := of(requests, note); len(at) != 1 || len(tr.Ends) != 2 || tr.End.Reason != cua.EndDoneFailed {
		t.Errorf("after a person's resume these of %d requests speak of it: %v; ends %+v", len(requests),
			at, tr.Ends)
	}
	_, shown, _ := command(t, "show", out, "--json")
	var r trajectories.RunResult
	if err := json.Unmarshal([]byte(shown), &r); err != nil {
		t.Fatal(err)
	}
	var said []bool
	for _, s := range r.Sentinels {
		if s.Kind == trajectories.MistakeRecovery {
			said = append(said, s.Escalated)
		}
	}
	if !slices.Equal(said, []bool{false, true, false}) {
		t.Errorf("people are told %v of mistakes: %+v", said, r.Sentinels)
	}
	if code, _, errs := command(t, "replay", out); code != exitOK {
		t.Errorf("replay: exit code %d, %s", code, errs)
	}
	var none []int
	for i, s := range tr.Steps {
		if slices.ContainsFunc(s.Notes,
			func(n cua.Note) bool { return n.From == recovery.MistakesName }) != (i == 3 || i == 10) {
			none = append(none, s.N)
		}
	}
	if len(none) > 0 {
		t.Errorf("the notes of steps %v are not as they should be", none)
	}
}

func readTest(t *testing.T, dir string) *trajectories.Trajectory {
	t.Helper()
	tr, err := trajectories.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// cutAfterStep cuts a journal right behind the record of a step, as a process that dies there leaves it.
func cutAfterStep(t *testing.T, dir string, n int) {
	t.Helper()
	path := filepath.Join(dir, trajectories.JournalName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for line := range bytes.Lines(text) {
		var rec trajectories.Record
		if err := json.Unmarshal(line, &rec); err != nil {
			t.Fatal(err)
		}
		kept += len(line)
		if rec.Step != nil && rec.Step.N == n {
			break
		}
	}
	if err := os.WriteFile(path, text[:kept], 0o644); err != nil {
		t.Fatal(err)
	}
}
