package cua

import (
	"reflect"
	"slices"
)

// Growth detects whether a history extends the one before. The zero value has seen none.
type Growth struct {
	read  History
	begun bool
	// tip is the newest step that was read, as it was then.
	tip Step
}

// GoesOn reports whether h extends the history of the last call, and remembers h. Steps in a history never
// change, except for the newest, which may have been read before it was recorded. So if both histories share
// memory, it compares the newest step only; otherwise it compares all.
func (g *Growth) GoesOn(h History) bool {
	ok := g.begun && g.extends(h)
	g.begun, g.read = true, h
	g.read.Steps, g.read.Resumed = slices.Clip(h.Steps), slices.Clip(h.Resumed)
	if n := len(h.Steps); n > 0 {
		g.tip = h.Steps[n-1]
	}
	return ok
}

func (g *Growth) extends(h History) bool {
	n, resumed := len(g.read.Steps), len(g.read.Resumed)
	if n > len(h.Steps) || resumed > len(h.Resumed) || !samePage(&g.read.Start, &h.Start) {
		return false
	}
	for i := range h.Resumed {
		p := &h.Resumed[i]
		if i >= resumed && p.At < n {
			return false
		}
		if i < resumed && !sameResumption(p, &g.read.Resumed[i]) {
			return false
		}
	}
	if n == 0 {
		return reflect.DeepEqual(g.read.Start, h.Start)
	}
	if !sameStep(&g.tip, &h.Steps[n-1]) {
		return false
	}
	for i := 0; i < n-1 && &g.read.Steps[0] != &h.Steps[0]; i++ {
		if !sameStep(&g.read.Steps[i], &h.Steps[i]) {
			return false
		}
	}
	return true
}

// sameStep reports whether a and b are copies of one step: they share their pointers.
func sameStep(a, b *Step) bool {
	return a.N == b.N && a.Decision == b.Decision && a.Action == b.Action && a.Effect == b.Effect &&
		a.Failure == b.Failure && a.RewoundTo == b.RewoundTo && a.Proposed.Kind == b.Proposed.Kind &&
		a.Target.ID == b.Target.ID && samePage(&a.After, &b.After)
}

func sameResumption(a, b *Resumption) bool {
	return a.At == b.At && a.Fresh == b.Fresh && a.End == b.End && a.Interrupted == b.Interrupted &&
		samePage(&a.Page, &b.Page)
}

// samePage reports whether a and b are equal in all that can be compared quickly.
func samePage(a, b *Observation) bool {
	return a.URL == b.URL && a.Document == b.Document && a.DOMDigest == b.DOMDigest &&
		a.FormDigest == b.FormDigest && a.FrameSHA == b.FrameSHA && a.Tab == b.Tab &&
		a.Downloads == b.Downloads && len(a.Fields) == len(b.Fields)
}
