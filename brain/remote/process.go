package remote

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/cua-runner/cua-runner/brain"
	"github.com/cua-runner/cua-runner/brain/model"
)

// process is a brain's process: one line each way for a call. Its standard output is the protocol's alone,
// its standard error is kept for errors.
type process struct {
	cmd     *exec.Cmd
	in      *os.File // its standard input
	out     *os.File
	lines   *bufio.Reader
	errs    *os.File
	tail    tail
	told    chan struct{} // closed when its standard error has ended
	exited  chan struct{} // closed when it has, and its group was killed
	dir     string        // of the pictures
	picture string
	timeout time.Duration
	rest    []byte // what of the last message is not in the pipe yet, after a question that was given up
	part    []byte // what has been read of a line that such a question did not wait for
	owes    bool   // that an answer was given up, so the picture of its question may still be read
}

// maxTail is how much of a brain's standard error an error shows, bytes: the end of a traceback.
const maxTail = 2 << 10

// start starts command by the shell, in a process group of its own, with environ and nothing else of our
// environment.
//
// The values in handed are taken out of all that it says. Its standard error is kept in the folder logs; ""
// keeps none.
func start(command string, environ, handed []string, timeout time.Duration, logs string) (line, error) {
	dir, err := os.MkdirTemp("", "cua-brain-")
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.Command("/bin/sh", "-c", command), dir: dir, timeout: timeout,
		tail: tail{secrets: handed}, told: make(chan struct{}), exited: make(chan struct{})}
	var theirs [3]*os.File
	pipes := []func() error{
		func() (err error) { theirs[0], p.in, err = os.Pipe(); return },
		func() (err error) { p.out, theirs[1], err = os.Pipe(); return },
		func() (err error) { p.errs, theirs[2], err = os.Pipe(); return },
	}
	for _, open := range pipes {
		if err == nil {
			err = open()
		}
	}
	if err == nil {
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
		p.cmd.Env, p.cmd.SysProcAttr = environ, processAttr()
		err = p.run()
	}
	for _, f := range theirs {
		f.Close() // a nil file too: it only says so
	}
	if err != nil {
		p.release()
		return nil, fmt.Errorf("starting the process: %w", err)
	}
	p.lines = bufio.NewReaderSize(p.out, 64<<10)
	go func() {
		defer close(p.told)
		kept := newErrorLog(logs, handed)
		defer kept.close()
		io.Copy(io.MultiWriter(&p.tail, kept), p.errs) //nolint:errcheck // what cannot be read is not shown
	}()
	return p, nil
}

// run starts the process from a thread that stays until the process is gone: where the kernel sends a death
// signal, it does so when that thread ends.
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
		p.cmd.Wait() //nolint:errcheck // ProcessState has it
		// What it forked must not hold its pipes open, nor go on. A process that left the group is given a
		// while.
		p.kill()
		close(p.exited)
		late := time.Now().Add(patience)
		p.out.SetReadDeadline(late)  //nolint:errcheck // a closed pipe needs none
		p.errs.SetReadDeadline(late) //nolint:errcheck // the same
	}()
	return <-started
}

// kill kills the whole group.
// nolint:errcheck // a group that is gone needs none
func (p *process) kill() { syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }

// call writes one line, where there is a message, and reads one. Whoever gives it up leaves the process as it
// is: what it still has to say is read by the next call.
func (p *process) call(ctx context.Context, _ string, message []byte) ([]byte, error) {
	limit := time.Now().Add(p.timeout)
	p.in.SetWriteDeadline(limit) //nolint:errcheck // a pipe takes deadlines
	p.out.SetReadDeadline(limit) //nolint:errcheck // a pipe takes deadlines
	select {
	case <-p.exited: // all it will ever say is in the pipe
		p.out.SetReadDeadline(time.Now().Add(patience)) //nolint:errcheck // a pipe takes deadlines
	default:
	}
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		p.in.SetWriteDeadline(time.Unix(1, 0)) //nolint:errcheck // a pipe takes deadlines
		p.out.SetReadDeadline(time.Unix(1, 0)) //nolint:errcheck // the same
	})
	defer func() {
		if !stop() { // it must not cut the next call
			<-stopped
		}
	}()
	if message != nil {
		p.rest = append(append(p.rest, message...), '\n')
	}
	n, writing := p.in.Write(p.rest)
	p.rest = p.rest[n:]
	if errors.Is(writing, syscall.EPIPE) {
		writing = nil // it has closed its input: what it says, or that it ended, tells why
	}
	got, err := p.read()
	if err = errors.Join(writing, err); err == nil {
		return []byte(model.Redact(string(got), p.tail.secrets...)), nil
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		p.owes = true
		return nil, ctx.Err()
	case ctx.Err() != nil:
		err = ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = fmt.Errorf("no answer within %s", p.timeout)
	case errors.Is(err, io.EOF):
		err = errors.New("the process ended its output without an answer")
		select { // an exit code of its own is worth waiting for
		case <-p.exited:
		case <-time.After(patience):
		}
	}
	return nil, p.blame(err)
}

