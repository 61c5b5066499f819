package temporal

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/cua-runner/cua-runner/benchmarks"
	"github.com/cua-runner/cua-runner/trajectories"
)

const (
	// lookEach is how often an episode is looked at, and tellEach how often the server is told of it at most.
	lookEach = time.Second
	tellEach = 5 * time.Second
	// stopGrace is how long a process may take to end its step and seal its journal.
	stopGrace = 30 * time.Second
)

// Beat is what a heartbeat says: how many records the journals of a cell have. It says nothing of the study.
type Beat struct {
	Records int `json:"records"`
}

// process is a cua-runner, before, while and after it runs.
type process struct {
	cmd   *exec.Cmd
	ended chan error
	said  tail

	err     error
	code    int           // -1: a signal ended it, or it did not start
	stopped bool          // the worker was stopped meanwhile
	hung    time.Duration // it was stopped since it recorded nothing for so long; 0: it was not
}

// cuaRunner is a process that is to be run.
func (w *Worker) cuaRunner(args ...string) *process {
	p := &process{cmd: exec.Command(w.Program, args...), ended: make(chan error, 1)}
	p.cmd.Stderr = &p.said
	p.cmd.SysProcAttr = dieWithUs()
	return p
}

// run runs the process to its end. Progress counts what it has done; as long as that grows within patience,
// the server is told that it goes on.
func (p *process) run(ctx context.Context, progress func() int, patience time.Duration) {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // on Linux it dies with the thread that started it
		defer runtime.UnlockOSThread()
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.ended <- p.cmd.Wait()
		}
	}()
	if p.err, p.code = <-started, -1; p.err == nil {
		p.watch(ctx, progress, patience)
		p.code = p.cmd.ProcessState.ExitCode()
	}
}

func (p *process) watch(ctx context.Context, progress func() int, patience time.Duration) {
	tick := time.NewTicker(lookEach)
	defer tick.Stop()
	var kill <-chan time.Time
	interrupt := func() {
		if kill == nil {
			_ = p.cmd.Process.Signal(os.Interrupt) // it may have ended
			kill = time.After(stopGrace)
		}
	}
	cancelled, stopped := ctx.Done(), activity.GetWorkerStopChannel(ctx)
	seen, last := 0, time.Now()
	for {
		select {
		case p.err = <-p.ended:
			return
		case <-cancelled:
			cancelled = nil
			interrupt()
		case <-stopped:
			stopped, p.stopped = nil, true
			interrupt()
		case <-kill:
			_ = p.cmd.Process.Kill()
		case now := <-tick.C:
			n := progress()
			if n > seen {
				seen, last = n, now
			}
			if now.Sub(last) > patience {
				p.hung = patience
				interrupt()
				continue
			}
			activity.RecordHeartbeat(ctx, Beat{n})
		}
	}
}

// records is how many records the journals of the study in dir have.
func records(dir string) (n int) {
	journals, _ := filepath.Glob(filepath.Join(dir, benchmarks.RunsName, "*", trajectories.JournalName))
	for _, path := range journals {
		text, _ := os.ReadFile(path) // none: it was begun just now
		n += bytes.Count(text, []byte("\n"))
	}
	return n
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

const tailBytes = 16 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	if over := len(t.text) - tailBytes; over > 0 {
		t.text = append(t.text[:0:0], t.text[over:]...)
	}
	return len(b), nil
}
