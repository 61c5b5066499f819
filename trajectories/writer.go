package trajectories

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/cua-runner/cua-runner/cua"
)

// Names inside a run folder.
const (
	JournalName = "journal.jsonl"
	BlobsDir    = "blobs"
	// StateDir holds checkpoint state (cookies, storage, form values): mode 0700, never
	// exported or served.
	StateDir = "state"
)

// ErrLocked says that another process has the journal open for writing.
var ErrLocked = errors.New("the journal is open in another process")

// DiskError says that the disk did not take a record or a blob. Data that was on it before is still there and
// whole; the episode ends as cua.EndEnvError.
type DiskError struct {
	// Op is what was tried: append, sync, truncate, create, write.
	Op   string
	Path string
	Err  error
}

// Error names what was tried and the path.
func (e *DiskError) Error() string {
	return fmt.Sprintf("trajectories: %s %s: %v", e.Op, e.Path, e.Err)
}

// Unwrap is the cause, for example syscall.ENOSPC.
func (e *DiskError) Unwrap() error { return e.Err }

// Writer appends records to one journal. It holds the journal's lock until Close.
// All methods may be called at once.
type Writer struct {
	dir  string
	path string
	lock io.Closer // closing it gives the lock back

	mu      sync.Mutex
	log     *Log
	grammar Grammar
	buf     bytes.Buffer
	closed  bool
	syncing []chan error // blobs that may not be on disk yet
}

// Create makes a run folder and writes the header. A folder that already has a journal is an
// error that wraps fs.ErrExist, one that another process is writing wraps ErrLocked. A
// journal whose process died within the header counts as none.
func Create(dir string, h Header) (*Writer, error) {
	for _, d := range []struct {
		path string
		mode fs.FileMode
	}{{dir, 0o700}, {filepath.Join(dir, BlobsDir), 0o700}, {filepath.Join(dir, StateDir), 0o700}} {
		if err := os.MkdirAll(d.path, d.mode); err != nil {
			return nil, &DiskError{"create", d.path, err}
		}
	}
	w, f, err := open(dir, os.O_RDWR|os.O_CREATE|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	if err := claim(f, w.path); err != nil {
		f.Close()
		return nil, err
	}
	h.Version = Version
	err = w.append(&Record{Type: HeaderRecord, Header: &h})
	if err == nil {
		if cause := syncDirs(dir, filepath.Dir(dir)); cause != nil {
			err = &DiskError{"sync", dir, cause}
		}
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// Reopen opens a journal to go on with. A torn tail is cut off, and Trajectory.Torn says so.
func Reopen(dir string) (*Writer, *Trajectory, error) {
	w, f, err := open(dir, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, nil, err
	}
	s, err := scan(f, w.path, nil)
	if err != nil {
		w.Close()
		return nil, nil, err
	}
	w.grammar, w.log.size = s.grammar, s.good
	if err := w.repair(s); err != nil {
		w.Close()
		return nil, nil, err
	}
	return w, s.t, nil
}

// open opens and locks the journal, which is for its owner alone. One that is a link, or no regular file, is
// an error.
func open(dir string, flag int) (*Writer, *os.File, error) {
	path := filepath.Join(dir, JournalName)
	f, err := os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("trajectories: opening journal: %w", err)
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, nil, fmt.Errorf("trajectories: opening journal: %s is not a regular file", path)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = ErrLocked
		}
		return nil, nil, fmt.Errorf("trajectories: locking %s: %w", path, err)
	}
	return &Writer{dir: dir, path: path, lock: f, log: NewLog(f, path, 0)}, f, nil
}

// maxTornHeader is how much of a torn header claim reads; a longer one is not ours.
const maxTornHeader = 1 << 20

// claim empties a journal that holds nothing but a torn header, and refuses any other.
func claim(f *os.File, path string) error {
	text, err := io.ReadAll(io.LimitReader(f, maxTornHeader))
	if err != nil {
		return fmt.Errorf("trajectories: reading %s: %w", path, err)
	}
	const opening = `{"type":"header"`
	n := min(len(text), len(opening))
	torn := string(text[:n]) == opening[:n] && !bytes.ContainsRune(text, '\n') && !json.Valid(text)
	if !torn || len(text) == maxTornHeader {
		return fmt.Errorf("trajectories: creating %s: %w", path, fs.ErrExist)
	}
	if err := f.Truncate(0); err != nil {
		return &DiskError{"truncate", path, err}
	}
	return nil
}

// repair brings the file to the records that were kept.
func (w *Writer) repair(s *scanned) error {
	if s.t.Dropped > 0 {
		if err := w.log.back(); err != nil {
			return err
		}
	}
	if s.noLineEnd {
		return w.log.Append([]byte("\n"))
	}
	if s.t.Dropped == 0 {
		return nil
	}
	if err := w.log.f.Sync(); err != nil {
		return &DiskError{"sync", w.path, err}
	}
	return nil
}

// Start writes the first observation.
func (w *Writer) Start(o cua.Observation) error {
	return w.append(&Record{Type: StartRecord, Start: &o})
}

// Intent writes what is about to be dispatched; when it returns nil that is on disk.
func (w *Writer) Intent(in cua.Intent) error {
	return w.append(&Record{Type: IntentRecord, Intent: &in})
}

// Step writes a step, which the next intent, event or end brings to the disk. Until then a machine that
// dies leaves its intent without it, which a resumed run treats as an action of unknown outcome; a process
// that dies loses nothing.
func (w *Writer) Step(s *cua.Step) error { return w.append(&Record{Type: StepRecord, Step: s}) }

// Event writes an event; its Step, and the Intent of an interrupted_intent, are set here.
func (w *Writer) Event(e Event) error { return w.append(&Record{Type: EventRecord, Event: &e}) }

// End writes the end; its Totals.Steps is set here.
func (w *Writer) End(e End) error { return w.append(&Record{Type: EndRecord, End: &e}) }

// Close gives the lock back. It may be called twice.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	w.closed = true
	return cmp.Or(w.synced(), w.lock.Close())
}

// append writes one line, and syncs it unless it is a step. Either the record is in the journal, or that is
// as it was before and the error says why.
func (w *Writer) append(r *Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return fmt.Errorf("trajectories: append %s: %w", w.path, fs.ErrClosed)
	}
	if w.log.broken != nil {
		return w.log.broken
	}
	switch r.Type {
	case EventRecord:
		r.Event.Step = w.grammar.steps
		if r.Event.Kind == InterruptedEvent {
			r.Event.Intent = w.grammar.intent
		}
	case EndRecord:
		r.End.Totals.Steps = w.grammar.steps
	}
	next := w.grammar
	err := next.Accept(r)
	if err == nil {
		err = r.writable()
	}
	if err == nil {
		w.buf.Reset()
		enc := json.NewEncoder(&w.buf) // ends the line
		enc.SetEscapeHTML(false)
		err = enc.Encode(r)
	}
	if err == nil && w.buf.Len() > maxRecord {
		err = fmt.Errorf("a record of more than %d MiB", maxRecord>>20)
	}
	if err != nil {
		return fmt.Errorf("trajectories: append %s: %w", w.path, err)
	}
	if r.Type == StepRecord {
		err = w.log.Put(w.buf.Bytes())
	} else if err = w.synced(); err == nil { // what is on disk refers to nothing that is not
		err = w.log.Append(w.buf.Bytes())
	}
	if err != nil {
		return err
	}
	w.grammar = next
	return nil
}
