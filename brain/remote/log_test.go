package remote_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/brain"
)

// TestWhatAProcessLogsIsKept: its standard error stays in the episode's folder, for its owner alone, within a
// bound, and without what the process was handed, in however many pieces it wrote that.
func TestWhatAProcessLogsIsKept(t *testing.T) {
	const key = "mk-planted-0123456789-abcdefghij"
	t.Setenv("MY_MODEL_KEY", key)
	for _, row := range []struct {
		kind, before, starts, ends string
		most                       int
	}{
		{"logs", "", "model loaded with [key]\n", "[key]\n", 100},
		{"logs", "what the first process said\n", "what the first process said\nmodel loaded", "[key]\n", 100},
		{"logs in pieces", "", "[key] was read", "was read", 100},
		{"logs without end", "", "a line of words\n", "the rest was not kept]\n", 1 << 20},
		{"logs without end", strings.Repeat("x", 1<<20), "xxx", "xxx", 1 << 20},
		{"batch", "", "", "", -1}, // no file at all
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "brain.log")
		if row.before != "" {
			if err := os.WriteFile(path, []byte(row.before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		b := open(t, "exec:"+self(t, row.kind)+"?env=MY_MODEL_KEY", brain.Options{Key: os.Getenv})
		faulty, err := brain.WithFaults(b, brain.Faults{})
		if err != nil {
			t.Fatal(err)
		}
		brain.KeepIn(brain.Directed{Brain: faulty, Director: b}, dir) // it is told through all that wraps it
		if _, err := b.Decide(t.Context(), blank("Go")); err != nil {
			t.Fatal(err)
		}
		if err := brain.Close(b); err != nil {
			t.Fatal(err)
		}
		said, err := os.ReadFile(path)
		if row.most < 0 {
			if !os.IsNotExist(err) {
				t.Errorf("%s: a log without a word: %v", row.kind, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", row.kind, err)
			continue
		}
		text := string(said)
		if len(text) > row.most || !strings.HasPrefix(text, row.starts) ||
			!strings.HasSuffix(text, row.ends) {
			t.Errorf("%s: kept %d bytes: %.60q … %q", row.kind, len(text), text, text[max(0, len(text)-60):])
		}
		for i := range len(key) - 8 {
			if strings.Contains(text, key[i:i+8]) {
				t.Errorf("%s: the log holds a piece of what was handed on", row.kind)
				break
			}
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", row.kind, info.Mode(), err)
		}
	}
}

// TestALogThatIsALink: what a symbolic link points to stays as it is, and the process answers all the same.
func TestALogThatIsALink(t *testing.T) {
	dir, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	if err := errors.Join(os.WriteFile(other, []byte("theirs\n"), 0o600),
		os.Symlink(other, filepath.Join(dir, "brain.log"))); err != nil {
		t.Fatal(err)
	}
	b := open(t, "exec:"+self(t, "logs"), brain.Options{})
	brain.KeepIn(b, dir)
	if _, err := b.Decide(t.Context(), blank("Go")); err != nil {
		t.Fatal(err)
	}
	if err := brain.Close(b); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(other); err != nil || string(text) != "theirs\n" {
		t.Errorf("it was written to: %q, %v", text, err)
	}
}
