package lessons

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cua-runner/cua-runner/cua"
)

// FileName is what the file of lessons is called in a workspace.
const FileName = "LESSONS.md"

// File is a Markdown text in which each block fenced as json is one lesson, and everything
// else is a person's own. Unchanged parts stay byte for byte: text between the blocks, blocks
// that are broken, the order, and fields that this program does not know.
type File struct{ parts []filePart }

// filePart is a stretch of the file: text, or a block with its fences.
type filePart struct {
	raw   []byte
	block *fencedBlock // nil is text
	// open says that raw is a fence that nothing closes, with all that follows it.
	open bool
}

// fencedBlock is one block, as far as it could be read.
type fencedBlock struct {
	line     int // of the opening fence, from 1
	from, to int // the body within raw
	object   []member
	lesson   cua.Lesson
	fault    *Fault // nil is a good lesson
}

// Fault is why an entry of a lesson file counts for nothing. The entry stays as it is.
type Fault struct {
	// Line is where in the file, from 1.
	Line int    `json:"line"`
	ID   string `json:"id,omitzero"` // "" where it could not be read
	Err  error  `json:"-"`
}

// Error says the line and what is wrong there.
func (f *Fault) Error() string { return fmt.Sprintf("line %d: %v", f.Line, f.Err) }

// Unwrap is what is wrong, for example a *Refusal.
func (f *Fault) Unwrap() error { return f.Err }

// Parse reads a lesson file. It takes any text; entries that cannot be used are its Faults.
func Parse(text []byte) *File {
	f := &File{}
	known := map[string]int{}
	for _, p := range fenced(text) {
		if b := p.block; b != nil {
			b.read(p.raw, p.open)
			if first, twice := known[b.lesson.ID]; b.fault == nil && twice {
				b.fault = &Fault{Line: b.line, ID: b.lesson.ID,
					Err: fmt.Errorf("id %q is that of the lesson in line %d", b.lesson.ID, first)}
			} else if b.fault == nil {
				known[b.lesson.ID] = b.line
			}
		}
		f.parts = append(f.parts, p)
	}
	return f
}

// read reads the block's body out of raw.
func (b *fencedBlock) read(raw []byte, open bool) {
	body := raw[b.from:b.to]
	object, at, err := parseObject(body)
	if b.object = object; err == nil {
		b.lesson, err = lessonOf(object)
	}
	if open { // whatever is in it, its end is not known
		at, err = -1, errors.New("the fence is not closed")
	}
	if err == nil {
		err = Check(b.lesson)
	}
	if err != nil {
		line := b.line
		if at >= 0 {
			line += 1 + bytes.Count(body[:at], []byte("\n"))
		}
		b.fault = &Fault{Line: line, ID: b.lesson.ID, Err: err}
	}
}

// Bytes is the file's text.
func (f *File) Bytes() []byte {
	var out []byte
	for _, p := range f.parts {
		out = append(out, p.raw...)
	}
	return out
}

// Lessons are those that can be used, in the order of the file.
func (f *File) Lessons() []cua.Lesson {
	var out []cua.Lesson
	for _, p := range f.parts {
		if p.block != nil && p.block.fault == nil {
			out = append(out, p.block.lesson)
		}
	}
	return out
}

// Faults are the entries that cannot be used, in the order of the file.
func (f *File) Faults() []*Fault {
	var out []*Fault
	for _, p := range f.parts {
		if p.block != nil && p.block.fault != nil {
			out = append(out, p.block.fault)
		}
	}
	return out
}

// Line is where the lesson of that id is, from 1; 0 is nowhere.
func (f *File) Line(id string) int {
	if i := f.index(id); i >= 0 {
		return f.parts[i].block.line
	}
	return 0
}

// index is the part that holds the lesson of that id, a good one before a broken one; -1 is none.
func (f *File) index(id string) int {
	is := func(p filePart) bool { return p.block != nil && id != "" && p.block.lesson.ID == id }
	if i := slices.IndexFunc(f.parts, func(p filePart) bool {
		return is(p) &&
			p.block.fault == nil
	}); i >= 0 {
		return i
	}
	return slices.IndexFunc(f.parts, is)
}

// intro begins a new file.
const intro = `# Lessons

What earlier runs have taught, for the runs to come. Each block is one lesson: edit it, pin it
("pinned": true) or delete it by hand; the text around the blocks is yours. cua-runner lessons lint
says what cannot be read.
`

