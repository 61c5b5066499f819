package cua

import (
	"slices"
	"strings"
)

// LedgerReader reads the ledger of a history that grows, each step once. The zero value is ready. It holds
// nothing that the history does not say: Read of a history gives LedgerOf of it. Each history must extend the
// one that was read before (Growth).
type LedgerReader struct {
	begun  bool
	steps  int // how many have been read
	ledger Ledger
}

// Read is LedgerOf(h). What it returns is never changed, not by a later Read either.
func (r *LedgerReader) Read(h History) Ledger {
	if !r.begun {
		r.ledger = LedgerOf(h)
	} else {
		// Pages that resumptions showed are those that the steps behind them acted on, and entered with them;
		// the last may have no such step yet.
		more := History{Start: h.Before(r.steps), Steps: h.Steps[r.steps:],
			Resumed: later(h.Resumed, r.steps)}
		r.ledger = r.ledger.and(LedgerOf(more))
	}
	r.begun, r.steps = true, len(h.Steps)
	return r.ledger.clipped()
}

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
		at, known := slices.BinarySearchFunc(out.Pages, p,
			func(a, b Entry) int { return strings.Compare(a.Text, b.Text) })
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
