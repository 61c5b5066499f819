package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// finder is the words to look for as one tree of their characters: words that begin alike share a way.
type finder struct {
	nodes  []node
	words  []string   // the mark of each word; the longest word is first
	marks  []string   // each once
	starts [256]bool  // the bytes with which a word or a mark may begin in a text, also as an escape
	ascii  [128]int32 // the children of the root, 0 is none
}

// node is the beginning of a word, in lower case.
type node struct {
	kids  []kid
	depth int   // characters from the root
	ends  int32 // the word that ends here, or noWord
	below int32 // the first of the words that go on from here, or noWord
}

type kid struct {
	r    rune
	node int32
}

const noWord = -1

func newFinder(all []entry) *finder {
	type word struct {
		runes []rune
		mark  string
	}
	var words []word
	f := &finder{nodes: []node{{ends: noWord, below: noWord}}}
	for _, e := range all {
		if !slices.Contains(f.marks, e.mark) {
			f.marks = append(f.marks, e.mark)
			f.starts[e.mark[0]] = true
		}
		for _, spelled := range Spellings(e.value) {
			if folded := strings.Map(unicode.ToLower, spelled.Text); folded != "" {
				words = append(words, word{[]rune(folded), e.mark})
			}
		}
	}
	if len(words) == 0 {
		return nil
	}
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(len(b.runes), len(a.runes)) })
	for i, w := range words {
		f.words = append(f.words, w.mark)
		f.add(w.runes, int32(i))
		for _, b := range firstBytes(w.runes[0]) {
			f.starts[b] = true
		}
	}
	for _, k := range f.nodes[0].kids {
		if k.r < utf8.RuneSelf {
			f.ascii[k.r] = k.node
		}
	}
	return f
}

func (f *finder) add(word []rune, place int32) {
	at := int32(0)
	for _, r := range word {
		if f.nodes[at].below == noWord {
			f.nodes[at].below = place
		}
		next := f.child(at, r)
		if next == 0 {
			next = int32(len(f.nodes))
			f.nodes[at].kids = append(f.nodes[at].kids, kid{r, next})
			f.nodes = append(f.nodes, node{depth: f.nodes[at].depth + 1, ends: noWord, below: noWord})
		}
		at = next
	}
	if f.nodes[at].ends == noWord {
		f.nodes[at].ends = place
	}
}

// child is where r leads from a node; 0, which is the root, is nowhere.
func (f *finder) child(at int32, r rune) int32 {
	for _, k := range f.nodes[at].kids {
		if k.r == r {
			return k.node
		}
	}
	return 0
}

// first is child of the root.
func (f *finder) first(r rune) int32 {
	if uint32(r) < utf8.RuneSelf {
		return f.ascii[r]
	}
	return f.child(0, r)
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

// marked is the length of the mark that text begins with; 0 is none. More says that text ends within one.
func (f *finder) marked(text string) (n int, more bool) {
	for _, m := range f.marks {
		if strings.HasPrefix(text, m) {
			return len(m), false
		}
		more = more || strings.HasPrefix(m, text)
	}
	return 0, more
}
