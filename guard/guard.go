package guard

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/cua-runner/cua-runner/runner"
)

// The limits of the protocol.
const (
	MaxLine = 1 << 20 // bytes of a line
	MaxRuns = 64      // runs that are open at once
)

// Code says what is wrong with a line.
type Code string

// The codes of errors.
const (
	// BadLine is a line that is no JSON, or that says something impossible.
	BadLine Code = "bad_line"
	// LongLine is a line of more than MaxLine bytes.
	LongLine Code = "line_too_long"
	// TooManyRuns is a run beyond MaxRuns.
	TooManyRuns Code = "too_many_runs"
)

// Fault is the answer to a line that cannot be used. The run continues.
type Fault struct {
	Type string `json:"type"` // error
	Run  string `json:"run,omitzero"`
	// Line counts from 1.
	Line   int    `json:"line"`
	Code   Code   `json:"code"`
	Detail string `json:"detail"`
}

// Guard judges the steps of any number of runs. It is not for concurrent use.
type Guard struct {
	config runner.Config
	runs   map[string]*run
	lines  int
}

// New is a guard with the detectors and the advice of c. Caps, policy and form control do not apply.
func New(c runner.Config) *Guard { return &Guard{config: c, runs: map[string]*run{}} }

// head is what every line has.
type head struct {
	Type string `json:"type"`
	Run  string `json:"run"`
}

// Line reads one line and is the answer, with its line end; nil is none. It never fails: a line that cannot
// be used is answered with a Fault.
func (g *Guard) Line(line []byte) []byte {
	g.lines++
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return nil
	}
	var h head
	if len(line) > MaxLine {
		return g.fault(h, LongLine, fmt.Errorf("a line of more than %d bytes", MaxLine))
	}
	if err := json.Unmarshal(line, &h); err != nil {
		return g.fault(h, BadLine, errors.New("an object with type and run belongs there: "+err.Error()))
	}
	r, err := g.run(h.Run)
	if err != nil {
		return g.fault(h, TooManyRuns, err)
	}
	var answer any
	switch h.Type {
	case "start":
		err = r.start(line)
	case "propose":
		answer, err = r.propose(line)
	case "amend":
		err = r.amend(line)
	case "end":
		if answer, err = r.end(line); err == nil {
			delete(g.runs, h.Run)
		}
	default:
		err = fmt.Errorf("type %.40q: start, propose, amend or end belongs there", h.Type)
	}
	if err != nil {
		return g.fault(h, BadLine, errors.New(r.values.Text(err.Error())))
	}
	if _, open := g.runs[h.Run]; !open && h.Type != "end" {
		g.runs[h.Run] = r
	}
	if answer == nil {
		return nil
	}
	return encoded(answer)
}

// run is the run of that name; a new one is kept once a line of it could be used.
func (g *Guard) run(name string) (*run, error) {
	if r := g.runs[name]; r != nil {
		return r, nil
	}
	if len(g.runs) >= MaxRuns {
		return nil, fmt.Errorf("more than %d runs are open: end one first", MaxRuns)
	}
	return newRun(name, g.config), nil
}

func (g *Guard) fault(h head, c Code, err error) []byte {
	return encoded(Fault{Type: "error", Run: h.Run, Line: g.lines, Code: c,
		Detail: strings.ToValidUTF8(err.Error(), "�")})
}

// encoded is v as a line.
func encoded(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil { // none of the types here can fail
		panic(err)
	}
	return b.Bytes()
}

// Serve answers the lines of in on out until in ends. Each answer is written at once. The error is one of
// reading or writing.
func (g *Guard) Serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(lines)
		if len(line) > 0 {
			if answer := g.Line(line); answer != nil {
				if _, err := out.Write(answer); err != nil {
					return fmt.Errorf("guard: answering line %d: %w", g.lines, err)
				}
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("guard: reading line %d: %w", g.lines+1, err)
		}
	}
}

// readLine is the next line with its end. If the line is too long, it is a beginning of it that is too long
// as well.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if len(line) <= MaxLine+1 {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}
