package redact

import (
	"io"
	"sync"
	"unicode/utf8"
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

// VisibleWriter passes text on as Visible has it. What is written must end with a whole character.
func VisibleWriter(w io.Writer) io.Writer { return &visible{to: w} }

type visible struct {
	to   io.Writer
	held []byte // the beginning of a character
}

func (v *visible) Write(b []byte) (int, error) {
	text := append(v.held, b...)
	end := len(text)
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if c := text[len(text)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(text[len(text)-n:]) {
				end = len(text) - n
			}
			break
		}
	}
	v.held = append([]byte(nil), text[end:]...)
	if _, err := io.WriteString(v.to, Visible(string(text[:end]))); err != nil {
		return 0, err
	}
	return len(b), nil
}
