package cua

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Ledger is what an episode has done, by executed actions alone and never by what a model said of them. A
// prompt that folds old steps away keeps it instead (spec: memory, ledger). It is a function of a stretch of
// history, and the ledgers of two stretches merge into that of both, so it survives any number of foldings.
type Ledger struct {
	// Pages are the addresses that were shown, without what may be secret in them.
	Pages []Entry `json:"pages,omitzero"`
	// Data are the looks that found something, and what they were for.
	Data []Entry `json:"data,omitzero"`
	// Forms are submissions that were answered well, and those that an interruption left uncertain.
	Forms []Entry `json:"forms,omitzero"`
	// Downloads are steps that started one.
	Downloads []Entry `json:"downloads,omitzero"`
	// Irreversible are all steps that changed something on a server, forms among them.
	Irreversible []Entry `json:"irreversible,omitzero"`
	// Rewinds are those that were made, and where they led.
	Rewinds []Entry `json:"rewinds,omitzero"`
}

// Entry is one line of a ledger.
type Entry struct {
	// Step is the number of the step; 0 for a page, which is entered once.
	Step int    `json:"step,omitzero"`
	Text string `json:"text"`
}

// LedgerOf is the ledger of h. A stretch of a longer history starts with what its first step acted on.
func LedgerOf(h History) Ledger {
	var l Ledger
	l.visit(h.Start)
	for _, r := range h.Resumed {
		l.visit(r.Page)
		if in := r.Interrupted; in != nil && in.Submit {
			sent := Entry{in.Number, "by " + in.Action.did(in.Name) + ": " + PossiblySent}
			l.Forms, l.Irreversible = append(l.Forms, sent), append(l.Irreversible, sent)
		}
	}
	for i := range h.Steps {
		l.add(&h.Steps[i], h.before(i))
	}
	return l.sorted()
}

// Merge is the ledger of both: the order of the two plays no part, and what is in both is in it once.
func (l Ledger) Merge(m Ledger) Ledger {
	return Ledger{
		Pages: slices.Concat(l.Pages, m.Pages), Data: slices.Concat(l.Data, m.Data),
		Forms:     slices.Concat(l.Forms, m.Forms),
		Downloads: slices.Concat(l.Downloads, m.Downloads), Irreversible: slices.Concat(l.Irreversible,
			m.Irreversible),
		Rewinds: slices.Concat(l.Rewinds, m.Rewinds),
	}.sorted()
}

func (l *Ledger) visit(o Observation) {
	if u := PublicURL(o.URL); u != "" {
		l.Pages = append(l.Pages, Entry{Text: u})
	}
}

func (l *Ledger) add(s *Step, before *Observation) {
	l.visit(s.After)
	if s.Action == nil || s.Failure != nil {
		return
	}
	here := cmp.Or(PublicURL(before.URL), "a page without address")
	enter := func(to *[]Entry, format string, args ...any) {
		*to = append(*to, Entry{s.N, fmt.Sprintf(format, args...)})
	}
	switch {
	case s.Action.Kind == Find || s.Action.Kind == Extract:
		enter(&l.Data, "%s %q on %s", s.Action.Kind, OneLine(s.Action.Text), here)
	case s.RewoundTo > 0:
		enter(&l.Rewinds, "back to before step %d, on %s", s.RewoundTo, PublicURL(s.After.URL))
	}
	if s.After.Downloads > before.Downloads {
		enter(&l.Downloads, "by %s on %s", s.did(), here)
	}
	var sent []string
	for _, w := range s.After.Writes {
		if w.OK() {
			sent = append(sent, fmt.Sprintf("%s %s (status %d)", w.Method, PublicURL(w.URL), w.Status))
		}
	}
	if len(sent) == 0 {
		return
	}
	slices.Sort(sent)
	if s.Submits() {
		enter(&l.Forms, "by %s on %s: %s", s.did(), here, strings.Join(slices.Compact(sent), ", "))
	}
	enter(&l.Irreversible, "by %s on %s: %s", s.did(), here, strings.Join(slices.Compact(sent), ", "))
}

