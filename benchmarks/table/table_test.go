package table

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/cua-runner/cua-runner/cua/redact"
)

func TestTextTableWrapsItsWidestCells(t *testing.T) {
	tab := Table{Title: "Ends", Head: []string{"arm", "ends", "n"}, Rows: [][]string{
		{"default", "done 30, asked 4, max_steps 2", "36"}, {"off", "–", ""}}, Note: "one two three four five six seven"}
	rates := Table{Title: "By cap", Head: []string{"arm", "in 20 steps"},
		Rows: [][]string{{"default", "60 % [31, 83] (100 %), 4"}}}
	for _, row := range []struct {
		Table
		wide int
		want string
	}{
		{tab, 0, "Ends\narm      ends                           n\ndefault  done 30, asked 4, max_steps 2  36\noff      –\none two three four five six seven\n\n"},
		{tab, 27, "Ends\narm      ends            n\ndefault  done 30,        36\n         asked 4,\n         max_steps 2\noff      –\none two three four five six\nseven\n\n"},
		{rates, 21, "By cap\narm      in 20 steps\ndefault  60 %\n         [31, 83]\n         (100 %), 4\n\n"},
	} {
		t.Run(fmt.Sprint(row.Title, row.wide), func(t *testing.T) {
			var b strings.Builder
			row.Text(&b, row.wide)
			if b.String() != row.want {
				t.Errorf("got\n%s\nwant\n%s", b.String(), row.want)
			}
		})
	}
}

// Whatever is in the cells, no word is lost, no line ends in a space, and a line is only too wide where no
// column can be narrower.
func TestTextTableKeepsEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-zé]{1,9}`), 0, 12)
		cols := rapid.IntRange(1, 5).Draw(t, "columns")
		var tab Table
		n := 0
		line := func() []string {
			row := make([]string, cols)
			for i := range row {
				w := words.Draw(t, "cell")
				row[i], n = strings.Join(w, " "), n+len(w)
			}
			return row
		}
		tab.Head = line()
		for range rapid.IntRange(0, 4).Draw(t, "rows") {
			tab.Rows = append(tab.Rows, line())
		}
		wide := cols * (narrowest + gap)
		var b strings.Builder
		tab.Text(&b, wide)
		if got := len(strings.Fields(b.String())); got != n {
			t.Fatalf("%d words of %d in\n%s", got, n, b.String())
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if utf8.RuneCountInString(line) > wide || line != strings.TrimRight(line, " ") {
				t.Fatalf("line %q (more than %d columns?) in\n%s", line, wide, b.String())
			}
		}
	})
}

// Text in a cell cannot move the cursor, colour the screen or break the table.
func TestCellsAreOneSafeLine(t *testing.T) {
	evil := "a\x1b[2J\nb\u202ec\x9b|"
	tab := Table{Title: evil, Head: []string{evil}, Rows: [][]string{{evil}}}
	for name, write := range map[string]func(*strings.Builder){
		"text": func(b *strings.Builder) { tab.Text(b, Width) }, "Markdown": tab.Markdown} {
		var b strings.Builder
		write(&b)
		for i, line := range strings.Split(b.String(), "\n") {
			if redact.PlainLine(line) != line {
				t.Errorf("%s: line %d is %q", name, i, line)
			}
		}
		if n := strings.Count(b.String(), "a[2J bc"); n != 3 {
			t.Errorf("%s: the text is there %d times: %q", name, n, b.String())
		}
	}
	if tab.Rows[0][0] != evil {
		t.Errorf("the table was changed to %q", tab.Rows[0][0])
	}
}
