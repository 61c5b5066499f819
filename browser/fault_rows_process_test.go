package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/jpeg" // frames that are heavy
	_ "image/png"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	wire "github.com/cua-runner/cua-runner/browser/internal/cdp"
	"github.com/cua-runner/cua-runner/cua"
)

// sizeRows are rows 10 and 11.
func sizeRows() []faultRow {
	return []faultRow{
		fault(10, "a page of a million pixels each way", "at most 1280×800, at most 8 MiB, shows clicked",
			func(t *testing.T) (string, time.Duration) {
				return huge(t, shared, cua.Size{W: 1280, H: 800}, oneButton+`<style>
				div { width:1000000px; height:1000000px; background:repeating-linear-gradient(45deg,red,blue 3px) }
				</style><div></div>`)
			}),
		fault(10, "a frame over the cap", "at most 2240×1400, at most 8 MiB, shows clicked",
			func(t *testing.T) (string, time.Duration) {
				return huge(t, alone(t, Options{Scale: 1.75}), cua.Size{W: 2240, H: 1400}, oneButton+`
				<style>body{margin:0}</style><canvas id=c width=2240 height=1400 style="width:1280px"></canvas>
				<script>const x=c.getContext('2d'), d=x.createImageData(2240,1400);
				for (let i=0;i<d.data.length;i+=65536)
					crypto.getRandomValues(d.data.subarray(i,Math.min(i+65536,d.data.length)));
				for (let i=3;i<d.data.length;i+=4) d.data[i]=255; x.putImageData(d,0,0)</script>`)
			}),
		fault(11, "a command of 33 MiB", "refused, not sent, shows clicked",
			func(t *testing.T) (string, time.Duration) { return command(t, 33<<20) }),
		fault(11, "a command of 31 MiB", "answered, shows clicked",
			func(t *testing.T) (string, time.Duration) { return command(t, 31<<20) }),
	}
}

// huge shows a page and presses the button on it. A frame may be missing, but not be over the caps.
func huge(t *testing.T, b *Browser, most cua.Size, html string) (string, time.Duration) {
	e := on(t, b, SessionOptions{}, site(t, map[string]string{"/": html}).URL)
	defer e.Close()
	began := time.Now()
	out := e.act(e.at(cua.Action{Kind: cua.Click}, "b"))
	took := time.Since(began)
	pixels, size := fmt.Sprintf("at most %d×%d", most.W, most.H), "at most 8 MiB"
	t.Logf("frame: %s", out.Settle.Frame)
	if shot := out.After.Shot; shot != nil {
		c, _, err := image.DecodeConfig(bytes.NewReader(shot.Data))
		if err != nil {
			t.Fatal(err)
		}
		if c.Width > most.W || c.Height > most.H {
			pixels = fmt.Sprintf("%d×%d", c.Width, c.Height)
		}
		if len(shot.Data) > 8<<20 {
			size = fmt.Sprintf("%d bytes", len(shot.Data))
		}
		t.Logf("%d×%d, %d bytes, %s", c.Width, c.Height, len(shot.Data), shot.Mime)
	}
	return fmt.Sprintf("%s, %s, %s", pixels, size, told(out)), took
}

// command sends one of so many bytes to the page, and presses a button on it.
func command(t *testing.T, size int) (string, time.Duration) {
	b, sent := tapped(t)
	e := on(t, b, SessionOptions{}, site(t, map[string]string{"/": oneButton}).URL)
	tab, _ := e.here()
	sent.count("Runtime.evaluate")
	began := time.Now()
	long := map[string]any{"expression": "/*" + strings.Repeat("x", size) + "*/0"}
	err := tab.s.Call(t.Context(), "Runtime.evaluate", long, nil)
	took := time.Since(began)
	did := "answered"
	if err != nil {
		did = "refused"
		if sent.count("Runtime.evaluate") == 0 {
			did += ", not sent"
		}
	}
	got, _ := e.press("b")
	return did + ", " + got, took
}

// deafRows are what is left of row 11.
func deafRows() []faultRow {
	return []faultRow{fault(11, "a browser that does not read",
		"the connection is given up, its process is ended",
		deaf).after(wire.WriteTimeout).within(wire.WriteTimeout + leaveTimeout + time.Second),
		fault(11, "a browser that is stopped between two episodes", "gone, its process is ended",
			stoppedBetween).after(setupTimeout).within(setupTimeout + commandTimeout + 3*time.Second)}
}