// Add puts l at the end of the file, and reports whether it was not there yet. If a lesson with its id was
// there, only the time is made newer: a person may have reworded it. A lesson that breaks a rule is an error
// and changes nothing.
func (f *File) Add(l cua.Lesson) (bool, error) {
	l.ID = cmp.Or(l.ID, ID(l))
	if err := Check(l); err != nil {
		return false, err
	}
	if i := f.index(l.ID); i >= 0 {
		return false, f.renew(i, l.At)
	}
	text := f.Bytes()
	at := len(f.parts)
	if at == 0 {
		text = []byte(intro)
		f.parts = append(f.parts, filePart{raw: text})
		at++
	} else if f.parts[at-1].open { // whatever comes after it would be part of it
		at--
		text = text[:len(text)-len(f.parts[at].raw)]
	}
	gap := ""
	switch {
	case len(text) == 0 || bytes.HasSuffix(text, []byte("\n\n")) || bytes.HasSuffix(text, []byte("\n\r\n")):
	case bytes.HasSuffix(text, []byte("\n")):
		gap = "\n"
	default:
		gap = "\n\n"
	}
	raw := slices.Concat([]byte(gap+"```json\n"), writeObject(membersOf(l)), []byte("\n```\n"))
	if at < len(f.parts) {
		raw = append(raw, '\n')
	}
	*f = *Parse(slices.Concat(text, raw, f.tail(at)))
	if f.index(l.ID) < 0 {
		return false, errors.New("lessons: adding: the file cannot take one")
	}
	return true, nil
}

// tail is the text of the parts from i on.
func (f *File) tail(i int) []byte {
	return (&File{parts: f.parts[i:]}).Bytes()
}

// renew sets the time of the lesson in part i, where that is newer.
func (f *File) renew(i int, at string) error {
	b := f.parts[i].block
	if b.fault != nil || !learned(cua.Lesson{At: at}).After(learned(b.lesson)) {
		return nil
	}
	f.set(i, "at", at)
	return nil
}

// Pin sets whether the lesson of that id comes before all others. It is false where there is none
// that can be read.
func (f *File) Pin(id string, on bool) bool {
	i := f.index(id)
	if i < 0 || f.parts[i].block.fault != nil {
		return false
	}
	if f.parts[i].block.lesson.Pinned != on {
		f.set(i, "pinned", on)
	}
	return true
}

// set changes one field of the lesson in part i and leaves the others as they are.
func (f *File) set(i int, key string, value any) {
	p := &f.parts[i]
	b := p.block
	body := append(writeObject(put(b.object, key, value)), '\n')
	p.raw = slices.Concat(p.raw[:b.from], body, p.raw[b.to:])
	*f = *Parse(f.Bytes())
}

// Remove takes the lesson of that id out of the file, with its fences and nothing else, also one that
// breaks a rule. It is false where there is none.
func (f *File) Remove(id string) bool {
	i := f.index(id)
	if i < 0 || f.parts[i].open {
		return false
	}
	f.parts = slices.Delete(f.parts, i, i+1)
	*f = *Parse(f.Bytes())
	return true
}

// fenced cuts a Markdown text into blocks fenced as json and what is between them. Fences are those
// of CommonMark at the top level: three or more backticks or tildes, at most three blanks before
// them, closed by at least as many of the same kind.
func fenced(text []byte) []filePart {
	var out []filePart
	start, offset, line := 0, 0, 0
	var mark string // the open fence; "" is none
	var opened int  // where it begins
	var block *fencedBlock
	emit := func(end int, p filePart) {
		if end > start {
			p.raw = text[start:end:end]
			out = append(out, p)
		}
		start = end
	}
	for l := range bytes.Lines(text) {
		line++
		next := offset + len(l)
		fence, info := fenceOf(string(l))
		switch {
		case mark == "" && fence != "":
			mark, opened = fence, offset
			if first, _, _ := strings.Cut(info, " "); strings.EqualFold(first, "json") {
				emit(offset, filePart{})
				block = &fencedBlock{line: line, from: next - start}
			}
		case mark != "" && fence != "" && info == "" && fence[0] == mark[0] && len(fence) >= len(mark):
			if block != nil {
				block.to = offset - start
				emit(next, filePart{block: block})
			}
			mark, block = "", nil
		}
		offset = next
	}
	if block != nil {
		block.to = len(text) - start
		emit(len(text), filePart{block: block, open: true})
	}
	if mark != "" && block == nil {
		emit(opened, filePart{})
		emit(len(text), filePart{open: true})
	}
	emit(len(text), filePart{})
	return out
}

// fenceOf is the run of backticks or tildes that a line begins with where it is a fence, and the
// text behind it.
func fenceOf(line string) (fence, info string) {
	line = strings.TrimRight(line, "\r\n")
	bare := strings.TrimLeft(line, " ")
	if len(line)-len(bare) > 3 || bare == "" || bare[0] != '`' && bare[0] != '~' {
		return "", ""
	}
	rest := strings.TrimLeft(bare, bare[:1])
	n := len(bare) - len(rest)
	if info = strings.TrimSpace(rest); n < 3 || bare[0] == '`' && strings.Contains(info, "`") {
		return "", ""
	}
	return bare[:n], info
}
