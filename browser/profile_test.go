package browser

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/cua"
)

// remover names the variable that makes this program one that removes a profile with many files
// under the folder that it holds.
const remover = "CUA_TEST_REMOVER"

// removeSlowly makes a profile with many files, says so, and removes it when it is told to.
func removeSlowly(root string) int {
	p, err := wire.NewProfile(root, -1)
	for i := 0; i < 200 && err == nil; i++ {
		dir := filepath.Join(p.Dir, "Default", strconv.Itoa(i))
		if err = os.MkdirAll(dir, 0o700); err != nil {
			break
		}
		for n := 0; n < 10 && err == nil; n++ {
			err = os.WriteFile(filepath.Join(dir, strconv.Itoa(n)), nil, 0o600)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("up", p.Dir)
	_, _ = os.Stdin.Read(make([]byte, 1))
	_ = p.Remove()
	return 0
}

// A runner that is killed while it removes its profile leaves one that the next start removes,
// however much of it is gone by then.
func TestKilledWhileRemoving(t *testing.T) {
	for kill := range 3 {
		root := t.TempDir()
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), remover+"="+root)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		dir := up(t, cmd)
		if _, err := in.Write([]byte("\n")); err != nil {
			t.Fatal(err)
		}
		locked := func() bool { _, err := os.Stat(filepath.Join(dir, wire.LockName)); return err == nil }
		// The later kills come when some of the folders are gone.
		if !poll(func() bool { return !locked() && entries(root) < 200-50*kill }) {
			t.Fatal("it did not begin to remove")
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		before := entries(root)
		if err := wire.RemoveOrphans(root); err != nil {
			t.Error(err)
		}
		left, err := os.ReadDir(root)
		if err != nil || len(left) > 0 {
			t.Errorf("killed with %d folders to go: %v left, %v", before, left, err)
		}
		t.Logf("killed with %d of 200 folders to go", before)
	}
}

// entries counts the folders in the one profile below root.
func entries(root string) int {
	dirs, _ := filepath.Glob(filepath.Join(root, "*", "Default", "*"))
	return len(dirs)
}

// up starts cmd and waits until it says which profile it has.
func up(t *testing.T, cmd *exec.Cmd) (dir string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if dir, ok := strings.CutPrefix(lines.Text(), "up "); ok {
			return dir
		}
	}
	t.Fatal("the other runner did not start")
	return ""
}

// descriptors are the open files of this process.
func descriptors(t *testing.T) (open []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	if err != nil || len(links) == 0 {
		t.Skip("open files are counted on Linux only")
	}
	for _, l := range links {
		if to, err := os.Readlink(l); err == nil {
			open = append(open, to)
		}
	}
	return open
}

// A browser that died and was replaced holds nothing, though nobody closes it.
func TestReplacedBrowsersHoldNothing(t *testing.T) {
	root := reachableDir(t)
	before := descriptors(t)
	var kept []*Browser // as a program does that closes all it started at its end
	for range 20 {
		b, err := Launch(t.Context(), Options{ProfileRoot: root})
		if err != nil {
			t.Fatal(err)
		}
		kept = append(kept, b)
		if _, err := b.NewSession(t.Context(), SessionOptions{}); err != nil {
			t.Fatal(err)
		}
		_ = syscall.Kill(b.proc.PID(), syscall.SIGKILL)
		<-b.Gone()
	}
	var after []string
	var left []os.DirEntry
	free := poll(func() bool {
		after = descriptors(t)
		left, _ = os.ReadDir(root)
		return len(after) <= len(before) && len(left) == 0 && len(using(root)) == 0
	})
	t.Logf("%d descriptors before, %d after, %d profiles and %d processes left",
		len(before), len(after), len(left), len(using(root)))
	if !free {
		t.Errorf("open before: %q\nopen after: %q\nprofiles left: %v", before, after, left)
	}
	for _, b := range kept {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}
}