// stoppedBetween stops a browser and opens a session.
func stoppedBetween(t *testing.T) (string, time.Duration) {
	b := alone(t, Options{})
	if err := syscall.Kill(b.proc.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_, err := b.NewSession(t.Context(), SessionOptions{})
	if !Lost(err) {
		return fmt.Sprint(err), time.Since(began)
	}
	<-b.Gone()
	<-b.proc.Exited
	return "gone, its process is ended", time.Since(began)
}

// deaf stops a browser and writes more to it than its pipe holds.
func deaf(t *testing.T) (string, time.Duration) {
	b := alone(t, Options{})
	pid := b.proc.PID()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_ = b.root.Post("Browser.getVersion", map[string]any{"x": strings.Repeat("x", 1<<20)}, nil)
	<-b.Gone()
	got := "the connection is given up"
	<-b.proc.Exited
	return got + ", its process is ended", time.Since(began)
}

// processRows are rows 12 to 14.
func processRows() []faultRow {
	return []faultRow{
		fault(12, "the browser is killed during a step", "env_error",
			killedBrowser).within(500 * time.Millisecond),
		fault(12, "the browser is killed: a new one", "shows home", relaunched),
		fault(13, "the runner is killed: its browser", "0 processes",
			killedRunner(false)).within(2 * time.Second),
		fault(13, "the runner is killed: its profile, at the next start", "0 profiles", killedRunner(true)),
		fault(14, "40 contexts are opened at once", "40 of 40 are open",
			manyContexts(40)).within(time.Minute),
		fault(14, "a page that takes memory without end", "site_fault", hoards).within(escalation),
		fault(14, "a browser without a session that holds more than half of its cap", "replaced",
			reused(1.5)),
		fault(14, "a browser without a session that holds less", "the same browser", reused(8)),
	}
}

// killedBrowser kills a browser in the middle of a step. What the step before wrote is not told again, and
// the newest checkpoint is, which a resumed run restores. The time is that from the kill to the outcome.
func killedBrowser(t *testing.T) (string, time.Duration) {
	b := alone(t, Options{})
	e := on(t, b, SessionOptions{}, site(t, map[string]string{"/": `<title>home</title>
		<button onclick="fetch('/', {method: 'POST'})">send</button>`}).URL)
	if o := e.click("send"); len(o.Writes) != 1 {
		t.Fatalf("it wrote %+v", o.Writes)
	}
	done := make(chan cua.Outcome, 1)
	go func() {
		out, _ := e.Act(context.Background(), cua.Action{Kind: cua.Wait, MS: 60_000})
		done <- out
	}()
	if !poll(func() bool { return len(e.turn) == 1 }) {
		t.Fatal("the wait did not begin")
	}
	began := time.Now()
	_ = syscall.Kill(b.proc.PID(), syscall.SIGKILL)
	out := <-done
	got, took := told(out), time.Since(began)
	if len(out.After.Writes) > 0 {
		t.Errorf("the step that was lost wrote %+v", out.After.Writes)
	}
	if out.After.State == nil {
		t.Error("the step that was lost has no checkpoint")
	}
	if _, err := b.NewSession(t.Context(), SessionOptions{}); !Lost(err) {
		t.Errorf("a new session: %v", err)
	}
	return got, took
}

// relaunched kills a browser and continues with another one.
func relaunched(t *testing.T) (string, time.Duration) {
	ts := site(t, map[string]string{"/": "<title>home</title>"})
	b := alone(t, Options{})
	_ = syscall.Kill(b.proc.PID(), syscall.SIGKILL)
	<-b.Gone()
	began := time.Now()
	e := on(t, alone(t, Options{}), SessionOptions{}, ts.URL)
	got := "shows " + e.last.Title
	return got, time.Since(began)
}

// killedRunner kills a process like this one, and counts what is left: processes, or profiles once the
// janitor has worked.
func killedRunner(profiles bool) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		root := reachableDir(t)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), victim+"="+root)
		dir := up(t, cmd)
		began := time.Now()
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed
		poll(func() bool { return len(using(dir)) == 0 })
		took := time.Since(began)
		if !profiles {
			return fmt.Sprintf("%d processes", len(using(dir))), took
		}
		before, _ := os.ReadDir(root)
		if len(before) != 1 {
			t.Errorf("%d profiles are left before the next start, want 1", len(before))
		}
		began = time.Now()
		if err := wire.RemoveOrphans(root); err != nil {
			t.Error(err)
		}
		left, err := os.ReadDir(root)
		if err != nil {
			t.Error(err)
		}
		return fmt.Sprintf("%d profiles", len(left)), time.Since(began)
	}
}

// reused opens a second session of a browser once its first one is closed. Its cap is so many times what it
// holds then.
func reused(times float64) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		b := alone(t, Options{MaxMB: 4096})
		s, err := b.NewSession(t.Context(), SessionOptions{})
		if err == nil {
			err = s.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		u, err := b.Use()
		if err != nil {
			t.Fatal(err)
		}
		b.mu.Lock()
		b.limit = int64(times * float64(u.PSS))
		b.mu.Unlock()
		began := time.Now()
		switch _, err = b.NewSession(t.Context(), SessionOptions{}); {
		case Lost(err):
			return "replaced", time.Since(began)
		case err != nil:
			t.Fatal(err)
		}
		return "the same browser", time.Since(began)
	}
}

// hoards visits a page that takes memory without end, in a browser with a cap.
func hoards(t *testing.T) (string, time.Duration) {
	ts := site(t, map[string]string{"/": oneButton, "/bomb": "<title>bomb</title>" + bombs[1].page})
	e := on(t, alone(t, Options{MaxMB: 900}), SessionOptions{}, ts.URL)
	began := time.Now()
	out := e.act(cua.Action{Kind: cua.Navigate, URL: ts.URL + "/bomb"})
	for n := 0; n < 5 && out.Failure == nil; n++ {
		out = e.act(cua.Action{Kind: cua.Wait, MS: 1000})
	}
	if f := out.Failure; f == nil || !strings.HasPrefix(f.Detail, faultMemory+": ") {
		t.Errorf("failure %v, want one that names %s", f, faultMemory)
	}
	return told(out), time.Since(began)
}

// manyContexts opens n sessions at once and shows a page in each.
func manyContexts(n int) func(t *testing.T) (string, time.Duration) {
	return func(t *testing.T) (string, time.Duration) {
		ts := site(t, map[string]string{"/": "<title>home</title>"})
		b := alone(t, Options{})
		var done atomic.Int64
		var all sync.WaitGroup
		began := time.Now()
		for range n {
			all.Go(func() {
				s, err := b.NewSession(t.Context(), anyServer(SessionOptions{}))
				if err == nil {
					var o cua.Observation
					if o, err = s.Reset(t.Context(), cua.Task{URL: ts.URL}); err == nil && o.Title == "home" {
						done.Add(1)
					}
				}
				if err != nil {
					t.Log(err)
				}
			})
		}
		all.Wait()
		return fmt.Sprintf("%d of %d are open", done.Load(), n), time.Since(began)
	}
}
