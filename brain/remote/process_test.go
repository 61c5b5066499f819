package remote_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/cua"
)

// blank is a turn on a page without anything.
func blank(goal string) *cua.Turn {
	page := cua.Observation{URL: "https://a.test/", Title: "Form", Viewport: cua.Size{W: 1280, H: 800}}
	return &cua.Turn{Task: cua.Task{Goal: goal}, Number: 1, Decision: 1, Now: page,
		History: cua.History{Start: page}}
}

// TestAProcessThatMisbehaves: each wrong way ends in an error that says what was wrong, the process is gone,
// and it is not started again.
func TestAProcessThatMisbehaves(t *testing.T) {
	for _, row := range []struct{ name, kind, options, says string }{
		{"dies before hello", "dies at once", "", `exit status 3\).*no module named torch`},
		{"dies", "dies", "", `next: the process ended its output without an answer \(exit status 7\).*a key is missing`},
		{"hangs", "hangs", "?timeout=300ms", `no answer within 300ms`},
		{"closes its input and hangs", "deaf", "?timeout=300ms", `no answer within 300ms`},
		{"prints what is not for its output", "prints", "", `"debug: got a turn" is not a JSON-RPC response`},
		{"half an answer", "half", "", `without an answer \(exit status 0\)`},
		{"a line without an end", "floods a line", "", `a line of more than 1048576 bytes`},
		{"an answer to another call", "wrong id", "", `expected the answer to call 2, got the answer to call 9`},
		{"no JSON-RPC", "no version", "", `"jsonrpc" is not`},
		{"an error", "error", "", `the brain answered with error -32000: "out of memory"`},
		{"a newer protocol", "newer", "", `initialize: the brain has protocol version 2, and this runner version 1`},
		{"a misspelt wish", "misspelt", "", `unknown field "cordinates"`},
		{"an unknown space", "polar", "", `coordinates must be pixels or relative1000, not "polar"`},
		{"a hello that is no object", "noobject", "", `initialize: the result "\[1\]" cannot be parsed`},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := open(t, "exec:"+self(t, row.kind)+row.options, brain.Options{})
			_, err := b.Decide(t.Context(), blank("Go"))
			if err == nil || !regexp.MustCompile("(?s)"+row.says).MatchString(err.Error()) {
				t.Errorf("error %v, want %s", err, row.says)
			}
			if _, again := b.Decide(t.Context(), blank("Go")); again == nil || again.Error() != err.Error() {
				t.Errorf("asked again it says %v", again)
			}
		})
	}
}

// TestACommandThatIsNotThere: the shell's own words tell.
func TestACommandThatIsNotThere(t *testing.T) {
	b := open(t, "exec:/no/such/brain", brain.Options{})
	if _, err := b.Decide(t.Context(), blank("Go")); err == nil ||
		!strings.Contains(err.Error(), "exit status 127") || !strings.Contains(err.Error(),
		"/no/such/brain") {
		t.Errorf("error %v", err)
	}
}

// TestASecondAnswerIsNotTheNextOne: what came too much is never taken for the answer to the next question.
func TestASecondAnswerIsNotTheNextOne(t *testing.T) {
	for _, row := range []struct{ kind, says string }{
		{"twice", "expected the answer to call 3, got the answer to call 2"},
		{"floods lines", "expected the answer to call 3, got the answer to call 1"},
	} {
		b := open(t, "exec:"+self(t, row.kind), brain.Options{})
		d, err := b.Decide(t.Context(), blank("Go"))
		if err != nil || d.Action.Kind != cua.Scroll {
			t.Fatalf("%s: first %+v, %v", row.kind, d, err)
		}
		if _, err := b.Decide(t.Context(), blank("Go")); err == nil ||
			!strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: error %v", row.kind, err)
		}
	}
}

// TestWhatItForksEndsToo: a child that outlives its parent and holds its pipes is killed with the group, and
// nobody waits for it.
func TestWhatItForksEndsToo(t *testing.T) {
	b := open(t, "exec:"+self(t, "forks"), brain.Options{})
	_, err := b.Decide(t.Context(), blank("Go"))
	if err == nil || !strings.Contains(err.Error(), "exit status 5") {
		t.Fatalf("error %v", err)
	}
	pid, no := strconv.Atoi(regexp.MustCompile(`child (\d+)`).FindStringSubmatch(err.Error())[1])
	if no != nil {
		t.Fatal(no)
	}
	gone(t, pid)
}

// gone awaits that there is no process of that id, or only what nobody has waited for yet.
func gone(t *testing.T, pid int) {
	t.Helper()
	await(t, func() bool {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err == nil {
			return strings.Contains(string(stat), ") Z ")
		}
		return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	})
}

func await(t *testing.T, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatal("it did not come about")
		}
	}
}

