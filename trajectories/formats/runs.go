package formats

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/cua-runner/cua-runner/trajectories"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// runReader hands what it reads to the loop over Runs.
type runReader struct {
	format  Format
	names   Renames
	yield   func(*Run, error) bool
	stopped bool
	// items counts what was handed out, errors included.
	items int
}

// emit hands out one item and reports whether more are wanted.
func (r *runReader) emit(run *Run, err error) bool {
	r.items++
	if !r.stopped {
		r.stopped = !r.yield(run, err)
	}
	return !r.stopped
}

func (r *runReader) path(path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		r.emit(nil, fmt.Errorf("trajectories: reading: %w", err))
	case !info.IsDir():
		r.file(path)
	default:
		r.folder(path)
		if r.items == 0 {
			r.emit(nil, fmt.Errorf("trajectories: reading %s: the folder holds no trajectory", path))
		}
	}
}

// folder reads a run folder as one run, and any other one entry by entry.
func (r *runReader) folder(dir string) {
	info, err := os.Stat(filepath.Join(dir, trajectories.JournalName))
	if err == nil && info.Mode().IsRegular() {
		r.runFolder(dir)
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		r.emit(nil, fmt.Errorf("trajectories: reading: %w", err))
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case r.stopped:
			return
		case strings.HasPrefix(e.Name(), "."):
		case e.IsDir():
			r.folder(path)
		case slices.Contains([]string{".jsonl", ".json", ".gz"}, filepath.Ext(path)):
			// A link into a folder is not followed: it may lead round in a circle.
			if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
				r.file(path)
			}
		}
	}
}

func (r *runReader) runFolder(dir string) {
	if r.format != Auto && r.format != CUA {
		r.emit(nil, fmt.Errorf("trajectories: reading %s: a run folder, which is %s and not %s", dir,
			CUA, r.format))
		return
	}
	t, err := trajectories.Read(dir)
	if err != nil {
		r.emit(nil, err)
		return
	}
	r.emit(runOf(t, dir, 0), nil)
}

// runOf is t as detectors read it; its steps bear their own numbers.
func runOf(t *trajectories.Trajectory, path string, line int) *Run {
	run := &Run{Path: path, Line: line, Format: CUA, ID: t.Header.Episode, Source: "cua-runner",
		Task: t.Header.Task.Goal, History: t.History()}
	if t.Header.Arm != "" {
		run.Source += "/" + t.Header.Arm
	}
	for i := range t.Steps {
		run.Index = append(run.Index, t.Steps[i].N)
	}
	if t.End != nil {
		run.End = t.End.Reason
		if !t.End.Reason.Infrastructure() {
			run.Success = &t.End.Success
		}
	}
	return run
}

func (r *runReader) file(path string) {
	f, err := os.Open(path)
	if err != nil {
		r.emit(nil, fmt.Errorf("trajectories: reading: %w", err))
		return
	}
	defer f.Close()
	r.stream(f, path)
}

// stream reads one file, packed or not.
func (r *runReader) stream(in io.Reader, path string) {
	plain := bufio.NewReaderSize(in, peek)
	if magic, _ := plain.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		unpacked, err := gzip.NewReader(plain)
		if err != nil {
			r.emit(nil, syntaxError(path, 1, 0, cutOff(err)))
			return
		}
		defer unpacked.Close()
		plain = bufio.NewReaderSize(unpacked, peek)
	}
	if mark, _ := plain.Peek(3); string(mark) == "\uFEFF" {
		_, _ = plain.Discard(3)
	}
	s := runStream{runReader: r, lines: lineReader{in: plain, max: maxLine}, path: path,
		namer: newNamer(r.names)}
	s.read()
}

// runStream is one file as it is read.
type runStream struct {
	*runReader
	path  string
	lines lineReader
	// foreign is the first line of those that are no trajectories, the run of which has not
	// been told yet; others counts the rest of them.
	foreign *trajectories.SyntaxError
	others  int
	namer   *namer
}

func (s *runStream) read() {
	before := s.items
	for {
		text, err := s.lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		var tooLong *lengthError
		if err != nil && !s.fail(s.lines.line, err) || err != nil && !errors.As(err, &tooLong) {
			return
		}
		if err != nil || len(text) == 0 {
			continue
		}
		if s.items == before && s.foreign == nil && s.whole(text) {
			return
		}
		if !s.item(text, s.lines.line) {
			return
		}
	}
	if s.tellForeign() && s.items == before {
		s.emit(nil, syntaxError(s.path, max(s.lines.line, 1), s.lines.start, errors.New("the file is empty")))
	}
}

