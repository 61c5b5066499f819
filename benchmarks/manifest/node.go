package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Fault is one thing that is wrong in a file.
type Fault struct {
	// File is its name, Line counts from 1; 0 is the whole file.
	File string
	Line int
	// Path is the JSON pointer of the value (RFC 6901); "" is the whole document.
	Path string
	// Detail says what is wrong with it.
	Detail string
}

// Error is FILE:LINE: PATH: DETAIL.
func (f Fault) Error() string {
	where := f.File
	if f.Line > 0 {
		where += ":" + strconv.Itoa(f.Line)
	}
	if f.Path != "" {
		where += ": " + f.Path
	}
	return where + ": " + f.Detail
}

// Faults are all that is wrong in a file, in the order in which it is read. As an error it has one line for
// each.
type Faults []Fault

// Error is one line for each fault.
func (f Faults) Error() string {
	var b strings.Builder
	for i, fault := range f {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(fault.Error())
	}
	return b.String()
}

// node is one JSON value and where it stands.
type node struct {
	path  string
	line  int
	value any // string, json.Number, bool, nil, []*node or members
}

// members are those of an object, in their order.
type members []member

type member struct {
	key   string
	value *node
}

// maxDepth is how deep values may lie in each other: the format needs 5.
const maxDepth = 32

// reader reads a file into nodes and keeps what is wrong in it.
type reader struct {
	file   string
	text   []byte
	dec    *json.Decoder
	faults Faults
	// scripts are the expressions that were looked at, with what is wrong with each: a list of thousands of
	// tasks has the same one in all of them. nil looks at none.
	scripts map[string]string

	seen, line int // how far lines were counted, and the line there
}

// at is the line of the byte at that offset; offsets rise.
func (r *reader) at(offset int64) int {
	to := min(int(offset), len(r.text))
	if r.line == 0 {
		r.line = 1
	}
	if to > r.seen {
		r.line += bytes.Count(r.text[r.seen:to], []byte{'\n'})
		r.seen = to
	}
	return r.line
}

// next is the line of the token that is read next.
func (r *reader) next() int {
	from := int(r.dec.InputOffset())
	for from < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[from]) >= 0 {
		from++
	}
	return r.at(int64(from))
}

func (r *reader) fault(line int, path, format string, args ...any) {
	r.faults = append(r.faults, Fault{File: r.file, Line: line, Path: path,
		Detail: fmt.Sprintf(format, args...)})
}

// document reads the one value of the text; nil where it is no JSON, which is a fault then.
func (r *reader) document() *node {
	r.dec = json.NewDecoder(bytes.NewReader(r.text))
	r.dec.UseNumber()
	n, err := r.read("", 0)
	if err == nil {
		if _, err = r.dec.Token(); err == nil {
			err = errors.New("there is more after the value")
		} else if err == io.EOF {
			return n
		}
	}
	line := r.at(r.dec.InputOffset())
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		line, err = r.at(int64(len(r.text))), errors.New("it ends in the middle of a value")
	case errors.As(err, &syntax):
		line = r.at(syntax.Offset)
	}
	r.fault(line, "", "no JSON: %v", err)
	return nil
}

func (r *reader) read(path string, depth int) (*node, error) {
	n := &node{path: path, line: r.next()}
	t, err := r.dec.Token()
	if err != nil {
		return nil, err
	}
	open, ok := t.(json.Delim)
	if !ok {
		n.value = t
		return n, nil
	}
	if depth == maxDepth {
		return nil, fmt.Errorf("values lie more than %d deep in each other", maxDepth)
	}
	if open == '{' {
		n.value, err = r.object(path, depth)
	} else {
		n.value, err = r.array(path, depth)
	}
	if err == nil {
		_, err = r.dec.Token() // the end of it
	}
	return n, err
}

func (r *reader) object(path string, depth int) (members, error) {
	out := members{}
	seen := map[string]bool{}
	for r.dec.More() {
		line := r.next()
		t, err := r.dec.Token()
		if err != nil {
			return nil, err
		}
		key, ok := t.(string)
		if !ok {
			return nil, fmt.Errorf("%v stands where a name should", t)
		}
		below := path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
		if seen[key] {
			r.fault(line, below, "it is there twice")
		}
		seen[key] = true
		v, err := r.read(below, depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, member{key, v})
	}
	return out, nil
}

func (r *reader) array(path string, depth int) ([]*node, error) {
	out := []*node{}
	for r.dec.More() {
		v, err := r.read(path+"/"+strconv.Itoa(len(out)), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
