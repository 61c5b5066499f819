package cua

import (
	"reflect"
	"slices"
	"strings"
)

// LedgerReader reads the ledger of a history that grows, each step once. The zero value is ready. It holds nothing
// that the history does not say: Read of a history gives LedgerOf of it, whatever was read before; a history that
// does not go on where the last one ended is read from its start.
type LedgerReader struct {
	// read is what ledger was made of. Steps are never changed once they are in a history, so it costs nothing to keep them.
	read   History
	begun  bool
	ledger Ledger
}

// Read is LedgerOf(h). What it returns is never changed, not by a later Read either.
func (r *LedgerReader) Read(h History) Ledger {
	if !r.begun || !r.goesOn(h) {
		r.ledger = LedgerOf(h)
	} else {
		// Pages that resumptions showed are those that the steps behind them acted on, and entered with them; the last
		// may have no such step yet.
		from := len(r.read.Steps)
		r.ledger = r.ledger.and(LedgerOf(History{Start: h.Before(from), Steps: h.Steps[from:], Resumed: later(h.Resumed, from)}))
	}
	r.begun, r.read = true, History{Start: h.Start, Steps: slices.Clip(h.Steps), Resumed: slices.Clone(h.Resumed)}
	return r.ledger.clipped()
}

// goesOn says whether h begins with what was read. Where both share their memory that is seen at once; where a history
// had to move, what is compared shares all but the steps themselves.
func (r *LedgerReader) goesOn(h History) bool {
	n, resumed := len(r.read.Steps), len(r.read.Resumed)
	if n > len(h.Steps) || resumed > len(h.Resumed) || !sameEntry(&r.read.Start, &h.Start) {
		return false
	}
	for i, p := range h.Resumed {
		if i >= resumed {
			if p.At < n {
				return false
			}
			continue
		}
		was := &r.read.Resumed[i]
		if p.At != was.At || p.Interrupted != was.Interrupted || !sameEntry(&p.Page, &was.Page) {
			return false
		}
	}
	return n == 0 || &r.read.Steps[0] == &h.Steps[0] || reflect.DeepEqual(r.read.Steps, h.Steps[:n])
}

// sameEntry says whether a ledger takes the same of two pages on which a stretch of history begins.
func sameEntry(a, b *Observation) bool { return a.URL == b.URL && a.Downloads == b.Downloads }

// later are the resumptions at and after step index from, as a stretch that begins there has them.
func later(all []Resumption, from int) []Resumption {
	var out []Resumption
	for _, p := range all {
		if p.At >= from {
			p.At -= from
			out = append(out, p)
		}
	}
	return out
}

// and is Merge of l and of what came after it. It shares memory with l and leaves l as it is.
func (l Ledger) and(m Ledger) Ledger {
	out := l
	for _, p := range m.Pages {
		at, known := slices.BinarySearchFunc(out.Pages, p, func(a, b Entry) int { return strings.Compare(a.Text, b.Text) })
		if !known {
			out.Pages = slices.Insert(slices.Clip(out.Pages), at, p)
		}
	}
	newer := m.lists()
	for i, list := range out.lists() {
		n, add := len(*list), *newer[i]
		switch {
		case list == &out.Pages || len(add) == 0:
		case n > 0 && add[0].Step <= (*list)[n-1].Step: // not in the order of a history
			return l.Merge(m)
		default:
			*list = append(*list, add...)
		}
	}
	return out
}

// lists are those of l, in the order in which they are written.
func (l *Ledger) lists() []*[]Entry {
	return []*[]Entry{&l.Pages, &l.Data, &l.Forms, &l.Downloads, &l.Irreversible, &l.Rewinds}
}

// clipped is l, with nothing behind its lists that somebody who appends to them could overwrite.
func (l Ledger) clipped() Ledger {
	for _, list := range l.lists() {
		*list = slices.Clip(*list)
	}
	return l
}
