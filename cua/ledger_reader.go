package cua

import (
	"slices"
	"strings"
)

// LedgerReader computes the ledger of a history that grows and reads each step once. The zero value is ready.
// It caches only: Read returns LedgerOf(h). Each history must extend the one that was read before (Growth).
type LedgerReader struct {
	begun  bool
	steps  int // how many have been read
	ledger Ledger
}

// Read is LedgerOf(h). Later calls do not change the result.
func (r *LedgerReader) Read(h History) Ledger {
	if !r.begun {
		r.ledger = LedgerOf(h)
	} else {
		// The page of a resumption is entered with the step that acted on it. The last resumption may have no
		// such step yet.
		more := History{Start: h.Before(r.steps), Steps: h.Steps[r.steps:],
			Resumed: later(h.Resumed, r.steps)}
		r.ledger = r.ledger.and(LedgerOf(more))
	}
	r.begun, r.steps = true, len(h.Steps)
	return r.ledger.clipped()
}

// later are the resumptions at and after step index from, counted from there.
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

// and is l.Merge(m) for m that came after l. The result shares memory with l, which stays unchanged.
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
		case n > 0 && add[0].Step <= (*list)[n-1].Step: // m does not come after l
			return l.Merge(m)
		default:
			*list = append(*list, add...)
		}
	}
	return out
}

// lists are pointers to the lists of l, in the order in which they are written.
func (l *Ledger) lists() []*[]Entry {
	return []*[]Entry{&l.Pages, &l.Data, &l.Forms, &l.Downloads, &l.Irreversible, &l.Rewinds}
}

// clipped is l with its lists clipped to their length, so that an append to them cannot overwrite shared
// memory.
func (l Ledger) clipped() Ledger {
	for _, list := range l.lists() {
		*list = slices.Clip(*list)
	}
	return l
}