// Submits says whether what was dispatched is how forms are sent: Return, or a press on a control that
// sends one.
func (s *Step) Submits() bool {
	a := s.Action
	if a == nil {
		return false
	}
	return a.PressesReturn() || a.Kind.Pressing() && (s.Target.Submit || s.Target.Form != "" &&
		s.Target.SubmitShaped())
}

// did is what was dispatched in words, without a value.
func (s *Step) did() string {
	return s.Action.did(s.goesTo().Name)
}

// did is a, done to what is called name, in words.
func (a *Action) did(name string) string {
	out := string(a.Kind)
	if a.Kind == Key {
		out = a.Keys
	}
	if name = OneLine(name); name != "" {
		out += fmt.Sprintf(" %q", name)
	}
	return out
}

func (l Ledger) sorted() Ledger {
	for _, list := range l.lists() {
		s := slices.Clone(*list)
		slices.SortFunc(s, compareEntries)
		*list = slices.Compact(s)
		if len(*list) == 0 {
			*list = nil
		}
	}
	return l
}

func compareEntries(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.Step, b.Step), strings.Compare(a.Text, b.Text))
}

// Sections are the lists that have an entry, in words. What was done several times has one line.
func (l Ledger) Sections() []LedgerSection {
	var out []LedgerSection
	for i, list := range l.lists() {
		if len(*list) > 0 {
			out = append(out, LedgerSection{ledgerNames[i], lines(*list)})
		}
	}
	return out
}

// LedgerSection is one list of a ledger in words.
type LedgerSection struct {
	Name string
	// Lines come in the order in which each was last done; pages in that of their addresses.
	Lines []string
}

// The names of the sections.
const (
	PagesVisited        = "Pages visited"
	DataExtracted       = "Data extracted"
	FormsSubmitted      = "Forms submitted"
	Downloads           = "Downloads"
	IrreversibleActions = "Irreversible actions"
	RewindsMade         = "Rewinds"
)

// PossiblySent is what is said of a send whose intent alone is on record.
const PossiblySent = "possibly sent, the run was interrupted"

// ledgerNames are in the order of Ledger.lists.
var ledgerNames = []string{PagesVisited, DataExtracted, FormsSubmitted, Downloads, IrreversibleActions,
	RewindsMade}

// lines are the entries of one list in words.
func lines(list []Entry) []string {
	steps := make(map[string][]int, len(list))
	for _, e := range list {
		steps[e.Text] = append(steps[e.Text], e.Step)
	}
	out := make([]string, 0, len(steps))
	for _, e := range list {
		switch at := steps[e.Text]; {
		case e.Step == 0:
			out = append(out, e.Text)
		case e.Step == at[len(at)-1]:
			out = append(out, atSteps(at)+": "+e.Text)
		}
	}
	return out
}

// atSteps names steps, of many the first three and the last.
func atSteps(steps []int) string {
	const most = 4
	if n := len(steps); n == 1 {
		return "step " + strconv.Itoa(steps[0])
	} else if n > most {
		return fmt.Sprintf("steps %d, %d, %d, … %d (%d times)", steps[0], steps[1], steps[2], steps[n-1], n)
	}
	named := make([]string, len(steps))
	for i, n := range steps {
		named[i] = strconv.Itoa(n)
	}
	return "steps " + strings.Join(named, ", ")
}

// String is the ledger as Markdown, one section for each list that has an entry; "" when nothing was done.
func (l Ledger) String() string {
	var parts []string
	for _, s := range l.Sections() {
		parts = append(parts, s.String())
	}
	return strings.Join(parts, "\n")
}

// String is the section as Markdown: a heading and a list.
func (s LedgerSection) String() string {
	return "## " + s.Name + "\n- " + strings.Join(s.Lines, "\n- ") + "\n"
}
