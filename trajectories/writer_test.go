package trajectories

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func TestOneWriter(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w, err := Create(dir, Header{Episode: "e"})
	must(t, err)
	if _, err := Create(dir, Header{Episode: "e"}); !errors.Is(err, ErrLocked) {
		t.Errorf("second Create: %v, want ErrLocked", err)
	}
	if _, _, err := Reopen(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("Reopen beside a writer: %v, want ErrLocked", err)
	}
	must(t, w.Close())
	must(t, w.Close())
	if err := w.Event(Event{Kind: PauseEvent}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("append after Close: %v", err)
	}
	before, _ := os.ReadFile(filepath.Join(dir, JournalName))
	if _, err := Create(dir, Header{Episode: "other"}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create on a journal: %v, want fs.ErrExist", err)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, JournalName)); !bytes.Equal(before, after) {
		t.Error("Create changed a journal that was there")
	}
	w, _, err = Reopen(dir)
	must(t, err)
	must(t, w.Close())
	for name, want := range map[string]fs.FileMode{"": 0o700, StateDir: 0o700, BlobsDir: 0o700,
		JournalName: 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%q: %v %v, want %v", name, info, err, want)
		}
	}
}

// A journal is written into no file that somebody has laid there.
func TestAJournalIsARegularFile(t *testing.T) {
	for name, lay := range map[string]func(path, target string) error{
		"a link":            func(path, target string) error { return os.Symlink(target, path) },
		"a link to nothing": func(path, _ string) error { return os.Symlink(path+"-none", path) },
		"a pipe":            func(path, _ string) error { return syscall.Mkfifo(path, 0o600) },
		"a folder":          func(path, _ string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, target := t.TempDir(), filepath.Join(t.TempDir(), "target")
			must(t, os.WriteFile(target, nil, 0o600))
			must(t, lay(filepath.Join(dir, JournalName), target))
			if w, err := Create(dir, Header{Episode: "e"}); err == nil {
				w.Close()
				t.Error("the journal was begun")
			}
			if text, err := os.ReadFile(target); err != nil || len(text) > 0 {
				t.Errorf("the file behind the link holds %q (%v)", text, err)
			}
			if _, err := os.Stat(filepath.Join(dir, JournalName+"-none")); err == nil {
				t.Error("the file behind the link was made")
			}
		})
	}
}

func TestCreateTakesOverATornHeader(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		taken bool
	}{
		"nothing":          {"", true},
		"torn header":      {`{"type":"header","header":{"ver`, true},
		"first byte":       {`{`, true},
		"foreign file":     {`some notes`, false},
		"header, no end":   {`{"type":"header","header":{"version":1}}`, false},
		"header, line end": {`{"type":"header","header":{"version":1}}` + "\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, JournalName)
			must(t, os.WriteFile(path, []byte(c.text), 0o644))
			w, err := Create(dir, Header{Episode: "e"})
			if (err == nil) != c.taken {
				t.Fatal(err)
			}
			if err == nil {
				must(t, w.Close())
				tr, err := Read(dir)
				must(t, err)
				if tr.Header.Episode != "e" || tr.Torn {
					t.Error("not a fresh journal")
				}
			} else if now, _ := os.ReadFile(path); string(now) != c.text {
				t.Error("the file was changed")
			}
		})
	}
}

func TestWriterRefusesWhatTheGrammarDoes(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, Header{Episode: "e"})
	must(t, err)
	defer w.Close()
	before, _ := os.ReadFile(filepath.Join(dir, JournalName))
	for name, err := range map[string]error{
		"intent before the start": w.Intent(cua.Intent{Number: 1}),
		"unknown event":           w.Event(Event{Kind: "eclipse"}),
		"unknown end":             w.End(End{Reason: "bored"}),
	} {
		if err == nil || !strings.Contains(err.Error(), "trajectories: append ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if after, _ := os.ReadFile(filepath.Join(dir, JournalName)); !bytes.Equal(before, after) {
		t.Error("a refused record reached the file")
	}
	must(t, w.Start(cua.Observation{}))
	click := cua.Action{Kind: cua.Click, Point: &cua.Point{X: 1, Y: 2}}
	must(t, w.Intent(cua.Intent{Number: 1, Action: click}))
	must(t, w.Event(Event{Kind: InterruptedEvent}))
	must(t, w.End(End{Reason: cua.EndCancelled}))
	tr, err := Read(dir)
	must(t, err)
	if in := tr.Events[0].Intent; in == nil || in.Number != 1 || *in.Action.Point != *click.Point {
		t.Errorf("the interrupted intent is %+v", in)
	}
}

func TestARecordIsOneLine(t *testing.T) {
	dir := t.TempDir()
	w, err := Create(dir, Header{Episode: "e\n\u2028", Config: []byte("{\n \"a\": 1\r\n}")})
	must(t, err)
	must(t, w.Start(cua.Observation{Title: "two\r\nlines <secret:NAME>"}))
	must(t, w.Close())
	text, err := os.ReadFile(filepath.Join(dir, JournalName))
	must(t, err)
	if bytes.Count(text, []byte("\n")) != 2 || bytes.ContainsRune(text, '\r') ||
		!bytes.Contains(text, []byte("<secret:NAME>")) {
		t.Errorf("%q", text)
	}
}
