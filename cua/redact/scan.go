package redact

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

const (
	// clipMark ends what was clipped: each clip of what a page or a brain says ends with it.
	clipMark = '…'
	// minCut is how much of a spelling must stand before a clipMark, characters.
	minCut = MinLength
)

// scan reads a text once, from its beginning to its end, and follows all ways to read it at the same time
// (readings). At each place it has at most one way for each node, so that its time is bounded by the length
// of the text times the number of nodes, whatever the text is.
type scan struct {
	f       *finder
	text    string
	at      int         // what is before it was read
	ways    [span][]way // by the place where they go on, modulo span
	live    int         // how many ways there are
	seen    []int       // by node: the place of its way in a list, where that has it
	marked  int         // the end of the last mark in the text: no word begins within one
	clip    int         // the last clipMark that nextClip found
	noClip  int         // there is none from s.at or clip up to here
	found   []found     // beginnings and ends both ascend
	open    found       // what was found last; more may be found that overlaps it
	marks   string      // of open; "" is none
	done    int         // what is before it is in out
	out     strings.Builder
	changed bool
}

// way is a beginning of a word that was read.
type way struct {
	node  int32
	start int
}

// found is a word in the text.
type found struct {
	start, end int
	word       int32
}

var scans = sync.Pool{New: func() any { return &scan{} }}

// clean is text with marks in place of words.
func (f *finder) clean(text string) string {
	s := scans.Get().(*scan)
	defer scans.Put(s)
	s.reset(f)
	s.text = text
	s.read(true)
	if s.changed {
		text = s.take()
	}
	s.text = ""
	return text
}

// reset makes s ready for another text.
func (s *scan) reset(f *finder) {
	s.leave()
	*s = scan{f: f, ways: s.ways, found: s.found[:0], seen: s.seen}
	if len(s.seen) < len(f.nodes) {
		s.seen = make([]int, len(f.nodes))
	}
}

// take is what was put out since the last time.
func (s *scan) take() string {
	out := s.out.String()
	s.out = strings.Builder{}
	return out
}

// read goes on to the end of the text, or to an escape that may go on behind it. With final nothing does.
func (s *scan) read(final bool) {
	var room [maxReadings]reading
	for s.at < len(s.text) {
		if s.live == 0 && !s.f.starts[s.text[s.at]] {
			s.at++
			continue
		}
		here := &s.ways[s.at%span]
		begins, more := s.begins()
		if len(*here) > 0 || begins {
			all, m := readings(s.text, s.at, room[:0])
			more = more || m
			if !more || final {
				more = s.step(*here, all, begins, final)
			}
		}
		if more && !final {
			break
		}
		s.live -= len(*here)
		*here = (*here)[:0]
		s.at++
	}
	if final { // what is behind the end is to come no more
		s.leave()
	}
	s.settle()
}

// leave ends all ways.
func (s *scan) leave() {
	if s.live > 0 {
		for i := range s.ways {
			s.ways[i] = s.ways[i][:0]
		}
		s.live = 0
	}
}

// drop forgets the text that was put out, if it is the greater part.
func (s *scan) drop() bool {
	n := s.done - s.done%span // so that the ways keep their places
	if n == 0 || n < len(s.text)/2 {
		return false
	}
	for _, ways := range s.ways {
		for i := range ways {
			ways[i].start -= n
		}
	}
	for i := range s.found {
		s.found[i].start -= n
		s.found[i].end -= n
	}
	s.open.start, s.open.end = s.open.start-n, s.open.end-n
	s.text, s.at, s.marked, s.done = s.text[n:], s.at-n, s.marked-n, s.done-n
	s.clip, s.noClip = s.clip-n, s.noClip-n
	return true
}

// begins reports whether a word may begin here. More says that a mark may, whose rest is to come.
func (s *scan) begins() (may, more bool) {
	if !s.f.starts[s.text[s.at]] {
		return false, false
	}
	if s.at >= s.marked {
		n, more := s.f.marked(s.text[s.at:])
		if more {
			return true, true
		}
		s.marked = s.at + n
	}
	return s.at >= s.marked, false
}

// step follows the ways that are here by all readings. More says that the text ends within what may be a
// clipMark: nothing was done then.
func (s *scan) step(here []way, all []reading, begins, final bool) (more bool) {
	sorted := s.sorted(here)
	if s.cut(sorted, all, final) {
		return true
	}
	for _, one := range all {
		r := unicode.ToLower(one.r)
		for _, w := range sorted {
			if next := s.f.child(w.node, r); next != 0 {
				s.follow(way{next, w.start}, one.end)
			}
		}
		if begins {
			if next := s.f.first(r); next != 0 {
				s.follow(way{next, s.at}, one.end)
			}
		}
	}
	return false
}