// errFlood says that a line does not end.
var errFlood = fmt.Errorf("it wrote a line of more than %d bytes", maxMessage)

// read reads a line, of which no more than a message may have is kept.
func (p *process) read() ([]byte, error) {
	for {
		part, err := p.lines.ReadSlice('\n')
		if len(p.part)+len(part) > maxMessage {
			return nil, errFlood
		}
		p.part = append(p.part, part...)
		switch {
		case err == nil:
			out := bytes.TrimSpace(p.part)
			p.part = nil
			return out, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// blame kills the process, and adds how it ended and what it said last.
func (p *process) blame(err error) error {
	died := false
	select {
	case <-p.exited:
		died = true
	default:
		p.kill()
		<-p.exited
	}
	<-p.told
	if died {
		err = fmt.Errorf("%w (%s)", err, p.cmd.ProcessState)
	}
	if said := p.tail.String(); said != "" {
		err = fmt.Errorf("%w; its standard error ends: %s", err, brain.Quoted(said, maxTail))
	}
	return err
}

// keep writes the picture where the process may read it until its next one.
func (p *process) keep(step int, picture []byte) (string, error) {
	path := filepath.Join(p.dir, fmt.Sprintf("step-%d.png", step))
	if p.picture != "" && p.picture != path && !p.owes {
		if err := os.Remove(p.picture); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	p.picture, p.owes = path, false
	return path, os.WriteFile(path, picture, 0o600)
}

// close says bye, closes the input, waits for the end, and kills what is left.
func (p *process) close(bye []byte) {
	end := time.Now().Add(patience)
	if bye != nil {
		p.in.SetWriteDeadline(end)    //nolint:errcheck // a pipe takes deadlines
		p.in.Write(append(bye, '\n')) //nolint:errcheck // it may be gone
	}
	p.in.Close()
	if bye != nil {
		p.out.SetReadDeadline(end)   //nolint:errcheck // a pipe takes deadlines
		io.Copy(io.Discard, p.lines) //nolint:errcheck // nobody waits for an answer
		select {
		case <-p.exited:
		case <-time.After(time.Until(end)):
		}
	}
	select {
	case <-p.exited:
	default:
		p.kill()
		<-p.exited
	}
	<-p.told
	p.release()
}

// release gives up pipes and folder.
func (p *process) release() {
	for _, f := range []*os.File{p.in, p.out, p.errs} {
		f.Close() // a nil file too: it only says so
	}
	os.RemoveAll(p.dir) //nolint:errcheck // a temporary folder
}

// tail keeps the last bytes that were written to it, and somewhat more, so that no secret at their beginning
// is half gone.
type tail struct {
	secrets []string
	mu      sync.Mutex
	last    []byte
}

// Write keeps what it has room for.
func (t *tail) Write(b []byte) (int, error) {
	room := maxTail
	for _, s := range t.secrets {
		room = max(room, maxTail+3*len(s)) // escaped it is longer
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, b[max(0, len(b)-room):]...)
	t.last = append([]byte(nil), t.last[max(0, len(t.last)-room):]...)
	return len(b), nil
}

// String is the end of what was kept, without the secrets.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	said := model.Redact(strings.ToValidUTF8(string(t.last), ""), t.secrets...)
	return strings.TrimSpace(strings.ToValidUTF8(said[max(0, len(said)-maxTail):], ""))
}
