package trajectories

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// label is what the reader finds the entry by: the reason code, or the verdict where a gate gave none.
func (s Shadowed) label() string {
	if s.Reason == "" {
		return string(s.Verdict)
	}
	return s.Reason
}

// Precision is the share of right rulings among the judged ones as a whole percentage; "–" where there are
// none.
func (g GateShadow) Precision() string {
	if g.Judged == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(g.Right)/float64(g.Judged))
}

// ReasonWords list the reason codes with the right and the judged rulings of each, and those that are
// not judged: "type_pending_value 2 of 3, hard_loop 0 of 0 (1 open)"; "" for none.
func (g GateShadow) ReasonWords() string {
	var out []string
	for _, s := range g.Reasons {
		words := fmt.Sprintf("%s %d of %d", s.label(), s.Right, s.Right+s.Wrong)
		if s.Open > 0 {
			words += fmt.Sprintf(" (%d open)", s.Open)
		}
		out = append(out, words)
	}
	return strings.Join(out, ", ")
}

// gateShadows are those of all gates that were in shadow mode, those too that ruled nothing.
func (t *Trajectory) gateShadows() []GateShadow {
	ruled := map[string]GateShadow{}
	for _, g := range ShadowsByGate(Shadows(t)) {
		ruled[g.Gate] = g
	}
	var out []GateShadow
	for _, name := range t.shadowGates() {
		g := ruled[name]
		g.Gate = name
		out = append(out, g)
	}
	return out
}

// mark says what the gate would have done: "would have: type_pending_value (rescue) → type "ada"".
func (w wouldBe) mark() string {
	r := w.ruling
	out := fmt.Sprintf("would have: %s (%s)", Shadowed{Verdict: r.Verdict, Reason: r.Reason}.label(), r.Gate)
	switch {
	case r.Action != nil:
		out += " → " + sentence(*r.Action, r.Action.Point)
	case r.Reason != "":
		out += ", " + string(r.Verdict)
	}
	return out
}

// judgement is how the ruling compares with what happened next: its colour and the word for it.
func (w wouldBe) judgement() chip {
	switch {
	case w.right == nil:
		return chip{"", "open"}
	case *w.right:
		return chip{"good", "right"}
	}
	return chip{"bad", "wrong"}
}

// detail is all of w in one line, without what it would have dispatched.
func (w wouldBe) detail() string {
	out := w.ruling.Detail
	if len(w.ruling.Evidence) > 0 {
		out = strings.TrimSpace(out + " (seen in steps " + ranges(w.ruling.Evidence) + ")")
	}
	return out
}

// wouldByStep sorts the would-be rulings of t by the index of the step.
func (t *Trajectory) wouldByStep() map[int][]wouldBe {
	out := map[int][]wouldBe{}
	for _, w := range t.wouldBe() {
		out[w.step] = append(out[w.step], w)
	}
	return out
}

// ShadowSteps are the numbers of the steps on which a gate in shadow mode ruled; empty for none.
func ShadowSteps(t *Trajectory) map[int]bool {
	out := map[int]bool{}
	for _, w := range t.wouldBe() {
		out[t.Steps[w.step].N] = true
	}
	return out
}

// marks writes under a step's line what gates in shadow mode would have done there.
func marks(b *bytes.Buffer, all []wouldBe) {
	for _, w := range all {
		fmt.Fprintf(b, "  · %s: %s\n", printable(w.mark()), w.judgement().Text)
	}
}

// shadowTable says how good the gates in shadow mode would have been; nothing where none was.
func shadowTable(b *bytes.Buffer, t *Trajectory, width int) {
	gates := t.gateShadows()
	if len(gates) == 0 {
		return
	}
	b.WriteString("\ngates in shadow mode: what they would have done, judged by what happened next\n")
	rows := [][]string{{"gate, reason", "rulings", "judged", "right", "precision"}}
	row := func(name string, g GateShadow) {
		rows = append(rows, []string{name, strconv.Itoa(g.Rulings), strconv.Itoa(g.Judged),
			strconv.Itoa(g.Right), g.Precision()})
	}
	for _, g := range gates {
		row(g.Gate, g)
		for _, s := range g.Reasons {
			row("  "+s.label(), GateShadow{Rulings: s.Rulings, Judged: s.Right + s.Wrong, Right: s.Right})
		}
	}
	const precision = 4
	aligned(b, rows, width, precision, nil)
	b.WriteString(ShadowDefinition + "\n")
}
