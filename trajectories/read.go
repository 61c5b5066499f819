package trajectories

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// SyntaxError says where a journal, or another file of trajectories, cannot be read.
type SyntaxError struct {
	Path string
	// Line counts from 1, Offset is the byte at which that line starts.
	Line   int
	Offset int64
	Err    error
}

// Error names the file, the line and the byte offset.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("trajectories: reading %s: line %d (byte %d): %v", e.Path, e.Line, e.Offset, e.Err)
}

// Unwrap is the cause.
func (e *SyntaxError) Unwrap() error { return e.Err }

// ErrNoHeader says that a journal ends before its first record does: the process
// died before the episode began. Create may be used on its folder again.
var ErrNoHeader = errors.New("no complete header: the episode never began")

// Read reads a journal; path is the run folder or the journal itself. A torn tail
// is left out and reported as Trajectory.Torn; the file stays as it is. A bad line that
// good ones follow is a *SyntaxError.
func Read(path string) (*Trajectory, error) {
	f, file, err := openToRead(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s, err := scan(f, file, nil)
	if err != nil {
		return nil, err
	}
	return s.t, nil
}

// openToRead opens the journal of the run folder path, or the journal path itself, and says where it is. In a
// folder, which may come from others, only a regular file is one.
func openToRead(path string) (*os.File, string, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, JournalName)
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return nil, "", fmt.Errorf("trajectories: opening journal: %s is not a regular file", path)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, "", fmt.Errorf("trajectories: opening journal: %w", err)
	}
	return f, path, nil
}

// ReadHeader reads the first record alone; path is as Read takes it.
func ReadHeader(path string) (Header, error) {
	f, path, err := openToRead(path)
	if err != nil {
		return Header{}, err
	}
	defer f.Close()
	text, err := readLine(bufio.NewReader(f))
	if err != nil && err != io.EOF {
		return Header{}, &SyntaxError{path, 1, 0, err}
	}
	r, err := decodeRecord(text)
	switch {
	case err != nil:
		return Header{}, &SyntaxError{path, 1, 0, err}
	case r.Header == nil:
		return Header{}, &SyntaxError{path, 1, 0, ErrNoHeader}
	}
	return *r.Header, nil
}

// Decode reads a journal from r; name stands for the file in errors. Blobs of the
// trajectory are looked up in dir; "" is none.
func Decode(r io.Reader, name, dir string) (*Trajectory, error) {
	s, err := scan(r, name, nil)
	if err != nil {
		return nil, err
	}
	s.t.Dir = dir
	return s.t, nil
}

// DecodeRecords reads a journal that need not keep the grammar; name stands for the file in errors. The first
// record that the grammar refuses ends the trajectory. The records are all that could be read, in order.
func DecodeRecords(text []byte, name string) (*Trajectory, []*Record, error) {
	var records []*Record
	s, err := scan(bytes.NewReader(text), name, func(r *Record) { records = append(records, r) })
	if err != nil {
		return nil, nil, err
	}
	return s.t, records, nil
}

// scanned is a journal as found on disk.
type scanned struct {
	t       *Trajectory
	grammar Grammar
	// good is the length of what is kept. noLineEnd says that the last record kept is whole
	// but lacks its line end.
	good      int64
	noLineEnd bool
	// refused says that the grammar has refused a record.
	refused bool
}

// maxRecord bounds one line; a record of a very large page is below 1 MiB.
const maxRecord = 64 << 20

// scan reads record by record and stops at a torn tail. Each gets every record that could be read. Where it
// is nil, a record that the grammar refuses is an error; else such a record ends the trajectory.
func scan(r io.Reader, name string, each func(*Record)) (*scanned, error) {
	s := &scanned{t: &Trajectory{Dir: filepath.Dir(name)}}
	in := bufio.NewReaderSize(r, 1<<16)
	var bad *SyntaxError
	for line := 1; ; line++ {
		text, err := readLine(in)
		if err != nil && err != io.EOF {
			return nil, &SyntaxError{name, line, s.good, err}
		}
		if len(text) == 0 {
			break
		}
		rec, decodeErr := decodeRecord(text)
		switch {
		case bad != nil && decodeErr == nil:
			return nil, bad
		case bad != nil:
			s.t.Dropped += int64(len(text))
			continue
		case decodeErr != nil && line == 1 && text[len(text)-1] == '\n':
			return nil, &SyntaxError{name, line, 0, fmt.Errorf("not a journal: %w", decodeErr)}
		case decodeErr != nil:
			bad = &SyntaxError{name, line, s.good, decodeErr}
			s.t.Dropped = int64(len(text))
			continue
		}
		if err := s.take(rec, each); err != nil && (each == nil || line == 1) {
			return nil, &SyntaxError{name, line, s.good, err}
		}
		s.good += int64(len(text))
		s.noLineEnd = text[len(text)-1] != '\n'
	}
	if s.good == 0 {
		return nil, &SyntaxError{name, 1, 0, ErrNoHeader}
	}
	s.t.Torn = bad != nil || s.noLineEnd
	s.t.Interrupted = s.grammar.intent
	return s, nil
}

// take adds a record, or says why the grammar refuses it, and after that takes none.
func (s *scanned) take(rec *Record, each func(*Record)) error {
	if s.t.Header.Version == 1 {
		upgradeRecord(rec)
	}
	if each != nil {
		each(rec)
	}
	if s.refused {
		return nil
	}
	if err := s.grammar.Accept(rec); err != nil {
		s.refused = true
		return err
	}
	s.t.add(rec)
	return nil
}

// readLine is the next line with its end, or what is left without one; empty at the end.
func readLine(in *bufio.Reader) ([]byte, error) {
	var out []byte
	for {
		part, err := in.ReadSlice('\n')
		out = append(out, part...)
		if len(out) > maxRecord {
			return nil, fmt.Errorf("a record of more than %d MiB", maxRecord>>20)
		}
		if err != bufio.ErrBufferFull {
			return out, err
		}
	}
}

// decodeRecord reads one line. The version comes first: a header of a newer
// format may not decode at all, and must be told from a broken one.
func decodeRecord(text []byte) (*Record, error) {
	text = bytes.TrimRight(text, "\r\n")
	var v struct {
		Type   RecordType
		Header struct{ Version int }
	}
	if bytes.Contains(text[:min(len(text), 64)], []byte(`"header"`)) && json.Unmarshal(text, &v) == nil && v.Header.Version > Version {
		return &Record{Type: HeaderRecord, Header: &Header{Version: v.Header.Version}}, nil
	}
	rec := new(Record)
	if err := json.Unmarshal(text, rec); err != nil {
		return nil, err
	}
	if h := rec.Header; h != nil && h.Version == 1 {
		upgradeHeader(h, text)
	}
	return rec, rec.whole()
}