// whole reads what is one thing from its first line to its end: a journal, or a document that
// continues over lines. It reports whether it was that.
func (s *runStream) whole(first []byte) bool {
	line := s.lines.line
	if s.format == CUA || s.format == Auto && isJournal(first) {
		all := io.MultiReader(bytes.NewReader(s.lines.buf), s.lines.in)
		t, err := trajectories.Decode(all, s.path, "")
		if err != nil {
			s.emit(nil, err)
		} else {
			s.emit(runOf(t, s.path, line), nil)
		}
		return true
	}
	if json.Valid(first) || first[0] != '{' && first[0] != '[' || s.lines.nextIs(isTrajectory) {
		return false
	}
	text, err := s.lines.rest()
	if (err != nil || !json.Valid(text)) && slices.ContainsFunc(bytes.Split(text, []byte("\n"))[1:],
		isTrajectory) {
		// Lines after all, of which the first are broken.
		s.lines.in = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(text[len(s.lines.buf):]),
			s.lines.in), peek)
		return false
	}
	if err != nil {
		s.fail(line, err)
	} else {
		s.item(text, line)
		s.tellForeign()
	}
	return true
}

// isTrajectory reports whether a line is one by itself.
func isTrajectory(line []byte) bool {
	var n struct{ Steps, History json.RawMessage }
	return json.Unmarshal(line, &n) == nil && (n.Steps != nil || n.History != nil)
}

// isJournal reports whether a first line is the header of a journal, torn or whole.
func isJournal(first []byte) bool {
	if bytes.HasPrefix(first, []byte(`{"type":"header"`)) {
		return true
	}
	var head struct {
		Type   string          `json:"type"`
		Header json.RawMessage `json:"header"`
	}
	return json.Unmarshal(first, &head) == nil && head.Header != nil &&
		head.Type == string(trajectories.HeaderRecord)
}

// item reads one object that begins at line, and reports whether more are wanted.
func (s *runStream) item(text []byte, line int) bool {
	dir := ""
	if s.path != "-" {
		dir = filepath.Dir(s.path)
	}
	text, misses := s.namer.named(text)
	run, err := decodeRun(text, s.format, dir)
	if err == nil {
		run.Path, run.Line = s.path, line
		for _, m := range misses {
			if run.Format == Neutral {
				run.Warnings = append(run.Warnings, Warning{line + m.line, m.says})
			}
		}
		if run.Format == BrowserUse { // a history has no name of its own
			run.ID = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(s.path), ".gz"), ".json")
			if line > 1 {
				run.ID += ":" + strconv.Itoa(line)
			}
		}
		return s.tellForeign() && s.emit(run, nil)
	}
	if !errors.Is(err, errForeign) {
		n, start := within(text, err)
		if len(misses) > 0 { // what is missing may be there under another name
			err = fmt.Errorf("%w (%s)", err, misses[0].says)
		}
		return s.tellForeign() && s.emit(nil, syntaxError(s.path, line+n, s.lines.start+start, err))
	}
	if s.foreign == nil {
		s.foreign = syntaxError(s.path, line, s.lines.start, err)
	} else {
		s.others++
	}
	return true
}

// fail tells an error about content, and reports whether more are wanted.
func (s *runStream) fail(line int, err error) bool {
	return s.tellForeign() && s.emit(nil, syntaxError(s.path, line, s.lines.start, err))
}

// tellForeign tells of a stretch of lines that are no trajectories, once for all of them: a
// file of something else is one error. It reports whether more are wanted.
func (s *runStream) tellForeign() bool {
	e := s.foreign
	if e == nil {
		return !s.stopped
	}
	if s.others > 0 {
		e.Err = fmt.Errorf("%w (and so are %d more lines after it)", e.Err, s.others)
	}
	s.foreign, s.others = nil, 0
	return s.emit(nil, e)
}

// syntaxError is err with the line that it lies in, from 1, and the byte at which that line starts.
func syntaxError(path string, line int, start int64, err error) *trajectories.SyntaxError {
	return &trajectories.SyntaxError{Path: path, Line: line, Offset: start, Err: err}
}

// within is how many lines into text the place of an error lies, and where that line starts.
func within(text []byte, err error) (line int, start int64) {
	var syntax *json.SyntaxError
	var part *partError
	at := int64(0)
	switch {
	case errors.As(err, &part):
		at = part.at
	case errors.As(err, &syntax):
		at = syntax.Offset
	}
	before := text[:min(max(at, 0), int64(len(text)))]
	return bytes.Count(before, []byte("\n")), int64(bytes.LastIndexByte(before, '\n') + 1)
}
