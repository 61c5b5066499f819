package redact

import (
	"io"
	"strings"
	"sync"
	"unicode/utf8"
)

// Writer passes text on as Set.Text has it, also where a secret is split over several writes. A possible
// beginning of a secret is held back until the next write or Flush. Its methods may be called from several
// goroutines.
type Writer struct {
	to  io.Writer
	set *Set

	mu   sync.Mutex
	text strings.Builder // that of scan
	scan *scan           // nil: nothing is held back
}

// NewWriter is a Writer before w.
func NewWriter(w io.Writer, s *Set) *Writer { return &Writer{to: w, set: s} }

// Write takes all of b, or returns an error of the writer behind.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.put(b, false); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Flush passes on what was held back: nothing follows it.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.put(nil, true)
}

func (w *Writer) put(b []byte, final bool) error {
	f := w.set.now()
	if w.scan == nil || w.scan.f != f {
		w.begin(f)
	}
	w.text.Write(b)
	out := w.text.String()
	if f != nil {
		w.scan.text = out
		w.scan.read(final)
		out = w.scan.take()
		if w.scan.drop() {
			rest := w.scan.text
			w.text.Reset()
			w.text.WriteString(rest)
		}
	}
	if f == nil || final {
		w.text.Reset()
		w.scan = nil
	}
	if out == "" {
		return nil
	}
	_, err := io.WriteString(w.to, out)
	return err
}

// begin reads what is held back from its beginning, for other words.
func (w *Writer) begin(f *finder) {
	held := ""
	if w.scan != nil {
		held = w.scan.text[w.scan.done:]
	}
	w.text.Reset()
	w.text.WriteString(held)
	w.scan = nil
	if f != nil {
		w.scan = &scan{}
		w.scan.reset(f)
		w.scan.changed = true
	}
}

// VisibleJSONWriter passes JSON text on as VisibleJSON has it. Each write must end with a whole character.
func VisibleJSONWriter(w io.Writer) io.Writer { return visibleJSON{w} }

type visibleJSON struct{ to io.Writer }

func (v visibleJSON) Write(b []byte) (int, error) {
	if _, err := io.WriteString(v.to, VisibleJSON(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// VisibleWriter passes text on as Visible has it. Each write must end with a whole character.
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
