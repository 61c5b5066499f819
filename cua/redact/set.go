package redact

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Set holds values of secrets, and what stands in their place. The zero value, and a nil Set, hold none. Its
// methods may be called from several goroutines.
type Set struct {
	mu     sync.RWMutex
	values map[string]string // by mark
	finder *finder           // nil: nothing is looked for
}

// New is a Set in which <secret:NAME> stands for each value.
func New(secrets map[string]string) *Set {
	s := &Set{}
	s.Learn(secrets)
	return s
}

// Keys is a Set in which mark stands for each of the values; those that are "" are left out.
func Keys(mark string, values ...string) *Set {
	s := &Set{}
	s.finder = newFinder(slices.Collect(func(yield func(entry) bool) {
		for _, v := range values {
			if !yield(entry{mark, v}) {
				return
			}
		}
	}))
	return s
}

// Mark is what stands for the secret of that name.
func Mark(name string) string { return "<secret:" + name + ">" }

// Learn adds secrets by name to a Set that New made. It is cheap where they are known.
func (s *Set) Learn(secrets map[string]string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := false
	for name, value := range secrets {
		if old, known := s.values[Mark(name)]; !known || old != value {
			if s.values == nil {
				s.values = map[string]string{}
			}
			s.values[Mark(name)], fresh = value, true
		}
	}
	if !fresh {
		return
	}
	var all []entry
	for _, mark := range slices.Sorted(maps.Keys(s.values)) {
		all = append(all, entry{mark, s.values[mark]})
	}
	s.finder = newFinder(all)
}

