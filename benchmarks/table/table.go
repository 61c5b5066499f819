// Package table writes tables as plain text for a terminal and as Markdown. A cell is one line and holds no
// control characters, whatever its text came from.
package table

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua/redact"
)

const (
	// textWidth is how wide a table for a terminal may be, columns, before its cells are wrapped.
	Width = 116
	// narrowest is how narrow wrapping may make a column.
	narrowest = 12
	// gap is between two columns.
	gap = 2
)

// Table is rows of cells under headings.
type Table struct {
	Title string
	// Head is empty where there is nothing but the title.
	Head []string
	Rows [][]string
	// Note is said below the rows; "" is nothing.
	Note string
}

// Text writes t in aligned columns, no wider than wide where wrapping can help; 0 wraps nothing.
func (t Table) Text(b *strings.Builder, wide int) {
	t = t.safe()
	fmt.Fprintf(b, "%s\n", Wrap(t.Title, wide))
	widths := t.widths(wide)
	for i, row := range append([][]string{t.Head}, t.Rows...) {
		if i > 0 || len(t.Head) > 0 {
			textRow(b, row, widths)
		}
	}
	if t.Note != "" {
		fmt.Fprintf(b, "%s\n", Wrap(t.Note, wide))
	}
	b.WriteByte('\n')
}

// safe is t with cells that cannot move the cursor or colour the screen.
func (t Table) safe() Table {
	row := func(cells []string) []string {
		out := make([]string, len(cells))
		for i, c := range cells {
			out[i] = redact.PlainLine(c)
		}
		return out
	}
	rows := make([][]string, len(t.Rows))
	for i, r := range t.Rows {
		rows[i] = row(r)
	}
	return Table{Title: redact.PlainLine(t.Title), Head: row(t.Head), Rows: rows, Note: t.Note}
}

// Markdown writes t as a table of Markdown.
func (t Table) Markdown(b *strings.Builder) {
	line := func(row []string) {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = strings.ReplaceAll(redact.PlainLine(c), "|", `\|`)
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	fmt.Fprintf(b, "**%s**\n\n", redact.PlainLine(t.Title))
	if len(t.Head) > 0 {
		line(t.Head)
		b.WriteString(strings.Repeat("|---", len(t.Head)) + "|\n")
	}
	for _, row := range t.Rows {
		line(row)
	}
	if t.Note != "" {
		fmt.Fprintf(b, "\n%s\n", t.Note)
	}
	b.WriteByte('\n')
}

// widths are those of the columns: what they need, and where that is too much the widest are made narrower.
func (t Table) widths(wide int) []int {
	w, words := make([]int, len(t.Head)), make([]int, len(t.Head))
	for _, row := range append([][]string{t.Head}, t.Rows...) {
		for i, c := range row {
			w[i] = max(w[i], utf8.RuneCountInString(c))
			for _, word := range pieces(c) {
				words[i] = max(words[i], utf8.RuneCountInString(word))
			}
		}
	}
	total := gap * max(len(w)-1, 0)
	for _, n := range w {
		total += n
	}
	for ; wide > 0 && total > wide; total-- {
		widest := -1
		for i := range w { // a column is at least as wide as its longest word
			if w[i] > max(words[i], narrowest) && (widest < 0 || w[i] > w[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		w[widest]--
	}
	return w
}

// textRow writes one row, in as many lines as its tallest cell needs.
func textRow(b *strings.Builder, row []string, widths []int) {
	lines := make([][]string, len(row))
	tall := 0
	for i, c := range row {
		lines[i] = []string{c}
		if utf8.RuneCountInString(c) > widths[i] {
			lines[i] = lined(listed(c, widths[i]), widths[i])
		}
		tall = max(tall, len(lines[i]))
	}
	for n := range tall {
		var line strings.Builder
		for i := range row {
			c := ""
			if n < len(lines[i]) {
				c = lines[i][n]
			}
			line.WriteString(c + strings.Repeat(" ", max(widths[i]-utf8.RuneCountInString(c), 0)+gap))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// Wrap is s in lines of at most wide columns, broken between words; 0 breaks nothing.
func Wrap(s string, wide int) string {
	if wide <= 0 || utf8.RuneCountInString(s) <= wide {
		return s
	}
	return strings.Join(lined(strings.Fields(s), wide), "\n")
}

// pieces are the words of a cell; an interval in brackets is one.
func pieces(c string) []string {
	var out []string
	open := false
	for word := range strings.FieldsSeq(c) {
		if open {
			out[len(out)-1] += " " + word
		} else {
			out = append(out, word)
		}
		open = strings.LastIndex(out[len(out)-1], "[") > strings.LastIndex(out[len(out)-1], "]")
	}
	return out
}

// listed are the parts between which a cell is broken: what its commas separate, and pieces where that is
// longer than a line.
func listed(c string, wide int) []string {
	var out []string
	part := ""
	for _, piece := range pieces(c) {
		part = strings.TrimSpace(part + " " + piece)
		if strings.HasSuffix(piece, ",") {
			out, part = append(out, part), ""
		}
	}
	if part != "" {
		out = append(out, part)
	}
	var lines []string
	for _, part := range out {
		if utf8.RuneCountInString(part) <= wide {
			lines = append(lines, part)
			continue
		}
		lines = append(lines, pieces(part)...)
	}
	return lines
}

// lined puts so many parts in a line as go into wide columns.
func lined(parts []string, wide int) []string {
	var lines []string
	for _, part := range parts {
		last := len(lines) - 1
		if last >= 0 && utf8.RuneCountInString(lines[last])+1+utf8.RuneCountInString(part) <= wide {
			lines[last] += " " + part
			continue
		}
		lines = append(lines, part)
	}
	return lines
}
