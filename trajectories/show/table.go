package show

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// TableOptions say how WriteTable writes. The zero value is the whole table, unbounded.
type TableOptions struct {
	// Width is that of the screen in columns: cells are cut and other lines wrapped to it. 0 is
	// no bound, below 60 is taken as 60.
	Width int
	// Step is the number of the one step to show in full; 0 shows the table.
	Step int
}

const minWidth = 60

// WriteTable writes t for a person: the steps in aligned columns with the events between them and what gates
// in shadow mode would have done below them, then what was substituted and why, then the result, and what was
// done. Text of pages and brains cannot move the cursor or colour the screen. A step that t does not have
// is an error.
func WriteTable(w io.Writer, t *trajectories.Trajectory, o TableOptions) error {
	var b bytes.Buffer
	if o.Width > 0 {
		o.Width = max(o.Width, minWidth)
	}
	if o.Step != 0 {
		i := slices.IndexFunc(t.Steps, func(s cua.Step) bool { return s.N == o.Step })
		if i < 0 {
			return fmt.Errorf("show: showing %s: no step %d; it has %d", t.Header.Episode, o.Step,
				len(t.Steps))
		}
		stepDetail(&b, t, i)
	} else {
		head(&b, t)
		grid(&b, t, o.Width)
		substitutions(&b, t)
		foot(&b, t)
		shadowTable(&b, t, o.Width)
		incidentTable(&b, t, o.Width)
		ledgerLists(&b, t)
	}
	for line := range bytes.Lines(b.Bytes()) {
		text := wrap(strings.TrimRight(string(line), " \n"), o.Width)
		if _, err := io.WriteString(w, text+"\n"); err != nil {
			return fmt.Errorf("show: showing %s: %w", t.Header.Episode, err)
		}
	}
	return nil
}

func head(b *bytes.Buffer, t *trajectories.Trajectory) {
	h := t.Header
	fmt.Fprintf(b, "%s\n", trajectories.Printable(h.Episode))
	if h.ID != "" {
		fmt.Fprintf(b, "  id       %s\n", trajectories.Printable(h.ID))
	}
	fmt.Fprintf(b, "  goal     %s\n", trajectories.Printable(h.Task.Goal))
	fmt.Fprintf(b, "  page     %s\n", trajectories.Printable(h.Task.URL))
	brain := h.Brain.Name
	if h.Brain.Model != "" {
		brain += " (" + h.Brain.Model + ")"
	}
	fmt.Fprintf(b, "  brain    %s   arm %s   seed %d\n\n", trajectories.Printable(brain),
		trajectories.Printable(orDash(h.Arm)),
		h.Task.Seed)
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// gridHead names the columns.
func gridHead() []string {
	return []string{"step", "proposed", "dispatched", "gate: reason", "effect", "signals", "target"}
}

// gridRow is one step's cells.
func gridRow(s *cua.Step) []string {
	done := "same"
	if s.Action == nil || s.Substituted() {
		done = dispatched(s)
	}
	name := s.Target.Name
	if name == "" {
		name = s.Target.ID
	}
	if s.Target.Covering != nil {
		name += " (covered by " + s.Target.Covering.Name + ")"
	}
	mark := fmt.Sprint(s.N)
	if s.Substituted() {
		mark += " *"
	}
	row := []string{mark, trajectories.Proposed(s), done, rulingWords(s), effectWords(s),
		trajectories.SignalWords(s.Signals), name}
	return row
}

// widest is how wide a column gets when the lines are not bounded; longer cells are cut.
const widest = 48

func grid(b *bytes.Buffer, t *trajectories.Trajectory, width int) {
	rows := [][]string{gridHead()}
	for i := range t.Steps {
		rows = append(rows, gridRow(&t.Steps[i]))
	}
	would := wouldByStep(t)
	after := func(n int) { // the step in row n is the one with index n-1
		if n > 0 && t.Steps[n-1].Repetition != nil {
			fmt.Fprintf(b, "  – noted: %s\n", trajectories.Printable(repeatWords(t.Steps[n-1].Repetition)))
		}
		marks(b, would[n-1])
		events(b, t, n)
	}
	aligned(b, rows, width, reasonColumn, func(row int) { after(row - 1) })
	after(len(t.Steps))
}

// aligned writes rows in columns, the first is their head. Lines longer than width are made shorter,
// column keep last. before is called before each row but the head; nil is nothing.
func aligned(b *bytes.Buffer, rows [][]string, width, keep int, before func(row int)) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i := range row {
			row[i] = trajectories.Printable(row[i])
			widths[i] = min(max(widths[i], utf8.RuneCountInString(row[i])), widest)
		}
	}
	shrink(widths, width, keep)
	for i, row := range rows {
		if i > 0 && before != nil {
			before(i)
		}
		for j, c := range row {
			c = cua.Clip(c, widths[j])
			fmt.Fprintf(b, "%s%s  ", c, strings.Repeat(" ", widths[j]-utf8.RuneCountInString(c)))
		}
		b.WriteByte('\n')
	}
}

// reasonColumn is the one that a narrow screen cuts last.
const reasonColumn = 3

// shrink takes from the widest column until a line fits, from column keep only when the
// others are at narrow.
func shrink(widths []int, width, keep int) {
	const narrow, least = 10, 4
	sum := 2 * (len(widths) - 1)
	for _, w := range widths {
		sum += w
	}
	for ; width > 0 && sum > width; sum-- {
		others := slices.Clone(widths)
		others[keep] = 0
		at := slices.Index(others, slices.Max(others))
		if widths[at] <= narrow {
			at = slices.Index(widths, slices.Max(widths))
		}
		if widths[at] <= least {
			return
		}
		widths[at]--
	}
}

// hang is how far the further lines of a long one are set in.
const hang = 15