// cut finds what a clipMark cuts here. More is that of step.
func (s *scan) cut(here []way, all []reading, final bool) (more bool) {
	at := -1
	for _, w := range here {
		n := &s.f.nodes[w.node]
		if n.depth < minCut || n.below == noWord {
			continue
		}
		if at < 0 {
			if at, more = s.cutAt(all, final); more {
				return true
			}
		}
		if at > 0 {
			s.find(found{w.start, at, n.below})
		}
	}
	return false
}

// sorted is ways with one for each node, that which began first: what the others find lies within what it
// finds.
func (s *scan) sorted(ways []way) []way {
	if len(ways) < 2 {
		return ways
	}
	out := ways[:0]
	for _, w := range ways {
		if at := s.seen[w.node]; at < len(out) && out[at].node == w.node {
			out[at].start = min(out[at].start, w.start)
			continue
		}
		s.seen[w.node] = len(out)
		out = append(out, w)
	}
	s.live -= len(ways) - len(out)
	s.ways[s.at%span] = out
	return out
}

func (s *scan) follow(w way, end int) {
	n := &s.f.nodes[w.node]
	if n.ends != noWord {
		s.find(found{w.start, end, n.ends})
	}
	if len(n.kids) > 0 {
		s.ways[end%span] = append(s.ways[end%span], w)
		s.live++
	}
}

// find keeps what was found, unless that lies within what another found, and the first word where two are at
// the same place.
func (s *scan) find(m found) {
	i := len(s.found)
	for i > 0 && s.found[i-1].start >= m.start {
		i--
	}
	if i > 0 && s.found[i-1].end >= m.end {
		return
	}
	if i < len(s.found) && s.found[i].start == m.start {
		if o := s.found[i]; o.end > m.end || o.end == m.end && o.word <= m.word {
			return
		}
	}
	j := i
	for j < len(s.found) && s.found[j].end <= m.end {
		j++
	}
	s.found = slices.Replace(s.found, i, j, m)
}

// settle puts out what is decided: all before the first way that is not at its end.
func (s *scan) settle() {
	edge := s.at
	if s.live > 0 {
		for _, ways := range s.ways {
			for _, w := range ways {
				edge = min(edge, w.start)
			}
		}
	}
	n := 0
	for ; n < len(s.found) && s.found[n].start < edge; n++ {
		m := s.found[n]
		mark := s.f.words[m.word]
		switch {
		case s.marks == "" || m.start >= s.open.end:
			s.close()
			s.open, s.marks = m, mark
		case m.end > s.open.end:
			// A page may write two spellings one over the other, and what is left of either would tell the
			// rest. Each mark is there once.
			s.open.end = m.end
			if !strings.Contains(s.marks, mark) {
				s.marks += mark
			}
		}
	}
	s.found = slices.Delete(s.found, 0, n)
	if s.open.end <= edge {
		s.close()
	}
	if s.marks != "" {
		edge = min(edge, s.open.start)
	}
	if s.changed {
		s.out.WriteString(s.text[s.done:edge])
		s.done = edge
	}
}

// close puts out open, to which nothing can be added.
func (s *scan) close() {
	if s.marks == "" {
		return
	}
	s.out.WriteString(s.text[s.done:s.open.start])
	s.out.WriteString(s.marks)
	s.done, s.marks, s.changed = s.open.end, "", true
}

// cutAt is the place of the clipMark that cuts the text here, which may be within the escape of a character;
// 0 is none. More says that the text ends within that mark. All are the readings here.
func (s *scan) cutAt(all []reading, final bool) (end int, more bool) {
	if clip := clipped(all); clip > 0 {
		// A backslash before a mark that is not escaped itself begins an escape.
		if strings.HasSuffix(s.text[:clip], string(clipMark)) {
			return clip - utf8.RuneLen(clipMark), false
		}
		return s.at, false
	}
	if !escapes(s.text[s.at]) {
		return 0, false
	}
	end, more = s.nextClip(final)
	if end == 0 {
		return 0, false
	}
	var room [maxReadings]reading
	if _, within := readings(s.text[:end], s.at, room[:0]); !within {
		return 0, false
	}
	return end, more
}

// nextClip is the place of the next clipMark, if that is near; 0 is none. More says that the text may end
// within it. It remembers what it read: a text may be nothing but escapes.
func (s *scan) nextClip(final bool) (at int, more bool) {
	if s.clip > s.at {
		return s.clip, false
	}
	var room [maxReadings]reading
	for s.noClip = max(s.noClip, s.at+1); s.noClip < min(len(s.text), s.at+span); s.noClip++ {
		if !escapes(s.text[s.noClip]) {
			continue
		}
		all, m := readings(s.text, s.noClip, room[:0])
		switch {
		case clipped(all) > 0:
			s.clip = s.noClip
			return s.clip, false
		case m && !final:
			return s.noClip, true
		}
	}
	return 0, false
}

// clipped is where a clipMark ends that is among the readings; 0 is none.
func clipped(all []reading) int {
	for _, one := range all {
		if one.r == clipMark {
			return one.end
		}
	}
	return 0
}
