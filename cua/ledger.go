package cua

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Ledger is what an episode has done, computed from executed actions and never from what a model said. A
// prompt that folds old steps away shows it instead (docs/memory.md#ledger-and-compaction). The ledgers of
// two stretches of a history merge into that of both, so a prompt may fold any number of times.
type Ledger struct {
	// Pages are the addresses that were shown, redacted (PublicURL).
	Pages []Entry `json:"pages,omitzero"`
	// Data are the find and extract actions that succeeded, with what they asked for.
	Data []Entry `json:"data,omitzero"`
	// Forms are submissions that the server accepted, and those that an interruption left uncertain.
	Forms []Entry `json:"forms,omitzero"`
	// Downloads are steps that started one.
	Downloads []Entry `json:"downloads,omitzero"`
	// Irreversible are all steps that changed something on a server, including forms.
	Irreversible []Entry `json:"irreversible,omitzero"`
	// Rewinds are the rewinds and where they led.
	Rewinds []Entry `json:"rewinds,omitzero"`
}

// Entry is one line of a ledger.
type Entry struct {
	// Step is the number of the step; 0 for a page, which is entered once.
	Step int    `json:"step,omitzero"`
	Text string `json:"text"`
}

// LedgerOf is the ledger of h. h may be a stretch of a longer history; its Start is then the page that its
// first step acted on.
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

// Merge is the ledger of both, without duplicates. The order of the two does not matter.
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
	if s.Action == nil {
		return
	}
	here := cmp.Or(PublicURL(before.URL), "a page without address")
	enter := func(to *[]Entry, format string, args ...any) {
		*to = append(*to, Entry{s.N, fmt.Sprintf(format, args...)})
	}
	switch { // what a step sent or loaded counts also if it failed after that
	case s.Failure != nil:
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
		if w.OK() && !s.tellsAgain(w, before) {
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

// tellsAgain reports whether w is a write of the step before. A page goes on listing what the last action
// caused until another one begins: a wait, a read-only action and an answer to a dialog begin none. In older
// journals a step that lost its page repeats the writes of the step before.
func (s *Step) tellsAgain(w Write, before *Observation) bool {
	k := s.Action.Kind
	lost := s.Failure != nil && s.Failure.Kind.End() != ""
	return (lost || k == AnswerDlg || !k.acts()) && slices.Contains(before.Writes, w)
}

// Submits reports whether the dispatched action is a way to send a form: Return, or a press of a submit
// control.
func (s *Step) Submits() bool {
	a := s.Action
	if a == nil {
		return false
	}
	return a.PressesReturn() || a.Kind.Pressing() && (s.Target.Submit || s.Target.Form != "" &&
		s.Target.SubmitShaped())
}

// did is the dispatched action in words, without a value.
func (s *Step) did() string {
	return s.Action.did(s.goesTo().Name)
}

// did is a in words; name is that of its target.
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

// Sections are the non-empty lists in words. An action that was done several times has one line.
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
	// Lines are in the order in which each was last done; pages are in the order of their addresses.
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

// PossiblySent is the text for a send of which only the intent is recorded.
const PossiblySent = "possibly sent, the run was interrupted"

// ledgerNames are in the order of Ledger.lists.
var ledgerNames = []string{PagesVisited, DataExtracted, FormsSubmitted, Downloads, IrreversibleActions,
	RewindsMade}

// lines are the entries of list in words.
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

// atSteps names the steps; of many it names the first three and the last.
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

// String is the ledger as Markdown, one section per non-empty list; "" if there is none.
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
