package trajectories

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ReadJournal reads a journal to be checked; path is the run folder or the journal itself. What breaks the
// grammar is no error here: it ends the trajectory, stays among the records, and invariant grammar names it. A
// file that is no journal, or has a line that is no record before ones that are, is a *SyntaxError.
func ReadJournal(path string) (*Journal, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, JournalName)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("trajectories: opening journal: %w", err)
	}
	return decodeJournal(text, file)
}

func decodeJournal(text []byte, name string) (*Journal, error) {
	j := &Journal{Trajectory: &Trajectory{Dir: filepath.Dir(name)}, Text: text}
	var g Grammar
	var bad *SyntaxError
	refused := false
	in := bufio.NewReaderSize(bytes.NewReader(text), 1<<16)
	at := int64(0)
	for line := 1; ; line++ {
		raw, err := readLine(in)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, &SyntaxError{name, line, at, err}
		}
		if len(raw) == 0 {
			break
		}
		start := at
		at += int64(len(raw))
		rec, err := decodeRecord(raw)
		switch {
		case bad != nil && err == nil:
			return nil, bad
		case err != nil && line == 1 && raw[len(raw)-1] == '\n':
			return nil, &SyntaxError{name, line, 0, fmt.Errorf("not a journal: %w", err)}
		case err != nil:
			j.Torn = true
			if bad == nil {
				bad = &SyntaxError{name, line, start, err}
			}
			continue
		}
		j.Records = append(j.Records, rec)
		if refused {
			continue
		}
		if err := g.Accept(rec); err != nil && line == 1 {
			return nil, &SyntaxError{name, line, 0, err}
		} else if err != nil {
			refused = true
			continue
		}
		j.add(rec)
	}
	if len(j.Records) == 0 {
		return nil, &SyntaxError{name, 1, 0, ErrNoHeader}
	}
	j.Interrupted = g.intent
	return j, nil
}
