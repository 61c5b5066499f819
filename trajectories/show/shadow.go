package show

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/cua-runner/cua-runner/trajectories"
)

// gateShadows are those of all gates that were in shadow mode, those too that ruled nothing.
func gateShadows(t *trajectories.Trajectory) []trajectories.GateShadow {
	ruled := map[string]trajectories.GateShadow{}
	for _, g := range trajectories.ShadowsByGate(trajectories.Shadows(t)) {
		ruled[g.Gate] = g
	}
	var out []trajectories.GateShadow
	for _, name := range trajectories.ShadowGates(t) {
		g := ruled[name]
		g.Gate = name
		out = append(out, g)
	}
	return out
}

// shadowMark says what the gate would have done: "would have: type_pending_value (rescue) → type "ada"".
func shadowMark(w trajectories.ShadowRuling) string {
	r := w.Ruling
	out := fmt.Sprintf("would have: %s (%s)",
		trajectories.Shadowed{Verdict: r.Verdict, Reason: r.Reason}.Label(), r.Gate)
	switch {
	case r.Action != nil:
		out += " → " + trajectories.Sentence(*r.Action, r.Action.Point)
	case r.Reason != "":
		out += ", " + string(r.Verdict)
	}
	return out
}

// judgement is how the ruling compares with what happened next: its colour and the word for it.
func judgement(w trajectories.ShadowRuling) chip {
	switch {
	case w.Right == nil:
		return chip{"", "open"}
	case *w.Right:
		return chip{"good", "right"}
	}
	return chip{"bad", "wrong"}
}

// shadowDetail is all of w in one line, without what it would have dispatched.
func shadowDetail(w trajectories.ShadowRuling) string {
	out := w.Ruling.Detail
	if len(w.Ruling.Evidence) > 0 {
		out = strings.TrimSpace(out + " (seen in steps " + ranges(w.Ruling.Evidence) + ")")
	}
	return out
}

// wouldByStep sorts the would-be rulings of t by the index of the step.
func wouldByStep(t *trajectories.Trajectory) map[int][]trajectories.ShadowRuling {
	out := map[int][]trajectories.ShadowRuling{}
	for _, w := range trajectories.ShadowRulings(t) {
		out[w.Step] = append(out[w.Step], w)
	}
	return out
}

// marks writes under a step's line what gates in shadow mode would have done there.
func marks(b *bytes.Buffer, all []trajectories.ShadowRuling) {
	for _, w := range all {
		fmt.Fprintf(b, "  · %s: %s\n", trajectories.Printable(shadowMark(w)), judgement(w).Text)
	}
}

// shadowTable says how good the gates in shadow mode would have been; nothing where none was.
func shadowTable(b *bytes.Buffer, t *trajectories.Trajectory, width int) {
	gates := gateShadows(t)
	if len(gates) == 0 {
		return
	}
	b.WriteString("\ngates in shadow mode: what they would have done, judged by what happened next\n")
	rows := [][]string{{"gate, reason", "rulings", "judged", "right", "precision"}}
	row := func(name string, g trajectories.GateShadow) {
		rows = append(rows, []string{name, strconv.Itoa(g.Rulings), strconv.Itoa(g.Judged),
			strconv.Itoa(g.Right), g.Precision()})
	}
	for _, g := range gates {
		row(g.Gate, g)
		for _, s := range g.Reasons {
			row("  "+s.Label(), trajectories.GateShadow{Rulings: s.Rulings, Judged: s.Right + s.Wrong,
				Right: s.Right})
		}
	}
	const precision = 4
	aligned(b, rows, width, precision, nil)
	b.WriteString(trajectories.ShadowDefinition + "\n")
}
