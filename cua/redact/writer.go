package redact

import (
	"io"
	"sync"
)

// Writer passes text on as Set.Text has it, also where a secret is split over several writes. What may be the
// beginning of one is held back until the next write or Flush. Its methods may be called from several
// goroutines.
type Writer struct {
	to  io.Writer
	set *Set

	mu   sync.Mutex
	held string
}

// NewWriter is a Writer before w.
func NewWriter(w io.Writer, s *Set) *Writer { return &Writer{to: w, set: s} }

// Write takes all of b, or returns an error of the writer behind.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.held + string(b)
	w.held = ""
	if f := w.set.now(); f != nil {
		text, w.held = f.scan(text, false)
	}
	if text == "" {
		return len(b), nil
	}
	if _, err := io.WriteString(w.to, text); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush passes on what was held back: nothing follows it.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.held
	w.held = ""
	if text == "" {
		return nil
	}
	_, err := io.WriteString(w.to, w.set.Text(text))
	return err
}
