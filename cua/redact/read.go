package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// span is more than the longest escape of one character, bytes.
	span = 64
	// maxIntroducer is the length of the longest backslash, percent sign or ampersand with which an escape
	// begins, bytes: they may be escaped themselves. maxBackslashes bounds how many stand before one.
	maxIntroducer  = 24
	maxBackslashes = 8
	// maxReadings is how many ways to read one character there are at most.
	maxReadings = 16
	// maxName is how many letters the name of a character has at most, and how many digits its number, with
	// zeros before it.
	maxName = 12
)

// reading is one way to read a character: which it is and where it ends.
type reading struct {
	r   rune
	end int
}

// escapes reports whether a character that is escaped may begin with b, or one that is no ASCII.
func escapes(b byte) bool {
	return b == '\\' || b == '%' || b == '&' || b == '+' || b >= utf8.RuneSelf
}

// readings are the ways to read the character at i, which is within the text: as it stands, and where an
// escape begins there, as what that stands for. A plus sign may stand for a space, also where it is escaped.
// More is true where the text ends within one.
func readings(t string, i int, out []reading) (all []reading, more bool) {
	if !escapes(t[i]) {
		return append(out, reading{rune(t[i]), i + 1}), false
	}
	e := escaped{t: t, from: i, all: out}
	e.read(true)
	for _, one := range e.all {
		if one.r == '+' {
			e.add(' ', one.end)
		}
	}
	return e.all, e.more
}

// escaped collects the readings of the character at from.
type escaped struct {
	t    string
	from int
	all  []reading
	more bool
}

// read collects them. An escape begins with an introducer, which may be the reading of another escape. With
// deep, so may the other characters of it that are no letters and digits.
func (e *escaped) read(deep bool) {
	r, size := utf8.DecodeRuneInString(e.t[e.from:])
	e.more = r == utf8.RuneError && !utf8.FullRuneInString(e.t[e.from:])
	e.add(r, e.from+size)
	for n := 0; n < len(e.all); n++ {
		one := e.all[n]
		switch {
		case one.end-e.from > maxIntroducer:
		case one.r == '\\':
			e.backslash(one.end, deep)
		case one.r == '%':
			e.bytes(one.end, false)
		case one.r == '&':
			e.entity(one.end, deep)
		}
	}
}

func (e *escaped) add(r rune, end int) {
	one := reading{r, end}
	if len(e.all) < maxReadings && end-e.from < span && !slices.Contains(e.all, one) {
		e.all = append(e.all, one)
	}
}

// digits is the number of so many digits at i; -1 is none.
func (e *escaped) digits(i, count, base int) int {
	v := 0
	for n := range count {
		if i+n >= len(e.t) {
			e.more = true
			return -1
		}
		d := digit(e.t[i+n])
		if d >= base {
			return -1
		}
		v = v*base + d
	}
	return v
}

// digit is the value of a hex digit, else 16.
func digit(b byte) int {
	switch {
	case b >= '0' && b <= '9':
		return int(b - '0')
	case b|0x20 >= 'a' && b|0x20 <= 'f':
		return int(b|0x20-'a') + 10
	}
	return 16
}

// inner are the readings of the character at i within an escape.
func (e *escaped) inner(i int, deep bool, room []reading) []reading {
	if i >= len(e.t) {
		e.more = true
		return nil
	}
	inner := escaped{t: e.t, from: i, all: room}
	if deep && escapes(e.t[i]) {
		inner.read(false)
	} else {
		r, size := utf8.DecodeRuneInString(e.t[i:])
		inner.add(r, i+size)
		inner.more = r == utf8.RuneError && !utf8.FullRuneInString(e.t[i:])
	}
	e.more = e.more || inner.more
	return inner.all
}

