package redact

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxEscapes bounds the backslashes before one character: those of JSON in JSON, three deep. maxNested
	// bounds how often a percent sign or an ampersand is escaped itself.
	maxEscapes = 8
	maxNested  = 4
	// maxReadings is how many ways to read one character there are at most, about.
	maxReadings = maxEscapes + 8
	// maxEntity is the length of the longest entity that is read, bytes.
	maxEntity = 12
)

// reading is one way to read a character: which it is and where it ends.
type reading struct {
	r   rune
	end int
}

// readings are the ways to read the character at i: as it stands, and where an escape begins there, as what
// that stands for. A plus sign may stand for a space, also where it is escaped. More is true where the text
// ends within one.
func readings(t string, i int, out []reading) (all []reading, more bool) {
	all, more = plainReadings(t, i, out)
	for _, one := range all {
		if one.r == '+' {
			all = append(all, reading{' ', one.end})
		}
	}
	return all, more
}

func plainReadings(t string, i int, out []reading) (all []reading, more bool) {
	if i >= len(t) {
		return out, true
	}
	switch t[i] {
	case '\\':
		return backslash(t, i, out)
	case '%':
		out = append(out, reading{'%', i + 1})
		for nested := range maxNested {
			r, end, m := percent(t, i, nested)
			if end > 0 {
				out = append(out, reading{r, end})
			}
			more = more || m
		}
		return out, more
	case '&':
		out = append(out, reading{'&', i + 1})
		r, end, more := entity(t, i)
		if end > 0 {
			out = append(out, reading{r, end})
		}
		return out, more
	}
	r, size := utf8.DecodeRuneInString(t[i:])
	if r == utf8.RuneError && !utf8.FullRuneInString(t[i:]) {
		return out, true
	}
	return append(out, reading{r, i + size}), false
}

// controls are the characters that a letter after a backslash stands for.
var controls = map[byte]rune{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f', 'v': '\v'}

// backslash reads what begins with one at i. Some writers escape what is escaped already: a run of
// backslashes counts as one.
func backslash(t string, i int, out []reading) ([]reading, bool) {
	j := i
	for j < len(t) && t[j] == '\\' && j-i < maxEscapes {
		j++
		out = append(out, reading{'\\', j})
	}
	if j == len(t) {
		return out, true
	}
	if r, known := controls[t[j]]; known {
		out = append(out, reading{r, j + 1})
	}
	if t[j] == 'u' || t[j] == 'x' {
		r, end, more := numbered(t, j)
		if more {
			return out, true
		}
		if end > 0 {
			out = append(out, reading{r, end})
		}
	}
	r, size := utf8.DecodeRuneInString(t[j:])
	if r == utf8.RuneError && !utf8.FullRuneInString(t[j:]) {
		return out, true
	}
	return append(out, reading{r, j + size}), false
}

// numbered reads uXXXX, with the second half of a pair, or xXX at j; end is 0 where it is neither.
func numbered(t string, j int) (r rune, end int, more bool) {
	digits := 4
	if t[j] == 'x' {
		digits = 2
	}
	v, more := hexAt(t, j+1, digits)
	if v < 0 || more {
		return 0, 0, more
	}
	end = j + 1 + digits
	if v < 0xd800 || v >= 0xdc00 {
		return rune(v), end, false
	}
	k := end
	for k < len(t) && t[k] == '\\' && k-end < maxEscapes {
		k++
	}
	if k == len(t) {
		return 0, 0, true
	}
	if k == end || t[k] != 'u' {
		return 0, 0, false
	}
	low, more := hexAt(t, k+1, 4)
	if low < 0xdc00 || low >= 0xe000 || more {
		return 0, 0, more
	}
	return rune((v-0xd800)<<10|(low-0xdc00)) + 0x10000, k + 5, false
}

// hexAt is the number of so many hex digits at i; -1 is none. More is true where the text ends within it.
func hexAt(t string, i, digits int) (v int, more bool) {
	for n := range digits {
		if i+n >= len(t) {
			return -1, true
		}
		d := strings.IndexByte("0123456789abcdef", t[i+n]|0x20)
		if d < 0 || t[i+n] < '0' {
			return -1, false
		}
		v = v<<4 | d
	}
	return v, false
}

// percent reads a percent-encoded character at i, whose percent signs were encoded so often again.
func percent(t string, i, nested int) (r rune, end int, more bool) {
	var b [utf8.UTFMax]byte
	for n := range b {
		v, next, more := percentByte(t, i, nested)
		if more || v < 0 {
			return 0, 0, more
		}
		b[n], i = byte(v), next
		if utf8.FullRune(b[:n+1]) {
			r, _ := utf8.DecodeRune(b[:n+1])
			return r, i, false
		}
	}
	return 0, 0, false
}

func percentByte(t string, i, nested int) (v, end int, more bool) {
	sign := "%25252525"[:1+2*nested]
	if !strings.HasPrefix(t[i:], sign) {
		return -1, 0, strings.HasPrefix(sign, t[i:])
	}
	i += len(sign)
	v, more = hexAt(t, i, 2)
	return v, i + 2, more
}

// named are the entities that writers of HTML use for what must be escaped.
var named = map[string]rune{"amp": '&', "lt": '<', "gt": '>', "quot": '"', "apos": '\'', "nbsp": '\u00a0'}

// entity reads an HTML entity at i, whose ampersand may be escaped again.
func entity(t string, i int) (r rune, end int, more bool) {
	i++
	for n := 0; n < maxNested && strings.HasPrefix(t[i:], "amp;"); n++ {
		if rest := t[i+4:]; rest != "" && rest[0] != '#' && !letter(rest[0]) {
			break
		}
		_, end, m := entityName(t, i+4)
		more = more || m
		if end == 0 {
			break
		}
		i += 4
	}
	r, end, m := entityName(t, i)
	return r, end, more || m
}

// entityName reads a name or number with its semicolon at i.
func entityName(t string, i int) (r rune, end int, more bool) {
	j := i
	for j < len(t) && j-i < maxEntity && (letter(t[j]) || t[j] == '#' || t[j] >= '0' && t[j] <= '9') {
		j++
	}
	switch {
	case j == len(t):
		return 0, 0, true
	case j == i || t[j] != ';':
		return 0, 0, false
	}
	name := strings.ToLower(t[i:j])
	if r, known := named[name]; known {
		return r, j + 1, false
	}
	number, ok := strings.CutPrefix(name, "#")
	base := 10
	if h, isHex := strings.CutPrefix(number, "x"); isHex {
		number, base = h, 16
	}
	v, err := strconv.ParseUint(number, base, 31)
	if !ok || err != nil || v > unicode.MaxRune {
		return 0, 0, false
	}
	return rune(v), j + 1, false
}

func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' }
