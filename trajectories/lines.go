package trajectories

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lineReader reads lines of any length up to maxLine and skips longer ones.
type lineReader struct {
	in *bufio.Reader
	// line is the number of the line that next returned, start the byte at which it starts,
	// at the byte after it.
	line      int
	start, at int64
	buf       []byte
}

// lengthError is a line of more than maxLine.
type lengthError struct{ what string }

func (e *lengthError) Error() string {
	return fmt.Sprintf("a %s of more than %d MiB", e.what, maxLine>>20)
}

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
		if long = long || len(l.buf)+len(part) > maxLine; !long {
			l.buf = append(l.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		case long:
			return nil, &lengthError{"line"}
		case err != nil && l.at == l.start:
			l.line--
			return nil, io.EOF
		}
		return bytes.TrimSpace(l.buf), nil
	}
}

// rest is first, the line just read, and all that follows it.
func (l *lineReader) rest(first []byte) ([]byte, error) {
	all := bytes.NewBuffer(append(bytes.Clone(first), '\n'))
	n, err := io.Copy(all, io.LimitReader(l.in, maxLine))
	if err != nil {
		return nil, err
	}
	if n == maxLine {
		return nil, &lengthError{"document"}
	}
	return all.Bytes(), nil
}
