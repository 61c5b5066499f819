package trajectories

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

func someState() *cua.PageState {
	return &cua.PageState{URL: "https://shop.test/", Tab: 1, Tabs: []cua.TabState{{ID: "t",
		URL: "https://shop.test/"}}, Frames: []cua.FrameState{{Origin: "https://shop.test",
		Controls: []cua.ControlState{{Key: "k", Alt: "a", Kind: "text", Value: "a private word"}}}},
		Stores: []cua.OriginStore{{Origin: "https://shop.test",
			Local: map[string]string{"cart": "a private cart"}, Session: map[string]string{}}},
		Cookies: []cua.Cookie{{Name: "sid", Value: "a private session", Domain: "shop.test", Path: "/",
			HTTPOnly: true}}}
}

func TestStateIsForItsOwnerAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	w, err := Create(dir, Header{Episode: "e"})
	must(t, err)
	defer w.Close()
	name, err := w.State(someState())
	must(t, err)
	again, err := w.State(someState())
	must(t, err)
	if again != name {
		t.Errorf("the same state has the names %s and %s", name, again)
	}
	files, err := os.ReadDir(filepath.Join(dir, StateDir))
	must(t, err)
	if len(files) != 1 || files[0].Name() != name {
		t.Fatalf("the files are %v", files)
	}
	for path, want := range map[string]fs.FileMode{filepath.Join(dir, StateDir): 0o700,
		filepath.Join(dir, StateDir, name): 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v", path, info.Mode())
		}
	}
	got, err := ReadState(dir, name)
	must(t, err)
	if !reflect.DeepEqual(got, someState()) {
		t.Errorf("read back: %+v", got)
	}
	must(t, os.WriteFile(filepath.Join(dir, StateDir, name), []byte(`{"url":"https://evil.test/"}`), 0o600))
	if _, err := ReadState(dir, name); !errors.Is(err, ErrNoState) {
		t.Errorf("what was changed was read: %v", err)
	}
	must(t, w.DropState(name))
	must(t, w.DropState(name))
	if w.HasState(name) {
		t.Error("it is still there")
	}
	for _, bad := range []string{"", "x", name, "../" + JournalName,
		strings.Repeat("../", 30) + "etc/passwd"} {
		if _, err := ReadState(dir, bad); !errors.Is(err, ErrNoState) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if w.DropState("../"+JournalName) == nil {
		t.Error("a path was taken for a name")
	}
}

// Nothing that leaves a run folder carries what a checkpoint holds.
func TestNoExportCarriesState(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	writeEpisode(t, dir)
	w, tr, err := Reopen(dir)
	must(t, err)
	name, err := w.State(someState())
	must(t, err)
	must(t, w.Close())
	tr.Start.Checkpoint, tr.Start.State = name, someState()
	for i := range tr.Steps {
		tr.Steps[i].After.Checkpoint, tr.Steps[i].After.State = name, someState()
	}
	for form, write := range map[string]func(io.Writer) error{
		"json":    func(w io.Writer) error { return ExportJSON(w, []*Trajectory{tr}, true) },
		"jsonl":   func(w io.Writer) error { return ExportJSONL(w, []*Trajectory{tr}, true) },
		"csv":     func(w io.Writer) error { return ExportCSV(w, []*Trajectory{tr}) },
		"neutral": func(w io.Writer) error { return ExportNeutral(w, []*Trajectory{tr}) },
		"html":    func(w io.Writer) error { return WriteHTML(w, tr) },
	} {
		var b bytes.Buffer
		must(t, write(&b))
		if b.Len() == 0 || strings.Contains(b.String(), "a private") {
			t.Errorf("%s has %d bytes, and what a checkpoint holds among them", form, b.Len())
		}
	}
}
