package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty/ttytest"
	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// thinker is a brain in Python that presses the first link or button. It keeps what it is asked, and answers
// the first question about each of the steps 2, 4 and 6 only when the next one has come; that it thinks is
// told in the pipe.
const thinker = `import json, sys
log, pipe = open(sys.argv[1], "w"), open(sys.argv[2], "w")
owed = None
def say(id, result):
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
for line in sys.stdin:
    log.write(line); log.flush()
    m = json.loads(line)
    if owed: say(owed, {"actions": [{"kind": "reload"}]}); owed = None
    if m["method"] == "initialize": say(m["id"], {"protocol_version": 1})
    elif m["method"] == "shutdown": say(m["id"], {})
    elif m["params"]["step"] in (2, 4, 6):
        owed = m["id"]
        pipe.write("thinking\n"); pipe.flush()
    else: say(m["id"], {"actions": [{"kind": "click", "mark": next(x["n"] for x in m["params"]["observation"]["marks"] if x["role"] != "textbox")}]})
`

// A brain of its own process is rolled back three times while it thinks, and told each time; then the run is
// stuck, and what the person types at the card is in its next request.
func TestAPersonAndABrainOfItsOwn(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("no python3 here")
	}
	tmp := t.TempDir()
	log, pipe, prog := filepath.Join(tmp, "log"), filepath.Join(tmp, "pipe"), filepath.Join(tmp, "brain.py")
	if err := os.WriteFile(prog, []byte(thinker), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	in, keys := io.Pipe()
	defer keys.Close()
	go func() {
		thinks, err := os.Open(pipe)
		if err != nil {
			return
		}
		defer thinks.Close()
		for lines, n := bufio.NewScanner(thinks), 0; lines.Scan(); n++ {
			fmt.Fprintln(keys, []string{"/rollback", "undo that", "please undo that, it broke the form"}[n%3])
		}
	}()
	out := ttytest.New(keys, []string{"your choice"}, "look for another way in", "stop")
	a := testApp(t, &bytes.Buffer{}, out)
	a.in, a.terminal = in, func() bool { return true }
	dir := filepath.Join(tmp, "run")
	code := execute(a, []string{"run", labyrinth(t), "--goal", "get through the door", "--ablate",
		"rescue_rewind",
		"--brain", "exec:python3 " + prog + " " + log + " " + pipe, "--out", dir}, nil)
	if code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	tr := soundRun(t, dir)
	if n := len(slices.Collect(func(yield func(cua.Step) bool) {
		for _, s := range tr.Steps {
			if s.RewoundTo > 0 && s.By == cua.Person && !yield(s) {
				return
			}
		}
	})); n != 3 || tr.End.Reason.Infrastructure() {
		t.Errorf("%d rewinds by a person, and it ended as %s: %s\n%s", n, tr.End.Reason,
			tr.End.Detail, out.All())
	}
	asked := requests(t, log)
	for text, want := range map[string]int{": A person went back to before step": 3,
		"says: please undo that, it broke the form": 1,
		"says: look for another way in":             1} {
		if n := strings.Count(asked, text); n != want {
			t.Errorf("%q is in %d notes, want %d:\n%s", text, n, want, asked)
		}
	}
}

// A person's words are offered as a lesson, with the site and the kind of action that it was about.
func TestWhatAPersonSaidIsOfferedAsALesson(t *testing.T) {
	page := cua.Observation{URL: "http://shop.test/form", Title: "Form"}
	said := func(text string) []cua.Note {
		return []cua.Note{{From: cua.Person,
			Text: cua.PersonSays + text}}
	}
	tr := &trajectories.Trajectory{Dir: "runs/x", Start: page, Steps: []cua.Step{
		{N: 1, Action: &cua.Action{Kind: cua.Click}, After: page},
		{N: 2, Action: &cua.Action{Kind: cua.Rewind, Step: 1}, RewoundTo: 1, By: cua.Person, After: page},
		{N: 3, Action: &cua.Action{Kind: cua.Type}, Notes: said("it's the other form"), After: page}}}
	want := []string{`cua-runner lessons add 'it'\''s the other form' --origin http://shop.test --action click --run runs/x`}
	if got := offered(tr); !slices.Equal(got, want) {
		t.Errorf("offered\n%q\nwant\n%q", got, want)
	}
}

// requests are the notes of all requests that a brain was sent, a line each.
func requests(t *testing.T, log string) string {
	t.Helper()
	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range bytes.Lines(raw) {
		var m struct {
			Params struct {
				Step  int
				Notes []string
			}
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		for _, n := range m.Params.Notes {
			fmt.Fprintf(&out, "step %d: %s\n", m.Params.Step, n)
		}
	}
	return out.String()
}
