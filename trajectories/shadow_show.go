package trajectories

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// gateShadows are those of all gates that were in shadow mode, those too that ruled nothing.
func gateShadows(t *Trajectory) []GateShadow {
	ruled := map[string]GateShadow{}
	for _, g := range ShadowsByGate(Shadows(t)) {
		ruled[g.Gate] = g
	}
	var out []GateShadow
	for _, name := range ShadowGates(t) {
		g := ruled[name]
		g.Gate = name
		out = append(out, g)
	}
	return out
}

// shadowMark says what the gate would have done: "would have: type_pending_value (rescue) → type "ada"".
func shadowMark(w ShadowRuling) string {
	r := w.Ruling
	out := fmt.Sprintf("would have: %s (%s)", Shadowed{Verdict: r.Verdict, Reason: r.Reason}.Label(), r.Gate)
	switch {
	case r.Action != nil:
		out += " → " + Sentence(*r.Action, r.Action.Point)
	case r.Reason != "":
		out += ", " + string(r.Verdict)
	}
	return out
}

// judgement is how the ruling compares with what happened next: its colour and the word for it.
func judgement(w ShadowRuling) chip {
	switch {
	case w.Right == nil:
		return chip{"", "open"}
	case *w.Right:
		return chip{"good", "right"}
	}
	return chip{"bad", "wrong"}
}

// shadowDetail is all of w in one line, without what it would have dispatched.
func shadowDetail(w ShadowRuling) string {
	out := w.Ruling.Detail
	if len(w.Ruling.Evidence) > 0 {
		out = strings.TrimSpace(out + " (seen in steps " + ranges(w.Ruling.Evidence) + ")")
	}
	return out
}

// wouldByStep sorts the would-be rulings of t by the index of the step.
func wouldByStep(t *Trajectory) map[int][]ShadowRuling {
	out := map[int][]ShadowRuling{}
	for _, w := range ShadowRulings(t) {
		out[w.Step] = append(out[w.Step], w)
	}
	return out
}

// marks writes under a step's line what gates in shadow mode would have done there.
func marks(b *bytes.Buffer, all []ShadowRuling) {
	for _, w := range all {
		fmt.Fprintf(b, "  · %s: %s\n", Printable(shadowMark(w)), judgement(w).Text)
	}
}

// shadowTable says how good the gates in shadow mode would have been; nothing where none was.
func shadowTable(b *bytes.Buffer, t *Trajectory, width int) {
	gates := gateShadows(t)
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
			row("  "+s.Label(), GateShadow{Rulings: s.Rulings, Judged: s.Right + s.Wrong, Right: s.Right})
		}
	}
	const precision = 4
	aligned(b, rows, width, precision, nil)
	b.WriteString(ShadowDefinition + "\n")
}
