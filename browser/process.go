package browser

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
	// writeTimeout bounds one write to the pipe: a browser that does not read is dead to us.
	writeTimeout = 10 * time.Second
	// readBuffer holds one usual frame, so that it is read in few system calls.
	readBuffer = 256 << 10
	// keptOutput is how much of the browser's own output is kept for messages.
	keptOutput = 16 << 10
)

// process is one started browser with its own process group. The zero value was never started.
type process struct {
	cmd    *exec.Cmd
	output *tail
	exited chan struct{}
	err    error // of the wait, valid after exited
}

// start runs path with args in dir as user uid (-1 is our own) and connects its pipes.
func start(path string, args []string, dir string, uid int) (*process, chromedp.Transport, error) {
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
	p := &process{output: &tail{}, exited: make(chan struct{})}
	p.cmd = exec.Command(path, args...)
	p.cmd.Dir = dir
	p.cmd.Env = environment(dir)
	p.cmd.ExtraFiles = []*os.File{childR, childW} // descriptors 3 and 4
	p.cmd.Stdout, p.cmd.Stderr = p.output, p.output
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
func (p *process) run() error {
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
		close(p.exited)
	}()
	return <-started
}

// pid is the id of the browser's own process, and of its group.
func (p *process) pid() int { return p.cmd.Process.Pid }

// kill ends the whole process group and waits for the browser's own process.
func (p *process) kill() {
	if p.cmd == nil || p.cmd.Process == nil {
		return
	}
	syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.exited
}

// leave waits until the browser ended by itself, at most d, then kills what is left of its group.
func (p *process) leave(d time.Duration) {
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case <-p.exited:
	case <-late.C:
	}
	p.kill()
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
	if err := w.f.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, fmt.Errorf("setting the deadline: %w", err)
	}
	return w.f.Write(b)
}

func (w deadlineWriter) Close() error { return w.f.Close() }

// tail keeps the end of what was written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if n := len(t.buf) - keptOutput; n > 0 {
		t.buf = append(t.buf[:0], t.buf[n:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