// controls are the characters that a letter after a backslash stands for.
var controls = map[byte]rune{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f', 'v': '\v'}

// backslash reads what follows one at i. Some writers escape what is escaped already: a run of backslashes
// counts as one.
func (e *escaped) backslash(i int, deep bool) {
	if i >= len(e.t) {
		e.more = true
		return
	}
	c := e.t[i]
	switch {
	case c == '\\':
		if i-e.from <= maxBackslashes {
			e.add('\\', i+1)
		}
		return
	case c == 'u':
		e.utf16(i, deep)
	case c == 'x' || digit(c) < 8:
		e.bytes(i, true)
	case controls[c] != 0:
		e.add(controls[c], i+1)
	}
	var room [maxReadings]reading
	for _, one := range e.inner(i, deep, room[:0]) {
		e.add(one.r, one.end)
	}
}

// utf16 reads uXXXX at i, with the second half of a pair, or u{…}.
func (e *escaped) utf16(i int, deep bool) {
	if strings.HasPrefix(e.t[i+1:], "{") {
		v, end := e.number(i+2, 16)
		switch {
		case end == len(e.t):
			e.more = true
		case end > i+2 && e.t[end] == '}':
			e.add(v, end+1)
		}
		return
	}
	v := e.digits(i+1, 4, 16)
	if v < 0 || v < 0xd800 || v >= 0xdc00 {
		if v >= 0 {
			e.add(rune(v), i+5)
		}
		return
	}
	var room [maxReadings]reading
	for _, low := range e.inner(i+5, deep, room[:0]) {
		if low.r >= 0xdc00 && low.r < 0xe000 {
			e.add(rune(v-0xd800)<<10+(low.r-0xdc00)+0x10000, low.end)
		}
	}
}

// bytes reads the number of a byte at i, and those that follow if they are one character together. With
// single, a byte is also a character by itself.
func (e *escaped) bytes(i int, single bool) {
	sign := e.t[e.from:i] // the other bytes are written like the first
	var b [utf8.UTFMax]byte
	for n := range b {
		v, end := e.byteAt(i, single)
		if v < 0 {
			return
		}
		b[n] = byte(v)
		if n == 0 && single {
			e.add(rune(v), end)
		}
		if utf8.FullRune(b[:n+1]) {
			r, _ := utf8.DecodeRune(b[:n+1])
			e.add(r, end)
			return
		}
		if !strings.HasPrefix(e.t[end:], sign) {
			e.more = e.more || strings.HasPrefix(sign, e.t[end:])
			return
		}
		i = end + len(sign)
	}
}

// byteAt reads two hex digits at i, after a backslash those of xXX or one to three octal ones; -1 is none.
func (e *escaped) byteAt(i int, backslash bool) (v, end int) {
	switch {
	case !backslash:
		return e.digits(i, 2, 16), i + 2
	case i < len(e.t) && e.t[i] == 'x':
		return e.digits(i+1, 2, 16), i + 3
	}
	v, end = -1, i
	for end < len(e.t) && end < i+3 && digit(e.t[end]) < 8 && v*8 <= 0xff-digit(e.t[end]) {
		v, end = max(v, 0)*8+digit(e.t[end]), end+1
	}
	e.more = e.more || end == len(e.t) && end < i+3
	return v, end
}

// named are the entities that writers of HTML use for what must be escaped, and that of the clipMark.
var named = []struct {
	name string
	r    rune
}{{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}, {"nbsp", '\u00a0'},
	{"hellip", clipMark}}

// entity reads the name or number of an HTML entity at i. Its semicolon may be missing.
func (e *escaped) entity(i int, deep bool) {
	var room [maxReadings]reading
	for _, one := range e.inner(i, deep, room[:0]) {
		if one.r != '#' {
			continue
		}
		base, start := 10, one.end
		if start < len(e.t) && e.t[start]|0x20 == 'x' {
			base, start = 16, start+1
		}
		v, end := e.number(start, base)
		if end == len(e.t) {
			e.more = true
		}
		if end > start {
			e.ended(v, end, deep)
		}
	}
	for _, n := range named {
		if end := i + len(n.name); end <= len(e.t) && strings.EqualFold(e.t[i:end], n.name) {
			e.ended(n.r, end, deep)
		}
	}
	end := i // a name that is not known may be cut as well
	for end < len(e.t) && end < i+maxName && (digit(e.t[end]) < 10 || letter(e.t[end])) {
		end++
	}
	e.more = e.more || end == len(e.t)
}

// ended adds the entity that ends at i, or with its semicolon there.
func (e *escaped) ended(r rune, i int, deep bool) {
	var room [maxReadings]reading
	all := e.inner(i, deep, room[:0])
	for _, one := range all {
		if one.r == ';' {
			e.add(r, one.end)
		}
	}
	if i == len(e.t) || e.t[i] != ';' {
		e.add(r, i)
	}
}

// number is the character whose number has its digits at i, and where they end; i is nowhere.
func (e *escaped) number(i, base int) (r rune, end int) {
	v := 0
	for end = i; end < len(e.t) && end < i+maxName && digit(e.t[end]) < base; end++ {
		v = v*base + digit(e.t[end])
	}
	if v > unicode.MaxRune {
		return 0, i
	}
	return rune(v), end
}

func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