// victim names the variable that makes this program the one to be killed with its browser; it
// holds the folder for its profile.
const victim = "CUA_TEST_VICTIM"

// waitForDeath opens a session, says so, and waits.
func waitForDeath(root string) int {
	ctx := context.Background()
	b, err := Launch(ctx, Options{ProfileRoot: root})
	if err == nil {
		_, err = b.NewSession(ctx, SessionOptions{})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("up", b.profile.Dir)
	<-b.Gone() // we are killed before
	return 1
}

// reachableDir is an empty folder that a browser can use that runs as another user.
func reachableDir(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for dir := filepath.Dir(root); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if st, err := os.Stat(dir); err == nil && st.Mode().Perm()&0o001 == 0 {
			os.Chmod(dir, st.Mode().Perm()|0o011)
		}
	}
	return root
}

func TestLaunch(t *testing.T) {
	info := shared.Info()
	if info.Name == "" || info.Version == "" || !info.Sandbox || len(info.Flags) == 0 {
		t.Errorf("info is %+v", info)
	}
	for _, f := range info.Flags {
		if f == "--no-sandbox" || strings.HasPrefix(f, "--remote-debugging-port") {
			t.Errorf("started with %s", f)
		}
	}
	if os.Getuid() == 0 {
		st, err := os.Stat(filepath.Join("/proc", strconv.Itoa(shared.proc.PID())))
		if err != nil || st.Sys().(*syscall.Stat_t).Uid != wire.Nobody {
			t.Errorf("as root the browser runs as user %v, %v", st.Sys().(*syscall.Stat_t).Uid, err)
		}
	}
	if pgid, err := syscall.Getpgid(shared.proc.PID()); err != nil ||
		pgid != shared.proc.PID() {
		t.Errorf("its process group is %d, %v", pgid, err)
	}
}

// Each kind of browser that is installed works: the headless shell and the full one.
func TestKindsOfBrowser(t *testing.T) {
	ts := site(t, map[string]string{"/": `<title>home</title><button onclick="document.title='clicked'">b</button>`})
	for _, name := range []string{"chromium-headless-shell", "chromium"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			b, err := Launch(t.Context(), Options{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			dir := b.profile.Dir
			if b.Info().Shell != (name == "chromium-headless-shell") {
				t.Errorf("info is %+v", b.Info())
			}
			s, err := b.NewSession(t.Context(), SessionOptions{Viewport: cua.Size{W: 800, H: 600}})
			if err != nil {
				t.Fatal(err)
			}
			e := env{s, t}
			e.reset(cua.Task{URL: ts.URL})
			title(t, e.click("b"), "clicked")
			if err := b.Close(); err != nil {
				t.Error(err)
			}
			if left := leftovers(dir); left != "" {
				t.Error("left behind:", left)
			}
		})
	}
}

// Nothing is left of a browser that is ended while its processes do not run: those of pages, those that they
// are forked from, and the handlers of crashes, which a full browser keeps out of its group.
func TestNothingIsLeftOfStoppedProcesses(t *testing.T) {
	for _, path := range []string{"", "/usr/lib/chromium/chromium"} {
		if _, err := os.Stat(path); path != "" && err != nil {
			continue
		}
		for _, kind := range []string{"renderer", "zygote"} {
			b, err := Launch(t.Context(), Options{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.NewSession(t.Context(), SessionOptions{}); err != nil {
				t.Fatal(err)
			}
			if stop(t, b, kind) == 0 {
				t.Errorf("%s: no %s was found", b.info.Path, kind)
			}
			b.proc.Kill()
			if err := b.Close(); err != nil {
				t.Error(err)
			}
			// They are gone now: nobody waits for them here.
			if left := using(b.profile.Dir); len(left) > 0 {
				t.Errorf("%s with a %s stopped leaves %v", b.info.Path, kind, left)
			}
		}
	}
}
