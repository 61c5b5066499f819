// Package peers measures programs that drive a browser beside each other. Each is a process of its own that
// is told what to do by lines of JSON, so that what it and its browser use can be told apart and rounds can
// take turns. Only tests import it (make bench).
package peers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// Env is the variable of the environment that holds the Config of a contender.
const Env = "CUA_BENCH_PEER"

// Config is what a contender must know.
type Config struct {
	// Name is which of several a program is to be; "" is the only one.
	Name string `json:"name"`
	// URL is of the page, Browser the executable.
	URL     string `json:"url"`
	Browser string `json:"browser"`
	// Points are the centres of what is clicked, CSS pixels: one a step, in turn.
	Points [][2]float64 `json:"points"`
	// Modules is the folder in which npm has installed; "" for what is no script.
	Modules string `json:"modules,omitzero"`
}

// Contender drives the page. Its methods are called one at a time, but for Episode.
type Contender interface {
	// Steps begins an episode in a context of its own and takes n steps. It says how long each but the first
	// took, ms.
	Steps(n int) ([]float64, error)
	// Open opens n more episodes, takes a step in each and leaves them open.
	Open(n int) error
	// Episode plays an episode of n steps in a context of its own. Several run at once.
	Episode(n int) error
}

// request is a line that a contender is sent: n steps, n episodes of so many steps by so many workers, or n
// more episodes to be kept open.
type request struct {
	Do      string `json:"do"`
	N       int    `json:"n"`
	Steps   int    `json:"steps,omitzero"`
	Workers int    `json:"workers,omitzero"`
}

// reply is the line that answers it.
type reply struct {
	MS    []float64 `json:"ms,omitzero"`
	Error string    `json:"error,omitzero"`
}

// Configured is the Config of this process; false where it is no contender.
func Configured() (c Config, ok bool, err error) {
	text := os.Getenv(Env)
	if text == "" {
		return c, false, nil
	}
	return c, true, json.Unmarshal([]byte(text), &c)
}

// Serve answers requests until in ends.
func Serve(in io.Reader, out io.Writer, c Contender) error {
	enc := json.NewEncoder(out)
	if err := enc.Encode(reply{}); err != nil { // it is ready
		return err
	}
	for dec := json.NewDecoder(in); ; {
		var r request
		if err := dec.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		var a reply
		var err error
		switch r.Do {
		case "steps":
			a.MS, err = c.Steps(r.N)
		case "open":
			err = c.Open(r.N)
		case "episodes":
			err = each(r.N, r.Workers, func() error { return c.Episode(r.Steps) })
		default:
			err = fmt.Errorf("unknown request %q", r.Do)
		}
		if err != nil {
			a.Error = err.Error()
		}
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
}

// each does n things by so many workers and returns the first error.
func each(n, workers int, do func() error) (first error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				mu.Lock()
				stop := n <= 0 || first != nil
				n--
				mu.Unlock()
				if stop {
					return
				}
				if err := do(); err != nil {
					mu.Lock()
					first = err
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	return first
}

// Peer is a contender that runs.
type Peer struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	err *strings.Builder
}

// Start starts a contender and waits until it is ready. Close ends it.
func Start(cmd *exec.Cmd, c Config) (*Peer, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	cmd.Env = append(os.Environ(), Env+"="+string(text))
	p := &Peer{cmd: cmd, err: &strings.Builder{}}
	cmd.Stderr = p.err
	if p.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewScanner(out)
	p.out.Buffer(nil, 1<<20)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if _, err := p.answer(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// PID is of its process.
func (p *Peer) PID() int { return p.cmd.Process.Pid }

// Steps is Contender.Steps.
func (p *Peer) Steps(n int) ([]float64, error) { return p.ask(request{Do: "steps", N: n}) }

// Open is Contender.Open.
func (p *Peer) Open(n int) error {
	_, err := p.ask(request{Do: "open", N: n})
	return err
}

// Episodes has n episodes of so many steps played by so many workers at once.
func (p *Peer) Episodes(n, steps, workers int) error {
	_, err := p.ask(request{Do: "episodes", N: n, Steps: steps, Workers: workers})
	return err
}

func (p *Peer) ask(r request) ([]float64, error) {
	if err := json.NewEncoder(p.in).Encode(r); err != nil {
		return nil, fmt.Errorf("peers: asking for %s: %w", r.Do, err)
	}
	return p.answer()
}

// answer is the next line that is a reply; what else the program prints is passed over.
func (p *Peer) answer() ([]float64, error) {
	for p.out.Scan() {
		var a reply
		if json.Unmarshal(p.out.Bytes(), &a) != nil {
			continue
		}
		if a.Error != "" {
			return nil, fmt.Errorf("peers: %s", a.Error)
		}
		return a.MS, nil
	}
	return nil, fmt.Errorf("peers: it ended; it said: %.500s", strings.TrimSpace(p.err.String()))
}

// Close ends it with its browser.
func (p *Peer) Close() {
	p.in.Close()
	_ = p.cmd.Wait() // the exit code of one that was told to end says nothing
}
