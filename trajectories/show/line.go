package show

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/cua-runner/cua-runner/cua"
	"github.com/cua-runner/cua-runner/trajectories"
)

// StepLine is s on one line, for a progress display: what was proposed, what was dispatched
// instead, by which gate and why, and the outcome. Text of pages and brains in it is made
// harmless for a terminal.
func StepLine(s *cua.Step) string {
	parts := []string{trajectories.Proposed(s)}
	if name := s.Target.Name; name != "" {
		parts[0] += " (" + name + ")"
	}
	if s.Action == nil || s.Substituted() {
		parts = append(parts, "→ "+dispatched(s))
	}
	if r := rulingWords(s); r != "" {
		parts = append(parts, "["+r+"]")
	}
	parts = append(parts, "effect: "+effectWords(s))
	if s.Failure != nil && s.Failure.Detail != "" {
		parts = append(parts, "("+s.Failure.Detail+")")
	}
	if sig := trajectories.SignalWords(s.Signals); sig != "" {
		parts = append(parts, "signals: "+sig)
	}
	for i := range parts {
		parts[i] = fit(parts[i], maxPart)
	}
	return strings.Join(parts, "  ")
}

const (
	// maxPart bounds a part of a line of a progress display, and maxCard a line of a card, characters. The
	// journal has the whole text.
	maxPart = 400
	maxCard = 4000
)

// fit is text on one line for a terminal, cut to about most characters.
func fit(text string, most int) string {
	if n := utf8.RuneCountInString(text); n > most {
		text = fmt.Sprintf("%s (%s characters in all)", cua.Clip(text, most), trajectories.Grouped(n))
	}
	return trajectories.Printable(text)
}
