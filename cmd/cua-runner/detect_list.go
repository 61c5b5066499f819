package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/cua-runner/cua-runner/benchmarks/detection"
	"github.com/cua-runner/cua-runner/cmd/cua-runner/internal/tty"
	"github.com/cua-runner/cua-runner/cua"
)

// detectList prints trajectories as they are judged, and what they come to together.
type detectList struct {
	app   *app
	flags *detectFlags
	json  *json.Encoder
	// bar is nil where the list itself shows that something happens.
	bar *progressbar.ProgressBar
	// headed says that the head of the table is printed.
	headed bool

	runs, steps, soft, hard, incidents, stuck, wasted int
	cost                                              cost
}

func newDetectList(a *app, f *detectFlags) *detectList {
	l := &detectList{app: a, flags: f, json: a.json()}
	l.json.SetEscapeHTML(false)
	if tty.Is(a.err) && (f.list != listAll || tty.Width(a.out) == 0) {
		l.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(a.err), progressbar.OptionShowCount(),
			progressbar.OptionShowIts(), progressbar.OptionSetItsString("trajectories"),
			progressbar.OptionSetDescription("scoring"), progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionClearOnFinish())
	}
	return l
}

// cost is what incidents cost together.
type cost struct {
	tokens  int
	usd     float64
	priced  bool // some incident has a price
	seconds float64
}

func (c *cost) add(incidents []cua.Incident) {
	for _, in := range incidents {
		c.tokens += in.Tokens
		c.seconds += in.Seconds
		if in.USD != nil {
			c.usd, c.priced = c.usd+*in.USD, true
		}
	}
}

// cells are tokens, dollars and seconds; a dash where nothing is known.
func (c cost) cells() []string {
	out := []string{"–", "–", "–"}
	if c.tokens > 0 {
		out[0] = strconv.Itoa(c.tokens)
	}
	if c.priced {
		out[1] = fmt.Sprintf("%.4f", c.usd)
	}
	if c.seconds > 0 {
		out[2] = fmt.Sprintf("%.1f", c.seconds)
	}
	return out
}

// words are what is known of the cost, to end a line with.
func (c cost) words() string {
	out := ""
	for i, cell := range c.cells() {
		if cell != "–" {
			out += fmt.Sprintf([]string{", tokens: %s", ", USD: %s", ", seconds: %s"}[i], cell)
		}
	}
	return out
}

// detectWidths are those of the columns before the shapes, which have a width too, and the id, which
// ends the line: a table that is printed as it comes cannot ask the rows to come how wide they are.
var detectWidths = []int{5, 7, 7, 9, 5, 6, 9, 8, 8}

const shapesWidth = 24

// detectRow aligns cells: numbers to the right, the shapes to the left.
func detectRow(cells []string, shapes, id string) string {
	var b strings.Builder
	for i, c := range cells {
		fmt.Fprintf(&b, "%*s  ", detectWidths[i], c)
	}
	fmt.Fprintf(&b, "%-*s  %s", shapesWidth, shapes, id)
	return b.String()
}

func (l *detectList) head() error {
	if l.headed || l.flags.json || l.flags.list == listNone {
		return nil
	}
	l.headed = true
	return l.row([]string{"steps", "soft at", "hard at", "incidents", "stuck", "wasted", "tokens", "USD",
		"seconds"}, "shapes", "id")
}

func (l *detectList) text(s string) error {
	_, err := l.app.out.Write([]byte(s))
	return err
}

// row prints one line of the table.
func (l *detectList) row(cells []string, shapes, id string) error {
	return l.print(detectRow(cells, shapes, id))
}

// print prints one line, cut where a terminal would break it.
func (l *detectList) print(text string) error {
	if w := tty.Width(l.app.out); w > 0 {
		text = cua.Clip(text, w)
	}
	return l.text(text + "\n")
}

// line writes v as one line of JSON.
func (l *detectList) line(v any) error { return l.json.Encode(v) }

// add counts one trajectory, and prints it where it is to be listed.
func (l *detectList) add(d detection.Detected) error {
	if l.bar != nil {
		_ = l.bar.Add(1) // a display that cannot be drawn is no reason to stop
	}
	l.runs++
	l.steps += d.Steps
	l.incidents += len(d.Incidents)
	l.stuck += d.Stuck
	l.wasted += d.Wasted
	l.cost.add(d.Incidents)
	if d.SoftAt > 0 {
		l.soft++
	}
	if d.HardAt > 0 {
		l.hard++
	}
	switch {
	case l.flags.list == listNone || l.flags.list == listAlarms && d.SoftAt == 0:
		return nil
	case l.flags.json:
		return l.line(d)
	}
	if err := l.head(); err != nil {
		return err
	}
	var c cost
	c.add(d.Incidents)
	cells := append([]string{strconv.Itoa(d.Steps), orNever(d.FirstSoft), orNever(d.FirstHard),
		strconv.Itoa(len(d.Incidents)),
		strconv.Itoa(d.Stuck), strconv.Itoa(d.Wasted)}, c.cells()...)
	if err := l.row(cells, shapeWords(d.Signals), tty.Safe(d.ID)); err != nil {
		return err
	}
	for i, words := range d.Loops {
		if more := len(d.Loops) - i; i == fewLoops && more > 1 {
			return l.print(fmt.Sprintf("       and %d more loops", more))
		}
		if err := l.print("       " + words); err != nil {
			return err
		}
	}
	return nil
}

// fewLoops is how many loops of one trajectory are told.
const fewLoops = 3

// warn prints what is odd about a trajectory that could be read.
func (l *detectList) warn(d detection.Detected) {
	if len(d.Warnings) > 0 {
		l.pause()
	}
	for _, w := range d.Warnings {
		fmt.Fprintf(l.app.err, "cua-runner: warning: %s: line %d: %s\n", tty.Safe(d.Path), w.Line,
			tty.Safe(w.Text))
	}
}

func orNever(step *int) string {
	if step == nil {
		return "–"
	}
	return strconv.Itoa(*step)
}

// shapeWords are the shapes that gave an alarm, in the order in which they did.
func shapeWords(signals []detection.From) string {
	var out []string
	for _, s := range signals {
		if s.Level.AtLeast(cua.Soft) && !slices.Contains(out, string(s.Shape)) {
			out = append(out, string(s.Shape))
		}
	}
	if len(out) == 0 {
		return "–"
	}
	return strings.Join(out, " ")
}

// foot prints the totals; cut says that the input was not read to its end.
func (l *detectList) foot(cut bool) error {
	if l.flags.json {
		return nil
	}
	if err := l.head(); l.runs == 0 && err != nil {
		return err
	}
	rest := ""
	if cut {
		rest = " (interrupted)"
	}
	return l.text(fmt.Sprintf("trajectories: %d, with a soft signal: %d, with a hard one: %d%s\nsteps: %d; "+
		"inside incidents (%d): %d, wasted: %d%s\n",
		l.runs, l.soft, l.hard, rest, l.steps, l.incidents, l.stuck, l.wasted, l.cost.words()) +
		blank(l.flags))
}

// blank parts the list from what follows.
func blank(f *detectFlags) string {
	if f.eval || f.labels != "" || len(f.fit) > 0 {
		return "\n"
	}
	return ""
}

// pause takes the display from the screen so that a line can be printed.
func (l *detectList) pause() {
	if l.bar != nil {
		_ = l.bar.Clear()
	}
}

// stop ends the display.
func (l *detectList) stop() {
	if l.bar != nil {
		_ = l.bar.Finish()
	}
}
