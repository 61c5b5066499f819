package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/guard"
)

// step is a press of a button that has no effect.
func deadPress(i int) string {
	return fmt.Sprintf(`{"type":"propose","run":"7","index":%d,"action_type":"click",`+
		`"target":"role=button name=Save","dom_hash":"a0","form_hash":"3f"}`, i) + "\n"
}

func TestGuardCommand(t *testing.T) {
	var in, out, stderr strings.Builder
	for i := range 4 {
		in.WriteString(deadPress(i))
	}
	in.WriteString("nonsense\n" + `{"type":"end","run":"7"}` + "\n")
	a := &app{in: strings.NewReader(in.String()), out: &out, err: &stderr}
	code := execute(a, []string{"guard", "--set", "detector.soft=3"}, nil)
	if code != exitOK || stderr.Len() > 0 {
		t.Fatalf("exit code %d, %s", code, stderr.String())
	}
	got := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{`"verdict":"pass"`, `"verdict":"pass"`, `"verdict":"pass"`, `"verdict":"note"`,
		`"code":"bad_line"`, `"first_soft":2`} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Errorf("answers %q: no %s at %d", got, want, i)
		}
	}
	if code, _, said := command(t, "guard", "--set", "detektor=3"); code != exitUsage || said == "" {
		t.Errorf("a bad config: exit code %d, %q", code, said)
	}
}

// Ctrl-C ends the guard while it waits for a line.
func TestGuardIsInterrupted(t *testing.T) {
	cmd := exec.Command("cua-runner", "guard")
	to, from := withPipes(t, cmd)
	defer to.Close()
	if _, ok := asked(to, bufio.NewReader(from), 0); !ok {
		t.Error("the guard does not answer")
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // standard input is open
	if code := cmd.ProcessState.ExitCode(); code != exitInt {
		t.Errorf("exit code %d", code)
	}
}

// guardChild marks a child process that is the guard.
const guardChild = "CUA_TEST_GUARD"

func TestGuardChild(t *testing.T) {
	if os.Getenv(guardChild) == "" {
		t.Skip("a child of TestAKilledGuardStopsNobody")
	}
	os.Exit(execute(&app{in: os.Stdin, out: os.Stdout, err: os.Stderr}, []string{"guard"}, nil))
}

// An agent as the docs advise: it asks before each step, and once the guard is gone it continues without
// advice. The guard is killed after its fourth answer.
func TestAKilledGuardStopsNobody(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run", "^TestGuardChild$")
	cmd.Env = append(os.Environ(), guardChild+"=1")
	to, from := withPipes(t, cmd)
	answers := bufio.NewReader(from)
	advised, alone := 0, 0
	for i := range 10 { // the steps of the agent
		if i == 4 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if _, err := cmd.Process.Wait(); err != nil {
				t.Fatal(err)
			}
		}
		if a, ok := asked(to, answers, i); ok {
			if advised++; a.Index != i {
				t.Errorf("step %d: %+v", i, a)
			}
			continue
		}
		alone++
	}
	if advised != 4 || alone != 6 {
		t.Errorf("%d steps with advice and %d without, want 4 and 6", advised, alone)
	}
}

// asked asks the guard before step i; false means that there is no guard.
func asked(to io.Writer, from *bufio.Reader, i int) (a guard.Answer, ok bool) {
	if _, err := io.WriteString(to, deadPress(i)); err != nil {
		return a, false
	}
	line, err := from.ReadBytes('\n')
	if err != nil {
		return a, false
	}
	return a, json.Unmarshal(line, &a) == nil
}

// As a hook the guard never stops a call: a fault is said on standard error, and the exit code is 0.
func TestGuardHookCommand(t *testing.T) {
	dir := t.TempDir()
	hook := func(input string) (int, string, string) {
		var out, stderr strings.Builder
		code := execute(&app{in: strings.NewReader(input), out: &out, err: &stderr},
			[]string{"guard", "--hook", "claude", "--history", dir}, nil)
		return code, out.String(), stderr.String()
	}
	call := `{"session_id":"s","hook_event_name":"%s","tool_name":"mcp__playwright__browser_click",` +
		`"tool_input":{"target":"e8"},"tool_response":[{"type":"text","text":"### Page\n- Page URL: http://a/\n` +
		"### Snapshot\\n```yaml\\n- button \\\"Save\\\" [ref=e8]\\n```" + `"}]}`
	said := ""
	for range 8 { // the first is on an unknown page, and the next reaches a new one: both widen the windows
		for _, event := range []string{"PreToolUse", "PostToolUse"} {
			code, out, stderr := hook(fmt.Sprintf(call, event))
			if code != exitOK || stderr != "" {
				t.Fatalf("exit code %d, %s", code, stderr)
			}
			said += out
		}
	}
	if !strings.Contains(said, `"additionalContext":"You did click on \"Save\"`) {
		t.Errorf("%q", said)
	}
	code, out, stderr := hook("nonsense")
	if code != exitOK || out != "" || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, %q, %q", code, out, stderr)
	}
	for _, wrong := range [][]string{{"--hook", "cursor"}, {"--hook=claude", "--dney"},
		{"--hook", "claude", "--set", "detektor=1"}, {"--hook"}, {"--deny"}} { // the exit code 2 would refuse the call
		code, _, stderr := command(t, append([]string{"guard"}, wrong...)...)
		if code != exitFailed || stderr == "" {
			t.Errorf("%q: exit code %d, %q", wrong, code, stderr)
		}
	}
}
