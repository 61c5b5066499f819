package cdp

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/chromedp/chromedp"
)

const (
	// WriteTimeout bounds one write to the pipe: a browser that does not read is dead to us.
	WriteTimeout = 10 * time.Second
	// readBuffer holds one usual frame, so that it is read in few system calls.
	readBuffer = 256 << 10
	// keptOutput is how much of the browser's own output is kept for messages.
	keptOutput = 16 << 10
	// goneTimeout is how long killed processes may take to be gone, goneCheck the time between two looks.
	goneTimeout = 5 * time.Second
	goneCheck   = 5 * time.Millisecond
)

// Process is one started browser with its own process group. The zero value was never started.
type Process struct {
	// Output is the end of what the browser wrote to its standard output and error.
	Output *Tail
	// Exited is closed when the process has ended.
	Exited chan struct{}

	cmd *exec.Cmd
	err error // of the wait, valid after Exited
}

// Start runs path with args in dir as user uid (-1 is our own) and connects its pipes.
func Start(path string, args []string, dir string, uid int) (*Process, chromedp.Transport, error) {
	childR, parentW, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer childR.Close()
	parentR, childW, err := os.Pipe()
	if err != nil {
		parentW.Close()
		return nil, nil, err
	}
	defer childW.Close()
	p := &Process{Output: &Tail{}, Exited: make(chan struct{})}
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir = dir
	p.cmd.Env = environment(dir)
	p.cmd.ExtraFiles = []*os.File{childR, childW} // descriptors 3 and 4
	p.cmd.Stdout, p.cmd.Stderr = p.Output, p.Output
	p.cmd.WaitDelay = time.Second
	p.cmd.SysProcAttr = processAttr(uid)
	if err := p.run(); err != nil {
		parentR.Close()
		parentW.Close()
		return nil, nil, err
	}
	r := struct {
		io.Reader
		io.Closer
	}{bufio.NewReaderSize(parentR, readBuffer), parentR}
	return p, chromedp.NewPipeConn(r, deadlineWriter{parentW}), nil
}

// run starts the process from a thread that stays until the process is gone: the kernel
// sends the death signal when the thread that started a process ends.
func (p *Process) run() error {
	started := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err != nil {
			return
		}
		p.err = p.cmd.Wait()
		close(p.Exited)
	}()
	return <-started
}

// PID is the id of the browser's own process, and of its group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill ends the whole process group and waits for the browser's own process.
func (p *Process) Kill() {
	if p.cmd == nil || p.cmd.Process == nil {
		return
	}
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.Exited
}

// WaitOrKill waits until the browser ended by itself, at most d, then kills what is left of it, also what
// left its group, and waits until that is gone.
func (p *Process) WaitOrKill(d time.Duration) {
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case <-p.Exited:
	case <-late.C:
	}
	p.Kill()
	if p.cmd == nil || p.cmd.Process == nil {
		return
	}
	for began := time.Now(); time.Since(began) < goneTimeout; time.Sleep(goneCheck) {
		left := remains(p.PID(), p.cmd.Dir)
		if len(left) == 0 {
			return
		}
		for _, pid := range left {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
}

// environment is what the browser gets to know: no keys and no secrets of ours.
func environment(home string) []string {
	env := []string{"HOME=" + home, "TMPDIR=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home}
	for _, name := range []string{"PATH", "LANG", "LC_ALL", "TZ", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
		"XDG_RUNTIME_DIR", "FONTCONFIG_PATH"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// deadlineWriter gives each write to the pipe a deadline.
type deadlineWriter struct{ f *os.File }

func (w deadlineWriter) Write(b []byte) (int, error) {
	if err := w.f.SetWriteDeadline(time.Now().Add(WriteTimeout)); err != nil {
		return 0, fmt.Errorf("setting the deadline: %w", err)
	}
	return w.f.Write(b)
}

func (w deadlineWriter) Close() error { return w.f.Close() }

// Tail keeps the end of what was written to it.
type Tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if n := len(t.buf) - keptOutput; n > 0 {
		t.buf = append(t.buf[:0], t.buf[n:]...)
	}
	return len(b), nil
}

func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
