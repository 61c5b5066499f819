package server

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/cua-runner/cua-runner/cua/redact"
)

const (
	// keepAlive is how often a comment is sent while nothing happens.
	keepAlive = 15 * time.Second
	// gather is how long a stream lets changes come together: a step has a dozen, and each would wake every
	// reader.
	gather = 100 * time.Millisecond
)

// status is what the event status says.
type status struct {
	State         State  `json:"state"`
	Stage         string `json:"stage,omitempty"`
	Step          int    `json:"step"`
	QueuePosition int    `json:"queue_position,omitempty"`
	Controlled    bool   `json:"controlled,omitempty"`
}

// events streams the records of an episode and its status. Each reader reads the file itself, at its own
// pace.
func (s *Server) events(w http.ResponseWriter, r *http.Request, e *episode) {
	after, ok := afterOf(w, r)
	if !ok {
		return
	}
	if state, _, _ := e.now(); state == Ended {
		if sum, err := e.summary(); err == nil && after >= sum.records {
			w.WriteHeader(http.StatusNoContent)
			return
		}
	}
	if !s.admit(e) {
		p := problem(r.Context(), Rate, "too many event streams are open")
		p.retry = 10 * time.Second
		p.write(w)
		return
	}
	defer s.dismiss(e)
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	out := &stream{s: s, e: e, w: w, to: http.NewResponseController(w), at: after}
	defer out.close()
	out.run(r)
}

// afterOf is the number of the last record that the reader has; false says that the request was answered.
func afterOf(w http.ResponseWriter, r *http.Request) (int, bool) {
	at, text := "header.Last-Event-ID", r.Header.Get("Last-Event-ID")
	if text == "" {
		at, text = "query.after", r.URL.Query().Get("after")
	}
	if text == "" {
		return 0, true
	}
	n, ok := digits(text)
	if !ok {
		invalid(r.Context(), at, "the number of a record is wanted, in decimal digits").write(w)
		return 0, false
	}
	return n, true
}

// digits is a number that is written in decimal digits alone, without a sign; false says that it is none or
// too large.
func digits(text string) (int, bool) {
	if strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// admit counts one more event stream, or says that there are too many.
func (s *Server) admit(e *episode) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if s.streams >= s.o.Streams || e.streams >= s.o.StreamsPerEpisode {
		return false
	}
	s.streams++
	e.streams++
	return true
}

func (s *Server) dismiss(e *episode) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	s.streams--
	e.streams--
}

// stream is one reader of the events of one episode.
type stream struct {
	s    *Server
	e    *episode
	w    http.ResponseWriter
	to   *http.ResponseController
	file *os.File
	in   *bufio.Reader
	read int64 // bytes of the journal that were read
	line int   // records that were read
	at   int   // the last record that the reader has
	last status
	told bool
}

func (st *stream) close() {
	if st.file != nil {
		st.file.Close()
	}
}

// run sends what there is and waits for more, until the episode has ended.
func (st *stream) run(r *http.Request) {
	tick := time.NewTicker(keepAlive)
	defer tick.Stop()
	for {
		begun := time.Now()
		changed := st.e.wait() // before what is read: a change meanwhile is not missed
		state, stage, step := st.e.now()
		now := status{state, stage, step, st.s.position(st.e), st.e.controlled()}
		if err := st.records(); err != nil {
			return
		}
		if now != st.last || !st.told {
			text, _ := json.Marshal(now)
			if st.send("event: status\ndata: "+string(text)+"\n\n") != nil {
				return
			}
			st.last, st.told = now, true
		}
		if st.to.Flush() != nil || state == Ended {
			return
		}
		select {
		case <-changed:
		case <-tick.C:
			if st.send(": \n\n") != nil {
				return
			}
		case <-st.s.closing:
			return
		case <-r.Context().Done():
			return
		}
		select {
		case <-time.After(gather - time.Since(begun)):
		case <-st.s.closing:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// send writes one event; Flush sends it.
func (st *stream) send(text string) error {
	_, err := io.WriteString(st.w, text)
	return err
}

// records sends the records that are on disk by now.
func (st *stream) records() error {
	if st.file == nil {
		f, err := os.Open(st.e.journalPath())
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		} else if err != nil {
			return err
		}
		st.file, st.in = f, bufio.NewReaderSize(f, 1<<16)
	}
	upTo, err := st.e.onDisk(st.file)
	for err == nil && st.read < upTo {
		var line []byte
		if line, err = st.in.ReadBytes('\n'); err != nil {
			// a line that is being written, or was cut: it is read again when it is whole
			_, seek := st.file.Seek(st.read, io.SeekStart)
			st.in.Reset(st.file)
			return seek
		}
		st.read += int64(len(line))
		if st.line++; st.line > st.at {
			err = st.record(bytes.TrimSpace(line))
		}
	}
	return err
}

func (st *stream) record(line []byte) error {
	kind, err := typeOf(line)
	if err != nil {
		return err
	}
	st.at = st.line
	data := redact.VisibleJSON(string(line))
	return st.send(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", st.line, kind, data))
}

// typeOf is the type of a record. The journal writes it first, and then the record need not be parsed for
// each reader.
func typeOf(line []byte) (string, error) {
	if rest, ok := bytes.CutPrefix(line, []byte(`{"type":"`)); ok {
		if end := bytes.IndexByte(rest, '"'); end > 0 && bytes.IndexByte(rest[:end], '\\') < 0 {
			return string(rest[:end]), nil
		}
	}
	var r struct {
		Type string `json:"type"`
	}
	err := json.Unmarshal(line, &r)
	return r.Type, err
}

// onDisk brings the journal to the disk and returns how much of it is there. Only that is sent: what a reader
// has seen is never taken back.
func (e *episode) onDisk(f *os.File) (int64, error) {
	e.syncing.Lock()
	defer e.syncing.Unlock()
	info, err := f.Stat()
	if err != nil || info.Size() <= e.synced {
		return e.synced, err
	}
	if err := f.Sync(); err != nil {
		return 0, err
	}
	e.synced = info.Size()
	return e.synced, nil
}
