package trajectories

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cua-runner/cua-runner/cua"
)

// SomeState is what a checkpoint holds. The tests of package trajectories_test use it too.
func SomeState() *cua.PageState {
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
	name, err := w.State(SomeState())
	must(t, err)
	again, err := w.State(SomeState())
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
	if !reflect.DeepEqual(got, SomeState()) {
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
