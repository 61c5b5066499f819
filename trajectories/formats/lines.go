package formats

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lineReader reads lines of up to max bytes and skips longer ones.
type lineReader struct {
	in  *bufio.Reader
	max int
	// line is the number of the line that next returned, start the byte at which it starts,
	// at the byte after it.
	line      int
	start, at int64
	// buf is that line as it is.
	buf []byte
}

// lengthError is a line or a document of more than max bytes.
type lengthError struct {
	what string
	max  int
}

func (e *lengthError) Error() string { return fmt.Sprintf("a %s of more than %d bytes", e.what, e.max) }

// next is the next line without its end and the space around it, valid until the next call;
// io.EOF after the last one. A line that is too long is a *lengthError, and then the one after
// it comes next. Any other error is final.
func (l *lineReader) next() ([]byte, error) {
	l.buf, l.start = l.buf[:0], l.at
	l.line++
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		l.at += int64(len(part))
		if long = long || len(l.buf)+len(part) > l.max; !long {
			l.buf = append(l.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, cutOff(err)
		case long:
			return nil, &lengthError{"line", l.max}
		case err != nil && l.at == l.start:
			l.line--
			return nil, io.EOF
		}
		return bytes.TrimSpace(l.buf), nil
	}
}

// peek is how far nextIs looks, bytes.
const peek = 1 << 16

// nextIs reports whether f holds of the line after this one. A line longer than peek is taken for
// one of which it does not.
func (l *lineReader) nextIs(f func([]byte) bool) bool {
	ahead, _ := l.in.Peek(peek)
	line, _, _ := bytes.Cut(bytes.TrimSpace(ahead), []byte("\n"))
	return f(line)
}

// rest is the line just read and all that follows it. If the text is too long, it is the beginning, and a
// *lengthError.
func (l *lineReader) rest() ([]byte, error) {
	all := bytes.NewBuffer(bytes.Clone(l.buf))
	n, err := io.Copy(all, io.LimitReader(l.in, int64(l.max)))
	if err == nil && n == int64(l.max) {
		err = &lengthError{"document", l.max}
	}
	return all.Bytes(), cutOff(err)
}

// cutOff says more of the one error that a packed file has which did not arrive whole.
func cutOff(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the packed file is cut off: %w", err)
	}
	return err
}
