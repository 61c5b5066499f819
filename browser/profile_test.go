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
	"time"

	"github.com/cua-runner/cua-runner/cua"
)

func TestJanitor(t *testing.T) {
	root := t.TempDir()
	living, err := newProfile(root, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer living.remove()
	dead, err := newProfile(root, -1)
	if err != nil {
		t.Fatal(err)
	}
	dead.lock.Close() // as the kernel does when the owner dies
	old, young, foreign := filepath.Join(root, unborn+"old"), filepath.Join(root, unborn+"young"), filepath.Join(root, profilePrefix+"foreign")
	for _, dir := range []string{old, young, foreign} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	hours := time.Now().Add(-2 * unbornAge)
	if err := os.Chtimes(old, hours, hours); err != nil {
		t.Fatal(err)
	}
	n, err := janitor(root)
	if err != nil || n != 2 {
		t.Errorf("removed %d, %v; want 2", n, err)
	}
	for dir, want := range map[string]bool{living.dir: true, dead.dir: false, old: false, young: true, foreign: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(dir), err == nil, want)
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
	fmt.Println("up", b.profile.dir)
	<-b.Gone() // we are killed before
	return 1
}

// When the runner is killed its browser leaves, and the next start removes the profile.
func TestRunnerKilled(t *testing.T) {
	root := t.TempDir()
	if err := os.Chmod(root, 0o755); err != nil { // the browser may run as another user
		t.Fatal(err)
	}
	for dir := filepath.Dir(root); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if st, err := os.Stat(dir); err == nil && st.Mode().Perm()&0o001 == 0 {
			os.Chmod(dir, st.Mode().Perm()|0o011)
		}
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victim+"="+root)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	dir := ""
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if d, ok := strings.CutPrefix(lines.Text(), "up "); ok {
			dir = d
			break
		}
	}
	if dir == "" {
		t.Fatal("the other runner did not start")
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if !poll(func() bool { return len(using(dir)) == 0 }) {
		t.Errorf("processes left: %v", using(dir))
	}
	if n, err := janitor(root); err != nil || n != 1 {
		t.Errorf("removed %d profiles, %v; want 1", n, err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the profile is still there")
	}
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
		st, err := os.Stat(filepath.Join("/proc", strconv.Itoa(shared.proc.cmd.Process.Pid)))
		if err != nil || st.Sys().(*syscall.Stat_t).Uid != nobody {
			t.Errorf("as root the browser runs as user %v, %v", st.Sys().(*syscall.Stat_t).Uid, err)
		}
	}
	if pgid, err := syscall.Getpgid(shared.proc.cmd.Process.Pid); err != nil || pgid != shared.proc.cmd.Process.Pid {
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
			dir := b.profile.dir
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