// TestWhatIsGivenUpDoesNotEndIt: a person who goes back gives up the question that is under way, and only
// that. The same process answers the next one, and its late answers are passed over. One message is longer
// than a pipe has room for.
func TestWhatIsGivenUpDoesNotEndIt(t *testing.T) {
	for _, row := range []struct {
		kind string
		gaps int
		long int
	}{{"slow", 3, 0}, {"slow", 3, 1 << 20}, {"slow to greet", 2, 0}} {
		b := open(t, "exec:"+self(t, row.kind), brain.Options{})
		for n := range row.gaps {
			ctx, cancel := context.WithCancel(t.Context())
			// any time will do: it does not answer before the next question
			time.AfterFunc(50*time.Millisecond, cancel)
			turn := blank("Go" + strings.Repeat(" on", row.long/3))
			turn.Number = n + 1
			if _, err := b.Decide(ctx, turn); !errors.Is(err, context.Canceled) {
				t.Fatalf("%s, question %d: %v", row.kind, n+1, err)
			}
		}
		last := blank("Go")
		last.Number = 4
		if d, err := b.Decide(t.Context(), last); err != nil || d.Action.Kind != cua.Scroll {
			t.Errorf("%s, after %d questions that were given up: %+v, %v", row.kind, row.gaps, d, err)
		}
	}
}

// TestItIsClosed: a process that does not leave at its goodbye is killed, its folder is gone, and who was
// never asked was never started.
func TestItIsClosed(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	for _, kind := range []string{"batch", "stays"} {
		b := open(t, "exec:"+self(t, kind), brain.Options{})
		if _, err := b.Decide(t.Context(), blank("Go")); err != nil {
			t.Fatal(err)
		}
		if left, err := filepath.Glob(filepath.Join(tmp, "cua-brain-*")); err != nil || len(left) != 1 {
			t.Errorf("%s: folders while it runs: %v, %v", kind, left, err)
		}
		if err := brain.Close(b); err != nil {
			t.Error(err)
		}
		if left, err := filepath.Glob(filepath.Join(tmp, "*")); err != nil || len(left) != 0 {
			t.Errorf("%s: left %v, %v", kind, left, err)
		}
		if _, err := b.Decide(t.Context(), blank("Go")); err == nil {
			t.Errorf("%s: a closed brain answers", kind)
		}
	}
	unasked := open(t, "exec:touch "+filepath.Join(tmp, "started"), brain.Options{})
	if err := brain.Close(unasked); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(tmp, "started")); err == nil {
		t.Error("a brain that nobody asked was started")
	}
}

// TestWhatAProcessWasHandedIsInNoError: not even half of it, where an error shows the end, or the beginning,
// of what was said.
func TestWhatAProcessWasHandedIsInNoError(t *testing.T) {
	const key = "mk-planted-0123456789-abcdefghij"
	t.Setenv("MY_MODEL_KEY", key)
	for _, kind := range []string{"blabs", "quotes"} {
		_, err := open(t, "exec:"+self(t, kind)+"?env=MY_MODEL_KEY",
			brain.Options{Key: os.Getenv}).Decide(t.Context(), blank("Go"))
		if err == nil || !strings.Contains(err.Error(), "xxx") {
			t.Fatalf("%s: error %v", kind, err)
		}
		for i := range len(key) - 8 {
			if strings.Contains(err.Error(), key[i:i+8]) {
				t.Fatalf("%s: the error holds a piece of what was handed on: %v", kind, err)
			}
		}
	}
}

// TestTheEnvironmentIsSmall: it gets what it needs to run and what it was given by name, and no key of ours.
func TestTheEnvironmentIsSmall(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "planted-key")
	t.Setenv("CUA_SECRET_PASSWORD", "planted-secret")
	t.Setenv("MY_MODEL_KEY", "mine")
	b := open(t, "exec:"+self(t, "environment")+"?env=MY_MODEL_KEY", brain.Options{Key: os.Getenv})
	d, err := b.Decide(t.Context(), blank("Go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for l := range strings.Lines(d.Action.Text) {
		name, _, _ := strings.Cut(strings.TrimSpace(l), "=")
		names = append(names, name)
	}
	for _, n := range names {
		// the last four are the shell's own
		if !strings.Contains(" PATH HOME LANG LC_ALL TZ TMPDIR MY_MODEL_KEY PWD OLDPWD SHLVL _ ", " "+n+" ") {
			t.Errorf("it got %s", n)
		}
	}
	if strings.Contains(d.Action.Text, "planted") || !strings.Contains(d.Action.Text, "MY_MODEL_KEY=mine") {
		t.Errorf("its environment:\n%s", d.Action.Text)
	}
}

// TestWhatCannotBePlayedIsSaidOnce: the brain is told, and asked once more; then it is a failed step.
func TestWhatCannotBePlayedIsSaidOnce(t *testing.T) {
	b := open(t, "exec:"+self(t, "unplayable once"), brain.Options{})
	if d, err := b.Decide(t.Context(), blank("Go")); err != nil || d.Failure != nil ||
		d.Action.Kind != cua.Scroll {
		t.Errorf("%+v, %v", d, err)
	}
	b = open(t, "exec:"+self(t, "unplayable"), brain.Options{})
	if d, err := b.Decide(t.Context(), blank("Go")); err != nil || d.Failure == nil || d.Failure.Kind != cua.FailSchema || d.Failure.Raw != `{"akshuns":[]}` {
		t.Errorf("%+v %+v, %v", d, d.Failure, err)
	}
}

// TestItCanBeChecked: brains --check starts it and says hello.
func TestItCanBeChecked(t *testing.T) {
	if _, err := open(t, "exec:"+self(t, "batch"),
		brain.Options{}).(brain.Checker).Check(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := open(t, "exec:"+self(t, "newer"),
		brain.Options{}).(brain.Checker).Check(t.Context()); err == nil {
		t.Error("a brain of another version is there")
	}
}