// now is what is looked for; nil is nothing.
func (s *Set) now() *finder {
	if s == nil {
		return nil
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.finder
}

// Text is text with the mark of a secret in place of each spelling of its value (Spellings), also where
// single characters of it are escaped as JSON, URLs and HTML escape them, and in letters of another case. A
// value below MinLength is left. Of a spelling that a clip cut (cua.Clip), the beginning is replaced if it
// has at least MinLength characters.
func (s *Set) Text(text string) string {
	f := s.now()
	if f == nil {
		return text
	}
	out, _ := f.scan(text, true)
	return out
}

// Holds reports whether text has a spelling of a value.
func (s *Set) Holds(text string) bool { return s.Text(text) != text }

const (
	// clipMark ends what was clipped: each clip of what a page or a brain says ends with it.
	clipMark = "…"
	// minCut is how much of a spelling must stand before a clipMark, characters.
	minCut = MinLength
	// maxEscaped is the length of the longest escape of one character, about, bytes: four bytes as percent
	// signs that are escaped themselves.
	maxEscaped = 4 * (2*maxNested + 1)
)

// entry is a value and its mark.
type entry struct{ mark, value string }

// word is one spelling to look for, in lower case.
type word struct {
	runes []rune
	mark  string
}

// finder looks for words.
type finder struct {
	words   []word
	byFirst [256][]int    // places in words, by the first byte that each may begin with; longest first
	begins  map[rune]bool // the first characters of words
	marks   []string
}

func newFinder(all []entry) *finder {
	f := &finder{begins: map[rune]bool{}}
	for _, e := range all {
		if !slices.Contains(f.marks, e.mark) {
			f.marks = append(f.marks, e.mark)
		}
		seen := map[string]bool{}
		for _, spelled := range Spellings(e.value) {
			folded := strings.Map(unicode.ToLower, spelled.Text)
			if folded == "" || seen[folded] {
				continue
			}
			seen[folded] = true
			f.words = append(f.words, word{[]rune(folded), e.mark})
		}
	}
	if len(f.words) == 0 {
		return nil
	}
	slices.SortStableFunc(f.words, func(a, b word) int { return cmp.Compare(len(b.runes), len(a.runes)) })
	for i, w := range f.words {
		f.begins[w.runes[0]] = true
		for _, b := range firstBytes(w.runes[0]) {
			if !slices.Contains(f.byFirst[b], i) {
				f.byFirst[b] = append(f.byFirst[b], i)
			}
		}
	}
	return f
}

// firstBytes are those with which r may begin in a text, in any case and as an escape. The replacement
// character also stands for each byte that is not UTF-8.
func firstBytes(r rune) []byte {
	out := []byte{'\\', '%', '&'}
	switch r {
	case ' ':
		out = append(out, '+')
	case utf8.RuneError:
		for b := utf8.RuneSelf; b <= 0xff; b++ {
			out = append(out, byte(b))
		}
	}
	for x := unicode.SimpleFold(r); ; x = unicode.SimpleFold(x) {
		out = append(out, string(x)[0])
		if x == r {
			return out
		}
	}
}

// scan puts marks into text. What may be the beginning of a spelling whose rest is yet to come is held back,
// but not where final says that nothing will come.
func (f *finder) scan(text string, final bool) (out, held string) {
	var b strings.Builder
	done := 0
	for i := 0; i < len(text); {
		if text[i] == '<' {
			if n := f.marked(text[i:]); n > 0 { // what stands for a secret is none
				i += n
				continue
			}
		}
		end, mark, more := f.all(text, i)
		switch {
		case more && !final:
			b.WriteString(text[done:i])
			return b.String(), text[i:]
		case end > 0:
			b.WriteString(text[done:i])
			b.WriteString(mark)
			i, done = end, end
		default:
			i++
		}
	}
	if done == 0 {
		return text, ""
	}
	b.WriteString(text[done:])
	return b.String(), ""
}

// marked is the length of the mark that text begins with; 0 is none.
func (f *finder) marked(text string) int {
	for _, m := range f.marks {
		if strings.HasPrefix(text, m) {
			return len(m)
		}
	}
	return 0
}

// all is at with the words that begin within what was found, and so on: a page may write two spellings one
// over the other, and what is left of either would tell the rest. Each mark is there once.
func (f *finder) all(text string, i int) (end int, marks string, more bool) {
	end, marks, more = f.at(text, i)
	for j := i + 1; j < end; j++ {
		e, mark, m := f.at(text, j)
		more = more || m
		if e <= end {
			continue
		}
		end = e
		if !strings.Contains(marks, mark) {
			marks += mark
		}
	}
	return end, marks, more
}

// at looks for the longest word at i; end is 0 where there is none. More says that one may go on behind the
// text's end.
func (f *finder) at(text string, i int) (end int, mark string, more bool) {
	list := f.byFirst[text[i]]
	if len(list) == 0 {
		return 0, "", false
	}
	if escapes(text[i]) {
		var read [maxReadings]reading
		all, m := readings(text, i, read[:0])
		more = m
		if !slices.ContainsFunc(all, func(one reading) bool { return f.begins[unicode.ToLower(one.r)] }) {
			return 0, "", more
		}
	}
	for _, n := range list {
		w := &f.words[n]
		e, m := match(text, i, w.runes)
		if e > end {
			end, mark = e, w.mark
		}
		more = more || m
	}
	return end, mark, more
}

// escapes reports whether a character that is escaped may begin with b, or one that is no ASCII.
func escapes(b byte) bool {
	return b == '\\' || b == '%' || b == '&' || b == '+' || b >= utf8.RuneSelf
}

// match is where the longest reading of the word at i ends; 0 is nowhere. More says that it may go on behind
// the text's end.
func match(text string, i int, w []rune) (end int, more bool) {
	for n, r := range w {
		switch {
		case i >= len(text):
			return 0, true
		case escapes(text[i]):
			return matchEscaped(text, i, w, n)
		case unicode.ToLower(rune(text[i])) != r:
			return 0, false
		}
		i++
	}
	return i, false
}

// matchEscaped is match from the n-th character of a word on, any of which may be escaped: there may be
// several ways to read the text.
func matchEscaped(text string, i int, w []rune, n int) (end int, more bool) {
	var a, b [2 * maxEscapes]int
	var read [maxReadings]reading
	from, to := append(a[:0], i), b[:0]
	for ; n < len(w); n++ {
		to = to[:0]
		for _, at := range from {
			all, m := readings(text, at, read[:0])
			more = more || m
			for _, one := range all {
				if unicode.ToLower(one.r) == w[n] {
					to = include(to, one.end)
				}
			}
			if n >= minCut {
				e, m := cutAt(text, at)
				end, more = max(end, e), more || m
			}
		}
		if from, to = to, from; len(from) == 0 {
			return end, more
		}
	}
	return slices.Max(from), more
}

// cutAt is the place of the clipMark that cuts the text at i, which may be within the escape of a character;
// 0 is none. More says that the text ends within that mark.
func cutAt(text string, i int) (end int, more bool) {
	n := strings.Index(text[i:min(len(text), i+maxEscaped+len(clipMark))], clipMark)
	if n < 0 {
		for part := len(clipMark) - 1; part > 0 && !more; part-- {
			more = strings.HasSuffix(text[i:], clipMark[:part])
			n = len(text) - i - part
		}
		if !more {
			return 0, false
		}
	}
	if n > 0 {
		if _, within := readings(text[:i+n], i, nil); !within {
			return 0, false
		}
	}
	if more {
		return 0, true
	}
	return i + n, false
}

func include(list []int, at int) []int {
	if slices.Contains(list, at) {
		return list
	}
	return append(list, at)
}