// wrap breaks s, at spaces where there are some, into lines of n columns; 0 is no bound. That of
// benchmarks/table is for prose: it drops the spaces between columns, sets nothing in, and breaks no word.
func wrap(s string, n int) string {
	var b strings.Builder
	rest := []rune(s)
	for n > 0 && len(rest) > n {
		at := n
		for i := n; i > n/2; i-- {
			if rest[i] == ' ' {
				at = i
				break
			}
		}
		b.WriteString(strings.TrimRight(string(rest[:at]), " ") + "\n")
		rest = []rune(strings.Repeat(" ", hang) + strings.TrimLeft(string(rest[at:]), " "))
	}
	return b.String() + string(rest)
}

// events writes those after step n.
func events(b *bytes.Buffer, t *trajectories.Trajectory, n int) {
	for _, e := range t.Events {
		if e.Step == n {
			fmt.Fprintf(b, "  – %s\n", trajectories.Printable(eventWords(e)))
		}
	}
}

// maxDenialsShown is how many hosts of an event are named.
const maxDenialsShown = 5

// eventWords are an event in a line.
func eventWords(e trajectories.Event) string {
	out := string(e.Kind)
	if e.Intent != nil {
		out += ": step " + fmt.Sprint(e.Intent.Number) + ", " + trajectories.Sentence(e.Intent.Action,
			e.Intent.Action.Point)
		if e.Intent.Submit {
			out += ": possibly sent"
		}
	}
	if e.Browser != nil {
		out += " in another browser: " + e.Browser.String()
	}
	if len(e.Changes) > 0 {
		out += ": " + trajectories.Joined(e.Changes, " ")
	}
	for i, d := range e.Denied {
		if i == maxDenialsShown {
			out += fmt.Sprintf(" and %d more", len(e.Denied)-i)
			break
		}
		out += fmt.Sprintf(": %s %s ×%d", orDash(d.Host), d.Reason, d.Count)
	}
	for _, text := range []string{e.Detail, e.Answer} {
		if text != "" {
			out += ": " + text
		}
	}
	return out
}

func substitutions(b *bytes.Buffer, t *trajectories.Trajectory) {
	first := true
	for i := range t.Steps {
		s := &t.Steps[i]
		if !s.Substituted() {
			continue
		}
		if first {
			b.WriteString("\n* substituted\n")
			first = false
		}
		r, _ := s.Ruled()
		fmt.Fprintf(b, "  step %d: %s → %s\n", s.N, trajectories.Printable(trajectories.Proposed(s)),
			trajectories.Printable(dispatched(s)))
		fmt.Fprintf(b, "          by %s, %s", trajectories.Printable(r.Gate),
			trajectories.Printable(orDash(r.Reason)))
		if r.Detail != "" {
			fmt.Fprintf(b, ": %s", trajectories.Printable(r.Detail))
		}
		if len(r.Evidence) > 0 {
			fmt.Fprintf(b, " (seen in steps %s)", strings.Trim(fmt.Sprint(r.Evidence), "[]"))
		}
		b.WriteByte('\n')
	}
}

func foot(b *bytes.Buffer, t *trajectories.Trajectory) {
	r := trajectories.Summarize(t, t.Incidents)
	fmt.Fprintf(b, "\n%s after %s, %s s, %s tokens", resultWords(t), trajectories.Plural(r.Steps, "step"),
		trajectories.Seconds(float64(r.DurationMS)/1000), trajectories.Grouped(r.Tokens))
	if r.USD != nil {
		fmt.Fprintf(b, ", %s USD", trajectories.Dollars(r.USD))
	}
	if r.Reward != nil {
		fmt.Fprintf(b, ", reward %g", *r.Reward)
	}
	b.WriteByte('\n')
	if r.Answer != "" {
		fmt.Fprintf(b, "answer: %s\n", trajectories.Printable(r.Answer))
	}
	if t.End != nil && t.End.Detail != "" {
		fmt.Fprintf(b, "detail: %s\n", trajectories.Printable(t.End.Detail))
	}
	if words := trajectories.DenialWords(r.Denied); words != "" {
		b.WriteString(trajectories.Printable(words) + "\n")
	}
	for _, l := range sentinelLines(t) {
		b.WriteString(l + "\n")
	}
	if r.Cut > 0 {
		b.WriteString(trajectories.CutWords(r.Cut, r.PossiblySent) + "\n")
	}
	if in := t.Interrupted; in != nil {
		sent := ""
		if in.Submit {
			sent = ": possibly sent"
		}
		did := trajectories.Printable(trajectories.Sentence(in.Action, in.Action.Point))
		fmt.Fprintf(b, "interrupted: %s was begun, its outcome was not seen%s\n", did, sent)
	}
	if t.Torn {
		fmt.Fprintf(b, "the last line of the journal is torn: %d bytes are of no use\n", t.Dropped)
	}
}

// ledgerLists say what was done.
func ledgerLists(b *bytes.Buffer, t *trajectories.Trajectory) {
	for i, s := range cua.LedgerOf(t.History()).Sections() {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "%s\n", strings.ToLower(s.Name))
		for _, line := range s.Lines {
			fmt.Fprintf(b, "  %s\n", trajectories.Printable(line))
		}
	}
}

// resultWords are success and end reason.
func resultWords(t *trajectories.Trajectory) string {
	switch {
	case t.End == nil:
		return "not ended"
	case t.End.Success:
		return "success (" + trajectories.Printable(string(t.End.Reason)) + ")"
	}
	if t.End.Code != "" {
		return "no success (" + trajectories.Printable(string(t.End.Reason)+", "+t.End.Code) + ")"
	}
	return "no success (" + trajectories.Printable(string(t.End.Reason)) + ")"
}
