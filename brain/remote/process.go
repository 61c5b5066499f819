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

// process is a brain in a process. A call is one line in each direction. Standard output carries only the
// protocol; the end of standard error is added to errors.
type process struct {
	cmd     *exec.Cmd
	in      *os.File // its standard input
	out     *os.File
	lines   *bufio.Reader
	errs    *os.File
	tail    tail
	told    chan struct{} // closed at the end of its standard error
	exited  chan struct{} // closed after it has exited and its group was killed
	dir     string        // folder of the pictures
	picture string
	timeout time.Duration
	rest    []byte // unwritten rest of the message of an abandoned call
	part    []byte // partial line, read by an abandoned call
	owes    bool   // an abandoned answer is due, so its picture may still be read
}

// maxTail is how much of the standard error is added to an error, bytes: the end of a traceback.
const maxTail = 2 << 10

// start starts command with the shell, in its own process group, with environ as its whole environment.
//
// The values in handed are redacted in all its output. Its standard error is stored in the folder logs; ""
// stores none.
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

// run starts the process from a thread that lives as long as the process, because the kernel sends the
// death signal when that thread ends.
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
		// Its child processes must not keep its pipes open, and must not survive. A process that left the
		// group gets some time.
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

// call writes one line, if there is a message, and reads one. A cancelled call leaves the process
// unchanged: the next call reads the late answer.
func (p *process) call(ctx context.Context, _ string, message []byte) ([]byte, error) {
	limit := time.Now().Add(p.timeout)
	p.in.SetWriteDeadline(limit) //nolint:errcheck // a pipe takes deadlines
	p.out.SetReadDeadline(limit) //nolint:errcheck // a pipe takes deadlines
	select {
	case <-p.exited: // the rest of its output is in the pipe
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
		if !stop() { // it must not interrupt the next call
			<-stopped
		}
	}()
	if message != nil {
		p.rest = append(append(p.rest, message...), '\n')
	}
	n, writing := p.in.Write(p.rest)
	p.rest = p.rest[n:]
	if errors.Is(writing, syscall.EPIPE) {
		writing = nil // it closed its input: its output or its exit gives the reason
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
		select { // its exit code is worth a short wait
		case <-p.exited:
		case <-time.After(patience):
		}
	}
	return nil, p.blame(err)
}

// errFlood reports a line that is longer than a message may be.
var errFlood = fmt.Errorf("the process wrote a line of more than %d bytes", maxMessage)

// read reads a line and keeps at most maxMessage bytes of it.
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

// blame kills the process and adds its exit status and the end of its standard error to err.
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

// keep writes the picture to a file that exists until the next one.
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

// close sends bye, closes the input, waits for the exit, and kills the rest.
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

// release closes the pipes and removes the folder.
func (p *process) release() {
	for _, f := range []*os.File{p.in, p.out, p.errs} {
		f.Close() // a nil file too: it only says so
	}
	os.RemoveAll(p.dir) //nolint:errcheck // a temporary folder
}

// tail keeps the last bytes that were written, and somewhat more, so that a secret at their beginning is
// complete and can be redacted.
type tail struct {
	secrets []string
	mu      sync.Mutex
	last    []byte
}

// Write keeps the newest bytes.
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

// String is the end of the text, with the secrets redacted.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	said := model.Redact(strings.ToValidUTF8(string(t.last), ""), t.secrets...)
	return strings.TrimSpace(strings.ToValidUTF8(said[max(0, len(said)-maxTail):], ""))
}
